"""Checks of the unit on decoding.

The model of `greedy_decode` and `beam_search` mostly looks its log-probabilities up: in a table, at a row that depends
on every id of the source and of the target that may be seen, or in a tree of chosen prefixes. So the right answer is
known without any neural network. What `beam_search` leaves to its writer (when to stop, whether finished hypotheses
keep their slots in the beam, how many candidates are formed) must not matter: every case is one in which five styles of
search agree.

First comes what several tasks share, then each task with its drivers, helpers and checks, from basic to subtle. Each
check looks at one mechanism. Random behaviour is judged by statistics. Each such check says how often it would fail a
right answer by chance, always less than once in 10^9.
"""

import math
from functools import cache

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from autograder.judging.assertions import assert_close, assert_equal, describe
from autograder.judging.inputs import Rng
from autograder.judging.replies import assert_raises, reply_of
from autograder.units.support.search import first_found

# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def draw(learner, logits, options, seed, calls=1):
    """``calls`` calls of sample_next, with a generator of that seed (``None``: without one), and the logits after."""
    options = dict(options)
    if seed is not None:
        options["generator"] = torch.Generator().manual_seed(seed)
    return [learner.sample_next(logits, **options) for _ in range(calls)], logits


# ---------------------------------------------------------------------------------------------------------------------
# greedy_decode


PAD, BOS, EOS = 0, 2, 3


class ReadingGenerator(nn.Module):
    """Reads token i's log-probability at index size + 2 - i of the decoder's output.

    These are log-probabilities already, so log_softmax does not change them.
    """

    def __init__(self, size):
        super().__init__()
        width = size + 3
        self.proj = nn.Linear(width, size)
        with torch.no_grad():
            self.proj.weight.copy_(torch.eye(width).flip(1)[:size])
            self.proj.bias.zero_()

    def forward(self, x):
        return self.proj(x).log_softmax(dim=-1)


class LookupModel(nn.Module):
    """Looks log-probabilities up in ``table`` ``(R, V)``, at a row that depends on all ids that may be seen.

    The row depends on the source, and through two layers on the target. ``trees`` lists exceptions: first source id,
    target so far, ``(V,)``. Notes how often it encodes, and whether gradients are recorded.
    """

    def __init__(self, table, trees):
        super().__init__()
        self.table, self.width = table, table.shape[1] + 3
        self.exceptions = {(first, tuple(prefix)): values for first, prefix, values in trees}
        self.encoded, self.gradients = 0, False
        self.scale = nn.Parameter(torch.ones(()))
        self.generator = ReadingGenerator(table.shape[1])

    def encode(self, src, src_mask):
        self.encoded += 1
        self.gradients |= torch.is_grad_enabled()
        visible = torch.ones_like(src, dtype=torch.bool)
        if src_mask is not None:
            visible = torch.broadcast_to(src_mask, (len(src), 1, 1, src.shape[1]))[:, 0, 0]
        positions = torch.arange(1, src.shape[1] + 1)
        memory = torch.zeros(*src.shape, self.width)
        memory[..., 0] = torch.where(visible, src * positions, 40 + positions)  # what padding holds is noise
        memory[:, 0, 0] += 7 * visible.sum(dim=-1)
        memory[..., 1] = src[:, :1]
        return memory * self.scale

    def decode(self, memory, src_mask, tgt, tgt_mask):
        self.gradients |= torch.is_grad_enabled()
        self.refuse(src_mask, tgt, tgt_mask)
        count, time = tgt.shape
        visible = torch.ones(count, memory.shape[1], dtype=torch.bool)
        if src_mask is not None:
            visible = torch.broadcast_to(src_mask, (count, 1, 1, memory.shape[1]))[:, 0, 0]
        source = (memory[..., 0].detach().round().long() * visible).sum(dim=-1)
        allowed = torch.ones(count, time, time, dtype=torch.bool)
        if tgt_mask is not None:
            allowed = torch.broadcast_to(tgt_mask, (count, 1, time, time))[:, 0]
        positions = torch.arange(time)
        first = (allowed * ((2 * positions + 1) * tgt)[:, None]).sum(dim=-1)
        second = (allowed * ((positions + 1) * first)[:, None]).sum(dim=-1)
        values = self.table[(second + source[:, None]) % len(self.table)]
        if self.exceptions:
            firsts = memory[:, 0, 1].detach().round().long().expand(count).tolist()
            for row, (start, ids) in enumerate(zip(firsts, tgt.tolist())):
                for t in range(time):
                    values[row, t] = self.exceptions.get((start, tuple(ids[: t + 1])), values[row, t])
        hidden = torch.cat([torch.full((count, time, 3), 5.0), values.flip(-1)], dim=-1)
        return hidden * self.scale

    def refuse(self, src_mask, tgt, tgt_mask):
        """Ids and masks of another type are refused, as an embedding and ``masked_fill`` would."""
        if tgt.is_floating_point():
            raise TypeError("The decoder got target ids that are floating-point numbers.")
        for what, mask in (("source", src_mask), ("target", tgt_mask)):
            if mask is not None and mask.dtype != torch.bool:
                raise TypeError(f"The decoder got a {what} mask that is not boolean.")

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        return self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)


class SteppingModel(LookupModel):
    """A `LookupModel` that also decodes one position at a time; counts the positions that its decoder processes.

    It knows earlier ids only from the cache, which holds them as they are in layer 0, and times seven in layer 1.
    """

    def __init__(self, table, trees):
        super().__init__(table, trees)
        self.positions = 0

    def decode(self, memory, src_mask, tgt, tgt_mask):
        self.positions += tgt.numel()
        return super().decode(memory, src_mask, tgt, tgt_mask)

    def decode_step(self, memory, src_mask, last_ids, cache):
        if last_ids.shape != memory.shape[:1]:
            shapes = f"last_ids of shape {tuple(last_ids.shape)} and a memory of {len(memory)} rows"
            raise ValueError(f"decode_step wants one id for each row, (B,), but got {shapes}.")
        self.positions += len(last_ids)
        ids = last_ids.view(-1, 1, 1, 1).to(self.table.dtype)
        k, v = cache.update(0, ids, -ids)
        if not torch.equal(cache.update(1, 7 * ids, ids)[0], -7 * v):
            raise ValueError("The two layers of the cache hold different positions.")
        ids = k[:, 0, :, 0].to(last_ids.dtype)
        return super().decode(memory, src_mask, ids, torch.ones(ids.shape[1], ids.shape[1]).tril().bool())[:, -1]


def search(learner, name, table, trees, src, src_mask, max_len, options, training=False):
    """Call one of the functions that decode with a model that looks its log-probabilities up.

    Returns the result and the arguments as the call left them. Then how often the model encoded: 2 means more than
    once, and a beam search, which may encode each row by itself, gives 1. Then whether the model recorded gradients.
    Then its mode after the call, and the gradient of the sum of all squared ids (``None`` if none is recorded any
    more). Last, how many positions its decoder processed (0 if the model does not count them).
    """
    steps = name == "cached_greedy_decode"
    model = (SteppingModel if steps else LookupModel)(table, trees).train(training)
    result = getattr(learner, name)(model, src, src_mask, max_len, **options)
    ids = src.double().requires_grad_()
    total = (ids * ids).sum()
    slope = torch.autograd.grad(total, ids)[0] if total.requires_grad else None
    torch.set_grad_enabled(True)
    positions = model.positions if steps else 0
    encoded = 1 if name == "beam_search" else min(model.encoded, 2)
    return result, [src, src_mask], encoded, model.gradients, [model.training, slope], positions


def searched(learner, *request):
    """The reply of `search`."""
    return reply_of(learner, search, *request, parts=6, uses=(ReadingGenerator, LookupModel, SteppingModel))


