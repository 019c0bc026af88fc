"""Checks of the unit on masks. Expected values come from explicit loops over positions, not from the reference.

First comes what several tasks share, then each task with its drivers, helpers and checks, from basic to subtle. Every
input holds both allowed and forbidden positions, so that a constant answer gets no points.
"""

import itertools
import math

import pytest
import torch
from torch import nn

from autograder.judging.assertions import assert_boolean_mask, assert_close, assert_equal
from autograder.units.support.calls import assert_unchanged, result_and_arguments
from autograder.units.support.drivers import weighted_gradients
from autograder.units.support.oracles import decoder_mask_by_hand, padding_mask_by_hand

# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def padded_at_end(rng, lengths, total, pad_id=0):
    """Token ids ``(len(lengths), total)`` from 4 up, padding after each length."""
    ids = rng.integers(4, 30, len(lengths), total)
    ids[ids == pad_id] = 30  # padding comes after each length, and nowhere else by accident
    for row, length in zip(ids, lengths):
        row[length:] = pad_id
    return ids


def small_batches(rng, pad_id):
    """Ids whose axes have length 1 or equal lengths: catches squeezes, and axes that broadcast by accident."""
    one_sequence = padded_at_end(rng, [3], 5, pad_id)
    one_sequence[0, 1] = max(pad_id - 1, 1)  # a real token below pad_id
    one_position = rng.integers(20, 30, 4, 1)
    one_position[1] = pad_id
    square = padded_at_end(rng, [2, 4, 1, 3], 4, pad_id)
    # The last one has the shape of the first and other padding: catches answers that are cached by shape.
    return [one_sequence, one_position, square, torch.tensor([[pad_id]]), one_sequence.flip(1)]


# ---------------------------------------------------------------------------------------------------------------------
# padding_mask


@pytest.mark.task("masks.padding_mask", points=1)
def test_real_tokens(learner, reference, rng):
    """True for real tokens, False for padding, with shape (B, 1, 1, T)."""
    # Three different lengths: catches one sequence's mask used for all.
    ids = padded_at_end(rng, rng.choice([[6, 3, 5], [5, 6, 4], [7, 4, 3]]), 7)
    ids[0, :3] = torch.tensor([2, 1, 3])  # BOS, UNK, EOS are real tokens: catches hiding all special tokens
    assert_boolean_mask(learner.padding_mask(ids), padding_mask_by_hand(ids), f"padding_mask({ids.tolist()})")


def padded_anywhere(rng, pad_id):
    """Token ids ``(5, 6)`` with every pattern of padding; real ids lie on both sides of ``pad_id``."""
    ids = rng.integers(0, 2 * pad_id, 5, 6)
    ids[ids >= pad_id] += 1
    ids[:, -1] = 0  # a real token here: catches answers that hide 0 whatever pad_id is
    front = rng.choice([1, 2, 3])
    ids[0, :front] = pad_id  # catches counting tokens and marking that many from the start
    ids[1, 2:4] = pad_id
    ids[2, 3:] = pad_id
    ids[4] = pad_id  # row 3 has no padding, row 4 nothing but padding
    return ids


@pytest.mark.task("masks.padding_mask", points=1)
def test_any_pad_id_anywhere(learner, reference, rng):
    """Any pad_id, and padding in front, in the middle, nowhere, everywhere."""
    # Never 0, and real ids below and above: catches `ids != 0`, `ids > pad_id` and bool(ids).
    pad_id = rng.choice([5, 8, 11])
    ids = padded_anywhere(rng, pad_id)
    mask = learner.padding_mask(ids, pad_id=pad_id)
    assert_boolean_mask(mask, padding_mask_by_hand(ids, pad_id), f"padding_mask({ids.tolist()}, pad_id={pad_id})")


@pytest.mark.task("masks.padding_mask", points=1)
def test_padding_small_batches(learner, reference, rng):
    """One sequence, one position, B equal to T; the ids are left alone."""
    pad_id = rng.choice([4, 9, 15])  # not 0: catches overwriting the padding with 0
    for ids in small_batches(rng, pad_id):
        mask, after = result_and_arguments(learner, "padding_mask", (ids, pad_id))
        call = f"padding_mask({ids.tolist()}, {pad_id})"
        assert_boolean_mask(mask, padding_mask_by_hand(ids, pad_id), call)
        assert_unchanged(after, {"ids": ids, "pad_id": pad_id}, call)


