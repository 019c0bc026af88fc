"""Checks of the unit on embeddings. Expected values come from loops over ids and positions, not from the reference.

The helpers that several tasks share come first. Each task follows with its drivers, helpers and checks, from basic to
subtle. Sizes that could be confused (batch, positions, rows of a table, widths) always differ, and ids repeat. Where
float64 is compared, the width is a square number, so that a root taken in float32 is exact too: such a root is a style,
not a mistake. An id that is too large is out of range. What a negative id does is not graded, since indexing counts it
from the end.
"""

import math

import pytest
import torch
from torch import nn

from autograder.judging.assertions import assert_close, assert_equal
from autograder.judging.replies import assert_raises, reply_of
from autograder.units.support.calls import assert_unchanged, result_and_arguments
from autograder.units.support.drivers import weighted_gradients, with_gradients
from autograder.units.support.statistics import share_of

# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def gradients(learner, name, arguments, cotangent):
    """The gradients of a weighted sum of the result for all float arguments."""
    arguments, leaves = with_gradients(arguments)
    return tuple(weighted_gradients(getattr(learner, name)(*arguments), cotangent, leaves))


def gradients_of(learner, name, arguments, cotangent):
    """The reply of `gradients`."""
    return learner.run(gradients, name, arguments, cotangent, uses=(with_gradients, weighted_gradients))


def rows_of(ids, table):
    """The rows that the ids name, taken one by one."""
    return torch.stack([table[number] for number in ids.flatten().tolist()]).reshape(*ids.shape, table.shape[1])


def some_ids(rng, rows, *shape):
    """Ids below ``rows``, with 0 and the largest among them, and at least one that repeats."""
    ids = rng.integers(0, rows, *shape)
    flat = ids.view(-1)
    flat[0], flat[-1], flat[1] = 0, rows - 1, flat[2]
    return ids


def result_left_alone(learner, name, arguments):
    """What the function returns, if it is a tensor and no argument was changed."""
    result, after = result_and_arguments(learner, name, tuple(arguments.values()))
    assert_unchanged(after, arguments, f"{name}({', '.join(arguments)})")
    return result


# ---------------------------------------------------------------------------------------------------------------------
# one_hot


def unit_vectors(ids, vocab_size):
    """One-hot vectors, written entry by entry."""
    vectors = [[float(index == number) for index in range(vocab_size)] for number in ids.flatten().tolist()]
    return torch.tensor(vectors).reshape(*ids.shape, vocab_size)


@pytest.mark.task("embeddings.one_hot", points=1)
def test_one_in_the_place_of_the_id(learner, reference, rng):
    """A 1 at the index of each id and 0 elsewhere, as float32."""
    vocab_size = rng.choice([6, 7, 9])
    ids = some_ids(rng, vocab_size - 1, 5)  # the last id is missing: catches a width taken from the largest id
    assert_equal(
        learner.one_hot(ids, vocab_size), unit_vectors(ids, vocab_size), f"one_hot({ids.tolist()}, {vocab_size})"
    )


@pytest.mark.task("embeddings.one_hot", points=1)
def test_one_hot_of_any_shape(learner, reference, rng):
    """Any number of axes in front; the ids are left alone."""
    # The last sizes come twice: catches a tensor kept from the call before.
    for shape, vocab_size in (((3, 4), 6), ((2, 3, 4), 5), ((1, 3), 8), ((3, 1), 4), ((4, 4), 4), ((4, 4), 4)):
        ids = some_ids(rng, vocab_size, *shape)
        got = result_left_alone(learner, "one_hot", {"ids": ids, "vocab_size": vocab_size})
        assert_equal(got, unit_vectors(ids, vocab_size), f"one_hot(ids, {vocab_size}) for ids of shape {shape}")


@pytest.mark.task("embeddings.one_hot", points=1)
def test_one_hot_out_of_range(learner, reference, rng):
    """An id beyond the vocabulary is an error, of any kind."""
    vocab_size = rng.choice([5, 8])
    ids = some_ids(rng, vocab_size, 2, 3)
    assert_equal(learner.one_hot(ids, vocab_size), unit_vectors(ids, vocab_size), f"one_hot(ids, {vocab_size})")
    for beyond in (vocab_size, vocab_size + 4):
        ids[1, 1] = beyond
        call = f"one_hot(ids, vocab_size={vocab_size}) with the id {beyond}"
        assert_raises(Exception, lambda: learner.one_hot(ids, vocab_size), call)


# ---------------------------------------------------------------------------------------------------------------------
# embedding_lookup