def random_sources(rng, *lengths, first=None):
    """Source ids ``(B, T_src)`` of these lengths, padded, and their mask."""
    longest = max(lengths)
    src = rng.integers(4, 20, len(lengths), longest)
    if first is not None:
        src[:, 0] = torch.tensor(first)
    mask = torch.arange(longest) < torch.tensor(lengths)[:, None]
    return src.masked_fill(~mask, PAD), mask[:, None, None]


def random_table(rng, size, likely=(), unlikely=(), spread=1.5):
    """Random log-probabilities ``(23, size)``; some ids are more likely, and some hardly possible."""
    scores = spread * rng.normal(23, size)
    for token, by in likely:
        scores[:, token] += by
    scores[:, list(unlikely)] = -15.0 + scores[:, list(unlikely)] / 10
    return scores.log_softmax(dim=-1)


def following_of(table, source, mask, trees=()):
    """A function from the target so far to the log-probabilities of the next token, a list."""
    rows = table.tolist()
    exceptions = {tuple(prefix): values.tolist() for first, prefix, values in trees if first == source[0]}
    kept = [token for token, keep in zip(source.tolist(), mask.flatten().tolist()) if keep]
    number = sum(position * token for position, token in enumerate(kept, 1)) + 7 * len(kept)

    @cache
    def following(ids):
        if ids in exceptions:
            return exceptions[ids]
        first = second = 0
        for position, token in enumerate(ids):
            first += (2 * position + 1) * token
            second += (position + 1) * first
        return rows[(second + number) % len(rows)]

    return following


def greedy_by_hand(following, max_len, bos, eos):
    ids = [bos]
    while len(ids) < max_len and (len(ids) == 1 or ids[-1] != eos):
        values = following(tuple(ids))
        ids.append(max(range(len(values)), key=values.__getitem__))
    return ids


def greedy_rows(table, src, mask, max_len, bos=BOS, eos=EOS):
    return [greedy_by_hand(following_of(table, *pair), max_len, bos, eos) for pair in zip(src, mask)]


def padded_rows(rows, length):
    return torch.tensor([row + [PAD] * (length - len(row)) for row in rows])


def check_greedy(learner, name, table, src, mask, max_len, expected, what, training=False, **options):
    """Run greedy_decode, with a cache or without, and compare; columns of padding at the end are optional."""
    reply = searched(learner, name, table, [], src, mask, max_len, options, training)
    what = f"{name}{what}"
    ids = reply[0]
    if isinstance(ids, torch.Tensor) and ids.dim() == 2 and ids.dtype == torch.int64:
        if ids.shape[1] > max_len:
            raise AssertionError(f"{what} should have at most {max_len} columns, but has {ids.shape[1]}.")
        ids = F.pad(ids, (0, max_len - ids.shape[1]), value=PAD)
    assert_equal(ids, padded_rows(expected, max_len), what)
    for name, before, after in zip(("src", "src_mask"), (src, mask), reply[1]):
        assert_equal(after, before, f"the argument {name} after the call")
    return reply


def check_tokens(learner, rng, name):
    """Batches of three sizes in which no row ends, with sources of several lengths."""
    for lengths, max_len in (((5, 3, 4), 7), ((2,), 2), ((3, 6), 1)):
        table = random_table(rng, 9, unlikely=(PAD, BOS, EOS))
        src, mask = random_sources(rng, *lengths)
        expected = greedy_rows(table, src, mask, max_len)
        what = f"(model, src {tuple(src.shape)}, src_mask, max_len={max_len})"
        check_greedy(learner, name, table, src, mask, max_len, expected, what)


@pytest.mark.task("decoding.greedy_decode", points=3)
def test_most_likely_tokens(learner, reference, rng):
    """Each row: the start symbol, then the most likely token given all before it and the source, up to max_len."""
    check_tokens(learner, rng, "greedy_decode")


def seed_of(rng):
    """A seed for a case that is drawn once and cached."""
    return int(rng.integers(0, 2**31, 1))


@cache
def finishing_case(seed, wanted, count, max_len, bos=BOS, eos=EOS, likely=(), size=9):
    """A table, sources, and the rows that belong to them; ``wanted`` decides whether they will do. Cached by seed."""
    rng = Rng(seed)

    def draw():
        table = random_table(rng, size, [(eos, 1.0), *likely], unlikely=(PAD, bos))
        src, mask = random_sources(rng, *[3 + index % 3 for index in range(count)])
        rows = greedy_rows(table, src, mask, max_len, bos, eos)
        return (table, src, mask, rows) if wanted(rows, eos) else None

    return first_found(draw)


def at_different_times(rows, eos):
    """The first row ends neither first nor last; one row ends early, and one not at all."""
    lengths = [len(row) for row in rows]
    unfinished = any(row[-1] != eos for row in rows)
    return len({*lengths}) == 4 and min(lengths) < lengths[0] < max(lengths) - 1 and unfinished


def all_before_the_end(rows, eos):
    """Every row ends: first the second one, then the first one."""
    first, second, third = (len(row) for row in rows)
    return 2 < second < first < third < 9 and all(row[-1] == eos for row in rows)


def one_at_once(rows, eos):
    return len(rows[0]) > 4 and len(rows[1]) == 2


def check_finishing(learner, rng, name):
    """Rows that all end before max_len, at different times, and at once."""
    for what, wanted, count in (
        ("rows that all end before max_len", all_before_the_end, 3),
        ("rows that end at different times", at_different_times, 4),
        ("a row that ends at once", one_at_once, 2),
    ):
        table, src, mask, rows = finishing_case(seed_of(rng), wanted, count, 9)
        check_greedy(learner, name, table, src, mask, 9, rows, f" with {what}")


@pytest.mark.task("decoding.greedy_decode", points=3)
def test_rows_finish(learner, reference, rng):
    """A row ends with the end symbol and is padded from there, while the others go on."""
    check_finishing(learner, rng, "greedy_decode")


def with_the_usual_ids(rows, eos):
    """Every row ends, and holds the usual end symbol earlier, as an ordinary token."""
    return len(rows[0]) != len(rows[1]) and all(EOS in row[:-1] and row[-1] == eos for row in rows)


def check_other_ids(learner, rng, name):
    """The ids of start and end are not the usual ones."""
    likely = ((BOS, 1.2), (EOS, 1.2))
    table, src, mask, rows = finishing_case(seed_of(rng), with_the_usual_ids, 2, 10, 7, 5, likely, 8)
    check_greedy(learner, name, table, src, mask, 10, rows, "(..., bos_id=7, eos_id=5)", bos_id=7, eos_id=5)


@pytest.mark.task("decoding.greedy_decode", points=1)
def test_other_start_and_end(learner, reference, rng):
    """bos_id and eos_id are the caller's; the ids 2 and 3 are ordinary tokens then."""
    check_other_ids(learner, rng, "greedy_decode")


def check_manners(learner, rng, name):
    """In both modes: how often the source is encoded, gradients, the mode and the arguments."""
    table = random_table(rng, 9, unlikely=(PAD, BOS, EOS))
    src, mask = random_sources(rng, 2, 4)
    expected = greedy_rows(table, src, mask, 5)
    for training in (True, False):
        what = "(model, src (2, 4), src_mask, max_len=5)"
        reply = check_greedy(learner, name, table, src, mask, 5, expected, what, training)
        _, _, encoded, gradients, (mode, slope), _ = reply
        if encoded != 1:
            often = "more than once" if encoded else "not at all"
            raise AssertionError(f"{name} encoded the source {often}. Encode it once: its memory stays the same.")
        if gradients is not False:
            raise AssertionError(f"{name} ran the model while gradients were recorded: use torch.no_grad().")
        if mode is not training:
            raise AssertionError(f"After {name} the model is in another mode (training or evaluation) than before it.")
        if not isinstance(slope, torch.Tensor) or not torch.equal(slope, 2.0 * src):
            raise AssertionError(
                "After the call no gradients are recorded any more. Use torch.no_grad() as a decorator or in a `with`."
            )


