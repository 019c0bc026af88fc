"""Checks of the unit on GPT-2's published weights.

Names inside `GPT2` are free, and `gpt2_state` of the same submission is the only one to know them. So where numbers are
compared, the two are used together: random published tensors go through the learner's `gpt2_state` into the learner's
`GPT2`, whose logits are compared with those of `published_logits`, which knows the published names alone. What can be
judged of a model whatever its weights are (its size, the cache, the mask) needs no `gpt2_state`.

`generate_text` is judged with models made for it, whose text is known beforehand.
"""

import pytest
import torch
from torch import nn

from autograder.judging.assertions import assert_close, assert_equal
from autograder.judging.replies import assert_raises, assert_refused, reply_of
from autograder.units.support.drivers import (
    fill_by_role,
    fill_in_order,
    fill_parameters,
    is_norm,
    order_of_use,
    refusal,
    zero_parameters,
)
from autograder.units.support.gpt2 import published_logits, published_state

# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


class SmallCache:
    """A cache with what the task names, and no more: `update` and `length`."""

    def __init__(self):
        self._layers = {}

    @property
    def length(self):
        return self._layers[0][0].shape[-2] if 0 in self._layers else 0

    def update(self, layer, k, v):
        if layer in self._layers:
            k, v = (torch.cat(both, dim=-2) for both in zip(self._layers[layer], (k, v)))
        self._layers[layer] = k, v
        return k, v


def build_gpt2(learner, sizes):
    """A GPT2 in evaluation mode. Its configuration is given in the notebook; a file may do without it."""
    try:
        make = learner.GPT2Config
    except Exception:
        make = type("Config", (), {"__init__": lambda self, **sizes: self.__dict__.update(sizes)})
    names = ("vocab_size", "block_size", "n_embed", "num_heads", "num_layers")
    return learner.GPT2(make(**dict(zip(names, sizes)))).eval()


def load_published(learner, sizes, file):
    """A GPT2 with the tensors of a file in it; or a sentence that says which parameter or tensor has no counterpart.

    Buffers and tied parameters need no tensor of their own.
    """
    dtype = next(one.dtype for name, one in file.items() if name.endswith("wte.weight"))
    model = build_gpt2(learner, sizes).to(dtype)
    given = learner.gpt2_state(file)
    if not isinstance(given, dict):
        return f"gpt2_state should return a dict of tensors, but returned {type(given).__name__}."
    parameters = dict(model.named_parameters(remove_duplicate=False))
    for name, tensor in given.items():
        if name not in parameters and name not in model.state_dict():
            return f"gpt2_state returns a tensor named {name}, but your GPT2 has none of that name."
        if name in parameters and (not isinstance(tensor, torch.Tensor) or tensor.shape != parameters[name].shape):
            found = tuple(tensor.shape) if isinstance(tensor, torch.Tensor) else type(tensor).__name__
            return f"{name} has the shape {tuple(parameters[name].shape)} in your GPT2, but gpt2_state returns {found}."
    filled = {id(parameters[name]) for name in given if name in parameters}
    empty = [name for name, parameter in model.named_parameters() if id(parameter) not in filled]
    if empty:
        return f"gpt2_state returns no tensor for {empty[0]}, a parameter of your GPT2."
    model.load_state_dict(given, strict=False)
    return model


def published_answers(learner, sizes, files, batches):
    """For each file, the logits of a GPT2 with its tensors on each batch of ids; and the files after these calls."""
    found = []
    for file in files:
        model = load_published(learner, sizes, file)
        if isinstance(model, str):
            return model
        with torch.no_grad():
            found.append([model(ids) for ids in batches])
    return found, files


PAIR = (build_gpt2, load_published)
FILL = (zero_parameters, is_norm, fill_parameters, order_of_use, fill_in_order, fill_by_role, build_gpt2)


def check_published(learner, sizes, state, batches, files=None):
    """Compare the logits with those that the published tensors ``state`` should give.

    ``files`` holds these tensors in other forms, each under a description for messages; without it, ``state`` itself is
    the only file. The calls must leave the files as they were.
    """
    *_, heads, layers = sizes
    files = files or {f"of {heads} heads and {layers} layers": state}
    request = sizes, list(files.values()), batches
    logits, after = reply_of(learner, published_answers, *request, uses=PAIR, parts=2)
    for what, found in zip(files, logits):
        for ids, got in zip(batches, found):
            expected = published_logits(state, ids, heads).to(state["wte.weight"].dtype)
            assert_close(got, expected, f"the logits of a GPT-2 {what}")
    for file, now in zip(files.values(), after):
        if not isinstance(now, dict) or list(now) != list(file):
            raise AssertionError("gpt2_state changed the names in its argument. Build a new dict.")
        assert_equal(tuple(now.values()), tuple(file.values()), [f"{name} after the call" for name in file])