@pytest.mark.task("embeddings.embedding_lookup", points=1)
def test_rows_of_the_table(learner, reference, rng):
    """The row of each id, for ids of any shape; ids and table are left alone."""
    # The square table catches a product with its transpose, which fits there. Rows longer than 1 catch max_norm.
    # One sequence, a width of 1 and one position catch squeeze() without an axis.
    cases = (((6,), 5, 3), ((3, 4), 7, 2), ((2, 3, 4), 5, 6), ((3, 5), 4, 4), ((1, 3), 6, 1), ((4, 1), 7, 3))
    for shape, rows, width in cases:
        ids, table = some_ids(rng, rows, *shape), 3 * rng.normal(rows, width)
        got = result_left_alone(learner, "embedding_lookup", {"ids": ids, "table": table})
        where = f"ids of shape {shape} and a table of shape {(rows, width)}"
        assert_close(got, rows_of(ids, table), f"embedding_lookup(ids, table) for {where}")


@pytest.mark.task("embeddings.embedding_lookup", points=1)
def test_lookup_gradient(learner, reference, rng):
    """The gradient of a row is the sum over all positions of its id."""
    ids, table, cotangent = some_ids(rng, 6, 3, 5), rng.normal(6, 4), rng.normal(3, 5, 4)
    expected = torch.zeros(6, 4, dtype=torch.float64)
    for number, upstream in zip(ids.flatten().tolist(), cotangent.double().flatten(0, 1)):
        expected[number] += upstream
    got = gradients_of(learner, "embedding_lookup", [ids, table], cotangent)
    assert_close(got, (expected.float(),), ("the gradient of embedding_lookup(ids, table) with respect to table",))


@pytest.mark.task("embeddings.embedding_lookup", points=1)
def test_lookup_float_types(learner, reference, rng):
    """The rows keep the float type of the table, and all their digits."""
    for dtype in (torch.float64, torch.bfloat16, torch.float32):
        ids, table = some_ids(rng, 7, 2, 5), rng.normal(7, 3, dtype=dtype)
        got = learner.embedding_lookup(ids, table)
        assert_close(got, rows_of(ids, table), f"embedding_lookup(ids, table) for a table in {dtype}")


@pytest.mark.task("embeddings.embedding_lookup", points=1)
def test_lookup_out_of_range(learner, reference, rng):
    """An id without a row is an error, of any kind."""
    rows = rng.choice([4, 6])
    ids, table = some_ids(rng, rows, 2, 5), rng.normal(rows, 3)
    assert_close(learner.embedding_lookup(ids, table), rows_of(ids, table), "embedding_lookup(ids, table)")
    for beyond in (rows, rows + 3):
        ids[0, 2] = beyond
        call = f"embedding_lookup with the id {beyond} and a table of {rows} rows"
        assert_raises(Exception, lambda: learner.embedding_lookup(ids, table), call)


# ---------------------------------------------------------------------------------------------------------------------
# TokenEmbedding


