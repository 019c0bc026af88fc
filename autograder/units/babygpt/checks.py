"""Checks of the unit on BabyGPT.

First comes what several tasks share, then each task with its drivers, helpers and checks, from basic to subtle. Each
check looks at one mechanism. Sizes that could be confused (batch, time, block, widths, heads) always differ. Random
behaviour is judged by its statistics, within limits. A comment at each limit says how often a right answer would fail
by chance: always less than once in 10^9.

The inner names of `Block` and `BabyGPT` are free, and so is the order in which they make their parts. Checks that
compare numbers find these parts by type and shape, and give them weights; if the parts cannot be found, the properties
that the other checks test must suffice. The other checks, too, fill each parameter according to its role: a mistake
then gives the same numbers however the parts are arranged, and the diagnosis recognises it.
"""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from autograder.judging.assertions import assert_close, assert_equal, describe
from autograder.judging.replies import assert_raises, reply_of
from autograder.units.support.drivers import (
    at_path,
    fill_by_role,
    fill_in_order,
    fill_parameters,
    generator_from,
    is_norm,
    load_by_path,
    load_layers,
    norm_parameters,
    order_of_use,
    weighted_gradients,
    zero_parameters,
)
from autograder.units.support.statistics import assert_between, chi_square, share_of

# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def random_head(rng, n_embed, head_size, dtype=torch.float64):
    return {f"{name}.weight": rng.normal(head_size, n_embed, dtype=dtype) for name in ("key", "query", "value")}


def head_by_hand(x, key, query, value):
    """One head in float64, query by query: an oracle that shares nothing with the reference."""
    x, key, query, value = (one.double() for one in (x, key, query, value))
    batch, time, _ = x.shape
    output = torch.zeros(batch, time, len(value), dtype=torch.float64)
    for b in range(batch):
        for t in range(time):
            past = x[b, : t + 1]
            scores = (past @ key.T) @ (query @ x[b, t]) / math.sqrt(len(key))
            output[b, t] = scores.softmax(0) @ (past @ value.T)
    return output


# ---------------------------------------------------------------------------------------------------------------------
# get_batch


def draw_batches(learner, data, block_size, batch_size, seeds):
    """One call of get_batch for each seed of a generator (``None``: without one), and the data afterwards."""
    calls = []
    for seed in seeds:
        options = {} if seed is None else {"generator": torch.Generator().manual_seed(seed)}
        calls.append(tuple(learner.get_batch(data, block_size, batch_size, **options)))
    return calls, data


def pair_of(reply, what):
    if not isinstance(reply, (tuple, list)) or len(reply) != 2:
        raise AssertionError(f"{what} should be a pair of results. Return exactly two, as a tuple.")
    return reply


def starts_of(x, data):
    """Where each row of ``x`` starts in data whose tokens all differ."""
    return (data[None, :] == x[:, :1]).int().argmax(1)


def check_batch(reply, data, block_size, batch_size, what):
    x, y = pair_of(reply, what)
    shape = (batch_size, block_size)
    for name, tensor in (("x", x), ("y", y)):
        if not isinstance(tensor, torch.Tensor) or tuple(tensor.shape) != shape or tensor.dtype != torch.int64:
            found = f"{tuple(tensor.shape)} {tensor.dtype}" if isinstance(tensor, torch.Tensor) else str(type(tensor))
            raise AssertionError(f"{name} ({what}) should be int64 of shape {shape}, but is {found}.")
    starts = starts_of(x, data)
    if int(starts.max()) + block_size >= len(data):
        raise AssertionError(f"A row of x ({what}) starts so late that the text has no token for the end of y.")
    at = starts[:, None] + torch.arange(block_size)
    assert_equal((x, y), (data[at], data[at + 1]), (f"x ({what})", f"y, the tokens one step later ({what})"))
    return starts


@pytest.mark.task("babygpt.get_batch", points=1)
def test_answers_are_one_step_later(learner, reference, rng):
    """Each row of x is a piece of the text, and y is the same piece one step later."""
    # All tokens differ, so a row says where it comes from. A block of 1, then a batch of 1: catches axes that are
    # squeezed away.
    for length, block_size, batch_size in ((23, 5, 4), (40, 3, 7), (12, 1, 2), (9, 8, 3), (90, 70, 2), (14, 6, 1)):
        data = torch.randperm(length, generator=torch.Generator().manual_seed(int(rng.integers(0, 99999, 1)))) + 3
        calls, after = learner.run(draw_batches, data, block_size, batch_size, [1])
        check_batch(calls[0], data, block_size, batch_size, f"{length} tokens, block {block_size}, batch {batch_size}")
        assert_equal(after, data, "the argument data after the call")


def draw_small_batches(learner, data, block_size, batch_size, times):
    """The first tokens of the rows of ``times`` batches, drawn with one generator: ``(times, batch_size)``."""
    generator = torch.Generator().manual_seed(times)
    drawn = [learner.get_batch(data, block_size, batch_size, generator=generator)[0] for _ in range(times)]
    return torch.stack([x[:, 0] for x in drawn])


@pytest.mark.task("babygpt.get_batch", points=2)
def test_every_start_is_equally_likely(learner, reference, rng):
    """All starts that leave room are drawn, equally often, each row independently of the others."""
    number, block_size, batch_size = 7, 4, 1500
    data = torch.arange(number + block_size) + 5
    calls, _ = learner.run(draw_batches, data, block_size, batch_size, [int(rng.integers(0, 99999, 1)), 8])
    starts = torch.cat([check_batch(call, data, block_size, batch_size, "11 tokens, block 4") for call in calls])
    counts = torch.bincount(starts, minlength=number)
    if len(counts) > number or counts.min() == 0:
        missing = [start for start in range(number) if counts[start] == 0]
        raise AssertionError(
            f"In 3000 draws no piece started at {missing}, but starts 0 to {number - 1} all leave room. Check both "
            "ends of the range that you draw from."
        )
    # 6 degrees of freedom: beyond 55 by chance less than once in 10^9 (the tail is 4e-10).
    if chi_square(counts, 3000 / number) > 55:
        raise AssertionError(
            f"The starts 0 to {number - 1} came up {counts.tolist()} times, so they are not equally likely. Draw each "
            "start uniformly from the whole range."
        )
    pairs = torch.bincount(starts[0::2] * number + starts[1::2], minlength=number**2)
    # 48 degrees of freedom: beyond 145 less than once in 10^10.
    if chi_square(pairs, 1500 / number**2) > 145:
        raise AssertionError(
            "Neighbouring rows of a batch are related: their starts are not independent. Draw one start for each row, "
            "and keep the order of the draws."
        )
    # Small batches catch rows that never coincide, a half that repeats the other, and starts that mirror others.
    starts = learner.run(draw_small_batches, data, block_size, 4, 400)
    if not isinstance(starts, torch.Tensor) or starts.shape != (400, 4):
        raise AssertionError("In every call, get_batch(data, 4, 4)[0] should be int64 of shape (4, 4).")
    starts = (starts - 5).clamp(0, number - 1)
    pairs_of_rows = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    alike = sum(int((starts[:, one] == starts[:, two]).sum()) for one, two in pairs_of_rows)
    # Of 2400 pairs 1 in 7 has the same start, 343 with a standard deviation of 17.
    if alike < 200:
        raise AssertionError(
            f"Only {alike} of 2400 pairs of rows have the same start, where about 340 are expected: starts are not "
            "independent. A start may come up twice in a batch."
        )
    for one, two in pairs_of_rows:
        pairs = torch.bincount(starts[:, one] * number + starts[:, two], minlength=number**2)
        # As above; with 8 draws expected in a cell the statistic's tail is longer, and beyond 170 less than 10^-10.
        if chi_square(pairs, 400 / number**2) > 170:
            raise AssertionError(
                f"Rows {one} and {two} of a batch of 4 are related: their starts are not independent. Draw one start "
                "for each row."
            )


def draw_twice(learner, data, block_size, batch_size):
    """Two calls with one generator."""
    generator = torch.Generator().manual_seed(0)
    return [learner.get_batch(data, block_size, batch_size, generator=generator)[0] for _ in range(2)]


@pytest.mark.task("babygpt.get_batch", points=1)
def test_generator_of_batches(learner, reference, rng):
    """The generator decides what is drawn; without one, PyTorch's own decides, and continues from call to call."""
    data = torch.arange(400)
    calls, _ = learner.run(draw_batches, data, 3, 20, [7, 8, 7, None, None])
    first, other, again, free, free_again = (pair_of(call, "get_batch(...)")[0] for call in calls)
    assert_equal(again, first, "x, drawn again with a generator of the same seed")
    # 20 independent starts out of 397: the chance that two batches agree is below 10^-50.
    for one, two, what in (
        (first, other, "generators of different seeds"),
        (free, free_again, "two calls without a generator"),
        (*learner.run(draw_twice, data, 3, 20), "two calls with the same generator, one after the other"),
    ):
        if torch.equal(one, two):
            raise AssertionError(
                f"{what.capitalize()} gave the same batch. Does the function that draws get the generator? Does your "
                "code set a seed?"
            )