# ---------------------------------------------------------------------------------------------------------------------
# GPT2


def size_of_model(learner, sizes, ids):
    """The logits, and how many numbers the parameters have, tied ones once."""
    model = build_gpt2(learner, sizes)
    return model(ids).detach(), sum(one.numel() for one in model.parameters())


@pytest.mark.task("pretrained.GPT2", points=1)
def test_size(learner, reference, rng):
    """The logits have the shape (B, T, V), and the model has exactly the parameters of a GPT-2, the head tied."""
    for vocab_size, block_size, width, heads, layers in ((11, 7, 12, 3, 2), (23, 5, 10, 5, 1)):
        sizes = vocab_size, block_size, width, heads, layers
        logits, count = reply_of(
            learner, size_of_model, sizes, rng.integers(0, vocab_size, 2, 4), uses=(build_gpt2,), parts=2
        )
        shape = list(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
        assert_equal(shape, [2, 4, vocab_size], f"the shape of the logits for ids (2, 4) and {vocab_size} tokens")
        expected = (vocab_size + block_size + 2) * width + layers * (12 * width**2 + 13 * width)
        if count != expected:
            tied = " The difference is the size of the token table: is the output layer tied to it?"
            unseen = " A model without any layer has that many numbers. Are the layers in an `nn.ModuleList`?"
            raise AssertionError(
                f"A GPT2 with vocab_size={vocab_size}, block_size={block_size}, n_embed={width} and {layers} layers "
                f"should have {expected} numbers in its parameters, but has {count}."
                + tied * (count - expected in (vocab_size * width, vocab_size * width + vocab_size))
                + unseen * (count == (vocab_size + block_size + 2) * width)
            )


def refuses_a_full_block(learner, sizes):
    """Whether a GPT2 refuses as many tokens as its block holds by a ValueError."""
    model = build_gpt2(learner, sizes)
    try:
        model(torch.zeros(1, sizes[1], dtype=torch.long))
    except ValueError:
        return True
    return False


@pytest.mark.task("pretrained.GPT2", points=3)
def test_published_logits(learner, reference, rng):
    """With published tensors, brought in by your own gpt2_state, the logits are those of GPT-2."""
    # Odd numbers of heads, one head, and a head of width 1; sequences as long as the block, and of one token.
    for sizes, dtype in (
        ((11, 7, 12, 3, 2), torch.float32),
        ((13, 6, 10, 5, 3), torch.float64),
        ((9, 5, 6, 1, 1), torch.float64),
        ((17, 8, 4, 4, 2), torch.float64),
    ):
        vocab_size, block_size, width, _, layers = sizes
        state = published_state(rng, vocab_size, block_size, width, layers, dtype)
        batches = [rng.integers(0, vocab_size, *shape) for shape in ((2, block_size), (3, 4), (1, 1))]
        if block_size == 7:  # short ones alone, and then a request of its own: catches a limit that is one too low
            check_published(learner, sizes, state, batches[1:])
            if learner.run(refuses_a_full_block, sizes, uses=(build_gpt2,)):
                raise AssertionError("A GPT2 with block_size=7 raised ValueError for 7 tokens, which fit.")
        check_published(learner, sizes, state, batches)


def filled_calls(learner, sizes, numbers, calls):
    """Fill a GPT2's parameters by their roles, and call it on each batch of ids; and the ids after these calls."""
    model = build_gpt2(learner, sizes).to(numbers.dtype)
    with torch.no_grad():
        fill_by_role(model, numbers, lambda: model(calls[0].clone()))
        return [model(ids) for ids in calls], calls


def calls_in_training(learner, sizes, numbers, ids):
    """The logits of two calls of a GPT2 in training mode, and those of a call in evaluation mode."""
    model = build_gpt2(learner, sizes).to(numbers.dtype)
    with torch.no_grad():
        fill_by_role(model, numbers, lambda: model(ids.clone()))
        model.train()
        found = [model(ids), model(ids)]
        return [*found, model.eval()(ids)]


@pytest.mark.task("pretrained.GPT2", points=1)
def test_no_peeking(learner, reference, rng):
    """The logits of a position depend only on the tokens of its own sequence up to that position, not on chance."""
    sizes = 11, 7, 12, 3, 2
    numbers = rng.normal(1009, dtype=torch.float64) / 2
    ids = rng.integers(0, 11, 3, 7)
    calls = [ids, *(ids[row : row + 1, :length] for row, length in ((0, 1), (1, 3), (2, 6), (1, 7)))]
    replies, after = reply_of(learner, filled_calls, sizes, numbers, calls, uses=FILL, parts=2)
    assert_equal(after[0], ids, "the argument ids after the call")
    for (row, length), alone in zip(((0, 1), (1, 3), (2, 6), (1, 7)), replies[1:]):
        what = f"the logits of the first {length} tokens of a sequence, without what follows and without other rows"
        assert_close(alone, replies[0][row : row + 1, :length], what)
    first, second, evaluated = reply_of(learner, calls_in_training, sizes, numbers, ids, uses=FILL, parts=3)
    assert_close(second, first, "the logits of a second call in training mode, in which nothing is dropped out")
    assert_close(first, evaluated, "the logits in training mode, which should be those in evaluation mode")


def cached_calls(learner, sizes, numbers, calls):
    """Fill a GPT2, and let it read each batch of ids at once, then in pieces with a cache.

    The caches take turns, one piece at a time. Returns the logits of the whole, those of the pieces side by side, and
    the lengths of the caches at the end.
    """
    model = build_gpt2(learner, sizes).to(numbers.dtype)
    with torch.no_grad():
        fill_by_role(model, numbers, lambda: model(calls[0][0].clone()))
        whole = [model(ids) for ids, _ in calls]
        caches = [SmallCache() for _ in calls]
        pieces = [list(ids.split(lengths, dim=1)) for ids, lengths in calls]
        read = [[] for _ in calls]
        for step in range(max(map(len, pieces))):
            for mine, cache, found in zip(pieces, caches, read):
                if step < len(mine):
                    found.append(model(mine[step], cache))
    return whole, [torch.cat(found, dim=1) for found in read], [cache.length for cache in caches]


@pytest.mark.task("pretrained.GPT2", points=2)
def test_cache(learner, reference, rng):
    """A sequence read in pieces with a cache gets the logits of one read at once; caches do not mix."""
    numbers = rng.normal(1009, dtype=torch.float64) / 2
    # Token by token; the prompt and then one; several after several, which need a mask that begins in the middle.
    for sizes, plans in (
        ((11, 8, 12, 3, 2), ([1] * 8, [5, 1, 1], [2, 3, 2])),
        ((7, 9, 10, 5, 3), ([4, 5], [8, 1], [9])),
    ):
        calls = [(rng.integers(0, sizes[0], rows, sum(plan)), list(plan)) for rows, plan in enumerate(plans, 1)]
        whole, pieces, lengths = reply_of(
            learner, cached_calls, sizes, numbers, calls, uses=(SmallCache, *FILL), parts=3
        )
        for expected, got, length, plan in zip(whole, pieces, lengths, plans):
            assert_equal(length, sum(plan), f"cache.length after pieces of {list(plan)} tokens")
            assert_close(got, expected, f"the logits of pieces of {list(plan)} tokens, read with a cache")


def read_too_much(learner, sizes, plans):
    """Let a GPT2 read pieces of these lengths with a cache; a single piece is read without one.

    Returns for each plan the refusal of the last piece, or the shape of its logits.
    """
    model = build_gpt2(learner, sizes)
    replies = []
    for plan in plans:
        cache = SmallCache() if len(plan) > 1 else None
        for length in plan[:-1]:
            model(torch.zeros(1, length, dtype=torch.long), cache)
        last = torch.zeros(1, plan[-1], dtype=torch.long)
        kinds, _, logits = refusal(lambda cache=cache, last=last: model(last, cache) if cache else model(last))
        replies.append((kinds, "", None if kinds else list(logits.shape)))
    return replies


@pytest.mark.task("pretrained.GPT2", points=2)
def test_block_size(learner, reference, rng):
    """More than block_size positions, those in the cache included, raise ValueError; exactly block_size do not."""
    sizes = 5, 6, 4, 2, 2
    plans = [6], [1, 5], [5, 1], [7], [6, 1], [1, 6], [4, 1, 2]
    replies = reply_of(learner, read_too_much, sizes, plans, uses=(SmallCache, build_gpt2, refusal), parts=len(plans))
    for plan, reply in zip(plans, replies):
        what = f"A GPT2 with block_size=6 that reads {plan[-1]} {'token' if plan[-1] == 1 else 'tokens'}"
        what += f" after {sum(plan[:-1])} in the cache" if len(plan) > 1 else ""
        if sum(plan) > 6:
            assert_refused(reply, what, shown=lambda shape: f"logits of the shape {tuple(shape)}")
        elif reply[0]:
            raise AssertionError(f"{what} should answer, but raised {reply[0][0]}.")


def types_of_logits(learner, sizes, dtypes):
    """The dtype of a GPT2's logits, without and with a cache, after `to` has given its parameters each dtype."""
    found = []
    for dtype in dtypes:
        model, cache = build_gpt2(learner, sizes).to(dtype), SmallCache()
        ids = torch.zeros(2, 3, dtype=torch.long)
        found.append([model(ids).dtype, model(ids, cache).dtype, model(ids[:, :1], cache).dtype])
    return [[str(dtype) for dtype in row] for row in found]


@pytest.mark.task("pretrained.GPT2", points=1)
def test_types(learner, reference, rng):
    """The logits have the type of the parameters: float32, float64 or bfloat16."""
    dtypes = [torch.float32, torch.float64, torch.bfloat16]
    replies = reply_of(learner, types_of_logits, (5, 6, 4, 2, 2), dtypes, uses=(SmallCache, build_gpt2), parts=3)
    for dtype, found in zip(dtypes, replies):
        assert_equal(list(found), [str(dtype)] * 3, f"the dtypes of the logits of a GPT2 in {dtype}")


def slopes(learner, sizes, numbers, ids):
    """How a weighted sum of a GPT2's logits changes in three directions of all its parameters together.

    Returns the slopes by differences, and those by gradients.
    """
    model = build_gpt2(learner, sizes).to(numbers.dtype)
    with torch.no_grad():
        fill_by_role(model, numbers, lambda: model(ids.clone()))
    logits = model(ids)
    weights = numbers[: logits.numel()].view(logits.shape)
    (logits * weights).sum().backward()
    measured, computed = [], []
    for turn in (101, 211, 307):
        ways = [numbers.roll(turn + i)[: one.numel()].view(one.shape) for i, one in enumerate(model.parameters())]
        pairs = [(one.grad, way) for one, way in zip(model.parameters(), ways) if one.grad is not None]
        computed.append(sum((grad * way).sum() for grad, way in pairs))
        ends = []
        with torch.no_grad():
            for step in (1e-4, -2e-4):
                for one, way in zip(model.parameters(), ways):
                    one += step * way
                ends.append((model(ids) * weights).sum())
            for one, way in zip(model.parameters(), ways):
                one += 1e-4 * way
        measured.append((ends[0] - ends[1]) / 2e-4)
    return torch.stack(measured), torch.stack(computed)


@pytest.mark.task("pretrained.GPT2", points=1)
def test_gradients(learner, reference, rng):
    """Each gradient covers all uses of its parameter: the token table has two, for the tokens and for the logits."""
    request = (11, 7, 6, 3, 2), rng.normal(1009, dtype=torch.float64) / 2, rng.integers(0, 11, 2, 5)
    measured, computed = reply_of(learner, slopes, *request, uses=FILL, parts=2)
    what = "the change of the logits with the parameters, computed from the gradients"
    assert_close(computed, measured, what, 1e-2, 1e-2 * float(measured.abs().max()))


# ---------------------------------------------------------------------------------------------------------------------
# gpt2_state


def as_saved(state, prefix="transformer.", mask_rows=6):
    """Published tensors as the file of a language model holds them: with a prefix, the head, and masks."""
    saved = {prefix + name: tensor for name, tensor in state.items()}
    for layer in range(sum(name.endswith("ln_1.bias") for name in state)):
        triangle = torch.ones(mask_rows, mask_rows, dtype=torch.bool).tril()
        saved[f"{prefix}h.{layer}.attn.bias"] = triangle.view(1, 1, mask_rows, mask_rows)
        saved[f"{prefix}h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    return saved | {"lm_head.weight": state["wte.weight"]}


@pytest.mark.task("pretrained.gpt2_state", points=3)
def test_names_and_layouts(learner, reference, rng):
    """Published tensors, brought into your own GPT2, give the logits of GPT-2; the argument stays as it was."""
    for sizes, dtype in (((11, 7, 12, 3, 2), torch.float64), ((6, 5, 4, 1, 1), torch.float32)):
        vocab_size, block_size, width, _, layers = sizes
        state = published_state(rng, vocab_size, block_size, width, layers, dtype)
        ids = rng.integers(0, vocab_size, 2, 5)
        check_published(learner, sizes, state, [ids])


@pytest.mark.task("pretrained.gpt2_state", points=1)
def test_many_layers(learner, reference, rng):
    """Layer 10 follows layer 9, whatever order the names come in."""
    sizes = 7, 5, 2, 1, 12
    state = published_state(rng, 7, 5, 2, 12, torch.float64)
    shuffled = {name: state[name] for name in sorted(state, reverse=True)}
    what = "of 12 layers, whose names are in no order"
    check_published(learner, sizes, state, [rng.integers(0, 7, 2, 4)], {what: shuffled})


@pytest.mark.task("pretrained.gpt2_state", points=2)
def test_prefix_and_what_is_dropped(learner, reference, rng):
    """The prefix `transformer.` may be there; a tied lm_head.weight, attn.bias and attn.masked_bias are dropped."""
    sizes = 11, 6, 12, 3, 2
    state = published_state(rng, 11, 6, 12, 2, torch.float64)
    ids = rng.integers(0, 11, 2, 5)
    files = {
        "names that begin with transformer.": {f"transformer.{name}": one for name, one in state.items()},
        "a tied lm_head.weight": state | {"lm_head.weight": state["wte.weight"].clone()},
        "attn.bias and attn.masked_bias, without prefix": as_saved(state, ""),
        "the prefix, a tied lm_head.weight and both masks": as_saved(state),
    }
    check_published(learner, sizes, state, [ids], {f"from a file with {what}": file for what, file in files.items()})


def refused_states(learner, cases):
    """For each (tensors, name): the refusal by `gpt2_state`, and whether the message holds the name."""
    convert, replies = learner.gpt2_state, []
    for state, name in cases:
        kinds, text, _ = refusal(lambda state=state: convert(state))
        replies.append((kinds, "", None if kinds else "a result", name in text))
    return replies


def check_refused(learner, cases, what):
    """Each case, (tensors, name), raises a ValueError whose message holds the name; ``what`` describes the case."""
    replies = reply_of(learner, refused_states, cases, uses=(refusal,), parts=len(cases))
    for (_, name), reply in zip(cases, replies):
        call = f"gpt2_state with {what.format(name)}"
        *outcome, is_named = reply
        assert_refused(outcome, call, shown=str)
        if is_named is not True:
            raise AssertionError(f"{call} raised ValueError, but the message does not say which tensor: name {name}.")


@pytest.mark.task("pretrained.gpt2_state", points=1)
def test_missing_tensor(learner, reference, rng):
    """A missing tensor raises ValueError that names it."""
    state = published_state(rng, 11, 6, 8, 2)
    # One tensor of each kind, in the last layer: catches counting the layers by a single kind of tensor.
    names = [name for name in state if not name.startswith("h.0.")]
    saved = as_saved(state)
    cases = [({other: one for other, one in state.items() if other != name}, name) for name in names]
    cases += [
        ({other: one for other, one in saved.items() if other != f"transformer.{name}"}, name)
        for name in ("h.0.attn.c_attn.bias", "h.1.mlp.c_fc.weight")  # attn.bias is no c_attn.bias
    ]
    check_refused(learner, cases, "{} missing")


@pytest.mark.task("pretrained.gpt2_state", points=1)
def test_extra_tensor(learner, reference, rng):
    """A tensor that no GPT-2 has raises ValueError that names it; so does an lm_head.weight that is not wte.weight."""
    state = published_state(rng, 11, 6, 8, 2)
    # Catches code that drops every name that ends in `bias`, every unknown tensor of a layer, or a bias of the head.
    extra = ("h.1.attn.c_attn.scale", "ln_x.weight", "h.0.ln_3.bias", "lm_head.bias", "h.1.mlp.bias", "wte.bias")
    cases = [(state | {name: rng.normal(8)}, name) for name in extra]
    cases += [(as_saved(state) | {f"transformer.{name}": rng.normal(8)}, name) for name in extra[:2]]
    check_refused(learner, cases, "an extra tensor {}")
    # A head that was trained for a step after it was untied, and one from elsewhere.
    head = state["wte.weight"].clone()
    head[3, 5] += 0.01
    cases = [(state | {"lm_head.weight": one}, "lm_head.weight") for one in (rng.normal(11, 8), head)]
    cases.append((as_saved(state) | {"lm_head.weight": head}, "lm_head.weight"))
    check_refused(learner, cases, "an untied {}, which differs from wte.weight,")


@pytest.mark.task("pretrained.gpt2_state", points=2)
def test_misshapen_tensor(learner, reference, rng):
    """A tensor of another shape raises ValueError that names it, also where it could be broadcast."""
    state = published_state(rng, 11, 6, 8, 2)
    shapes = {
        "h.1.attn.c_attn.weight": [(24, 8), (8, 16), (8, 27), (1, 8, 24)],  # transposed, two parts, parts of 9, 3 axes
        "h.1.attn.c_attn.bias": [(1,), (8,), (3, 8), (25,)],
        "h.1.attn.c_proj.weight": [(1, 8), (8,), (8, 9)],
        "h.1.attn.c_proj.bias": [(1,), (1, 8)],
        "h.1.mlp.c_fc.weight": [(32, 8), (8, 24)],
        "h.1.mlp.c_fc.bias": [(8,), (1,)],
        "h.1.mlp.c_proj.weight": [(8, 32), (32, 1)],
        "h.1.mlp.c_proj.bias": [(1,), (32,)],
        "h.1.ln_1.weight": [(1,), (8, 8)],
        "h.1.ln_2.bias": [(1,), (8, 1)],
        "ln_f.bias": [(1,), (9,)],
        "wpe.weight": [(6, 1), (6, 9), (6,)],
    }
    cases = [(state | {name: rng.normal(*shape)}, name) for name, wrong in shapes.items() for shape in wrong]
    check_refused(learner, cases, "a {} of another shape")


# ---------------------------------------------------------------------------------------------------------------------
# generate_text


class Storyteller(nn.Module):
    """A model that knows one story: after a beginning of the story, each token read once, it predicts the next token.

    After anything else it predicts the token ``lost``. It keeps what it has read in the cache, as keys of width 1. With
    ``scores`` ``(V,)`` instead of a story, these are its logits at every position. ``reads`` lists the calls: how many
    tokens, whether there was a cache.
    """

    def __init__(self, block_size, story, lost, scores=None):
        super().__init__()
        size = 256 if scores is None else len(scores)
        self.config = type("Config", (), {"block_size": block_size, "vocab_size": size})()
        self.weight = nn.Parameter(torch.zeros(1))  # for those who ask for the device of a parameter
        self.story, self.lost, self.scores, self.reads = story, lost, scores, []

    def forward(self, ids, cache=None):
        self.reads.append([ids.shape[1], cache is not None])
        seen = ids[:, None, :, None].float()  # (1, 1, T, 1)
        if cache is not None:
            seen, _ = cache.update(0, seen, seen)
        seen = [round(one) for one in seen.flatten().tolist()]
        if len(seen) > self.config.block_size:
            raise ValueError(f"{len(seen)} positions are more than block_size, {self.config.block_size}.")
        logits = torch.zeros(*ids.shape, self.config.vocab_size)
        for place in range(ids.shape[1]):
            if self.scores is not None:
                logits[:, place] = self.scores
                continue
            end = len(seen) - ids.shape[1] + place + 1
            known = seen[:end] == self.story[:end] and end < len(self.story)
            logits[:, place, self.story[end] if known else self.lost] = 4.0
        return logits


def tell(learner, texts, block_size, calls):
    """Let `generate_text` continue beginnings of texts, ``calls`` of (text, characters of the prompt, new, options).

    Ids are the bytes of a text, in an order of our own: 3, the end symbol of other units, is an ordinary letter.
    Returns what was written, and what the model read.
    """

    def encode(text):
        return [(byte - 98) % 256 for byte in text.encode()]

    def decode(ids):
        return bytes((int(one) + 98) % 256 for one in ids).decode("utf-8", "replace")

    replies = []
    model = Storyteller(block_size, [], encode("?")[0]).eval()  # one for all: catches a cache that is kept with it
    for number, start, new, options in calls:
        model.story, model.reads = encode(texts[number]), []
        written = learner.generate_text(model, encode, decode, texts[number][:start], new, **options)
        replies.append((written, model.reads))
    return replies


STORIES = (
    "Every decoder needed bread, cheese and a bed; the beadle agreed, and so did Bede.",
    "Grüße aus Kjøbenhavn: «ça va», dit l’élève, 日本語 も できる, żółć też.",
)


def beginning(text, count):
    """The first bytes of a text as a text."""
    return text.encode()[:count].decode("utf-8", "replace")


@pytest.mark.task("pretrained.generate_text", points=2)
def test_text(learner, reference, rng):
    """Prompt and continuation, of exactly max_new_tokens tokens; at temperature 0 the most likely ones."""
    calls = [
        (0, 9, 30, {"temperature": 0}),
        (0, 1, 1, {"temperature": 0}),
        (0, 20, 0, {"temperature": 0}),
        (1, 3, 45, {"temperature": 0}),  # letters of two and three bytes: catches decoding each token by itself
        (1, 30, 2, {"temperature": 0, "top_k": 3}),
    ]
    replies = reply_of(learner, tell, STORIES, 200, calls, uses=(Storyteller,), parts=len(calls))
    for (number, start, new, options), (written, _) in zip(calls, replies):
        story = STORIES[number]
        expected = beginning(story, len(story[:start].encode()) + new)
        what = f"generate_text(..., {story[:start]!r}, max_new_tokens={new}, temperature={options['temperature']})"
        assert_equal(written, expected, what)


@pytest.mark.task("pretrained.generate_text", points=2)
def test_reads_once(learner, reference, rng):
    """The model reads with a cache, and no token twice."""
    calls = [(0, 12, 20, {"temperature": 0}), (1, 5, 1, {"temperature": 0}), (0, 1, 40, {})]
    replies = reply_of(learner, tell, STORIES, 200, calls, uses=(Storyteller,), parts=len(calls))
    for (number, start, new, _), (_, reads) in zip(calls, replies):
        prompt = len(STORIES[number][:start].encode())
        if not all(cached for _, cached in reads):
            raise AssertionError(
                "generate_text called the model without a cache, so the model reads the whole text at every step. Pass "
                "the same cache in every call."
            )
        count = sum(length for length, _ in reads)
        if not prompt + new - 1 <= count <= prompt + new:
            raise AssertionError(
                f"For a prompt of {prompt} tokens and {new} new ones the model read {count} tokens in all. With the "
                f"cache it needs to read {prompt + new - 1}: the prompt once, then each new token but the last."
            )


@pytest.mark.task("pretrained.generate_text", points=2)
def test_block_size_of_text(learner, reference, rng):
    """The text ends at block_size tokens, the prompt's among them; a longer prompt raises ValueError."""
    story = STORIES[0]
    calls = [(0, 10, 100, {"temperature": 0}), (0, 23, 1, {"temperature": 0}), (0, 24, 5, {"temperature": 0})]
    for call in calls:
        ((written, _),) = reply_of(learner, tell, STORIES, 24, [call], uses=(Storyteller,), parts=1)
        what = f"generate_text(..., {story[: call[1]]!r}, max_new_tokens={call[2]}) with block_size 24"
        assert_equal(written, story[:24], what)
    # 18 letters, of which some are two tokens: catches counting the letters of the prompt.
    prompt = len(STORIES[1][:18].encode())
    for size in (prompt, prompt + 2):
        ((written, _),) = reply_of(
            learner, tell, STORIES, size, [(1, 18, 9, {"temperature": 0})], uses=(Storyteller,), parts=1
        )
        what = f"generate_text(..., {STORIES[1][:18]!r}, max_new_tokens=9) with {prompt} tokens and block_size {size}"
        assert_equal(written, beginning(STORIES[1], size), what)
    for number, start, new in ((0, 25, 1), (0, 60, 10), (1, 23, 1)):
        request = STORIES, 24, [(number, start, new, {})]
        assert_raises(
            ValueError,
            lambda request=request: learner.run(tell, *request, uses=(Storyteller,)),
            f"generate_text with a prompt of {len(STORIES[number][:start].encode())} tokens and block_size 24",
        )


def draw_text(learner, scores, count, settings, manual_seed=None):
    """Texts of a model whose logits are always the same; each setting is (seed of a generator or None, options).

    Returns the ids that were drawn, a tensor for each; the text spells them as letters.
    """

    def spell(ids):
        return "".join(chr(ord("A") + int(one)) for one in ids)

    drawn = []
    if manual_seed is not None:
        torch.manual_seed(manual_seed)
    for seed, options in settings:
        model = Storyteller(count + 1, [], 0, scores).eval()
        more = {} if seed is None else {"generator": torch.Generator().manual_seed(seed)}
        text = learner.generate_text(model, lambda text: [0], spell, "A", count, **options, **more)
        drawn.append(torch.tensor([ord(letter) - ord("A") for letter in text[1:]], dtype=torch.int64))
    return drawn


def random_scores(rng):
    """Logits of six tokens: no two alike, and the best in the middle."""
    return torch.tensor([1.0, -0.5, 0.4, 2.0, 0.0, 1.4]) + rng.uniform(6, high=0.2)


def check_shares(drawn, scores, temperature, top_k, what):
    """Each token is drawn as often as the softmax says.

    Chi-squared with at most 5 degrees of freedom exceeds 60 by chance less than once in 10^10 runs.
    """
    if not len(drawn):
        raise AssertionError(f"{what} returned a text with no new token.")
    scores = scores / temperature
    kept = scores.topk(top_k).indices if top_k else torch.arange(len(scores))
    shares = torch.zeros(len(scores)).index_add(0, kept, scores[kept].softmax(0)).double()
    counts = torch.bincount(drawn, minlength=len(scores)).double()
    if len(counts) > len(scores) or counts[shares == 0].any():
        raise AssertionError(f"{what}: tokens were drawn that are not among the {top_k} most likely.")
    expected = len(drawn) * shares[shares > 0]
    if float(((counts[shares > 0] - expected) ** 2 / expected).sum()) > 60:
        found = ", ".join(f"{share:.2f}" for share in counts / len(drawn))
        wanted = ", ".join(f"{share:.2f}" for share in shares)
        raise AssertionError(f"{what}: the tokens' shares are {found}, but should be near {wanted}.")


@pytest.mark.task("pretrained.generate_text", points=1)
def test_temperature(learner, reference, rng):
    """The temperature divides the logits; 1 unless given."""
    seed = int(rng.integers(0, 9999, 1))
    settings = [(seed, {}), (seed, {"temperature": 0.5}), (seed, {"temperature": 3.0})]
    scores = random_scores(rng)
    replies = reply_of(learner, draw_text, scores, 400, settings, uses=(Storyteller,), parts=3)
    for drawn, (_, options) in zip(replies, settings):
        assert_equal(len(drawn), 400, "the number of new tokens")
        temperature = options.get("temperature", 1.0)
        check_shares(drawn, scores, temperature, None, f"generate_text with temperature {temperature}")


@pytest.mark.task("pretrained.generate_text", points=1)
def test_top_k(learner, reference, rng):
    """Only the top_k most likely tokens are drawn, and these in their proportions; more than V is no limit."""
    seed = int(rng.integers(0, 9999, 1))
    settings = [
        (seed, {"top_k": 3}),
        (seed, {"top_k": 1}),
        (seed, {"top_k": 2, "temperature": 2.0}),
        (seed, {"top_k": 9}),
    ]
    scores = random_scores(rng)
    replies = reply_of(learner, draw_text, scores, 300, settings, uses=(Storyteller,), parts=4)
    for drawn, (_, options) in zip(replies, settings):
        top_k = min(options["top_k"], len(scores))
        check_shares(
            drawn, scores, options.get("temperature", 1.0), top_k, f"generate_text with top_k={options['top_k']}"
        )


@pytest.mark.task("pretrained.generate_text", points=1)
def test_generator(learner, reference, rng):
    """The generator decides what is drawn; without one, PyTorch's own does."""
    settings = [(7, {}), (8, {}), (7, {}), (None, {}), (None, {})]
    scores = random_scores(rng)
    first, other, again, free, more = reply_of(
        learner, draw_text, scores, 80, settings, 1, uses=(Storyteller,), parts=5
    )
    if not len(first):
        raise AssertionError("generate_text with max_new_tokens=80 returned a text with no new token.")
    assert_equal(again, first, "the text with a generator of the same seed")
    # Two texts of 80 tokens agree by chance less than once in 10^30.
    for one, two, what in (
        (first, other, "Generators of different seeds gave the same text. Which call in generate_text needs them?"),
        (free, more, "Two calls of generate_text without a generator gave the same text. Is a seed set inside?"),
    ):
        if torch.equal(one, two):
            raise AssertionError(what)
    seeded, _ = reply_of(learner, draw_text, scores, 80, [(None, {}), (7, {})], 5, uses=(Storyteller,), parts=2)
    same, _ = reply_of(learner, draw_text, scores, 80, [(None, {}), (7, {})], 5, uses=(Storyteller,), parts=2)
    assert_equal(same, seeded, "the text without a generator, after torch.manual_seed")