# ---------------------------------------------------------------------------------------------------------------------
# causal_mask


def not_in_the_future(size):
    """The causal mask ``(T, T)``: row = query, column = key."""
    positions = torch.arange(size)
    return positions <= positions[:, None]


@pytest.mark.task("masks.causal_mask", points=1)
def test_past_and_present(learner, reference, rng):
    """Query i sees keys 0 to i."""
    for size in rng.choice([[4, 6], [5, 3], [6, 5]]):  # two sizes: catches one size for all
        assert_boolean_mask(learner.causal_mask(size), not_in_the_future(size), f"causal_mask({size})")


@pytest.mark.task("masks.causal_mask", points=1)
def test_causal_every_size(learner, reference, rng):
    """Sizes 1 and 2, and longer ones."""
    # Long sizes catch a window of fixed width and a table of fixed size. Size 1 comes last: there all answers agree,
    # unless their shape is wrong.
    for size in (int(rng.integers(20, 40)), int(rng.integers(130, 150)), int(rng.integers(515, 530)), 2, 1):
        assert_boolean_mask(learner.causal_mask(size=size), not_in_the_future(size), f"causal_mask(size={size})")


def causal_mask_on(learner, size, device):
    mask = learner.causal_mask(size, torch.device(device))
    return str(mask.device.type), (mask if device == "cpu" else None)


@pytest.mark.task("masks.causal_mask", points=1)
def test_causal_device(learner, reference, rng):
    """The mask is on the device that is passed."""
    size = rng.choice([6, 7])
    answers = {device: learner.run(causal_mask_on, size, device) for device in ("cpu", "meta")}
    # "meta" is a device that every machine has: catches ignoring the argument.
    for device, (found, mask) in answers.items():
        assert_equal(found, device, f"The device type of causal_mask({size}, torch.device({device!r}))")
        if device == "cpu":
            assert_boolean_mask(mask, not_in_the_future(size), f"causal_mask({size}, torch.device('cpu'))")


# ---------------------------------------------------------------------------------------------------------------------
# decoder_mask


@pytest.mark.task("masks.decoder_mask", points=1)
def test_decoder_worked_example(learner, reference, rng):
    """The example of the chapter: a padded key is hidden, the row of a padded query is not empty."""
    first, second = rng.integers(4, 50, 2).tolist()
    for ids in ([[5, 6, 0]], [[first, second, 0]]):
        # Last row 1 1 0: catches padding on the query axis (0 0 0), 'or' (1 1 1) and a kept diagonal.
        expected = torch.tensor([[[[1, 0, 0], [1, 1, 0], [1, 1, 0]]]], dtype=torch.bool)
        assert_boolean_mask(learner.decoder_mask(torch.tensor(ids)), expected, f"decoder_mask({ids})")


@pytest.mark.task("masks.decoder_mask", points=1)
def test_decoder_batch(learner, reference, rng):
    """Sequences of different lengths, with shape (B, 1, T, T)."""
    ids = padded_at_end(rng, rng.choice([[5, 2, 3], [4, 6, 2], [3, 5, 4]]), 6)
    ids[0, :3] = torch.tensor([2, 1, 3])  # BOS, UNK, EOS are real tokens
    assert_boolean_mask(learner.decoder_mask(ids), decoder_mask_by_hand(ids), f"decoder_mask({ids.tolist()})")


@pytest.mark.task("masks.decoder_mask", points=1)
def test_decoder_any_pad_id_anywhere(learner, reference, rng):
    """Any pad_id, and padding in front, in the middle, nowhere, everywhere."""
    pad_id = rng.choice([5, 8, 11])  # never 0: catches not passing pad_id on
    # Padding in front leaves the first rows with nothing: catches an exception for the diagonal.
    ids = padded_anywhere(rng, pad_id)
    mask = learner.decoder_mask(ids, pad_id=pad_id)
    assert_boolean_mask(mask, decoder_mask_by_hand(ids, pad_id), f"decoder_mask({ids.tolist()}, pad_id={pad_id})")


@pytest.mark.task("masks.decoder_mask", points=1)
def test_decoder_small_batches(learner, reference, rng):
    """One sequence, one position, B equal to T; the ids are left alone."""
    pad_id = rng.choice([4, 9, 15])
    # B = T: catches a (B, T) mask whose batch axis broadcasts along the queries.
    for ids in small_batches(rng, pad_id):
        mask, after = result_and_arguments(learner, "decoder_mask", (ids, pad_id))
        call = f"decoder_mask({ids.tolist()}, {pad_id})"
        assert_boolean_mask(mask, decoder_mask_by_hand(ids, pad_id), call)
        assert_unchanged(after, {"ids": ids, "pad_id": pad_id}, call)