@pytest.mark.task("decoding.greedy_decode", points=1)
def test_encoded_once(learner, reference, rng):
    """The source is encoded once, nothing is recorded for gradients, and the mode is left alone."""
    check_manners(learner, rng, "greedy_decode")


def translate(learner, name, weights, src, src_mask, max_len):
    """Decode with a small encoder-decoder with attention: one encoder layer, two decoder layers, one head."""

    def attend(x, memory, mask, parts):
        return mix(x @ parts[0], memory @ parts[1], memory @ parts[2], mask)

    def mix(q, k, v, mask):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            mask = mask.squeeze(-3) if mask.dim() == 4 else mask
            scores = scores.masked_fill(~mask, float("-inf"))
        return scores.softmax(dim=-1) @ v

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Parameter(weights["table"].clone())

        def embed(self, ids, start=0):
            return F.embedding(ids, self.table) + weights["positions"][start : start + ids.shape[1]]

        def encode(self, src, src_mask):
            x = self.embed(src)
            return x + attend(x, x, src_mask, weights["encoder"])

        def decode(self, memory, src_mask, tgt, tgt_mask):
            x = self.embed(tgt)
            for layer in weights["decoder"]:
                x = x + attend(x, x, tgt_mask, layer[:3])
                x = x + attend(x, memory, src_mask, layer[3:])
            return x

        def decode_step(self, memory, src_mask, last_ids, cache):
            x = self.embed(last_ids.view(-1, 1), cache.length)
            for number, layer in enumerate(weights["decoder"]):
                q, k, v = ((x @ one)[:, None] for one in layer[:3])  # one head
                x = x + mix(q, *cache.update(number, k, v), None)[:, 0]
                x = x + attend(x, memory, src_mask, layer[3:])
            return x[:, 0]

        def generator(self, x):
            return (x @ weights["output"]).log_softmax(dim=-1)

    return getattr(learner, name)(Model().eval(), src, src_mask, max_len)


def check_with_attention(learner, reference, rng, name, dtype):
    """Compare with what greedy decoding makes of a small encoder-decoder with random weights."""

    def matrices(count):
        return [rng.normal(6, 6, dtype=dtype) / 2 for _ in range(count)]

    weights = {
        "table": rng.normal(20, 6, dtype=dtype),
        "positions": rng.normal(9, 6, dtype=dtype),
        "encoder": matrices(3),
        "decoder": [matrices(6), matrices(6)],
        "output": rng.normal(6, 11, dtype=dtype),
    }
    weights["output"][:, [PAD, BOS]] = 0
    src, mask = random_sources(rng, 5, 3, 4)
    ids = learner.run(translate, name, weights, src, mask, 8)
    expected = reference.run(translate, "greedy_decode", weights, src, mask, 8)
    if isinstance(ids, torch.Tensor) and ids.dim() == 2 and ids.shape[1] <= 8:
        ids, expected = (F.pad(one, (0, 8 - one.shape[1]), value=PAD) for one in (ids, expected))
    assert_equal(ids, expected, f"{name}(model, src (3, 5), src_mask, max_len=8)")


@pytest.mark.task("decoding.greedy_decode", points=1)
def test_model_of_attention(learner, reference, rng):
    """A small encoder-decoder with attention gives the right rows too."""
    check_with_attention(learner, reference, rng, "greedy_decode", torch.float64)


# ---------------------------------------------------------------------------------------------------------------------
# sample_next


@pytest.mark.task("decoding.sample_next", points=1)
def test_temperature_zero(learner, reference, rng):
    """Temperature 0 takes the largest logit of each row, as int64 of shape (B,)."""
    for logits in (rng.normal(5, 7), rng.normal(1, 4), 900 * rng.normal(3, 6, dtype=torch.float64)):
        for options in ({"temperature": 0}, {"temperature": 0.0, "top_k": 3, "top_p": 0.9}):
            (tokens,), _ = learner.run(draw, logits, options, None)
            text = ", ".join(f"{name}={value}" for name, value in options.items())
            assert_equal(tokens, logits.argmax(dim=-1), f"sample_next(logits {tuple(logits.shape)}, {text})")


ROWS = 1200  # of each distribution
SHARES = [[0.46, 0.26, 0.14, 0.09, 0.05], [0.62, 0.18, 0.10, 0.06, 0.04], [0.32, 0.27, 0.20, 0.13, 0.08]]


def assert_shares(tokens, row, wanted, what):
    """The shares of the tokens that were drawn for one of three distributions are those wanted.

    The margin for 1200 draws is 7 standard deviations plus 6 draws. Chance exceeds it less than once in 10^10, even for
    small shares. A token with a share of 0 must never be drawn.
    """
    drawn = torch.bincount(tokens[row::3], minlength=len(wanted)).double() / ROWS
    slack = 7 * (wanted * (1 - wanted) / ROWS).sqrt() + 0.005
    for token, (got, share, room) in enumerate(zip(drawn.tolist(), wanted.tolist(), slack.tolist())):
        if share == 0 and got > 0:
            raise AssertionError(f"{what}: token {token} should never be drawn, but has a share of {got:.1%}.")
        if abs(got - share) > room:
            raise AssertionError(f"{what}: token {token} should have a share of {share:.1%}, but has {got:.1%}.")


def draw_often(learner, logits, options, seed):
    """Draws from three distributions in turn, as "samples" ``(N / 3, 3)``: mistakes are compared by frequencies."""
    (tokens,), after = draw(learner, logits, options, seed)
    fits = isinstance(tokens, torch.Tensor) and tokens.shape == logits.shape[:1]
    return {"samples": tokens.view(-1, 3) if fits else tokens}, after


def drawn_tokens(learner, logits, seed, **options):
    """Many draws from each of three distributions, ``(3 * ROWS,)``."""
    many = logits.repeat(ROWS, 1)
    drawn, after = learner.run(draw_often, many, options, seed, uses=(draw,))
    tokens = drawn["samples"]
    text = ", ".join(f"{name}={value}" for name, value in options.items())
    what = f"sample_next(logits{', ' + text if text else ''})"
    if not isinstance(tokens, torch.Tensor) or tokens.shape != (ROWS, 3) or tokens.dtype != torch.int64:
        raise AssertionError(f"{what} should be an int64 tensor with one token for each row, of shape ({3 * ROWS},).")
    tokens = tokens.flatten()
    if not 0 <= int(tokens.min()) <= int(tokens.max()) < logits.shape[1]:
        raise AssertionError(f"{what} should hold tokens from 0 to {logits.shape[1] - 1}.")
    assert_equal(after, many, "the argument logits after the call")
    return tokens, what


def expected_shares(logits, temperature=1.0, top_k=None, top_p=None):
    """The probabilities of one row, worked out token by token; and how near the mass came to top_p."""
    probabilities = (logits.double() / temperature).softmax(dim=-1)
    order = probabilities.argsort(descending=True).tolist()[:top_k]
    total, mass, kept, margin = sum(probabilities[token].item() for token in order), 0.0, [], 1.0
    for token in order:
        kept.append(token)
        mass += probabilities[token].item() / total
        if top_p is not None and top_p < 1:
            margin = min(margin, abs(mass - top_p))
            if mass >= top_p:
                break
    wanted = torch.zeros_like(probabilities)
    wanted[kept] = probabilities[kept]
    return wanted / wanted.sum(), margin