@pytest.mark.task("babygpt.get_batch", points=1)
def test_any_integer_type(learner, reference, rng):
    """x and y are int64 also where the text is stored in a narrower type."""
    # Files of tokens have such types; each fails in the embedding or in the loss.
    for dtype in (torch.int32, torch.int16, torch.uint8):
        data = rng.uniform(30).argsort()
        (call,), _ = learner.run(draw_batches, data.to(dtype), 4, 3, [1])
        check_batch(call, data, 4, 3, f"30 tokens in {dtype}, block 4, batch 3")


# ---------------------------------------------------------------------------------------------------------------------
# Head


def parts_inside(learner, name, sizes):
    """What a Head or MultiHead is made of: its parameters and buffers by name, with shapes; and its named parts."""
    module = getattr(learner, name)(*sizes)
    heads = getattr(module, "heads", None)
    return {
        "parameters": {path: list(one.shape) for path, one in module.named_parameters()},
        "buffers": {path: list(one.shape) for path, one in module.named_buffers()},
        "tril": getattr(module, "tril", None),
        "list": isinstance(heads, nn.ModuleList),
        "heads": len({id(head) for head in heads}) if isinstance(heads, (list, tuple, nn.ModuleList)) else 0,
    }


@pytest.mark.task("babygpt.Head", points=1)
def test_head_parts(learner, reference, rng):
    """Key, query and value are linear layers without bias; tril is a buffer."""
    parts = learner.run(parts_inside, "Head", (6, 4, 5))
    if not isinstance(parts, dict):
        raise AssertionError("The parts of Head(6, 4, 5) could not be read. Is Head an nn.Module?")
    for name in ("key", "query", "value"):
        assert_equal(parts["parameters"].get(f"{name}.weight"), [4, 6], f"the shape of {name}.weight")
        if f"{name}.bias" in parts["parameters"]:
            raise AssertionError(f"The layer {name} has a bias, but should have none. Switch it off when you build it.")
    if "tril" in parts["parameters"]:
        raise AssertionError("tril is a parameter; it should be a buffer (self.register_buffer), which is not trained.")
    if "tril" not in parts["buffers"]:
        raise AssertionError("The head has no buffer named tril. Register the triangle with self.register_buffer.")
    tril = parts["tril"]
    if not isinstance(tril, torch.Tensor) or not torch.equal(
        tril.reshape(tril.shape[-2:]) != 0, torch.ones(5, 5).tril() != 0
    ):
        raise AssertionError(
            "tril should have the shape (block_size, block_size), and be true (or 1) where column <= row and false (or "
            "0) elsewhere. Is it transposed or inverted?"
        )


def attend(learner, name, sizes, weights, inputs, training, dtype):
    """Build a Head or a MultiHead, give it weights by name, and call it on several inputs.

    Returns the results, and the inputs as the calls left them; or a sentence that says what could not be set.
    """
    module = getattr(learner, name)(*sizes).to(dtype).train(training)
    if complaint := load_by_path(module, weights):
        return complaint
    zero_parameters(getattr(learner, name)(*sizes))  # catches layers that all modules share
    torch.default_generator.manual_seed(0)  # the same dropout, however many numbers the parameters took
    return [module(x) for x in inputs], inputs


def attended(learner, *request):
    """The reply of `attend`."""
    return reply_of(learner, attend, *request, uses=(at_path, load_by_path, zero_parameters))


@pytest.mark.task("babygpt.Head", points=3)
def test_head_values(learner, reference, rng):
    """Scaled dot products, the future hidden, a softmax over the past, and the average of the values."""
    # One head is narrower than the model, the other is wider. Sequences are as long as the block or shorter, and two
    # have the same length: catches results, or weights, that are cached by shape. The first is short: catches a
    # triangle that is cut for good.
    for n_embed, head_size, block_size in ((6, 3, 7), (4, 9, 5)):
        weights = random_head(rng, n_embed, head_size)
        inputs = [rng.normal(2, time, n_embed, dtype=torch.float64) for time in (3, block_size, 3, 1)]
        sizes = (n_embed, head_size, block_size)
        for dtype in (torch.float64, torch.float32):
            typed = [x.to(dtype) for x in inputs]
            lists = {name: value.to(dtype) for name, value in weights.items()}
            outputs, after = attended(learner, "Head", sizes, lists, typed, False, dtype)
            for x, output, left in zip(typed, outputs, after):
                what = f"Head{sizes} of x {tuple(x.shape)} in {dtype}"
                # float32: the scores are sums of 36 products, so two right orders of summation may differ by 1e-3.
                expected = head_by_hand(x, *lists.values()).to(dtype)
                assert_close(output, expected, what, *((None, None) if dtype == torch.float64 else (1e-3, 1e-4)))
                assert_equal(left, x, "the argument x after the call")
    # Queries of 0 make all scores 0: catches a mask that is derived from the scores, such as wherever they are 0.
    weights = random_head(rng, 5, 3)
    weights["query.weight"] = torch.zeros(3, 5, dtype=torch.float64)
    x = rng.normal(2, 4, 5, dtype=torch.float64)
    (output,), _ = attended(learner, "Head", (5, 3, 6), weights, [x], False, torch.float64)
    assert_close(
        output, head_by_hand(x, *weights.values()), "a Head whose scores are all 0, so that it averages over the past"
    )
    # The key of the last position, which no other position may see, has scores of 80; the keys before it have scores
    # of -80. Catches a mask after the softmax: by then, that key has taken the whole row.
    weights = {name: 0.2 * value for name, value in random_head(rng, 6, 4, torch.float32).items()}
    weights["query.weight"][:, 1] = weights["key.weight"][:, 0] = math.sqrt(40)
    x = 0.2 * rng.normal(2, 5, 6)
    x[..., 0], x[..., 1], x[:, -1, 0] = -1, 1, 1
    (output,), _ = attended(learner, "Head", (6, 4, 7), weights, [x], False, torch.float32)
    expected = head_by_hand(x, *weights.values()).float()
    assert_close(output, expected, "a Head whose last key is far more similar to all queries", 1e-2, 1e-3)
    # A head of width 1; one sequence, then one position: catches axes that are squeezed away.
    sizes, weights = (5, 1, 4), random_head(rng, 5, 1)
    inputs = [rng.normal(batch, time, 5, dtype=torch.float64) for batch, time in ((1, 4), (3, 1))]
    outputs, _ = attended(learner, "Head", sizes, weights, inputs, False, torch.float64)
    for x, output in zip(inputs, outputs):
        assert_close(output, head_by_hand(x, *weights.values()), f"Head{sizes} of x {tuple(x.shape)}")


def gradients(learner, name, sizes, weights, x, cotangent):
    """Gradients of a weighted sum of a module's output, for the input and its weights."""
    module = getattr(learner, name)(*sizes).to(x.dtype).eval()
    parameters = dict(module.named_parameters())
    leaves = [x.clone().requires_grad_()]
    for path, values in weights.items():
        if path not in parameters:
            return f"The module has no parameter named {path}. Compare your names with those of the task."
        with torch.no_grad():
            parameters[path].copy_(values)
        leaves.append(parameters[path])
    return weighted_gradients(module(leaves[0]), cotangent, leaves)


def check_module_gradients(learner, reference, name, sizes, weights, x, cotangent):
    uses = (weighted_gradients,)
    expected = reference.run(gradients, name, sizes, weights, x, cotangent, uses=uses)
    names = tuple(f"the gradient for {leaf}" for leaf in ("x", *weights))
    assert_close(reply_of(learner, gradients, name, sizes, weights, x, cotangent, uses=uses), tuple(expected), names)


@pytest.mark.task("babygpt.Head", points=1)
def test_head_does_not_see_the_future(learner, reference, rng):
    """A prefix gives the same outputs alone as with what follows it; gradients flow only to the past."""
    sizes, weights = (5, 4, 8), random_head(rng, 5, 4)
    whole = rng.normal(2, 7, 5, dtype=torch.float64)
    later = whole.clone()
    later[:, 4:] += 3 * rng.normal(2, 3, 5, dtype=torch.float64)  # more would overflow in a softmax without a shift
    outputs, _ = attended(learner, "Head", sizes, weights, [whole, later, whole[:, :4]], False, torch.float64)
    for name, output in (("after later tokens changed", outputs[1][:, :4]), ("given alone", outputs[2])):
        assert_close(output, outputs[0][:, :4], f"the outputs of the first 4 positions, {name}")
    cotangent = rng.normal(2, 7, 4, dtype=torch.float64)
    check_module_gradients(learner, reference, "Head", sizes, weights, whole, cotangent)