# ---------------------------------------------------------------------------------------------------------------------
# apply_mask


def filled_by_hand(scores, mask):
    """The scores with ``-inf`` wherever the mask is ``False``."""
    pairs = zip(scores.flatten().tolist(), mask.broadcast_to(scores.shape).flatten().tolist())
    values = [score if allowed else -math.inf for score, allowed in pairs]
    return torch.tensor(values, dtype=scores.dtype).reshape(scores.shape)


@pytest.mark.task("masks.apply_mask", points=1)
def test_minus_infinity(learner, reference, rng):
    """Minus infinity where the mask is False, the score itself elsewhere."""
    scores, mask = rng.normal(2, 3, 4, 5), rng.mask(2, 3, 4, 5)
    mask[0, 0, 0] = False  # a row with nothing gets no exception here
    mask[1, 1, 1], scores[1, 1, 1, 2] = True, 0.0  # catches taking every score of 0 for a masked one
    assert_equal(learner.apply_mask(scores, mask), filled_by_hand(scores, mask), "apply_mask(scores, mask)")


@pytest.mark.task("masks.apply_mask", points=1)
def test_mask_broadcasts(learner, reference, rng):
    """Masks and scores with axes of length 1, and masks with fewer axes than the scores."""
    # All sizes differ, so that a misplaced axis cannot fit.
    for scores_shape, mask_shape in (
        ((2, 3, 4, 5), (2, 1, 1, 5)),
        ((2, 3, 4, 5), (2, 1, 4, 5)),
        ((2, 3, 4, 5), (4, 5)),
        ((2, 4, 5), (2, 1, 5)),
        ((4, 5), (4, 5)),
        ((2, 4, 4), (4, 4)),  # square: catches a transposed mask
        # One sequence, one head, one query and one key: catches squeeze() without an axis.
        ((1, 3, 4, 5), (1, 1, 4, 5)),
        ((2, 1, 4, 5), (2, 1, 1, 5)),
        ((2, 3, 1, 5), (2, 1, 1, 5)),
        ((2, 3, 4, 1), (2, 1, 4, 1)),
    ):
        scores, mask = rng.normal(*scores_shape), rng.mask(*mask_shape)
        mask[..., 0, :2] = torch.tensor([True, False])[: mask_shape[-1]]
        mask[..., -1, 0] = ~mask[..., 0, -1]  # never symmetric
        assert_equal(
            learner.apply_mask(scores, mask),
            filled_by_hand(scores, mask),
            f"apply_mask(scores, mask) for scores of shape {scores_shape} and a mask of shape {mask_shape}",
        )


@pytest.mark.task("masks.apply_mask", points=1)
def test_mask_every_float_type(learner, reference, rng):
    """Scores of every float type keep their dtype, and masked ones are exactly minus infinity."""
    # float16 ends at 65504: catches -1e9, which PyTorch refuses there.
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        scores, mask = 100 * rng.normal(2, 4, 5, dtype=dtype), rng.mask(2, 4, 5)
        mask[:, 0] = False
        result = learner.apply_mask(scores, mask)
        assert_equal(result, filled_by_hand(scores, mask), f"apply_mask(scores, mask) in {dtype}")


def assert_gradient(got, expected, what):
    """A gradient has arrived, is finite, and has the right values."""
    if got is None:
        raise AssertionError(f"{what}: no gradient arrives at the scores. Is something detached?")
    assert_close(got, expected.to(torch.float32), what)


def apply_mask_gradient(learner, scores, mask, upstream):
    leaf = scores.clone().requires_grad_()
    # Masked scores always go into a softmax. exp stands for it here: it gives -inf the value 0 and no gradient.
    result = learner.apply_mask(leaf * 1.0, mask).exp()
    return weighted_gradients(result, upstream, [leaf])[0] if result.requires_grad else None