def clear_distributions(rng, *cases):
    """Logits ``(3, 5)`` of three distributions, each with its tokens in another order, away from every threshold."""

    def draw():
        logits = torch.tensor(SHARES).log() + rng.uniform(3, 5, low=-0.03, high=0.03)
        orders = rng.uniform(3, 5).argsort(dim=-1)
        logits = logits.gather(1, orders)
        apart = len({tuple(order) for order in orders.tolist()}) == len({order[0] for order in orders.tolist()}) == 3
        clear = apart and min(expected_shares(row, **case)[1] for case in cases for row in logits) > 0.01
        return logits if clear else None

    return first_found(draw)


def check_shares(learner, rng, *cases):
    logits = clear_distributions(rng, *cases)
    for seed, case in enumerate(cases):
        tokens, what = drawn_tokens(learner, logits, seed, **case)
        for row in range(3):
            assert_shares(tokens, row, expected_shares(logits[row], **case)[0], what)


@pytest.mark.task("decoding.sample_next", points=2)
def test_temperature(learner, reference, rng):
    """Each row's token is drawn with the softmax of its logits over the temperature."""
    check_shares(learner, rng, {}, {"temperature": 0.5}, {"temperature": 2.5})
    # More tokens than the top-k that libraries have by default: a fifth of the mass lies beyond the first 50.
    many = (0.01 * torch.arange(64.0)[rng.uniform(64).argsort()]).repeat(3 * ROWS, 1)
    (tokens,), _ = learner.run(draw, many, {}, 5)
    if isinstance(tokens, torch.Tensor) and len(tokens.unique()) <= 50:
        drawn = f"From 64 tokens of similar logits sample_next(logits) drew only {len(tokens.unique())} different ones."
        raise AssertionError(f"{drawn} Without top_k and top_p, any token may be drawn.")


@pytest.mark.task("decoding.sample_next", points=2)
def test_top_k(learner, reference, rng):
    """Only tokens with the k largest logits of a row are drawn, in proportion; k above V is no limit."""
    check_shares(learner, rng, {"top_k": 1}, {"top_k": 3}, {"top_k": 5}, {"top_k": 9})


@pytest.mark.task("decoding.sample_next", points=2)
def test_top_p(learner, reference, rng):
    """Only the smallest set of most likely tokens whose mass reaches p is drawn, in proportion."""
    check_shares(learner, rng, {"top_p": 0.05}, {"top_p": 0.55}, {"top_p": 0.75}, {"top_p": 1.0})
    # Four tokens of exactly a quarter each: catches one token too many or too few where the mass is exactly p.
    for kept in (1, 2, 3):
        drawn, _ = learner.run(draw, torch.zeros(1, 4), {"top_p": kept / 4}, 5, 100)
        # 100 draws of at most 3 tokens: one is missed by chance once in 10^17.
        found = len({int(tokens) for tokens in drawn})
        assert_equal(found, kept, f"how many of 4 equally likely tokens are ever drawn with top_p={kept / 4}")


@pytest.mark.task("decoding.sample_next", points=2)
def test_filters_follow_each_other(learner, reference, rng):
    """The temperature acts first, then top-k, then top-p on what is left, renormalised."""
    # Catches other orders of the steps: each of these cases tells them apart, since in at least two of the three
    # distributions the right order keeps a different number of tokens.
    check_shares(
        learner,
        rng,
        {"temperature": 3.0, "top_p": 0.58},
        {"temperature": 0.4, "top_p": 0.85},
        {"top_k": 3, "top_p": 0.66},
        {"temperature": 2.0, "top_k": 4, "top_p": 0.6},
    )


@pytest.mark.task("decoding.sample_next", points=1)
def test_top_p_out_of_range(learner, reference, rng):
    """top_p outside (0, 1] is refused, and 1 is not."""
    logits = rng.normal(2, 5)
    for top_p in (1.5, 0.0, -0.3, 0):
        call = f"sample_next(logits, top_p={top_p})"
        assert_raises(ValueError, lambda top_p=top_p: learner.run(draw, logits, {"top_p": top_p}, 0), call)
    (tokens,), _ = learner.run(draw, logits, {"top_p": 1}, 0)
    if not isinstance(tokens, torch.Tensor) or tokens.shape != (2,):
        raise AssertionError("sample_next(logits, top_p=1) should be one token for each row, of shape (2,).")
    if not learner.run(draw, torch.tensor([[0.0, 9.0, 0.0]]), {"temperature": 0, "top_p": 0.5}, 0)[0][0].any():
        raise AssertionError("sample_next(logits, temperature=0, top_p=0.5) should be the index of the largest logit.")


@pytest.mark.task("decoding.sample_next", points=1)
def test_generator_of_tokens(learner, reference, rng):
    """The generator decides what is drawn; without one, PyTorch's own decides, and continues from call to call."""
    logits = (0.1 * rng.normal(1, 6)).repeat(40, 1)  # all tokens about as likely
    for options in ({}, {"top_k": 5, "top_p": 0.95}):
        (one, then), _ = learner.run(draw, logits, options, 11, 2)
        (again,), _ = learner.run(draw, logits, options, 11)
        (other,), _ = learner.run(draw, logits, options, 12)
        (free, free_again), _ = learner.run(draw, logits, options, None, 2)
        assert_equal(tuple(one.shape), (40,), "the shape of the result")
        assert_equal(again, one, "the tokens, drawn again with a generator of the same seed")
        # 40 draws of at least 4 tokens of similar probability: the chance that two batches agree is below 10^-18.
        for two, three, what in (
            (one, other, "the same tokens with generators of different seeds"),
            (one, then, "the same tokens in two calls with one generator"),
            (free, free_again, "the same tokens in two calls without a generator"),
            (one, one[:1].expand(40), "the same token in all 40 rows of a batch"),
        ):
            if torch.equal(two, three):
                raise AssertionError(f"sample_next, called with {options or 'logits alone'}, drew {what}.")


@pytest.mark.task("decoding.sample_next", points=1)
def test_large_logits_and_other_types(learner, reference, rng):
    """Draws are right for logits of several hundred, for minus infinity, for one row, in float64 and bfloat16."""
    order = rng.uniform(5).argsort()
    base = torch.tensor([[0.0, 9.0, 8.0, 7.0, -9.0]])[:, order]
    largest = base.argmax(dim=1)
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        for shift in (0.0, 800.0, -800.0):
            logits = (32 * base).to(dtype) + shift  # one token takes all the mass: the next lies 32 below
            for options in ({}, {"top_k": 2}, {"top_p": 0.9}):
                (tokens,), after = learner.run(draw, logits, options, 3)
                what = (
                    f"sample_next of {str(dtype).removeprefix('torch.')} logits around {shift:.0f}, options {options}"
                )
                assert_equal(tokens, largest, what)
                assert_equal(after, logits, "the argument logits after the call")
    logits = torch.tensor([[-math.inf, 1.0, -math.inf, 1.2], [0.5, -math.inf, 0.7, -math.inf]]).repeat(30, 1)
    for options in ({}, {"top_k": 3}, {"top_p": 0.99}):
        (tokens,), _ = learner.run(draw, logits, options, 4)
        assert_equal(tuple(tokens.shape), (60,), "the shape of the result")
        if logits.gather(1, tokens[:, None]).isinf().any():
            raise AssertionError(f"sample_next, options {options}, drew a token whose logit is minus infinity.")


# ---------------------------------------------------------------------------------------------------------------------
# KVCache


def fill(learner, updates, caches=1):
    """Make new caches, and apply the updates in order; each is ``(cache, layer, k, v)``.

    Returns the lengths of the new caches, the reply to each update with all lengths after it, and every k and v at the
    end.
    """
    made = [learner.KVCache() for _ in range(caches)]
    lengths, replies = [cache.length for cache in made], []
    for which, layer, k, v in updates:
        both = made[which].update(layer, k, v)
        if not isinstance(both, (tuple, list)) or len(both) != 2:
            return "update should return two tensors, (k, v)."
        replies.append([both[0].clone(), both[1].clone(), [cache.length for cache in made]])
    return lengths, replies, [(k, v) for _, _, k, v in updates]