@pytest.mark.task("babygpt.Head", points=1)
def test_head_in_bfloat16(learner, reference, rng):
    """Works in bfloat16, and returns bfloat16."""
    weights = {name: 0.5 * value for name, value in random_head(rng, 6, 4, torch.bfloat16).items()}
    x = rng.normal(2, 5, 6, dtype=torch.bfloat16)
    outputs, _ = attended(learner, "Head", (6, 4, 8), weights, [x], False, torch.bfloat16)
    assert_close(outputs[0], head_by_hand(x, *weights.values()).bfloat16(), "Head(6, 4, 8) in bfloat16", 1e-1, 1e-1)


@pytest.mark.task("babygpt.Head", points=2)
def test_head_dropout(learner, reference, rng):
    """While training, dropout removes attention weights; while evaluating, nothing."""
    time, batch, p = 16, 60, 0.4
    # Every position is a unit vector, and the value layer copies it twice: the output shows the weights, twice.
    unit = torch.eye(time)
    key, query = rng.normal(2 * time, time), rng.normal(2 * time, time)
    weights = {"key.weight": key, "query.weight": query, "value.weight": torch.cat([unit, unit])}
    sizes, x = (time, 2 * time, time, p), unit.expand(batch, time, time).contiguous()
    whole = head_by_hand(unit[None], *weights.values()).float()[0, :, :time]
    (still,), _ = attended(learner, "Head", sizes, weights, [x[:2]], False, torch.float32)
    assert_close(still[1, :, :time], whole, "the weights in evaluation mode", 1e-3, 1e-5)
    (output,), _ = attended(learner, "Head", sizes, weights, [x], True, torch.float32)
    if not isinstance(output, torch.Tensor) or output.shape != (batch, time, 2 * time):
        raise AssertionError(
            f"While training, Head should return a tensor of shape {(batch, time, 2 * time)}, not {describe(output)}."
        )
    past = torch.ones(time, time, dtype=torch.bool).tril()
    dropped = output[:, :, :time] == 0
    share = share_of(dropped[:, past])
    # 60 * 136 = 8160 weights: the share has a standard deviation of 0.0055; 6.5 of them, less than once in 10^10.
    assert_between(share, p - 0.036, p + 0.036, f"The share of the attention weights that are dropped at dropout={p}")
    assert_equal(output[:, :, time:], output[:, :, :time], "the weights, as the second half of the values shows them")
    expected = torch.where(dropped, 0.0, whole / (1 - p))
    assert_close(output[:, :, :time], expected, "the weights that are kept while training", 1e-3, 1e-5)
    # Weights are dropped independently in each row of the batch: two patterns agree with a probability below 10^-38.
    if torch.equal(dropped[0], dropped[1]):
        raise AssertionError(
            "The same weights were dropped in every sequence of the batch. Let dropout draw for each weight separately."
        )
    sizes = sizes[:3]
    (plain,), _ = attended(learner, "Head", sizes, weights, [x[:2]], True, torch.float32)
    assert_close(plain[0, :, :time], whole, "the weights while training with the default dropout, 0", 1e-3, 1e-5)


# ---------------------------------------------------------------------------------------------------------------------
# MultiHead


@pytest.mark.task("babygpt.MultiHead", points=1)
def test_multihead_parts(learner, reference, rng):
    """Separate heads in a ModuleList, and a projection with bias."""
    parts = learner.run(parts_inside, "MultiHead", (3, 8, 5, 4))
    if not isinstance(parts, dict):
        raise AssertionError("The parts of MultiHead(3, 8, 5, 4) could not be read. Is it an nn.Module?")
    if not parts["list"]:
        raise AssertionError("heads should be an nn.ModuleList: PyTorch does not find parameters in a plain list.")
    assert_equal(parts["heads"], 3, "the number of different heads")
    for head in range(3):
        for name in ("key", "query", "value"):
            path = f"heads.{head}.{name}.weight"
            assert_equal(parts["parameters"].get(path), [5, 8], f"the shape of {path}")
    assert_equal(parts["parameters"].get("proj.weight"), [8, 15], "the shape of proj.weight")
    assert_equal(parts["parameters"].get("proj.bias"), [8], "the shape of proj.bias")


def multihead_by_hand(x, heads, proj):
    side_by_side = torch.cat([head_by_hand(x, *head) for head in heads], dim=-1)
    return side_by_side @ proj[0].double().T + proj[1].double()


def random_multihead(rng, num_heads, n_embed, head_size, dtype=torch.float64):
    weights = {
        f"heads.{h}.{name}": value
        for h in range(num_heads)
        for name, value in random_head(rng, n_embed, head_size, dtype).items()
    }
    weights["proj.weight"] = rng.normal(n_embed, num_heads * head_size, dtype=dtype)
    weights["proj.bias"] = rng.normal(n_embed, dtype=dtype)
    return weights


def weights_by_head(weights, num_heads):
    """Weights by name as the oracle wants them: one triple for each head, and the projection."""
    names = ("key", "query", "value")
    heads = [tuple(weights[f"heads.{h}.{name}.weight"] for name in names) for h in range(num_heads)]
    return heads, (weights["proj.weight"], weights["proj.bias"])


@pytest.mark.task("babygpt.MultiHead", points=2)
def test_multihead_values(learner, reference, rng):
    """All heads on the same input, side by side in the order of the list, then the projection."""
    # Heads that together are wider and narrower than the model; heads of width 1; and one head.
    for num_heads, n_embed, head_size in ((3, 4, 2), (2, 7, 3), (3, 6, 1), (1, 5, 4)):
        weights = random_multihead(rng, num_heads, n_embed, head_size)
        sizes = (num_heads, n_embed, head_size, 6)
        inputs = [rng.normal(batch, 5, n_embed, dtype=torch.float64) for batch in (2, 1, 2)]
        outputs, after = attended(learner, "MultiHead", sizes, weights, inputs, False, torch.float64)
        for x, output, left in zip(inputs, outputs, after):
            what = f"MultiHead{sizes} of x {tuple(x.shape)}"
            assert_close(output, multihead_by_hand(x, *weights_by_head(weights, num_heads)), what)
            assert_equal(left, x, "the argument x after the call")
    check_module_gradients(
        learner, reference, "MultiHead", sizes, weights, x, rng.normal(2, 5, n_embed, dtype=torch.float64)
    )


@pytest.mark.task("babygpt.MultiHead", points=1)
def test_multihead_drops_after_the_projection(learner, reference, rng):
    """While training, entries of the result are dropped; while evaluating, none."""
    num_heads, n_embed, head_size, p = 2, 6, 3, 0.3
    weights = random_multihead(rng, num_heads, n_embed, head_size, torch.float32)
    for name in list(weights):
        if "value" in name:
            weights[name] = torch.zeros_like(weights[name])  # what is left is the bias of the projection
    weights["proj.bias"] = torch.tensor([1.0, -2.0, 3.0, -4.0, 5.0, -6.0])
    x = rng.normal(50, 20, n_embed)
    sizes, bias = (num_heads, n_embed, head_size, 20, p), weights["proj.bias"].expand(50, 20, n_embed)
    (still,), _ = attended(learner, "MultiHead", sizes, weights, [x], False, torch.float32)
    assert_close(still, bias.contiguous(), "the output in evaluation mode, with all values 0")
    (output,), _ = attended(learner, "MultiHead", sizes, weights, [x], True, torch.float32)
    if not isinstance(output, torch.Tensor) or output.shape != x.shape:
        raise AssertionError(
            f"While training, MultiHead should return a tensor of shape {tuple(x.shape)}, not {describe(output)}."
        )
    dropped = output == 0
    # 6000 entries: the share has a standard deviation of 0.0059; 6.5 of them, less than once in 10^10.
    assert_between(share_of(dropped), p - 0.039, p + 0.039, f"The share of dropped entries at dropout={p}")
    assert_close(output, torch.where(dropped, 0.0, bias / (1 - p)), "the entries that are kept while training")
    (plain,), _ = attended(learner, "MultiHead", sizes[:4], weights, [x], True, torch.float32)
    assert_close(plain, bias.contiguous(), "the output while training with the default dropout, 0")