@pytest.mark.task("masks.apply_mask", points=1)
def test_mask_gradients_and_arguments(learner, reference, rng):
    """Gradients reach only the allowed scores; scores and mask are left alone."""
    scores, upstream = rng.normal(2, 4, 5), rng.normal(2, 4, 5)
    mask = rng.mask(2, 1, 5)
    mask[0, 0, :2] = torch.tensor([True, False])
    gradient = learner.run(apply_mask_gradient, scores, mask, upstream, uses=(weighted_gradients,))
    result, after = result_and_arguments(learner, "apply_mask", (scores, mask))
    assert_equal(result, filled_by_hand(scores, mask), "apply_mask(scores, mask)")
    assert_unchanged(after, {"scores": scores, "mask": mask}, "apply_mask(scores, mask)")
    expected = upstream.double() * filled_by_hand(scores, mask).double().exp()
    assert_gradient(gradient, expected, "The gradient of a function of exp(apply_mask(scores, mask))")


# ---------------------------------------------------------------------------------------------------------------------
# masked_softmax


def weights_by_hand(scores, mask, dim=-1):
    """Softmax over the allowed entries of each row along ``dim``, in float64; zeros where there are none."""
    rows = scores.double().movedim(dim, -1)
    allowed = mask.broadcast_to(scores.shape).movedim(dim, -1).reshape(-1, rows.shape[-1])
    weights = []
    for row, keep in zip(rows.reshape(allowed.shape).tolist(), allowed.tolist()):
        largest = max(itertools.compress(row, keep), default=0.0)
        powers = [math.exp(score - largest) if kept else 0.0 for score, kept in zip(row, keep)]
        total = sum(powers) or 1.0
        weights.append([power / total for power in powers])
    return torch.tensor(weights, dtype=torch.float64).reshape(rows.shape).movedim(-1, dim)


def assert_weights(got, scores, mask, what, dim=-1, rtol=None, atol=None):
    """The weights are right, and exactly 0 (not merely small) where the mask is ``False``."""
    assert_close(got, weights_by_hand(scores, mask, dim).to(scores.dtype), what, rtol, atol)
    masked = got[~mask.broadcast_to(scores.shape)]
    if masked.any():
        raise AssertionError(
            f"{what}: a weight where the mask is False is {masked.abs().max().item():.3g}; it should be exactly 0."
        )


@pytest.mark.task("masks.masked_softmax", points=1)
def test_allowed_places_share_the_weight(learner, reference, rng):
    """Weights of the allowed keys sum to 1, the others are exactly 0."""
    scores, mask = rng.normal(2, 3, 4, 5), rng.mask(2, 3, 4, 5)
    mask[0, 0, 0, :3] = torch.tensor([True, True, False])  # at least two to share, and one that must get nothing
    assert_weights(learner.masked_softmax(scores, mask), scores, mask, "masked_softmax(scores, mask)")


@pytest.mark.task("masks.masked_softmax", points=1)
def test_softmax_mask_broadcasts(learner, reference, rng):
    """Masks and scores with axes of length 1, and masks with fewer axes than the scores."""
    for scores_shape, mask_shape in (
        ((2, 3, 4, 5), (2, 1, 1, 5)),
        ((2, 3, 4, 5), (2, 1, 4, 5)),
        ((2, 3, 4, 5), (4, 5)),
        ((2, 4, 5), (2, 1, 5)),
        ((2, 4, 4), (4, 4)),  # square: catches a transposed mask
        ((1, 3, 4, 5), (4, 5)),  # one sequence, and one query: catches squeeze() without an axis
        ((2, 3, 1, 5), (2, 1, 1, 5)),
    ):
        scores, mask = rng.normal(*scores_shape), rng.mask(*mask_shape)
        mask[..., -1, 0], mask[..., 0, -1] = False, True  # never symmetric
        mask[..., 0, :3] = torch.tensor([True, True, False])
        what = f"masked_softmax(scores, mask) for scores of shape {scores_shape} and a mask of shape {mask_shape}"
        assert_weights(learner.masked_softmax(scores, mask), scores, mask, what)


@pytest.mark.task("masks.masked_softmax", points=1)
def test_rows_with_nothing(learner, reference, rng):
    """Rows with nothing to attend to are zeros: not NaN, not uniform."""
    # A mask that forbids everything comes first: catches a guard that only works for the whole batch at once.
    cases = [(rng.normal(2, 3), torch.zeros(2, 3, dtype=torch.bool))]
    cases.append((rng.normal(2, 3), torch.tensor([[True, True, True], [False, False, False]])))
    padding = rng.mask(2, 1, 1, 5)
    padding[1] = False  # a sequence of nothing but padding
    cases.append((rng.normal(2, 3, 4, 5), padding))
    front = torch.tensor([[key <= query and key >= 2 for key in range(5)] for query in range(4)])
    cases.append((rng.normal(3, 4, 5), front))  # causal with two padded tokens in front: rows 0 and 1 are empty
    answers = [learner.masked_softmax(scores, mask) for scores, mask in cases]
    for answer, (scores, mask) in zip(answers, cases):
        assert_weights(answer, scores, mask, f"masked_softmax(scores, mask) with mask = {mask.tolist()}")