def random_updates(rng, shape, plan, dtype=torch.float32):
    """Updates for `fill`: ``plan`` lists (cache, layer, new positions)."""
    batch, heads, width = shape
    return [
        (which, layer, *(rng.normal(batch, heads, time, width, dtype=dtype) for _ in range(2)))
        for which, layer, time in plan
    ]


def check_cache(learner, rng, shape, plan, caches=1, dtype=torch.float32, lengths=True):
    """Fill caches, and compare all that `update` returned, and the lengths."""
    updates = random_updates(rng, shape, plan, dtype)
    first, replies, arguments = reply_of(learner, fill, updates, caches)
    if lengths:
        assert_equal(list(first), [0] * caches, "the length of a new cache")
    for done, (k, v, now) in enumerate(replies, 1):
        which, layer, *_ = updates[done - 1]
        mine = [one for one in updates[:done] if one[:2] == (which, layer)]
        time = sum(one[2].shape[-2] for one in mine)
        for got, index, name in ((k, 2, "keys"), (v, 3, "values")):
            wanted = torch.cat([one[index] for one in mine], dim=-2)
            assert_equal(got, wanted, f"the {name} of layer {layer} after {time} positions")
        if lengths:
            read = [sum(one[2].shape[-2] for one in updates[:done] if one[:2] == (each, 0)) for each in range(caches)]
            assert_equal(list(now), read, f"cache.length after update number {done}, of layer {layer}")
    for (k, v), (_, _, k_before, v_before) in zip(arguments, updates):
        assert_equal((k, v), (k_before, v_before), ("the argument k after the call", "the argument v after the call"))


@pytest.mark.task("decoding.KVCache", points=2)
def test_grows_along_time(learner, reference, rng):
    """update returns all keys and all values of a layer so far, each in the order in which they came."""
    check_cache(learner, rng, (2, 3, 5), [(0, 0, 1)] * 4, lengths=False)
    check_cache(learner, rng, (1, 4, 2), [(0, 0, 7), (0, 0, 1), (0, 0, 3)], lengths=False)
    check_cache(learner, rng, (5, 2, 3), [(0, 0, 40), *[(0, 0, 1)] * 40], lengths=False)


@pytest.mark.task("decoding.KVCache", points=1)
def test_layers_have_their_own(learner, reference, rng):
    """Each layer grows independently of the others."""
    plan = [(0, layer, time) for time in (4, 1, 2) for layer in range(3)]
    check_cache(learner, rng, (2, 3, 4), plan, lengths=False)


@pytest.mark.task("decoding.KVCache", points=1)
def test_length_of_layer_zero(learner, reference, rng):
    """length is the number of positions in layer 0, and 0 when it holds none."""
    check_cache(learner, rng, (2, 3, 5), [(0, 0, 6), (0, 1, 6), (0, 2, 6), (0, 0, 1), (0, 1, 1), (0, 2, 1)])
    check_cache(learner, rng, (1, 2, 3), [(0, 0, 2), (0, 0, 3), (0, 1, 2), (0, 1, 9), (0, 0, 1)])


@pytest.mark.task("decoding.KVCache", points=1)
def test_caches_and_types(learner, reference, rng):
    """Two caches are independent, and keep the dtype."""
    check_cache(learner, rng, (1, 2, 3), [(0, 0, 2), (1, 0, 3), (0, 0, 1), (1, 1, 2), (0, 1, 3)], caches=2)
    for dtype in (torch.float64, torch.bfloat16):
        check_cache(learner, rng, (2, 1, 3), [(0, 0, 2), (0, 0, 1), (0, 1, 2), (0, 1, 1)], dtype=dtype)


def fill_and_reorder(learner, steps):
    """A new cache goes through updates (layer, k, v) and new orders (rows alone).

    Returns for each step the length, and copies of the k and v that an update returned. Then the returned tensors
    themselves and all arguments, as they are at the end.
    """
    cache, then, now = learner.KVCache(), [], []
    for step in steps:
        if len(step) == 1:
            cache.reorder(step[0])
            then.append([cache.length])
            continue
        k, v = cache.update(*step)
        now.append([k, v])
        then.append([cache.length, k.clone(), v.clone()])
    return then, now, steps


def check_reorder(learner, rng, shape, plan, what, dtype=torch.float32):
    """Follow a plan of (layer, new positions) and of orders, lists of rows, and compare all that comes back."""
    batch, heads, width = shape
    layers, steps, expected, arguments = {}, [], [], []
    for item in plan:
        if isinstance(item, list):
            rows, batch = torch.tensor(item, dtype=torch.long), len(item)
            layers = {layer: (k[rows], v[rows]) for layer, (k, v) in layers.items()}
            steps.append((rows,))
        else:
            layer, time = item
            k, v = (rng.normal(batch, heads, time, width, dtype=dtype) for _ in range(2))
            steps.append((layer, k, v))
            if layer in layers:
                k, v = (torch.cat(pair, dim=-2) for pair in zip(layers[layer], (k, v)))
            layers[layer] = k, v
        arguments.append(tuple(one.clone() if isinstance(one, torch.Tensor) else one for one in steps[-1]))
        length = layers[0][0].shape[-2] if 0 in layers else 0
        expected.append([length] if len(steps[-1]) == 1 else [length, k, v])
    then, now, after = reply_of(learner, fill_and_reorder, steps, parts=3)
    handed_out = []
    for item, got, wanted in zip(plan, then, expected):
        where = f"after reorder(rows {item})" if isinstance(item, list) else f"after an update of layer {item[0]}"
        assert_equal(got[0], wanted[0], f"cache.length {where}, {what}")
        for mine, right, name in zip(got[1:], wanted[1:], ("keys", "values")):
            assert_equal(mine, right, f"the {name} of layer {item[0]} {what}")
        handed_out += [wanted[1:]] * (not isinstance(item, list))
    for pair, right in zip(now, handed_out):
        assert_equal(tuple(pair), tuple(right), ("keys that update returned, at the end", "values that it returned"))
    for got, before in zip(after, arguments):
        for mine, right in zip(got, before):
            if isinstance(right, torch.Tensor):
                assert_equal(mine, right, "an argument of update or of reorder, at the end")


@pytest.mark.task("decoding.KVCache", points=2)
def test_rows_in_a_new_order(learner, reference, rng):
    """reorder puts the rows of every layer in a new order, drops rows and repeats them."""
    # A permutation that is not its own inverse; three rows and four heads, so that no axis passes for another.
    check_reorder(
        learner, rng, (3, 4, 2), [(0, 2), (1, 2), [1, 2, 0], (0, 1), (1, 1), (2, 3)], "after rows changed places"
    )
    check_reorder(learner, rng, (4, 2, 3), [(0, 3), (1, 3), [3, 1], (0, 1), (1, 2)], "after rows were dropped")
    check_reorder(
        learner, rng, (3, 2, 5), [(0, 2), (1, 2), [2, 0, 2, 2, 0], (0, 1), (1, 1)], "after rows were repeated"
    )
    plan = [(0, 1), (1, 1), [0, 0, 1], (0, 1), (1, 1), [2, 1, 0], [2, 2, 1, 0], (0, 2), (1, 2)]
    check_reorder(learner, rng, (2, 1, 3), plan, "after several new orders", dtype=torch.float64)


@pytest.mark.task("decoding.KVCache", points=1)
def test_nothing_handed_out_changes(learner, reference, rng):
    """reorder changes no tensor that update returned or got, nor its own rows; it accepts an empty cache."""
    check_reorder(learner, rng, (3, 2, 4), [(0, 2), (1, 1), [2, 0, 1], [1, 1, 2], (0, 1), (1, 1)], "in another order")
    check_reorder(learner, rng, (2, 3, 1), [[1, 0], (0, 2), (1, 2), [1, 0], (0, 1)], "of a cache that was empty")