@pytest.mark.task("babygpt.MultiHead", points=1)
def test_multihead_drops_in_the_heads(learner, reference, rng):
    """The heads drop attention weights too."""
    num_heads, head_size, p, rows = 2, 12, 0.4, 1500
    n_embed = num_heads * head_size
    weights = random_multihead(rng, num_heads, n_embed, head_size, torch.float32)
    weights["proj.weight"], weights["proj.bias"] = torch.eye(n_embed), torch.zeros(n_embed)
    x = rng.normal(rows, 1, n_embed)  # one position: its only weight is 1, so a head is dropped whole
    (output,), _ = attended(
        learner, "MultiHead", (num_heads, n_embed, head_size, 4, p), weights, [x], True, torch.float32
    )
    if not isinstance(output, torch.Tensor) or output.shape != x.shape:
        raise AssertionError(
            f"While training, MultiHead should return a tensor of shape {tuple(x.shape)}, not {describe(output)}."
        )
    by_head = output.view(rows, num_heads, head_size)
    gone = (by_head == 0).all(-1)
    (plain,), _ = attended(learner, "MultiHead", (num_heads, n_embed, head_size, 4), weights, [x], True, torch.float32)
    heads, _ = weights_by_head(weights, num_heads)
    expected = torch.cat([x @ value.T for _, _, value in heads], dim=-1)
    assert_close(plain, expected, "the output while training with the default dropout, 0", 1e-3, 1e-4)
    # 3000 heads: the share has a standard deviation of 0.009; 6.5 of them, less than once in 10^10. (That all 12
    # entries of a head go one by one has the probability 0.4^12.)
    assert_between(share_of(gone), p - 0.059, p + 0.059, f"The share of heads without any weight at dropout={p}")
    # In a head that is left, entries are dropped after the projection, which changes nothing here. Catches code that
    # also drops entries before the projection.
    share = share_of(by_head[~gone] == 0)
    # At least 1500 heads of 12 entries: the share has a standard deviation of 0.0037; 8 of them.
    what = f"Of heads that keep their weight, the share of entries dropped after the projection at dropout={p}"
    assert_between(share, p - 0.03, p + 0.03, what)


# ---------------------------------------------------------------------------------------------------------------------
# Block


def block_calls(learner, sizes, inputs, numbers, training, cotangent=None):
    """Call a Block on several inputs. Its parameters are filled from a list of numbers, whatever they are called.

    Returns the results, the shape of every parameter, and the inputs as the calls left them; with a cotangent, the
    gradient of the weighted sum of the first result in their place.
    """
    block = learner.Block(*sizes).to(inputs[0].dtype).train(training)
    fill_by_role(block, numbers, lambda: block(inputs[0].clone()))
    if cotangent is not None:
        leaf = inputs[0].clone().requires_grad_()
        output = block(leaf * 1)
        return [output], [], weighted_gradients(output, cotangent, [leaf])[0]
    torch.default_generator.manual_seed(0)  # the same dropout, however many numbers the parameters took
    return [block(x) for x in inputs], sorted(list(one.shape) for one in block.parameters()), inputs


def called_block(learner, *request):
    """The reply of `block_calls`."""
    uses = (is_norm, fill_parameters, order_of_use, zero_parameters, fill_in_order, fill_by_role, weighted_gradients)
    return reply_of(learner, block_calls, *request, uses=uses)


@pytest.mark.task("babygpt.Block", points=1)
def test_block_passes_its_input_on(learner, reference, rng):
    """With all parameters 0 the input comes out unchanged: both sublayers are added to it."""
    x = rng.normal(2, 5, 6, dtype=torch.float64)
    (output,), *_ = called_block(learner, (6, 2, 7), [x], torch.zeros(3, dtype=torch.float64), False)
    assert_close(output, x, "the output of a block whose parameters are all 0")


def random_numbers(rng, scale=0.5, dtype=torch.float64):
    """Numbers to fill parameters with; a prime count, so that no two rows of a matrix are alike."""
    return scale * rng.normal(1009, dtype=dtype)


@pytest.mark.task("babygpt.Block", points=1)
def test_block_is_normalised_before_each_sublayer(learner, reference, rng):
    """Adding a constant to all features of the input adds it to the output, and changes nothing else."""
    x = rng.normal(2, 5, 6, dtype=torch.float64)
    shift = torch.tensor([3.0, -50.0], dtype=torch.float64)[:, None, None]
    numbers = random_numbers(rng)
    (plain, shifted), _, after = called_block(learner, (6, 2, 7), [x, x + shift], numbers, False)
    if not isinstance(plain, torch.Tensor) or plain.shape != x.shape:
        raise AssertionError(f"The output of a block should have the shape of its input, {tuple(x.shape)}.")
    moved = (plain - x).abs().max().item()
    if moved < 1e-3:
        raise AssertionError(
            "The output of the block equals its input. Does it call both sublayers and add what they return?"
        )
    assert_equal(after[0], x, "the argument x after the call")
    what = "the output of a block whose input is shifted by a constant, which layer normalisation removes,"
    assert_close(shifted, plain + shift, what, 1e-7, 1e-7)


@pytest.mark.task("babygpt.Block", points=1)
def test_block_does_not_see_the_future(learner, reference, rng):
    """A prefix gives the same outputs alone as with what follows it; positions do communicate."""
    x = rng.normal(2, 6, 8, dtype=torch.float64)
    other = x.clone()
    other[:, 0] += rng.normal(2, 8, dtype=torch.float64)
    # One position alone, or one sequence: catches axes of length 1 that are squeezed away.
    inputs = [x, x[:, :4], other, x[:, :1], x[:1]]
    (whole, part, changed, first, row), *_ = called_block(learner, (8, 2, 7), inputs, random_numbers(rng), False)
    assert_close(part, whole[:, :4], "the outputs of the first 4 positions, given alone", 1e-7, 1e-7)
    assert_close(first, whole[:, :1], "the outputs of the first position, given alone", 1e-7, 1e-7)
    assert_close(row, whole[:1], "the outputs of the first sequence, given alone", 1e-7, 1e-7)
    if not isinstance(changed, torch.Tensor) or (changed[:, -1] - whole[:, -1]).abs().max() < 1e-6:
        raise AssertionError(
            "The last output does not depend on the first position. Does the block call its attention?"
        )


@pytest.mark.task("babygpt.Block", points=1)
def test_block_lets_gradients_through(learner, reference, rng):
    """The gradient for the input is the slope of the output."""
    x, direction, cotangent = (rng.normal(1, 3, 6, dtype=torch.float64) for _ in range(3))
    numbers, step = random_numbers(rng), 1e-6
    (up, down), *_ = called_block(learner, (6, 2, 7), [x + step * direction, x - step * direction], numbers, False)
    *_, grad = called_block(learner, (6, 2, 7), [x], numbers, False, cotangent)
    slope = ((up - down) * cotangent).sum() / (2 * step)
    assert_close((grad * direction).sum(), slope, "the gradient for x, along one direction", 1e-4, 1e-4)


@pytest.mark.task("babygpt.Block", points=1)
def test_block_sizes(learner, reference, rng):
    """The heads share the width, the feed-forward network is four times as wide."""
    n_embed, num_heads = 6, 3
    x = rng.normal(1, 2, n_embed, dtype=torch.float64)
    (output,), shapes, _ = called_block(learner, (n_embed, num_heads, 5), [x], random_numbers(rng), False)
    assert_close(output.shape[-1] if isinstance(output, torch.Tensor) else 0, n_embed, "the width of the output")
    total = sum(math.prod(shape) for shape in shapes)
    # Matrices: 4 n^2 in the attention, 8 n^2 in the network. Then come biases, scales and shifts, of which
    # some are free; all that the specification allows is within 14 n.
    least, most = 12 * n_embed**2, 12 * n_embed**2 + 14 * n_embed
    wide = [shape for shape in shapes if 4 * n_embed in shape and math.prod(shape) == 4 * n_embed**2]
    if len(wide) != 2:
        raise AssertionError(
            f"The feed-forward network should have two matrices that map between {n_embed} and {4 * n_embed} features, "
            f"but the block has {len(wide)}."
        )
    if not least <= total <= most:
        raise AssertionError(f"A block of width {n_embed} has {total} parameters, but should have {least} to {most}.")


def is_multihead(module):
    """Whether it is a MultiHead, by its attributes."""
    return hasattr(module, "heads") and hasattr(module, "proj")