def gradient_by_hand(scores, mask, upstream, dim=-1):
    """Gradient of ``(weights * upstream).sum()`` with respect to the scores, in float64."""
    weights = weights_by_hand(scores, mask, dim)
    centred = upstream.double() - (weights * upstream.double()).sum(dim, keepdim=True)
    return weights * centred


def masked_softmax_gradient(learner, scores, mask, upstream, dim):
    leaf = scores.clone().requires_grad_()
    weights = learner.masked_softmax(leaf * 1.0, mask, dim=dim)
    return weights, weighted_gradients(weights, upstream, [leaf])[0] if weights.requires_grad else None


@pytest.mark.task("masks.masked_softmax", points=1)
def test_softmax_gradients_and_arguments(learner, reference, rng):
    """Gradients are right and finite, also in rows with nothing; scores and mask are left alone."""
    scores, upstream = rng.normal(2, 4, 5), rng.normal(2, 4, 5)
    mask = rng.mask(2, 4, 5)
    mask[0, 1] = False  # catches replacing NaN after the softmax, where the gradient still meets it
    mask[1, 2, :3] = torch.tensor([True, True, False])
    weights, gradient = learner.run(masked_softmax_gradient, scores, mask, upstream, -1, uses=(weighted_gradients,))
    _, after = result_and_arguments(learner, "masked_softmax", (scores, mask))
    assert_weights(weights, scores, mask, "masked_softmax(scores, mask)")
    assert_unchanged(after, {"scores": scores, "mask": mask}, "masked_softmax(scores, mask)")
    expected = gradient_by_hand(scores, mask, upstream)
    assert_gradient(gradient, expected, "The gradient (with respect to the scores) of the weights times random numbers")


@pytest.mark.task("masks.masked_softmax", points=1)
def test_softmax_other_axes(learner, reference, rng):
    """Any dim, also where nothing along it is allowed."""
    column = rng.mask(2, 3, 4, 5)
    column[1, 2, :, 3] = False  # empty along dim=-2 alone: catches looking for empty rows along the last axis
    column[0, 0, :2, 0] = True
    pair = rng.mask(4, 5)
    pair[0, :2] = torch.tensor([True, False])
    # An axis of length 1: catches a weight of 1 where nothing is allowed. The last mask allows everything.
    single = torch.tensor([True, False, True])[:, None].expand(2, 1, 3, 1)
    for mask, dim in (
        (column, -2),
        (rng.mask(2, 1, 1, 5, keep=0.4), -2),
        (pair, 1),  # axis 1 is the heads in the scores, the keys in the mask: catches using dim on the mask as it is
        (single, -1),
        (torch.ones(4, 5, dtype=torch.bool), -2),
    ):
        scores = rng.normal(*((2, 1, 3, 1) if mask is single else (2, 3, 4, 5)))
        shapes = f"scores of shape {tuple(scores.shape)} and a mask of shape {tuple(mask.shape)}"
        weights = learner.masked_softmax(scores, mask, dim=dim)
        assert_weights(weights, scores, mask, f"masked_softmax(scores, mask, dim={dim}) for {shapes}", dim)


@pytest.mark.task("masks.masked_softmax", points=1)
def test_softmax_large_scores_and_float_types(learner, reference, rng):
    """Large scores, the largest of them masked; float64 and bfloat16."""
    mask = rng.mask(4, 6)
    mask[:, :3] = torch.tensor([True, True, False])
    raised = rng.normal(4, 6) + 20 * ~mask  # catches an epsilon: a plain softmax leaves the allowed keys about 1e-9
    weights = learner.masked_softmax(raised, mask)
    assert_weights(weights, raised, mask, "masked_softmax(scores, mask) with scores 20 higher where masked")
    # exp(1000) overflows and exp(-1000) underflows; the row at -30000 catches a fill of -10000.
    offsets = torch.tensor([[1000.0], [-1000.0], [-30000.0], [0.0]])
    large = rng.normal(4, 6) + offsets + 3000 * ~mask  # catches subtracting a maximum that is masked
    weights = learner.masked_softmax(large, mask)
    # A loose tolerance: near 30000, neighbouring float32 numbers are 0.002 apart, which shows in some right forms.
    assert_weights(weights, large, mask, "masked_softmax(scores, mask) of large scores", rtol=1e-2)
    mask[3] = False
    for dtype in (torch.float64, torch.bfloat16):
        scores = 2 * rng.normal(4, 6, dtype=dtype)
        assert_weights(learner.masked_softmax(scores, mask), scores, mask, f"masked_softmax(scores, mask) in {dtype}")