def write_with_cache(learner, weights, prompt, count, heads):
    """A small decoder with attention writes ``count`` tokens; each step reads only what is new.

    Returns the ids, the last logits, and the length of the cache.
    """
    cache = learner.KVCache()
    ids = new = prompt
    for _ in range(count):
        start = cache.length
        x = weights["table"][new] + weights["positions"][start : start + new.shape[1]]
        for layer, (w_q, w_k, w_v, w_o) in enumerate(weights["layers"]):
            q, k, v = (
                (x @ w).unflatten(-1, (heads, x.shape[-1] // heads)).transpose(1, 2) for w in (w_q, w_k, w_v)
            )  # (B, H, T_new, d_head)
            k, v = cache.update(layer, k, v)
            time = k.shape[-2]
            allowed = torch.arange(time) <= torch.arange(time - q.shape[-2], time)[:, None]
            scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
            mixed = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1) @ v
            x = x + mixed.transpose(1, 2).flatten(2) @ w_o
        logits = x[:, -1] @ weights["output"]
        new = logits.argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids, logits, cache.length


def write_by_hand(weights, prompt, count, heads):
    """The text of `write_with_cache`, written without a cache: the whole text is read at every step."""
    ids = prompt
    for _ in range(count):
        x = weights["table"][ids] + weights["positions"][: ids.shape[1]]
        for w_q, w_k, w_v, w_o in weights["layers"]:
            q, k, v = ((x @ w).unflatten(-1, (heads, x.shape[-1] // heads)).transpose(1, 2) for w in (w_q, w_k, w_v))
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + mixed.transpose(1, 2).flatten(2) @ w_o
        logits = x[:, -1] @ weights["output"]
        ids = torch.cat([ids, logits.argmax(dim=-1, keepdim=True)], dim=1)
    return ids, logits


@pytest.mark.task("decoding.KVCache", points=2)
def test_same_text_as_without(learner, reference, rng):
    """A decoder that reads only new tokens, with your cache, writes the same text as one that reads everything."""
    heads, width, size = 2, 6, 13

    def matrices(count):
        return [rng.normal(width, width, dtype=torch.float64) / 2 for _ in range(count)]

    weights = {
        "table": rng.normal(size, width, dtype=torch.float64),
        "positions": rng.normal(20, width, dtype=torch.float64),
        "layers": [matrices(4) for _ in range(3)],
        "output": rng.normal(width, size, dtype=torch.float64),
    }
    prompt = rng.integers(0, size, 2, 5)
    ids, logits, length = learner.run(write_with_cache, weights, prompt, 10, heads)
    expected, last = write_by_hand(weights, prompt, 10, heads)
    assert_equal(ids, expected, "the text written with your cache")
    assert_close(logits, last, "the logits of the last step with your cache")
    assert_equal(length, 14, "cache.length at the end (the last token has not been read)")


# ---------------------------------------------------------------------------------------------------------------------
# cached_greedy_decode


def search_twice(learner, table, sources, max_len):
    """Two calls of cached_greedy_decode with one model, and with sources and masks of the same shapes."""
    model = SteppingModel(table, [])
    return [learner.cached_greedy_decode(model, *pair, max_len) for pair in sources]


@pytest.mark.task("decoding.cached_greedy_decode", points=1)
def test_every_call_begins_anew(learner, reference, rng):
    """Each of two calls gives what greedy_decode gives: nothing of the first one is left for the second one."""
    table = random_table(rng, 9, unlikely=(PAD, BOS, EOS))
    sources = [random_sources(rng, 4, 2, 3) for _ in range(2)]
    uses = (ReadingGenerator, LookupModel, SteppingModel)
    found = reply_of(learner, search_twice, table, sources, 6, parts=2, uses=uses)
    for ids, pair, which in zip(found, sources, ("first", "second")):
        expected = padded_rows(greedy_rows(table, *pair, 6), 6)
        assert_equal(ids, expected, f"the {which} of two calls of cached_greedy_decode(model, src (3, 4), src_mask, 6)")


@pytest.mark.task("decoding.cached_greedy_decode", points=1)
def test_same_tokens_with_a_cache(learner, reference, rng):
    """Each row is that of greedy_decode: every token depends on all before it and on the source, up to max_len."""
    check_tokens(learner, rng, "cached_greedy_decode")


@pytest.mark.task("decoding.cached_greedy_decode", points=2)
def test_one_position_in_a_step(learner, reference, rng):
    """Each step runs the decoder on the newest position of a row, and on no other."""
    table = random_table(rng, 9, unlikely=(PAD, BOS, EOS))
    for lengths, max_len in (((4, 2), 7), ((3, 5, 2), 12)):
        src, mask = random_sources(rng, *lengths)
        expected = greedy_rows(table, src, mask, max_len)
        what = f"(model, src {tuple(src.shape)}, src_mask, max_len={max_len})"
        positions = check_greedy(learner, "cached_greedy_decode", table, src, mask, max_len, expected, what)[5]
        most = len(src) * max_len  # a last step whose token has no room any more does little harm
        if not isinstance(positions, int) or positions > most:
            raise AssertionError(
                f"cached_greedy_decode{what}: the decoder processed {positions} positions, but {len(src)} rows of "
                f"{max_len} columns need {len(src) * (max_len - 1)}. Call model.decode_step once in a step, with the "
                "newest ids and one cache for all steps; model.decode is not needed."
            )


@pytest.mark.task("decoding.cached_greedy_decode", points=1)
def test_rows_finish_with_a_cache(learner, reference, rng):
    """A row ends with the end symbol and is padded from there, while the others go on."""
    check_finishing(learner, rng, "cached_greedy_decode")


@pytest.mark.task("decoding.cached_greedy_decode", points=1)
def test_other_start_and_end_with_a_cache(learner, reference, rng):
    """bos_id and eos_id are the caller's; the ids 2 and 3 are ordinary tokens then."""
    check_other_ids(learner, rng, "cached_greedy_decode")


@pytest.mark.task("decoding.cached_greedy_decode", points=1)
def test_encoded_once_with_a_cache(learner, reference, rng):
    """The source is encoded once, nothing is recorded for gradients, and the mode is left alone."""
    check_manners(learner, rng, "cached_greedy_decode")


@pytest.mark.task("decoding.cached_greedy_decode", points=1)
def test_model_of_attention_with_a_cache(learner, reference, rng):
    """A small encoder-decoder with attention writes with your function what it writes without a cache."""
    for dtype in (torch.float64, torch.float32):
        check_with_attention(learner, reference, rng, "cached_greedy_decode", dtype)


# ---------------------------------------------------------------------------------------------------------------------
# beam_search


STYLES = ("narrowing", "open", "to the end", "competing sums", "competing scores")


def beam_by_hand(following, max_len, size, alpha, bos, eos, style):
    """The best hypothesis without special ids, and the gap between its score and the next one's."""

    def score(one):
        return one[0] / ((4 + len(one[1])) / 6) ** alpha

    live, ended = [(0.0, (bos,))], []
    for _ in range(1, max_len):
        grown = [(total + value, (*ids, token)) for total, ids in live for token, value in enumerate(following(ids))]
        if style.startswith("competing"):  # finished hypotheses stay in the beam as long as they are good enough
            by = score if style.endswith("scores") else None
            chosen = sorted(grown + ended, key=by, reverse=True)[:size]
            ended = [one for one in chosen if one[1][-1] == eos]
            live = [one for one in chosen if one[1][-1] != eos]
        elif style == "narrowing":  # the slot of a finished hypothesis stays empty
            chosen = sorted(grown, reverse=True)[: size - len(ended)]
            ended += [one for one in chosen if one[1][-1] == eos]
            live = [one for one in chosen if one[1][-1] != eos]
        else:  # the slot of a finished hypothesis goes to an open one
            grown.sort(reverse=True)
            ended += [one for one in grown[:size] if one[1][-1] == eos]
            live = [one for one in grown if one[1][-1] != eos][:size]
            if (style == "open" and len(ended) >= size) or (style == "to the first end" and ended):
                break
        if not live:
            break
    first, second = (*sorted(map(score, ended or live), reverse=True), -math.inf)[:2]
    best = max(ended or live, key=score)
    return [token for token in best[1] if token not in (PAD, bos, eos)], first - second


def agreed_best(following, max_len, size=4, alpha=0.6, bos=BOS, eos=EOS):
    """What all styles of search find, by a clear margin; ``None`` where they do not agree."""
    found = None
    for style in STYLES:
        ids, gap = beam_by_hand(following, max_len, size, alpha, bos, eos, style)
        if gap < 0.01 or (found is not None and ids != found):
            return None
        found = ids
    return found


def tree_of(rng, first, paths, size, bos=BOS, eos=EOS):
    """Exceptions for the source that starts with ``first``: each path is a list of (token, probability) from ``bos``.

    The rest of the probability goes to the other ordinary tokens, hardly any of it to special ones.
    """
    nodes: dict[tuple, dict[int, float]] = {}
    for path in paths:
        prefix: tuple = (bos,)
        for token, probability in path:
            nodes.setdefault(prefix, {})[token] = probability
            prefix = (*prefix, token)
    trees = []
    for prefix, known in nodes.items():
        weights = rng.uniform(size, low=0.9, high=1.1, dtype=torch.float64)
        weights[[PAD, bos, eos, *known]] = 0
        weights *= (1 - sum(known.values())) / weights.sum()
        for token, probability in known.items():
            weights[token] = probability
        trees.append((first, list(prefix), weights.clamp_min(1e-8).log().float()))
    return trees


def tree_case(rng, size, sources, max_len, beam_size, alpha=0.6):
    """For each source a tree of its own paths: what `check_search` wants; ``None`` where the styles do not agree."""
    table = random_table(rng, size, unlikely=(PAD, BOS, EOS), spread=0.1)  # outside the trees, hardly a special id
    firsts = [5 + row for row in range(len(sources))]
    trees = [one for first, paths in zip(firsts, sources) for one in tree_of(rng, first, paths, size)]
    src, mask = random_sources(rng, *[2 + row % 2 for row in range(len(sources))], first=firsts)
    case = table, trees, src, mask
    expected = tree_best(case, max_len, beam_size, alpha)
    return None if any(ids is None for ids in expected) else (*case, expected)


def tree_best(case, max_len, beam_size, alpha=0.6):
    """What all styles of search find for each source of a case."""
    table, trees, src, mask, *_ = case
    return [agreed_best(following_of(table, *pair, trees), max_len, beam_size, alpha) for pair in zip(src, mask)]


def ordinary_tokens(rng, size, count, special=(PAD, BOS, EOS)):
    """Different ordinary tokens, in random order."""
    tokens = [token for token in range(size) if token not in special]
    order = rng.uniform(len(tokens)).argsort().tolist()
    return [tokens[index] for index in order[:count]]


def check_search(learner, table, trees, src, mask, expected, what, max_len, **options):
    """Run beam_search and compare; ``what`` names each output."""
    result, after, *_ = searched(learner, "beam_search", table, trees, src, mask, max_len, options)
    if not isinstance(result, (list, tuple)) or len(result) != len(expected):
        outputs = f"a list of {len(expected)} outputs, one for each source"
        raise AssertionError(f"beam_search should return {outputs}, but returned {describe(result)}.")
    for got, wanted, name in zip(result, expected, what):
        odd = [token for token in got if type(token) is not int] if isinstance(got, (list, tuple)) else [got]
        if odd:
            came = f"one {'is' if odd[0] is got else 'holds'} {describe(odd[0])}"
            raise AssertionError(f"Every output of beam_search should be a list of int, but {came}.")
        assert_equal(list(got), wanted, name)
    assert_equal(tuple(after), (src, mask), ("src after the call of beam_search", "src_mask after the call"))


def ending(*path, eos=EOS, probability=0.95):
    return [*path, (eos, probability)]


@pytest.mark.task("decoding.beam_search", points=2)
def test_finds_what_greedy_misses(learner, reference, rng):
    """A prefix that looks worse may lead to the better output; a wider beam keeps more such prefixes."""
    size = 12
    for beam_size in (2, 3, None):
        width = beam_size or 4

        def draw():
            *prefixes, d, e = ordinary_tokens(rng, size, 7)
            # The less likely a prefix, the better the output that it leads to.
            shares = zip(prefixes, (0.36, 0.24, 0.17, 0.12, 0.08), (0.3, 0.42, 0.55, 0.7, 0.98))
            paths = [ending((first, share), (d, rest), (e, rest)) for first, share, rest in shares]
            case = tree_case(rng, size, [paths], 6, width)
            best = case and case[4] not in (tree_best(case, 6, width - 1), tree_best(case, 6, width + 1))
            return case if best else None

        case = first_found(draw)
        options = {"beam_size": beam_size} if beam_size else {}
        what = f"beam_search(model, src, src_mask, max_len=6{f', beam_size={beam_size}' if beam_size else ''})"
        check_search(learner, *case, [what], 6, **options)


def softmax_again(values):
    """Log-probabilities after one softmax too many: probabilities taken for logits."""
    total = math.log(sum(math.exp(math.exp(value)) for value in values))
    return [math.exp(value) - total for value in values]


@cache
def random_case(seed, lengths, max_len, beam_size, bos=BOS, eos=EOS, likely=(), size=9, some_of=frozenset(range(4, 9))):
    """A table and sources whose best outputs are clear, differ from each other, and are missed by wrong searches.

    Greedy decoding misses all of them. Sums of probabilities miss the first, a search that stops at the first end
    misses the second, and one softmax too many misses the third. Cached by seed.
    """
    rng, longest, rules = Rng(seed), max(lengths), (max_len, beam_size, 0.6, bos, eos)

    def is_missed(following, ids, index):
        """Whether a source will do at an index of the batch; the cheapest tests come first."""
        if len(ids) < 2 or not some_of & {*ids} or ids == greedy_by_hand(following, max_len, bos, eos)[1:-1]:
            return False

        def found(log, style):
            return beam_by_hand(log, *rules, style)[0]

        if index == 0:
            missed = found(lambda prefix: [math.exp(value) for value in following(prefix)], "narrowing") != ids
        else:
            early = found(following, "to the first end")
            flat = found(lambda prefix: softmax_again(following(prefix)), "narrowing") if index == 2 else early
            missed = flat != ids and (index == 1 or flat != early)
        return missed and agreed_best(following, *rules) == ids

    def draw():
        table = random_table(rng, size, [(eos, 0.6), *likely], unlikely=[PAD, bos], spread=1.2)
        sources, masks, expected = [], [], []
        for length in lengths:
            for _ in range(40):
                src, mask = random_sources(rng, length, longest)  # the second one only sets the width
                following = following_of(table, src[0], mask[0])
                ids, gap = beam_by_hand(following, *rules, "narrowing")
                if gap > 0.01 and ids not in expected and is_missed(following, ids, len(expected)):
                    sources.append(src[:1])
                    masks.append(mask[:1])
                    expected.append(ids)
                    break
            else:
                return None
        return table, [], torch.cat(sources), torch.cat(masks), expected

    return first_found(draw)


@pytest.mark.task("decoding.beam_search", points=3)
def test_sums_of_log_probabilities(learner, reference, rng):
    """The output with the best sum over all its steps is found, for each source of a batch separately."""
    for lengths, beam_size in (((5, 3, 4), 3), ((2, 4), 2)):
        case = random_case(seed_of(rng), lengths, 8, beam_size)
        what = f"beam_search(model, src {tuple(case[2].shape)}, src_mask, max_len=8, beam_size={beam_size})"
        check_search(learner, *case, [f"{what}, source {row}" for row in range(len(lengths))], 8, beam_size=beam_size)


def two_lengths(rng, ratio, size):
    """Paths of an output of 2 ids and of one of 6, the end included, whose sums have this ratio."""
    a, b, c, d, e, f = ordinary_tokens(rng, size, 6)
    long = [(b, 0.4), (c, 0.8), (d, 0.85), (e, 0.8), (f, 0.85), (EOS, 0.9)]
    half = math.exp(ratio * sum(math.log(share) for _, share in long) / 2)
    return [[(a, half), (EOS, half)], long]


@cache
def lengths_case(seed, ratios, exponent):
    """For each ratio a source with two such outputs. Cached by seed."""
    rng = Rng(seed)
    return first_found(lambda: tree_case(rng, 11, [two_lengths(rng, ratio, 11) for ratio in ratios], 9, 2, exponent))


@pytest.mark.task("decoding.beam_search", points=2)
def test_length_penalty(learner, reference, rng):
    """Outputs are compared by sum / ((5 + length) / 6) ** length_penalty; 0.6 unless given."""
    # Lengths 2 and 6, the end symbol included: the long one wins where the ratio exceeds (7 / 11) ** length_penalty,
    # that is 1, 0.763 and 0.636. Ratios near these catch counting the start symbol, and not counting the end symbol.
    for alpha, ratios in (
        (0.0, (0.95,)),
        (1.0, (1.15, 0.9, 0.7, 0.648, 0.622, 0.56)),
        (None, (0.95, 0.775, 0.752, 0.6)),
    ):
        exponent = 0.6 if alpha is None else alpha
        case = lengths_case(seed_of(rng), ratios, exponent)
        options = {} if alpha is None else {"length_penalty": alpha}
        text = "the default length_penalty" if alpha is None else f"length_penalty={alpha}"
        what = f"an output of beam_search with {text}, where outputs of 2 and of 6 ids compete"
        check_search(learner, *case, [what] * len(ratios), 9, beam_size=2, **options)


def to_go_on_after_the_end(a, b, c, d, e, f):
    """Situations in which a search finds something better by continuing hypotheses that have ended."""
    return {
        # Going on would cost hardly anything, and the sum would be divided by more.
        "the model would go on after the end": [
            [*ending((a, 0.5), probability=0.6), *ending((b, 0.97), probability=0.97)],
            ending((c, 0.45), (d, 0.5), probability=0.9),
        ],
        # The second end would fill the beam with copies of one output.
        "the model would end again after the end": [
            [(a, 0.5), (EOS, 0.5), (EOS, 0.97), (EOS, 0.97)],
            ending((b, 0.42), (c, 0.97), (d, 0.97), (e, 0.97), probability=0.97),
        ],
        # In a beam of three, two continuations of what has ended would push the third hypothesis out.
        "two of three go on after the first has ended": [
            *([*ending((a, 0.4), probability=0.3), (token, 0.49)] for token in (d, f)),
            [(b, 0.3), (c, 0.5), (d, 0.7), (e, 0.15)],
            ending((c, 0.22), (d, 0.26), *((token, 0.98) for token in (e, f, a)), probability=0.98),
        ],
    }


@pytest.mark.task("decoding.beam_search", points=2)
def test_finished_hypotheses(learner, reference, rng):
    """A finished hypothesis is not continued; an unfinished one counts only where none has finished."""
    size = 12
    a, b, c, d, e, f = ordinary_tokens(rng, size, 6)
    situations = {
        # Catches returning the one that ends first.
        "one hypothesis ends early": [ending((a, 0.5), probability=0.4), ending((b, 0.4), (c, 0.95), (d, 0.95))],
        # Catches stopping when it ends: the longer one has a lower sum, but a larger divisor makes up for it.
        "the best candidate of a step ends": [
            ending((a, 0.5), probability=0.8),
            ending((b, 0.4), (c, 0.97), (d, 0.97), (e, 0.97), probability=0.97),
        ],
        # Catches stopping when the open one scores less than the finished one: its score rises again.
        "an open hypothesis scores less for a while": [
            ending((a, 0.42), probability=0.97),
            ending((b, 0.5), (c, 0.95), (d, 0.79), (e, 0.99), probability=0.99),
        ],
        # Catches returning what has not ended at max_len: it has the larger sum.
        "max_len cuts off a hypothesis": [
            ending((a, 0.3), probability=0.6),
            [(b, 0.6), (c, 0.95), (d, 0.95), (e, 0.95), (f, 0.95), (c, 0.95), (d, 0.95)],
        ],
        # Catches leaving the end symbol's log-probability out: without it the first would win.
        "the end of a hypothesis is not likely": [ending((a, 0.6), probability=0.15), ending((b, 0.35), (e, 0.9))],
        **to_go_on_after_the_end(a, b, c, d, e, f),
        "the best one ends at max_len": [ending((a, 0.6), (b, 0.9), (c, 0.9), (d, 0.9), (e, 0.9)), ending((b, 0.2))],
        "nothing ends": [
            [(a, 0.5), (b, 0.3), (c, 0.4), (d, 0.5), (e, 0.6), (f, 0.5)],
            [(b, 0.4), (c, 0.9), (d, 0.9), (e, 0.9), (f, 0.9), (a, 0.9)],
        ],
        "the end comes at once": [[(EOS, 0.85)]],
    }
    for situation, paths in situations.items():
        width, alpha = (3, 1.0) if situation.startswith("two of three") else (2, 0.6)
        options = {"beam_size": width} | ({} if alpha == 0.6 else {"length_penalty": alpha})
        case = first_found(lambda: tree_case(rng, size, [paths], 7, width, alpha))
        call = ", ".join(f"{key}={value}" for key, value in ({"max_len": 7} | options).items())
        what = f"beam_search(model, src, src_mask, {call}) where {situation}"
        check_search(learner, *case, [what], 7, **options)


@pytest.mark.task("decoding.beam_search", points=1)
def test_beam_of_one(learner, reference, rng):
    """A beam of one finds what greedy decoding finds."""
    for max_len in (9, 4):

        def draw():
            table = random_table(rng, 9, [(EOS, 0.5)], unlikely=(PAD, BOS))
            src, mask = random_sources(rng, 4, 2, 3)
            rows = greedy_rows(table, src, mask, max_len)
            return (table, src, mask, rows) if len(set(map(len, rows))) > 1 and min(map(len, rows)) > 2 else None

        table, src, mask, rows = first_found(draw)
        expected = [[token for token in row if token not in (BOS, EOS)] for row in rows]
        what = f"beam_search(model, src (3, 4), src_mask, max_len={max_len}, beam_size=1)"
        check_search(learner, table, [], src, mask, expected, [what] * 3, max_len, beam_size=1)


@pytest.mark.task("decoding.beam_search", points=1)
def test_other_start_and_end_in_the_beam(learner, reference, rng):
    """bos_id and eos_id are the caller's; the ids 2 and 3 are ordinary tokens then."""
    case = random_case(seed_of(rng), (2, 3), 8, 3, 6, 5, ((BOS, 1.2), (EOS, 1.2)), 8, frozenset({BOS, EOS}))
    what = ["an output of beam_search(..., bos_id=6, eos_id=5)"] * 2
    check_search(learner, *case, what, 8, beam_size=3, bos_id=6, eos_id=5)