def parts_of_block(block, n_embed, order):
    """A block's attention, its two norms in the ``order`` of use, and the two layers of its feed-forward network.

    ``None`` if they are not found, a sentence if there is one norm only.
    """
    attention = [one for one in block.modules() if is_multihead(one)]
    if len(attention) != 1:
        return None
    inside = {id(one) for one in attention[0].modules()}
    rest = [one for one in block.modules() if id(one) not in inside]
    norms = [one for one in rest if is_norm(one)]
    linear = [one for one in rest if isinstance(one, nn.Linear)]
    wide = [one for one in linear if one.weight.shape == (4 * n_embed, n_embed)]
    narrow = [one for one in linear if one.weight.shape == (n_embed, 4 * n_embed)]
    if len(norms) == 1:
        return "The block has one layer normalisation, but each of its two sublayers should have its own."
    if len(norms) != 2 or len(wide) != 1 or len(narrow) != 1 or len(linear) != 2:
        return None
    if any(parameter is None for norm in norms for parameter in norm_parameters(norm)):
        return None
    return attention[0], sorted(norms, key=lambda norm: order.get(id(norm), len(order))), wide[0], narrow[0]


def load_block(attention, norms, wide, narrow, roles):
    """Copy weights into the parts of a block; whether its feed-forward network has biases is free."""
    with torch.no_grad():
        for head, values in zip(attention.heads, roles["heads"]):
            for name, value in zip(("key", "query", "value"), values):
                getattr(head, name).weight.copy_(value)
        load_layers(attention, {"proj": roles["proj"]})
        for norm, values in zip(norms, roles["norms"]):
            for parameter, value in zip(norm_parameters(norm), values):
                parameter.copy_(value)
        for layer, (weight, bias) in ((wide, roles["wide"]), (narrow, roles["narrow"])):
            layer.weight.copy_(weight)
            if layer.bias is not None:
                layer.bias.copy_(bias)


def block_output(learner, sizes, roles, x):
    """Build a Block, find its parts, give them weights, and call it in evaluation and in training mode.

    Returns the outputs and which of the wanted biases exist; ``None`` where a part was not found.
    """
    block = learner.Block(*sizes).to(x.dtype)
    parts = parts_of_block(block, sizes[0], order_of_use(block, lambda: block(x.clone())))
    if parts is None or isinstance(parts, str):
        return parts
    load_block(*parts, roles)
    *_, wide, narrow = parts
    return [block.train(mode)(x) for mode in (False, True)], [wide.bias is not None, narrow.bias is not None]


def block_by_hand(x, roles, norms, biases):
    """A block in float64. ``norms``: which norm comes first; ``biases``: which linear layers have one."""
    (scale, shift), (scale_2, shift_2) = (roles["norms"][index] for index in norms)
    width = x.shape[-1:]
    x = x + multihead_by_hand(F.layer_norm(x, width, scale, shift), roles["heads"], roles["proj"])
    hidden = F.layer_norm(x, width, scale_2, shift_2) @ roles["wide"][0].T + biases[0] * roles["wide"][1]
    return x + hidden.relu() @ roles["narrow"][0].T + biases[1] * roles["narrow"][1]


@pytest.mark.task("babygpt.Block", points=2)
def test_block_values(learner, reference, rng):
    """It adds what attention makes of the normalised input, then what a ReLU network makes of the normalised sum."""
    n_embed, num_heads, time = 6, 2, 5
    head_size = n_embed // num_heads
    vectors = [rng.normal(n_embed, dtype=torch.float64) for _ in range(6)]
    roles = {
        "heads": [tuple(random_head(rng, n_embed, head_size).values()) for _ in range(num_heads)],
        "proj": (rng.normal(n_embed, n_embed, dtype=torch.float64), vectors[0]),
        "norms": [(vectors[1], vectors[2]), (vectors[3], vectors[4])],
        "wide": (rng.normal(4 * n_embed, n_embed, dtype=torch.float64), rng.normal(4 * n_embed, dtype=torch.float64)),
        "narrow": (rng.normal(n_embed, 4 * n_embed, dtype=torch.float64), vectors[5]),
    }
    x = rng.normal(2, time, n_embed, dtype=torch.float64)
    reply = reply_of(
        learner,
        block_output,
        (n_embed, num_heads, 7),
        roles,
        x,
        uses=(order_of_use, is_norm, norm_parameters, load_layers, is_multihead, parts_of_block, load_block),
    )
    if reply is None:  # built of other parts: the properties must suffice
        return
    outputs, biases = reply
    # Which of the two norms was made first is free.
    one, two = (block_by_hand(x, roles, order, biases) for order in ((0, 1), (1, 0)))
    for output, mode in zip(outputs, ("", " in training mode, without dropout")):
        same = (
            isinstance(output, torch.Tensor) and output.shape == two.shape and torch.allclose(output, two, 2e-3, 2e-3)
        )
        # Tolerant of another epsilon in the norms.
        assert_close(output, two if same else one, f"the output of a block{mode}", 2e-3, 2e-3)


def block_in_training(learner, sizes, x, numbers, silent):
    """The outputs of a Block in training and in evaluation mode, while its ``silent`` sublayer adds nothing.

    ``None`` if that sublayer is not found.
    """
    block = learner.Block(*sizes)
    linear = [one for one in block.modules() if isinstance(one, nn.Linear)]
    narrow = [one for one in linear if one.weight.shape == (sizes[0], 4 * sizes[0])]
    if len(narrow) != 1:
        return None
    for parameter in block.parameters():
        fill_parameters([parameter], numbers)
    kept = [one.detach().clone() for one in narrow[0].parameters()]
    zero_parameters(narrow[0])
    if silent == "attention":
        for layer in linear:
            if layer.weight.shape != (4 * sizes[0], sizes[0]):
                zero_parameters(layer)
        if not torch.equal(block.eval()(x), x):  # its attention is made of something else
            return None
        with torch.no_grad():
            for parameter, values in zip(narrow[0].parameters(), kept):
                parameter.copy_(values)
    torch.default_generator.manual_seed(0)  # the same dropout, however many numbers the parameters took
    return block.train()(x), block.eval()(x)


@pytest.mark.task("babygpt.Block", points=1)
def test_block_dropout(learner, reference, rng):
    """Dropout reaches the sublayers while training, and nothing is dropped while evaluating."""
    x = rng.normal(3, 6, 8, dtype=torch.float64)
    numbers = random_numbers(rng)
    for training, dropout, differ in ((True, 0.5, True), (False, 0.5, False), (True, 0.0, False)):
        (one, two), *_ = called_block(learner, (8, 2, 7, dropout), [x, x], numbers, training)
        # 300 weights and entries are dropped or kept: the chance that both calls agree is below 10^-50.
        same = isinstance(one, torch.Tensor) and isinstance(two, torch.Tensor) and torch.allclose(one, two)
        where = f"{'training' if training else 'evaluating'} with dropout={dropout}"
        if same == differ:
            gave, should = ("the same", "different") if same else ("different", "the same")
            raise AssertionError(f"While {where}, two calls gave {gave} results, but should give {should} ones.")
    # One sublayer that adds nothing leaves x plus the dropped-out result of the other: where it is dropped, x remains.
    p, x, numbers = 0.4, rng.normal(60, 6, 8), random_numbers(rng, dtype=torch.float32)
    for silent in ("feed-forward network", "attention"):
        request = (8, 2, 7, p), x, numbers, silent
        reply = learner.run(block_in_training, *request, uses=(fill_parameters, zero_parameters))
        if reply is None:  # built of other parts
            return
        output, still = pair_of(reply, "the outputs of a block")
        assert_close(output, x, "the output of a block while training", atol=math.inf)  # for now only type and shape
        if silent == "attention" and not (output == x).any():  # the network may drop hidden units instead
            if torch.allclose(output, still):
                raise AssertionError(
                    f"While training with dropout={p}, the feed-forward network drops nothing. Does it have a dropout?"
                )
            continue
        # 2880 entries: the share has a standard deviation of 0.0092; 6.5 of them, less than once in 10^10. A residual
        # connection may apply a second dropout to what its sublayer returns.
        what = f"While training with dropout={p}, and with the {silent} adding nothing, the share of unchanged entries"
        assert_between(share_of(output == x), p - 0.06, 1 - (1 - p) ** 2 + 0.06, what)


# ---------------------------------------------------------------------------------------------------------------------
# BabyGPT


def build_model(learner, sizes):
    """A BabyGPT. Its configuration is given in the notebook; a file may do without it."""
    try:
        make = learner.BabyGPTConfig
    except Exception:
        make = type("Config", (), {"__init__": lambda self, **sizes: self.__dict__.update(sizes)})
    names = ("vocab_size", "block_size", "n_embed", "num_heads", "num_layers", "dropout")
    return learner.BabyGPT(make(**dict(zip(names, sizes))))