def embed_tokens(learner, weight, batches, cotangent=None):
    """A TokenEmbedding with the given weights, called on several batches one after the other.

    Returns the vectors of each batch, the weights afterwards, and with a cotangent the gradient for the last batch.
    The first call is in evaluation mode, the next in training mode, and so on.
    """
    module = learner.TokenEmbedding(*weight.shape)
    learner.TokenEmbedding(weight.shape[0] + 1, weight.shape[1] + 2)  # catches a table that all modules share
    if not isinstance(module.embed, nn.Embedding):
        return f"embed of TokenEmbedding should be an nn.Embedding, but is {str(module.embed)[:100]}."
    if module.embed.weight.shape != weight.shape:
        built = f"TokenEmbedding({weight.shape[0]}, {weight.shape[1]})"
        wanted, found = tuple(weight.shape), tuple(module.embed.weight.shape)
        return f"embed.weight of {built} should have shape {wanted}, but has {found}."
    module = module.to(weight.dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.uniform_(2, 3)
        module.embed.weight.copy_(weight)
    vectors = [module.train(number % 2 == 1)(ids) for number, ids in enumerate(batches)]
    gradient = None
    if cotangent is not None:
        gradient = weighted_gradients(vectors[-1], cotangent, [module.embed.weight])[0]
    return tuple(vectors), module.embed.weight, gradient


def embedded(learner, *request):
    """The reply of `embed_tokens`."""
    return reply_of(learner, embed_tokens, *request, uses=(weighted_gradients,))


@pytest.mark.task("embeddings.TokenEmbedding", points=1)
def test_rows_times_the_root(learner, reference, rng):
    """The row of each id, times sqrt(d_model), for weights that the check sets."""
    # Widths whose roots are no integers; T, V and d all differ: catches the root of another size.
    for shape, rows, width in (((2, 5), 7, 3), ((3, 4), 5, 6), ((1, 3), 4, 8), ((4, 1), 9, 2)):
        ids, weight = some_ids(rng, rows, *shape), 2 * rng.normal(rows, width)
        (got,), _, _ = embedded(learner, weight, [ids])
        what = f"TokenEmbedding({rows}, {width}) of ids of shape {shape}"
        assert_close(got, rows_of(ids, weight) * math.sqrt(width), what)


@pytest.mark.task("embeddings.TokenEmbedding", points=1)
def test_called_again(learner, reference, rng):
    """Every call gives the same vectors, in training mode too, and none changes the weights."""
    weight = 2 * rng.normal(6, 5)
    batches = [some_ids(rng, 6, *shape) for shape in ((2, 4), (3, 7), (3, 7))]  # catches answers cached by shape
    batches.append(batches[0])  # the first call gets it in evaluation mode, this one in training mode
    got, after, _ = embedded(learner, weight, batches)
    expected = tuple(rows_of(ids, weight) * math.sqrt(5) for ids in batches)
    assert_close(
        got, expected, tuple(f"the result of call {number} of one TokenEmbedding(6, 5)" for number in range(1, 5))
    )
    assert_close(after, weight, "embed.weight after four calls of one TokenEmbedding(6, 5)")


@pytest.mark.task("embeddings.TokenEmbedding", points=1)
def test_token_gradient(learner, reference, rng):
    """Gradients reach the rows that were used, scaled like the rows."""
    # No id 0: learners may let the row of the padding learn or not (padding_idx).
    ids, weight, cotangent = rng.integers(1, 6, 3, 4), rng.normal(6, 5), rng.normal(3, 4, 5)
    expected = torch.zeros(6, 5, dtype=torch.float64)
    for number, upstream in zip(ids.flatten().tolist(), cotangent.double().flatten(0, 1)):
        expected[number] += math.sqrt(5) * upstream
    _, _, gradient = embedded(learner, weight, [ids], cotangent)
    assert_close(gradient, expected.float(), "the gradient of TokenEmbedding(6, 5)(ids) with respect to embed.weight")


@pytest.mark.task("embeddings.TokenEmbedding", points=1)
def test_token_float_types(learner, reference, rng):
    """Works in float64 and in bfloat16."""
    for dtype in (torch.float64, torch.bfloat16):
        for width in (4, 9):
            ids, weight = some_ids(rng, 5, 2, 3), rng.normal(5, width, dtype=dtype)
            (got,), _, _ = embedded(learner, weight, [ids])
            expected = (rows_of(ids, weight).double() * math.sqrt(width)).to(dtype)
            assert_close(got, expected, f"TokenEmbedding(5, {width}) in {dtype}")


# ---------------------------------------------------------------------------------------------------------------------
# sinusoidal_positions


def waves(max_len, d_model):
    """The sinusoidal positions in float64, from the formula."""
    return torch.tensor(
        [
            [(math.cos if j % 2 else math.sin)(p / 10000 ** ((j - j % 2) / d_model)) for j in range(d_model)]
            for p in range(max_len)
        ],
        dtype=torch.float64,
    )


@pytest.mark.task("embeddings.sinusoidal_positions", points=1)
def test_the_paper_s_formula(learner, reference, rng):
    """Sines in the even columns, cosines in the odd ones, each pair with its frequency."""
    # Width 4 is the chapter's example: 0 1 0 1 and 0.8415 0.5403 0.0100 0.99995.
    for max_len, width in ((2, 4), (rng.choice([5, 7]), 6), (9, rng.choice([10, 12])), (3, 2), (1, 8), (6, 6)):
        what = f"sinusoidal_positions({max_len}, {width})"
        assert_close(learner.sinusoidal_positions(max_len, width), waves(max_len, width).float(), what)


@pytest.mark.task("embeddings.sinusoidal_positions", points=1)
def test_odd_width(learner, reference, rng):
    """An odd width ends with a sine, and the exponent divides by this odd width."""
    for max_len, width in ((rng.choice([6, 8]), 7), (4, rng.choice([5, 9])), (9, 3), (5, 1)):
        what = f"sinusoidal_positions({max_len}, {width})"
        assert_close(learner.sinusoidal_positions(max_len, width), waves(max_len, width).float(), what)


@pytest.mark.task("embeddings.sinusoidal_positions", points=1)
def test_many_positions(learner, reference, rng):
    """A hundred positions are right, and a longer table begins with the same rows."""
    width = rng.choice([16, 20])
    expected = waves(100, width).float()
    assert_close(learner.sinusoidal_positions(100, width), expected, f"sinusoidal_positions(100, {width})")
    longer = learner.sinusoidal_positions(max_len=130, d_model=width)
    assert_equal(list(longer.shape), [130, width], f"The shape of sinusoidal_positions(130, {width})")
    assert_close(longer[:100], expected, f"The first hundred rows of sinusoidal_positions(130, {width})")


@pytest.mark.task("embeddings.sinusoidal_positions", points=1)
def test_far_positions(learner, reference, rng):
    """Far positions are roughly right: float32 leaves them about three digits."""
    max_len, width = rng.choice([700, 800]), 6
    expected = waves(max_len, width).float()
    got = learner.sinusoidal_positions(max_len, width)
    assert_close(got, expected, f"sinusoidal_positions({max_len}, {width})", rtol=0, atol=1e-3)


# ---------------------------------------------------------------------------------------------------------------------
# gpt2_embed


def has_too_many_tokens(learner, ids, wte, wpe):
    """Whether gpt2_embed refuses ``ids`` by a ValueError."""
    gpt2_embed = learner.gpt2_embed  # outside the try: a missing function is no refusal
    try:
        gpt2_embed(ids, wte, wpe)
    except ValueError:
        return True
    return False


@pytest.mark.task("embeddings.gpt2_embed", points=1)
def test_token_plus_position(learner, reference, rng):
    """Row ids[b, t] of wte plus row t of wpe; ids and tables are left alone."""
    # More sequences than positions in one case, more positions than words in another; the full length in several. Two
    # cases have the same sizes: catches answers that are kept by shape. The last case has one position: catches
    # squeeze() without an axis.
    for (batch, length), words, places, width in (
        ((3, 4), 11, 7, 5),
        ((8, 3), 6, 4, 2),
        ((2, 5), 4, 9, 3),
        ((2, 6), 9, 6, 4),
        ((4, 4), 8, 4, 8),
        ((1, 3), 5, 3, 6),
        ((1, 3), 5, 3, 6),
        ((4, 1), 7, 3, 5),
    ):
        ids, wte, wpe = some_ids(rng, words, batch, length), rng.normal(words, width), rng.normal(places, width)
        ids[-1, min(1, length - 1)] = 0  # a word like any other: catches treating it as padding
        # The full length has a call of its own: tells a limit that is one too low from other errors.
        if length == places and learner.run(has_too_many_tokens, ids, wte, wpe):
            raise AssertionError(f"gpt2_embed raised ValueError for {length} tokens, but wpe has {places} rows.")
        got = result_left_alone(learner, "gpt2_embed", {"ids": ids, "wte": wte, "wpe": wpe})
        expected = torch.stack(
            [torch.stack([wte[word] + wpe[t] for t, word in enumerate(row)]) for row in ids.tolist()]
        )
        what = f"gpt2_embed(ids, wte, wpe) for ids {(batch, length)}, wte {(words, width)}, wpe {(places, width)}"
        assert_close(got, expected, what)


@pytest.mark.task("embeddings.gpt2_embed", points=1)
def test_gpt2_gradients(learner, reference, rng):
    """Both tables learn: a position's row gets the sum over the batch."""
    ids, wte, wpe, cotangent = some_ids(rng, 6, 3, 4), rng.normal(6, 5), rng.normal(7, 5), rng.normal(3, 4, 5)
    expected = [torch.zeros(6, 5, dtype=torch.float64), torch.zeros(7, 5, dtype=torch.float64)]
    for row, upstream in zip(ids.tolist(), cotangent.double()):
        for t, word in enumerate(row):
            expected[0][word] += upstream[t]
            expected[1][t] += upstream[t]
    got = gradients_of(learner, "gpt2_embed", [ids, wte, wpe], cotangent)
    names = tuple(f"the gradient of gpt2_embed(ids, wte, wpe) with respect to {table}" for table in ("wte", "wpe"))
    assert_close(got, tuple(one.float() for one in expected), names)


@pytest.mark.task("embeddings.gpt2_embed", points=1)
def test_gpt2_float_types(learner, reference, rng):
    """The result has the float type of the tables, and all its digits."""
    for dtype in (torch.float64, torch.bfloat16):
        ids, wte, wpe = some_ids(rng, 6, 2, 4), rng.normal(6, 3, dtype=dtype), rng.normal(5, 3, dtype=dtype)
        expected = (rows_of(ids, wte).double() + wpe[:4].double()).to(dtype)
        assert_close(learner.gpt2_embed(ids, wte, wpe), expected, f"gpt2_embed(ids, wte, wpe) in {dtype}")


@pytest.mark.task("embeddings.gpt2_embed", points=1)
def test_more_tokens_than_positions(learner, reference, rng):
    """More tokens than rows in wpe raise a ValueError; just as many do not."""
    places = rng.choice([4, 5])
    wte, wpe = rng.normal(9, 3), rng.normal(places, 3)
    ids = some_ids(rng, 9, 2, places)
    expected = rows_of(ids, wte) + wpe
    assert_close(learner.gpt2_embed(ids, wte, wpe), expected, f"gpt2_embed with {places} tokens and positions")
    # A single row would broadcast: catches leaving the error to PyTorch.
    for batch, length, table in ((2, places + 1, wpe), (1, 2 * places, wpe), (2, 3, wpe[:1])):
        ids = some_ids(rng, 9, batch, length)
        call = f"gpt2_embed with {length} tokens and {len(table)} rows in wpe"
        assert_raises(ValueError, lambda: learner.gpt2_embed(ids, wte, table), call)


# ---------------------------------------------------------------------------------------------------------------------
# PositionalEncoding


def add_positions(learner, sizes, inputs, training=False, dtype=torch.float32):
    """A PositionalEncoding, given several inputs one after the other: its outputs, and the inputs afterwards."""
    named = isinstance(sizes, dict)  # else its arguments in their order
    module = learner.PositionalEncoding(**sizes) if named else learner.PositionalEncoding(*sizes)
    learner.PositionalEncoding(d_model=4, dropout=0.9, max_len=2)  # catches a table that all modules share
    module = module.to(dtype).train(training)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.uniform_(2, 3)
    return tuple(module(x) for x in inputs), tuple(inputs)


def less_the_positions(learner, sizes, x):
    """What a PositionalEncoding makes of ``x``, less what it makes of zeros: the table cancels, rounded or not."""
    module = learner.PositionalEncoding(**sizes).eval()
    return module(x.clone()) - module(torch.zeros_like(x))


def is_too_long(learner, sizes, x):
    """Whether a PositionalEncoding refuses ``x`` by a ValueError."""
    module = learner.PositionalEncoding(**sizes).eval()
    try:
        module(x)
    except ValueError:
        return True
    return False


@pytest.mark.task("embeddings.PositionalEncoding", points=2)
def test_row_of_each_position(learner, reference, rng):
    """Token t of every sequence gets row t of the table added, in evaluation mode."""
    # First T = B: catches taking the batch axis for the axis of positions. Then more sequences than max_len, all of
    # them short; then the full length. One module gets all inputs: catches a table that is cut for good. One sequence
    # and one position catch squeeze() without an axis.
    width = rng.choice([5, 6])
    sizes = {"d_model": width, "dropout": 0.4, "max_len": 7}
    inputs = [rng.normal(*shape, width) for shape in ((3, 3), (9, 2), (2, 7), (1, 5), (4, 1))]
    expected = tuple((x.double() + waves(x.shape[1], width)).float() for x in inputs)
    names = tuple(f"PositionalEncoding({width}, 0.4, max_len=7) of x {tuple(x.shape)}" for x in inputs)
    # Short inputs first, then the full length in its own call: tells a limit that is one too low from other errors.
    got, _ = learner.run(add_positions, sizes, inputs[:2])
    assert_close(got, expected[:2], names[:2])
    if learner.run(is_too_long, sizes, inputs[2]):
        raise AssertionError(f"{names[2]} raised ValueError, but 7 positions are not more than max_len.")
    got, after = learner.run(add_positions, sizes, inputs)
    assert_close(got, expected, names)
    assert_equal(tuple(after), tuple(inputs), tuple(f"the argument x {tuple(x.shape)} after the call" for x in inputs))
    x = rng.normal(3, 1, width)  # a table of one row has a second axis of length 1
    (got,), _ = learner.run(add_positions, {"d_model": width, "dropout": 0.4, "max_len": 1}, [x])
    expected = (x.double() + waves(1, width)).float()
    assert_close(got, expected, f"PositionalEncoding({width}, 0.4, max_len=1) of x {tuple(x.shape)}")


def positions_inside(learner, sizes):
    """How a PositionalEncoding keeps ``pe``: in which way, with which shape, and its values if they are few."""
    module = learner.PositionalEncoding(**sizes)
    parameters, buffers = dict(module.named_parameters()), dict(module.named_buffers())
    if "pe" in parameters:
        kind = "a parameter" if parameters["pe"].requires_grad else "a parameter without gradient"
        return kind, list(parameters["pe"].shape), None
    if "pe" in buffers:
        values = buffers["pe"].float() if buffers["pe"].numel() < 1000 else None  # its float type is free
        return "a buffer", list(buffers["pe"].shape), values
    return ("an ordinary attribute" if hasattr(module, "pe") else "missing"), [], None


@pytest.mark.task("embeddings.PositionalEncoding", points=1)
def test_a_buffer_called_pe(learner, reference, rng):
    """The table is a buffer ``pe`` of shape (1, max_len, d_model), not a parameter."""
    width, max_len = rng.choice([6, 7]), rng.choice([8, 9])
    kind, shape, values = learner.run(positions_inside, {"d_model": width, "max_len": max_len})
    built = f"PositionalEncoding({width}, max_len={max_len})"
    assert_equal(kind, "a buffer", f"`pe` of {built}")
    assert_equal(list(shape), [1, max_len, width], f"The shape of `pe` in {built}")
    assert_close(values, waves(max_len, width).float()[None], f"The buffer `pe` of {built}")


@pytest.mark.task("embeddings.PositionalEncoding", points=1)
def test_adds_then_drops(learner, reference, rng):
    """In training, dropout acts on each entry of the sum independently, and scales up the rest."""
    x = rng.normal(4, 50, 25)
    total = x.double() + waves(50, 25)
    p = rng.choice([0.3, 0.4])
    (got, again), _ = learner.run(add_positions, [25, p, 60], [x, x], True)
    what = f"PositionalEncoding(25, {p}, 60) in training mode"
    assert_close(got, total.float(), what, atol=math.inf)  # for now only type and shape
    dropped = got == 0
    share = share_of(dropped)
    # 5000 draws: the share has a standard deviation of 0.007 at most, so 0.05 is passed by chance once in 10^12 runs.
    if abs(share - p) > 0.05:
        raise AssertionError(f"{what}: a share of {share:.2f} of the entries is 0, and {p} was expected.")
    # Catches dropping whole rows. More than 3 of the 200 rows of 25 entries are lost or kept as a whole by chance with
    # a probability of 2 * 10^-8 at most.
    whole = max(int((dropped.all(axis) | ~dropped.any(axis)).sum()) for axis in (1, 2))
    if whole > 3 or torch.equal(dropped[0], dropped[1]):
        raise AssertionError(f"{what}: entries are dropped together; each should be dropped independently.")
    assert_close(got, torch.where(dropped, 0.0, total / (1 - p)).float(), what)
    if isinstance(again, torch.Tensor) and torch.equal(again == 0, dropped):
        raise AssertionError(f"{what}: two calls dropped the same entries; every call should draw anew.")


@pytest.mark.task("embeddings.PositionalEncoding", points=1)
def test_defaults(learner, reference, rng):
    """Built from its width alone: dropout 0.1, and 5000 positions."""
    kind, shape, _ = learner.run(positions_inside, {"d_model": 8})
    assert_equal(list(shape), [1, 5000, 8], "The shape of `pe` in PositionalEncoding(8)")
    x = rng.normal(10, 250, 8)
    (got,), _ = learner.run(add_positions, {"d_model": 8}, [x], True)
    assert_close(got, x, "PositionalEncoding(8) in training mode", atol=math.inf)  # only type and shape
    share = share_of(got == 0)
    # 20000 draws: a standard deviation of 0.0021, so 0.014 is passed by chance once in 10^10 runs.
    if abs(share - 0.1) > 0.014:
        raise AssertionError(f"PositionalEncoding(8) in training drops a share of {share:.3f}, and 0.1 was expected.")


@pytest.mark.task("embeddings.PositionalEncoding", points=1)
def test_longer_than_max_len(learner, reference, rng):
    """A sequence longer than max_len raises a ValueError, whatever the batch; one just as long does not."""
    max_len, width = rng.choice([4, 5]), 6
    sizes = {"d_model": width, "dropout": 0.0, "max_len": max_len}
    x = rng.normal(2, max_len, width)
    (got,), _ = learner.run(add_positions, sizes, [x], True)
    assert_close(got, (x.double() + waves(max_len, width)).float(), f"PositionalEncoding with T = max_len = {max_len}")
    for batch, length in ((1, max_len + 1), (2, 2 * max_len), (max_len + 1, max_len + 2)):
        x = rng.normal(batch, length, width)
        for training in (False, True):
            call = f"PositionalEncoding(max_len={max_len}) of x {tuple(x.shape)}{', in training mode' * training}"
            assert_raises(ValueError, lambda: learner.run(add_positions, sizes, [x], training), call)
    one = {"d_model": width, "max_len": 1}  # catches a table of one row that broadcasts
    assert_raises(ValueError, lambda: learner.run(add_positions, one, [x]), "PositionalEncoding(max_len=1) of 3 tokens")


@pytest.mark.task("embeddings.PositionalEncoding", points=1)
def test_type_of_the_input(learner, reference, rng):
    """The result has the float type of the input, whatever the type of the module."""
    sizes = {"d_model": 6, "dropout": 0.2, "max_len": 9}
    # The table itself may be exact to float32 only; what is added to it must not lose a digit.
    x = rng.normal(2, 5, 6, dtype=torch.float64)
    what = "PositionalEncoding in float32 of x in float64"
    assert_close(learner.run(less_the_positions, sizes, x), x, f"{what}, less the positions")
    # One module gets several types: catches a table that is cast for good, and loses its digits.
    inputs = [rng.normal(2, 5, 6, dtype=dtype) for dtype in (torch.bfloat16, torch.float32, torch.bfloat16)]
    got, _ = learner.run(add_positions, sizes, inputs)
    names = tuple(f"PositionalEncoding of x in {x.dtype} (call {i} of one module)" for i, x in enumerate(inputs, 1))
    assert_close(got, tuple((x.double() + waves(5, 6)).to(x.dtype) for x in inputs), names)
    (got,), _ = learner.run(add_positions, sizes, [x])
    assert_close(got, x + waves(5, 6), what, 1e-5, 1e-5)
    for module_type, dtype in (
        (torch.float32, torch.bfloat16),
        (torch.bfloat16, torch.bfloat16),
        (torch.float64, torch.float64),
    ):
        x = rng.normal(2, 5, 6, dtype=dtype)
        (got,), _ = learner.run(add_positions, sizes, [x], False, module_type)
        expected = (x.double() + waves(5, 6)).to(dtype)
        what = f"PositionalEncoding in {module_type} of x in {dtype}"
        assert_close(got, expected, what, *((1e-5, 1e-5) if dtype == torch.float64 else ()))


def gradient_through_positions(learner, sizes, x, cotangent):
    """The gradient of a weighted sum of the result for x, which is no leaf: some learners write into their argument."""
    leaf = x.clone().requires_grad_()
    result = learner.PositionalEncoding(**sizes).eval()(leaf * 1.0)
    return weighted_gradients(result, cotangent, [leaf])[0]


@pytest.mark.task("embeddings.PositionalEncoding", points=1)
def test_gradient_to_the_tokens(learner, reference, rng):
    """The gradient passes through to the tokens as it is."""
    x, cotangent = rng.normal(2, 4, 6), rng.normal(2, 4, 6)
    request = {"d_model": 6, "max_len": 5}, x, cotangent
    got = learner.run(gradient_through_positions, *request, uses=(weighted_gradients,))
    assert_close(got, cotangent, "the gradient of PositionalEncoding(6, max_len=5)(x) with respect to x")


# ---------------------------------------------------------------------------------------------------------------------
# mean_pool


def pooled(hidden, keep, how):
    """Mean or maximum over the kept positions of each sequence, one sequence after the other, in float64."""
    rows = []
    for vectors, kept in zip(hidden.double(), keep):
        chosen = vectors[kept]
        rows.append(how(chosen) if len(chosen) else torch.zeros(hidden.shape[2], dtype=torch.float64))
    return torch.stack(rows)


def padded(rng, batch, length):
    """Boolean ``(batch, length)``: padding at the end, in front, in the middle and nowhere."""
    keep = torch.ones(batch, length, dtype=torch.bool)
    keep[0, rng.choice([1, 2]) :] = False
    keep[1, : rng.choice([1, 2])] = False  # catches counting tokens and taking that many from the start
    keep[2, 1:3] = False  # row 3 has no padding
    return keep


def padded_everywhere(rng, batch, length):
    """Like `padded`, with padding in every sequence: catches a count that is right for the longest one only."""
    keep = padded(rng, batch, length)
    keep[3:, length // 2] = False
    return keep


def check_pooling(learner, rng, name, how):
    """The kept positions alone decide, wherever they are; hidden and keep are left alone."""
    # Large numbers at the padding catch whatever lets padding in. In the last case all sizes are equal.
    for batch, length, width, pad in ((4, 6, 5, padded_everywhere), (5, 4, 3, padded), (4, 4, 4, padded)):
        keep = pad(rng, batch, length)
        hidden = rng.normal(batch, length, width)
        hidden[3, 0] = 0  # a token like any other: catches counting what is not zero
        hidden = torch.where(keep[..., None], hidden, 50 + hidden)
        got = result_left_alone(learner, name, {"hidden": hidden, "keep": keep})
        what = f"{name}(hidden {tuple(hidden.shape)}, keep = {keep.int().tolist()})"
        assert_close(got, pooled(hidden, keep, how).float(), what)


def check_small_pooling(learner, rng, name, how):
    """One sequence, one position, one component."""
    for batch, length, width in ((1, 3, 2), (2, 1, 3), (3, 2, 1), (1, 1, 1)):
        hidden, keep = rng.normal(batch, length, width), rng.mask(batch, length)
        keep[0, 1:] = False
        keep[0, 0] = True
        got = result_and_arguments(learner, name, (hidden, keep))[0]
        assert_close(got, pooled(hidden, keep, how).float(), f"{name}(hidden, keep) for hidden {tuple(hidden.shape)}")


def mean(vectors):
    return vectors.sum(0) / len(vectors)


@pytest.mark.task("embeddings.mean_pool", points=1)
def test_mean_of_kept_places(learner, reference, rng):
    """The average over the kept positions, wherever they are."""
    check_pooling(learner, rng, "mean_pool", mean)
    check_small_pooling(learner, rng, "mean_pool", mean)


def check_nothing_kept(learner, rng, name, how):
    """A sequence with nothing kept gives zeros, and the other sequences stay right."""
    hidden = rng.normal(4, 5, 3) - 4  # below 0 throughout: catches a maximum of 0 that comes from padding
    keep = padded(rng, 4, 5)
    keep[1] = False
    what = f"{name}(hidden, keep) with nothing kept in row 1"
    assert_close(result_and_arguments(learner, name, (hidden, keep))[0], pooled(hidden, keep, how).float(), what)
    nothing = torch.zeros(4, 5, dtype=torch.bool)
    got = result_and_arguments(learner, name, (hidden, nothing))[0]
    assert_close(got, torch.zeros(4, 3), f"{name}(hidden, keep) with nothing kept at all")
    hidden, keep = rng.normal(3, 1, 4), torch.tensor([[True], [False], [True]])
    got = result_and_arguments(learner, name, (hidden, keep))[0]
    assert_close(got, pooled(hidden, keep, how).float(), f"{name}(hidden, keep) with T = 1 and keep = [[1], [0], [1]]")


@pytest.mark.task("embeddings.mean_pool", points=1)
def test_mean_of_nothing(learner, reference, rng):
    """A row with nothing kept gives zeros, not NaN."""
    check_nothing_kept(learner, rng, "mean_pool", mean)


def check_pooling_gradient(learner, rng, name, how):
    """Gradients reach the kept positions. (Every sequence keeps something: for others no gradient is specified.)"""
    hidden, cotangent, keep = rng.normal(4, 5, 3), rng.normal(4, 3), padded(rng, 4, 5)
    leaf = hidden.double().requires_grad_()
    (expected,) = torch.autograd.grad((pooled(leaf, keep, how) * cotangent).sum(), leaf)
    (got,) = gradients_of(learner, name, [hidden, keep], cotangent)
    assert_close(got, expected.float(), f"the gradient of {name}(hidden, keep) with respect to hidden")


@pytest.mark.task("embeddings.mean_pool", points=1)
def test_mean_gradient(learner, reference, rng):
    """Gradients reach the kept positions, each with its share, and no others."""
    check_pooling_gradient(learner, rng, "mean_pool", mean)


def check_pooling_types(learner, rng, name, how):
    """The result has the float type of the input, and in float64 all its digits."""
    for dtype in (torch.float64, torch.bfloat16):
        hidden, keep = rng.normal(4, 5, 3, dtype=dtype), padded(rng, 4, 5)
        keep[3] = False
        got = result_and_arguments(learner, name, (hidden, keep))[0]
        assert_close(got, pooled(hidden, keep, how).to(dtype), f"{name}(hidden, keep) in {dtype}")


@pytest.mark.task("embeddings.mean_pool", points=1)
def test_mean_float_types(learner, reference, rng):
    """Keeps the float type, and in float64 all digits."""
    check_pooling_types(learner, rng, "mean_pool", mean)


# ---------------------------------------------------------------------------------------------------------------------
# max_pool


def largest(vectors):
    return vectors.max(0).values


@pytest.mark.task("embeddings.max_pool", points=1)
def test_maximum_of_kept_places(learner, reference, rng):
    """The largest of the kept values in every component, wherever they are."""
    check_pooling(learner, rng, "max_pool", largest)
    check_small_pooling(learner, rng, "max_pool", largest)


@pytest.mark.task("embeddings.max_pool", points=1)
def test_all_values_negative(learner, reference, rng):
    """Padding never wins, however small the real values are."""
    keep = padded(rng, 4, 5)
    for offset in (-3, -30000):  # catches filling the padding with zeros, or with -10000
        hidden = rng.normal(4, 5, 3) * 0.5 + offset
        hidden = torch.where(keep[..., None], hidden, hidden * 0.1)
        what = f"max_pool(hidden, keep) with values around {offset}"
        assert_close(learner.max_pool(hidden, keep), pooled(hidden, keep, largest).float(), what)


@pytest.mark.task("embeddings.max_pool", points=1)
def test_maximum_of_nothing(learner, reference, rng):
    """A row with nothing kept gives zeros, not minus infinity."""
    check_nothing_kept(learner, rng, "max_pool", largest)


@pytest.mark.task("embeddings.max_pool", points=1)
def test_maximum_gradient(learner, reference, rng):
    """Gradients go to the largest of the kept values, and nowhere else."""
    check_pooling_gradient(learner, rng, "max_pool", largest)


@pytest.mark.task("embeddings.max_pool", points=1)
def test_maximum_float_types(learner, reference, rng):
    """Keeps the float type, and in float64 all digits."""
    check_pooling_types(learner, rng, "max_pool", largest)