# ---------------------------------------------------------------------------------------------------------------------
# to_key_padding_mask


def assert_ignored(got, expected, what):
    """Like `assert_boolean_mask`, but here ``True`` means "ignore"."""
    if isinstance(got, torch.Tensor) and got.shape == expected.shape and torch.equal(got, ~expected):
        raise AssertionError(f"{what} is True at the real tokens. In a key_padding_mask True means 'ignore this key'.")
    if isinstance(got, torch.Tensor) and got.dtype != torch.bool:
        dtype = str(got.dtype).removeprefix("torch.")
        raise AssertionError(f"{what} should be boolean (torch.bool), but has dtype {dtype}.")
    assert_equal(got, expected, what)


@pytest.mark.task("masks.to_key_padding_mask", points=1)
def test_true_means_ignore(learner, reference, rng):
    """True where a key is padding, with shape (B, T)."""
    keep = padding_mask_by_hand(padded_at_end(rng, rng.choice([[4, 2, 5], [3, 5, 1]]), 5))
    expected = torch.tensor([[not kept for kept in row] for row in keep.reshape(3, 5).tolist()])
    assert_ignored(learner.to_key_padding_mask(keep), expected, f"to_key_padding_mask({keep.tolist()})")


@pytest.mark.task("masks.to_key_padding_mask", points=1)
def test_key_padding_small_batches(learner, reference, rng):
    """One sequence, one position, B equal to T; the mask is left alone."""
    # B = 1 and T = 1 catch squeeze() without an axis; B = T catches a swap of the two.
    for ids in small_batches(rng, pad_id=0):
        keep = padding_mask_by_hand(ids)
        expected = torch.tensor([[token == 0 for token in row] for row in ids.tolist()])
        ignore, after = result_and_arguments(learner, "to_key_padding_mask", (keep,))
        call = f"to_key_padding_mask({keep.tolist()})"
        assert_ignored(ignore, expected, call)
        assert_unchanged(after, {"mask": keep}, call)


def attend_in_pytorch(learner, x, mask, num_heads, parameters):
    layer = nn.MultiheadAttention(x.shape[-1], num_heads, batch_first=True)
    layer.load_state_dict(parameters)
    ignore = learner.to_key_padding_mask(mask)
    output, weights = layer(x, x, x, key_padding_mask=ignore)
    return ignore, output, weights


@pytest.mark.task("masks.to_key_padding_mask", points=1)
def test_inside_pytorch_attention(learner, reference, rng):
    """nn.MultiheadAttention attends to the real tokens and to nothing else."""
    width = 4
    keep = padding_mask_by_hand(padded_at_end(rng, rng.choice([[2, 5, 3], [4, 1, 3]]), 5))
    x = rng.normal(3, 5, width)
    parameters = {
        "in_proj_weight": rng.normal(3 * width, width),
        "in_proj_bias": rng.normal(3 * width),
        "out_proj.weight": rng.normal(width, width),
        "out_proj.bias": rng.normal(width),
    }
    ignore, output, weights = learner.run(attend_in_pytorch, x, keep, 2, parameters)
    _, wanted_output, wanted_weights = reference.run(attend_in_pytorch, x, keep, 2, parameters)
    on_padding = weights.masked_select(~keep.reshape(3, 1, 5))
    if on_padding.nan_to_num().any():
        raise AssertionError(
            "nn.MultiheadAttention gives weight to padding when it gets your key_padding_mask. There True means "
            "'ignore this key'."
        )
    names = [f"The {result} of nn.MultiheadAttention with your key_padding_mask" for result in ("output", "weights")]
    assert_close((output, weights), (wanted_output, wanted_weights), names)
    assert_ignored(ignore, ~keep.reshape(3, 5), f"to_key_padding_mask({keep.tolist()})")