def model_calls(learner, sizes, calls, numbers, training, alone=None):
    """Build a BabyGPT, fill its parameters from a list of numbers, and call it as each ``(ids, targets)`` says.

    With ``alone`` the parameters of all blocks but that one are 0, so that they pass on what they get; if no blocks are
    found, the reply is ``None``. Returns the results as lists, and the block size that the model keeps.
    """
    model = build_model(learner, sizes).train(training)
    if numbers is not None:
        model = model.to(numbers.dtype)
        # A table that is read through its weight alone is used, too.
        tables = [one for one in model.modules() if isinstance(one, nn.Embedding)]
        fill_by_role(model, numbers, lambda: [model(calls[0][0].clone()), *(one(calls[0][0] * 0) for one in tables)])
    if alone is not None:
        blocks = [one for one in model.modules() if isinstance(one, learner.Block)]
        if not blocks:
            return None
        for block in blocks[:alone] + blocks[alone + 1 :]:
            zero_parameters(block)
    results = []
    torch.default_generator.manual_seed(0)  # the same dropout, however many numbers the parameters took
    for ids, targets in calls:
        before = ids.clone()
        result = model(ids) if targets is None else model(ids, targets)
        if not torch.equal(ids, before):
            return "The call of the model changed its argument ids."
        results.append(list(result) if isinstance(result, (tuple, list)) else result)
    kept = getattr(getattr(model, "config", None), "block_size", None)
    return results, kept


def called_model(learner, *request):
    """The reply of `model_calls`."""
    uses = (is_norm, fill_parameters, order_of_use, fill_in_order, fill_by_role, zero_parameters, build_model)
    return reply_of(learner, model_calls, *request, uses=uses)


SIZES = (11, 7, 6, 3, 2, 0.0)  # vocabulary, block, width, heads, layers, dropout


def logits_of(result, shape, what):
    logits, loss = pair_of(result, what)
    if not isinstance(logits, torch.Tensor) or tuple(logits.shape) != shape:
        found = tuple(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
        raise AssertionError(f"The logits of {what} should have the shape {shape}, but are {found}.")
    if not logits.isfinite().all():
        raise AssertionError(f"The logits of {what} hold NaN or infinity.")
    return logits, loss


@pytest.mark.task("babygpt.BabyGPT", points=1)
def test_model_returns_logits_and_no_loss(learner, reference, rng):
    """Without targets: logits for every position, and None; for short and long sequences."""
    calls = [(rng.integers(0, 11, 2, time), None) for time in (7, 4, 1)]
    results, kept = called_model(learner, SIZES, calls, random_numbers(rng), False)
    for (ids, _), result in zip(calls, results):
        what = f"model(ids), ids {tuple(ids.shape)}"
        _, loss = logits_of(result, (*ids.shape, 11), what)
        if loss is not None:
            raise AssertionError(
                f"The loss of {what} without targets should be None, but is of type {type(loss).__name__}."
            )
    assert_equal(kept, 7, "model.config.block_size")
    ids = rng.integers(0, 3, 2, 9)  # more positions than tokens
    (result,), *_ = called_model(learner, (3, 9, 6, 2, 1, 0.0), [(ids, None)], random_numbers(rng), False)
    logits_of(result, (2, 9, 3), "model(ids), ids (2, 9), with a vocabulary of 3")


@pytest.mark.task("babygpt.BabyGPT", points=2)
def test_model_loss(learner, reference, rng):
    """With targets: the mean cross-entropy of the logits at all positions."""
    numbers = random_numbers(rng)
    for shape, training in (((2, 5), False), ((1, 7), True)):
        ids, targets = rng.integers(0, 11, *shape), rng.integers(0, 11, *shape)
        targets[0, 1], targets[0, 2] = 0, 10  # the token 0 counts like any other
        calls = [(ids, None), (ids, targets)]
        (plain, both), *_ = called_model(learner, SIZES, calls, numbers, training)
        logits, _ = logits_of(plain, (*shape, 11), "model(ids)")
        again, loss = logits_of(both, (*shape, 11), "model(ids, targets)")
        assert_close(again, logits, "the logits with targets")
        rows = logits.reshape(-1, 11).log_softmax(-1)
        expected = -rows[torch.arange(len(rows)), targets.flatten()].mean()
        assert_close(loss, expected, f"the loss, targets {shape}")
        # Catches logits that went through a softmax: they would have passed so far.
        if torch.allclose(logits.sum(-1), torch.ones(shape, dtype=logits.dtype)):
            raise AssertionError(
                "The logits of every position sum to 1, so they went through a softmax. Return the scores themselves."
            )


@pytest.mark.task("babygpt.BabyGPT", points=1)
def test_model_does_not_see_the_future(learner, reference, rng):
    """A prefix gives the same logits alone as with what follows it, and earlier tokens matter."""
    ids = rng.integers(0, 11, 3, 6)
    changed = ids.clone()
    changed[:, 0] = (changed[:, 0] + 1) % 11
    calls = [(ids, None), (ids[:, :3], None), (changed, None), (ids[1:], None)]
    results, *_ = called_model(learner, SIZES, calls, random_numbers(rng), False)
    whole, part, other, without_first = (
        logits_of(result, (*call[0].shape, 11), "model(ids)")[0] for result, call in zip(results, calls)
    )
    assert_close(part, whole[:, :3], "the logits of the first 3 positions, given alone", 1e-7, 1e-7)
    assert_close(without_first, whole[1:], "the logits of a sequence in a smaller batch", 1e-7, 1e-7)
    if (other[:, -1] - whole[:, -1]).abs().max() < 1e-9:
        raise AssertionError(
            "The last logits do not depend on the first token. Does the model pass the vectors through its blocks?"
        )


@pytest.mark.task("babygpt.BabyGPT", points=1)
def test_model_knows_positions(learner, reference, rng):
    """The same token has other logits at another position."""
    ids = torch.full((2, 6), 4)
    (result,), *_ = called_model(learner, SIZES, [(ids, None)], random_numbers(rng), False)
    logits, _ = logits_of(result, (2, 6, 11), "model(ids)")
    # Catches missing positions: without them, the average of equal values is the same at every position.
    for position in range(1, 6):
        if (logits[:, position] - logits[:, position - 1]).abs().max() < 1e-6:
            raise AssertionError(
                "In a sequence of one repeated token all positions have the same logits. Did you add position vectors?"
            )
    # In a single layer attention sees a set, unless the positions are in what it reads.
    ids = torch.tensor([[1, 2, 3, 4]])
    sizes, calls = (11, 7, 6, 3, 1, 0.0), [(ids, None), (ids[:, [1, 0, 2, 3]], None)]
    results, *_ = called_model(learner, sizes, calls, random_numbers(rng), False)
    one, two = (logits_of(result, (1, 4, 11), "model(ids)")[0] for result in results)
    if (one[:, -1] - two[:, -1]).abs().max() < 1e-9:
        raise AssertionError(
            "The order of the earlier tokens does not matter. Do you add the positions before the first block?"
        )


def number_of_parameters(learner, sizes):
    """How many numbers a BabyGPT learns. A separate request, made after the logits, which say more about a mistake."""
    return sum(parameter.numel() for parameter in build_model(learner, sizes).parameters())


@pytest.mark.task("babygpt.BabyGPT", points=1)
def test_model_layers(learner, reference, rng):
    """There are num_layers different blocks; each adds the parameters of one."""
    width, ids = 6, rng.integers(0, 11, 1, 4)
    counts = []
    for layers in (1, 2, 3):
        sizes = (11, 7, width, 3, layers, 0.0)
        (result,), _ = called_model(learner, sizes, [(ids, None)], random_numbers(rng), False)
        logits_of(result, (1, 4, 11), "model(ids)")
        counts.append(learner.run(number_of_parameters, sizes, uses=(build_model,)))
    per_block = counts[1] - counts[0]
    # Matrices 12 n^2; biases, scales and shifts at most 14 n (see the check of Block's sizes).
    within = 12 * width**2 <= per_block <= 12 * width**2 + 14 * width
    # Outside the blocks: tables for tokens and positions, a last norm, a last layer that may share the token table.
    rest = counts[0] - per_block
    around = 11 * width + 7 * width <= rest <= 2 * 11 * width + 11 + 7 * width + 2 * width + 11
    if not within or not around or counts[2] - counts[1] != per_block:
        raise AssertionError(
            f"With 1, 2 and 3 layers the model has {counts[0]}, {counts[1]} and {counts[2]} parameters; each layer "
            f"should add the same number, {12 * width**2} to {12 * width**2 + 14 * width} at a width of {width}."
        )
    ids = rng.integers(1, 11, 2, 5)
    other = ids.clone()
    other[:, 0] -= 1
    for block in range(2):  # the other block passes on what it gets: catches a block that is not called
        calls = [(ids, None), (other, None)]
        reply = called_model(learner, SIZES, calls, random_numbers(rng), False, block)
        if reply is None:  # built of other parts
            return
        one, two = (logits_of(result, (2, 5, 11), "model(ids)")[0] for result in reply[0])
        if (one[:, -1] - two[:, -1]).abs().max() < 1e-9:
            raise AssertionError(
                f"Block {block} of 2 has no effect. Each block should read what the one before it returned."
            )


def parts_of_model(model, blocks, sizes):
    """A BabyGPT's two tables, its last layer, and its last norm in a list if there is one; ``None`` if not found."""
    vocab_size, block_size, n_embed = sizes[:3]
    inside = {id(one) for block in blocks for one in block.modules()}
    rest = [one for one in model.modules() if id(one) not in inside]
    tables = [one for one in rest if isinstance(one, nn.Embedding)]
    tokens = [one for one in tables if one.weight.shape == (vocab_size, n_embed)]
    positions = [one for one in tables if one.weight.shape == (block_size, n_embed)]
    last = [one for one in rest if isinstance(one, nn.Linear)]
    norms = [one for one in rest if is_norm(one)]
    if (len(tokens), len(positions), len(last)) != (1, 1, 1) or len(norms) > 1 or not blocks:
        return None
    if last[0].weight is tokens[0].weight or last[0].weight.shape != (vocab_size, n_embed):
        return None
    return tokens[0], positions[0], last[0], norms


def model_by_parts(learner, sizes, weights, ids):
    """Build a BabyGPT, find its embeddings, blocks, last norm and last layer, give them weights, and call it.

    Returns the logits, whether there is a last norm and a last bias, and the numbers of heads; ``None`` where a part
    was not found.
    """
    model = build_model(learner, sizes).double().eval()
    blocks = [one for one in model.modules() if isinstance(one, learner.Block)]
    parts = parts_of_model(model, blocks, sizes)
    if parts is None:
        return None
    tokens, positions, last, norms = parts
    for block in blocks:  # without their parameters, blocks pass on what they get
        zero_parameters(block)
    with torch.no_grad():
        tokens.weight.copy_(weights["tokens"])
        positions.weight.copy_(weights["positions"])
        last.weight.copy_(weights["last"])
        if last.bias is not None:
            last.bias.copy_(weights["bias"])
        for norm in norms:
            for value, parameter in zip((1.0, 0.0), norm_parameters(norm)):
                if isinstance(parameter, torch.Tensor):
                    parameter.fill_(value)
    attention = [one for one in model.modules() if is_multihead(one)]
    return model(ids)[0], len(norms) == 1, last.bias is not None, [len(one.heads) for one in attention]


@pytest.mark.task("babygpt.BabyGPT", points=1)
def test_model_values(learner, reference, rng):
    """Token plus position vectors go in, and a linear layer makes logits of what comes out."""
    vocabulary, block, width = SIZES[:3]
    weights = {
        "tokens": rng.normal(vocabulary, width, dtype=torch.float64),
        "positions": rng.normal(block, width, dtype=torch.float64),
        "last": rng.normal(vocabulary, width, dtype=torch.float64),
        "bias": rng.normal(vocabulary, dtype=torch.float64),
    }
    ids = torch.cat([rng.uniform(vocabulary).argsort(), torch.tensor([0, vocabulary - 1, 0, 4])]).view(3, 5)
    reply = learner.run(
        model_by_parts,
        SIZES,
        weights,
        ids,
        uses=(is_norm, norm_parameters, zero_parameters, is_multihead, build_model, parts_of_model),
    )
    if reply is None:  # built of other parts: the properties must suffice
        return
    logits, has_norm, has_bias, heads = reply
    assert_equal(heads, [SIZES[3]] * len(heads), "the numbers of heads in the layers")
    x = weights["tokens"][ids] + weights["positions"][:5]
    x = F.layer_norm(x, (width,)) if has_norm else x
    expected = x @ weights["last"].T + has_bias * weights["bias"]
    # A constant added to all logits of a position changes no probability.
    logits = logits - logits.mean(-1, keepdim=True)
    expected = expected - expected.mean(-1, keepdim=True)
    assert_close(
        logits, expected, "the logits (less their mean) of a model whose blocks pass on what they get", 1e-4, 1e-4
    )


def model_gradients(learner, sizes, ids, targets):
    """The share of a BabyGPT's parameters for which the gradient of the loss is not zero."""
    model = build_model(learner, sizes)
    loss = model(ids, targets)[1]
    if not isinstance(loss, torch.Tensor) or not loss.requires_grad:
        return 0.0
    loss.backward()
    reached = [parameter.grad is not None and bool(parameter.grad.any()) for parameter in model.parameters()]
    tables = [one.weight for one in model.modules() if isinstance(one, nn.Embedding)]
    for name, rows, wanted in (("tokens", sizes[0], ids.unique()), ("positions", sizes[1], torch.arange(ids.shape[1]))):
        for table in tables:
            if len(table) == rows:
                still = [i for i in wanted.tolist() if table.grad is None or not table.grad[i].any()]
                if still:
                    return f"The loss has no gradient for rows {still} of the table of {name}: they cannot be learned."
    return sum(reached) / len(reached)


@pytest.mark.task("babygpt.BabyGPT", points=1)
def test_model_can_learn(learner, reference, rng):
    """The loss has gradients for the model's parameters."""
    ids, targets = rng.integers(0, 11, 4, 7), rng.integers(0, 11, 4, 7)
    ids[0], ids[1, :4] = torch.arange(7), torch.arange(7, 11)  # every token occurs
    share = reply_of(learner, model_gradients, SIZES, ids, targets, uses=(build_model,))
    # A share, not all: a class may own further parameters.
    if not isinstance(share, float) or share < 0.8:
        raise AssertionError(
            f"The loss has a gradient for only {share:.0%} of the model's parameters. Is something detached or unused?"
        )


@pytest.mark.task("babygpt.BabyGPT", points=1)
def test_model_dropout(learner, reference, rng):
    """The dropout of the configuration acts while training, and not while evaluating."""
    ids, numbers = rng.integers(0, 11, 3, 6), random_numbers(rng)
    for training, dropout, differ in ((True, 0.5, True), (False, 0.5, False), (True, 0.0, False)):
        sizes = (*SIZES[:5], dropout)
        results, *_ = called_model(learner, sizes, [(ids, None)] * 2, numbers, training)
        one, two = (logits_of(result, (3, 6, 11), "model(ids)")[0] for result in results)
        # Hundreds of weights and entries are dropped or kept: the chance that both calls agree is below 10^-50.
        if torch.allclose(one, two) == differ:
            where = f"{'training' if training else 'evaluating'} with dropout={dropout}"
            gave, should = ("the same", "different") if differ else ("different", "the same")
            raise AssertionError(f"While {where}, two calls gave {gave} results, but should give {should} ones.")


# ---------------------------------------------------------------------------------------------------------------------
# generate


class TableModel(nn.Module):
    """Its next-token logits are a row of a table, chosen by the tokens of the context and their order."""

    def __init__(self, table, block_size):
        super().__init__()
        self.part = nn.Sequential(nn.Dropout(0.5))  # the parts of a model have a mode too
        # What a configuration has; and a parameter, for code that looks for the model's device.
        sizes = {"vocab_size": table.shape[1], "n_embed": 4, "num_heads": 1, "num_layers": 1, "dropout": 0.0}
        self.config = type("Config", (), {"block_size": block_size, **sizes})()
        self.weight = nn.Parameter(torch.ones(1))
        self.table, self.block_size = table, block_size

    def forward(self, ids, targets=None):
        if ids.shape[1] > self.block_size:
            raise IndexError(f"{ids.shape[1]} tokens were given to a model that can read {self.block_size}")
        positions = torch.arange(1, ids.shape[1] + 1)
        rows = (ids * positions).cumsum(1) % len(self.table)
        return self.table[rows], None


def write(learner, table, block_size, ids, options, seed, training, repeats):
    """Generate with a `TableModel`, several times.

    Returns the texts, ``ids`` as the calls left them, whether the model is training, and whether gradients are on.
    """
    model = TableModel(table, block_size).train(training)
    texts = []
    for _ in range(repeats):
        extra = generator_from(seed)
        if extra:  # in the order of the task
            given = options["max_new_tokens"], options.get("temperature", 1.0), *extra
            texts.append(learner.generate(model, ids, *given))
        else:
            texts.append(learner.generate(model, ids, **options))
    enabled = torch.is_grad_enabled(), model.weight.requires_grad
    torch.set_grad_enabled(True)
    modes = {module.training for module in model.modules()}
    return texts, ids, model.training if len(modes) == 1 else None, enabled


def written(learner, *request):
    """The reply of `write`."""
    return learner.run(write, *request, uses=(generator_from, TableModel))


def texts_of(reply, count):
    """What the driver `write` returns, if the texts in it can be read."""
    texts, ids, training, enabled = reply
    if len(texts) != count or not all(isinstance(text, torch.Tensor) and text.ndim == 2 for text in texts):
        found = describe(texts[0]) if texts else "nothing"
        raise AssertionError(f"generate should return one tensor of shape (B, T + max_new_tokens), not {found}.")
    return texts, ids, training, enabled


def continued_by_hand(table, block_size, ids, count):
    """The most likely continuation, step by step, by the rule of the driver's model."""
    texts = [row.tolist() for row in ids]
    for text in texts:
        for _ in range(count):
            context = text[-block_size:]
            row = sum(position * token for position, token in enumerate(context, start=1)) % len(table)
            text.append(int(table[row].argmax()))
    return torch.tensor(texts)


@pytest.mark.task("babygpt.generate", points=3)
def test_most_likely_continuation(learner, reference, rng):
    """At temperature 0: the prompt, then the most likely token of each step, given the last block_size tokens."""
    table = rng.normal(13, 13)
    # Prompts shorter than the context, as long as it, and longer; continuations that stay inside it or outgrow it.
    # Then a prompt of one token and one new token; and nothing new, also after one token.
    lengths = ((9, (3, 2), 4), (5, (2, 3), 12), (4, (1, 4), 3), (4, (3, 10), 6), (1, (2, 2), 3))
    for block_size, shape, count in (*lengths, (6, (1, 1), 1), (5, (2, 3), 0), (5, (3, 1), 0)):
        ids = rng.integers(0, 13, *shape)
        options = {"max_new_tokens": count, "temperature": 0}
        (text,), after, *_ = texts_of(written(learner, table, block_size, ids, options, None, False, 1), 1)
        what = f"generate(model, ids {shape}, {count}, temperature=0) with block_size {block_size}"
        assert_equal(text, continued_by_hand(table, block_size, ids, count), what)
        assert_equal(after, ids, "the argument ids after the call")
    for token in range(5):  # catches taking some token for the end of the text
        table, ids = F.one_hot(torch.full((3,), token), 5).float(), rng.integers(0, 5, 1, 2)
        options = {"max_new_tokens": 3, "temperature": 0}
        (text,), *_ = texts_of(written(learner, table, 6, ids, options, None, False, 1), 1)
        expected = torch.cat([ids, torch.full((1, 3), token)], 1)
        assert_equal(
            text, expected, f"generate(model, ids, 3, temperature=0), if {token} is always the likeliest token"
        )


@pytest.mark.task("babygpt.generate", points=2)
def test_tokens_are_drawn(learner, reference, rng):
    """Each text's token is drawn with that text's own probabilities: the softmax of logits / temperature."""
    table = torch.tensor([[1.5, 0.0, -1.0, 0.5], [-0.5, 1.0, 0.0, 2.0], [0.0, 0.0, 3.0, 1.0]])
    table += rng.uniform(3, 4, low=-0.2, high=0.2)
    rows = 6000
    ids = (torch.arange(rows) % 3)[:, None]
    for temperature in (1.0, 0.5, 2.5):
        options = {"max_new_tokens": 1}
        if temperature != 1:
            options["temperature"] = temperature
        (text,), *_ = texts_of(written(learner, table, 4, ids, options, 3, False, 1), 1)
        if tuple(text.shape) != (rows, 2) or not 0 <= int(text.min()) <= int(text.max()) < 4:
            raise AssertionError(f"generate(model, ids (6000, 1), 1) should return tokens of shape ({rows}, 2).")
        assert_equal(text[:, :1], ids, "the first column, the prompt")
        for row in range(3):
            drawn = torch.bincount(text[row::3, 1], minlength=4).double() / (rows / 3)
            wanted = (table[row].double() / temperature).softmax(0)
            # 2000 draws: 7 standard deviations and 15 draws, by chance less than once in 10^9 (small counts included).
            slack = 7 * (wanted * (1 - wanted) / 2000).sqrt() + 0.0075
            for token in range(4):
                low, high = (wanted - slack)[token].item(), (wanted + slack)[token].item()
                assert_between(
                    drawn[token].item(), low, high, f"At temperature {temperature} the share of token {token}"
                )
    # One token is certain in each step. One sequence: catches axes of length 1 that are squeezed away.
    for shape, count in (((1, 3), 4), ((1, 1), 1)):
        certain, ids = 1000 * F.one_hot(rng.integers(0, 7, 5), 7).float(), rng.integers(0, 7, *shape)
        (text,), *_ = texts_of(written(learner, certain, 4, ids, {"max_new_tokens": count}, 3, False, 1), 1)
        what = f"generate(model, ids {shape}, {count}), if one token is certain in each step"
        assert_equal(text, continued_by_hand(certain, 4, ids, count), what)


@pytest.mark.task("babygpt.generate", points=1)
def test_generator_of_texts(learner, reference, rng):
    """The generator decides what is drawn; without one, PyTorch's own decides, and continues from call to call."""
    table, ids = 0.1 * rng.normal(5, 5), torch.zeros(2, 1, dtype=torch.int64)  # all tokens about as likely
    options = {"max_new_tokens": 24}
    (one, again), *_ = texts_of(written(learner, table, 6, ids, options, 11, False, 2), 2)
    (other,), *_ = texts_of(written(learner, table, 6, ids, options, 12, False, 1), 1)
    (free, free_again), *_ = texts_of(written(learner, table, 6, ids, options, None, False, 2), 2)
    assert_equal(one[:, :1], ids, "the first column, the prompt")
    assert_equal(again, one, "the text, drawn again with a generator of the same seed")
    # 48 draws of 5 tokens: the chance that two batches agree is below 10^-30; that two rows or all steps do, 10^-15.
    for two, three, what in (
        (one, other, "generators of different seeds"),
        (free, free_again, "two calls without a generator"),
        (one[0], one[1], "the two texts of a batch"),
        (one[:, 1:-1], one[:, 2:], "all steps of a text"),
    ):
        if torch.equal(two, three):
            raise AssertionError(
                f"{what.capitalize()} gave the same tokens. Draw anew for each text and step, without setting a seed."
            )
    # 8 tokens, all equally likely: of 760 neighbours in a text 1 in 8 are equal, with a standard deviation of 0.012.
    ids = torch.zeros(40, 1, dtype=torch.int64)
    (text,), *_ = texts_of(written(learner, torch.zeros(5, 8), 6, ids, {"max_new_tokens": 20}, 7, False, 1), 1)
    same = share_of(text[:, 1:-1] == text[:, 2:])
    assert_between(same, 0.04, 0.21, "With 8 equally likely tokens, the share of tokens that repeat the one before")


@pytest.mark.task("babygpt.generate", points=1)
def test_negative_temperature(learner, reference, rng):
    """A negative temperature is refused."""
    table, ids = rng.normal(5, 5), rng.integers(0, 5, 2, 3)
    options = {"max_new_tokens": 2, "temperature": -0.5}
    call = "generate(model, ids, 2, temperature=-0.5)"
    assert_raises(ValueError, lambda: written(learner, table, 4, ids, options, None, False, 1), call)


@pytest.mark.task("babygpt.generate", points=1)
def test_mode_is_left_alone(learner, reference, rng):
    """Afterwards the model is in the same mode as before, and gradients are recorded as before."""
    table, ids = rng.normal(5, 5), rng.integers(0, 5, 2, 3)
    for training in (True, False):
        reply = written(learner, table, 4, ids, {"max_new_tokens": 2}, 1, training, 1)
        (text,), _, after, enabled = texts_of(reply, 1)
        assert_equal(tuple(text.shape), (2, 5), "the shape of the text")
        if after is None:
            raise AssertionError(
                "After the call the model is in one mode, but some of its parts are in the other. Which call "
                "changes all of them?"
            )
        if after is not training:
            was, now = ("training", "evaluating") if training else ("evaluating", "training")
            raise AssertionError(
                f"The model was {was} before the call and is {now} after it. Restore its mode before you return."
            )
        if tuple(enabled) != (True, True):
            what = "for the parameters of the model" if enabled[0] else "anywhere"
            raise AssertionError(
                f"After the call no gradients are recorded any more {what}. Switch them off only during the call."
            )
