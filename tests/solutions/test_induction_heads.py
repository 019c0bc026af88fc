"""What the parts of the chapter "Induction heads" promise."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from solutions.induction_heads import (
    AttentionOnly,
    attention_weights,
    copying_score,
    half_losses,
    induction_score,
    logits_with_input_cut,
    previous_token_score,
    repeated_tokens,
    train_on_repeats,
    without_heads,
)

VOCAB, LENGTH, WIDTH, HEADS = 11, 10, 12, 3


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture(params=[False, True], ids=["positions for queries and keys", "positions in the stream"])
def model(request):
    return AttentionOnly(VOCAB, LENGTH, WIDTH, HEADS, 2, in_stream=request.param)


# --- the sequences -------------------------------------------------------------------------------------------


def test_the_second_half_is_the_first_and_no_token_comes_twice_within_a_half():
    ids = repeated_tokens(50, 4, VOCAB)
    assert ids.shape == (50, 8)
    assert ids.dtype == torch.int64
    assert torch.equal(ids[:, :4], ids[:, 4:])
    assert all(len(set(row)) == 4 for row in ids[:, :4].tolist())
    assert set(ids.flatten().tolist()) == set(range(VOCAB))


def test_a_generator_gives_the_same_sequences():
    first, second = (repeated_tokens(3, 5, VOCAB, torch.Generator().manual_seed(7)) for _ in range(2))
    assert torch.equal(first, second)


# --- the model -----------------------------------------------------------------------------------------------


def test_no_position_sees_what_comes_later(model):
    ids = torch.randint(VOCAB, (2, LENGTH))
    whole = model(ids)
    assert whole.shape == (2, LENGTH, VOCAB)
    for length in range(1, LENGTH):
        torch.testing.assert_close(model(ids[:, :length]), whole[:, :length])


def test_positions_are_added_to_the_stream_or_to_queries_and_keys_alone(model):
    ids = torch.randint(VOCAB, (2, 5))
    tokens, where, mask = model.tokens(ids), model.positions(torch.arange(5)), torch.ones(5, 5).tril().bool()
    layer = model.layers[0]
    if model.in_stream:
        torch.testing.assert_close(model.start(ids), tokens + where)
        expected = layer(tokens, tokens, tokens, mask)
    else:
        torch.testing.assert_close(model.start(ids), tokens)
        expected = layer(tokens + where, tokens + where, tokens, mask)
    torch.testing.assert_close(model.attend(layer, tokens, tokens, tokens), expected)


def test_training_lowers_the_loss_and_draws_every_period(model, monkeypatch):
    seen = set()

    def noted(size, period, *others):
        seen.add(period)
        return repeated_tokens(size, period, *others)

    monkeypatch.setattr("solutions.induction_heads.repeated_tokens", noted)
    ids, steps = repeated_tokens(100, 4, VOCAB), []
    before = half_losses(model, ids)
    train_on_repeats(model, range(3, 6), 60, batch_size=16, lr=1e-2, after_step=steps.append)
    assert half_losses(model, ids)[1] < before[1] - 0.3
    assert seen == {3, 4, 5}
    assert steps == list(range(1, 61))


def test_a_seed_gives_the_same_training():
    models = []
    for _ in range(2):
        torch.manual_seed(1)
        models.append(AttentionOnly(VOCAB, LENGTH, WIDTH, HEADS, 1))
        train_on_repeats(models[-1], range(3, 6), 3, batch_size=4, seed=5)
    for one, other in zip(*(model.parameters() for model in models)):
        assert torch.equal(one, other)


def test_a_model_that_repeats_loses_nothing_in_the_second_half():
    """It knows no period: it continues as its token was continued before, and guesses where it has not been seen."""

    def repeats(ids):
        logits = torch.zeros(*ids.shape, VOCAB)
        for row, sequence in enumerate(ids.tolist()):
            for t, token in enumerate(sequence):
                if token in sequence[:t]:
                    logits[row, t, sequence[sequence.index(token) + 1]] = 50.0
        return logits

    first, second = half_losses(repeats, repeated_tokens(20, 5, VOCAB))
    assert first == pytest.approx(torch.tensor(float(VOCAB)).log().item(), rel=1e-5)
    assert second == pytest.approx(0, abs=1e-6)


def test_the_prediction_where_nobody_can_know_belongs_to_neither_half():
    """At position P - 1 the block ends; a model that is wrong there alone has no loss in either half."""
    ids = repeated_tokens(4, 5, VOCAB)

    def right_but_there(ids_in):
        logits = 50.0 * F.one_hot(ids[:, 1 : ids_in.shape[1] + 1], VOCAB).float()
        logits[:, 4] = -logits[:, 4]
        return logits

    assert half_losses(right_but_there, ids) == pytest.approx((0, 0), abs=1e-6)


# --- scores --------------------------------------------------------------------------------------------------


def looking_back(distances, length):
    """Weights ``(2, H, T, T)``: head ``h`` looks ``distances[h]`` back, or at itself where nothing is there."""
    weights = torch.zeros(2, len(distances), length, length)
    for head, distance in enumerate(distances):
        for t in range(length):
            weights[:, head, t, t - distance if t >= distance else t] = 1
    return weights


def test_scores_of_heads_that_look_back_a_fixed_distance():
    weights = looking_back([0, 1, 4, 5, 6], 12)
    assert previous_token_score(weights).tolist() == [0, 1, 0, 0, 0]
    assert induction_score(weights, 5).tolist() == [0, 0, 1, 0, 0]
    assert induction_score(weights, 2).tolist() == [0, 1, 0, 0, 0]  # where both look at the same position


def test_scores_are_means_of_the_entries_that_they_name():
    weights = torch.rand(3, 4, 9, 9).tril().double()
    weights = weights / weights.sum(-1, keepdim=True)
    for period in (1, 2, 5, 8):
        named = [weights[:, :, t, t - period + 1] for t in range(period, 9)]
        torch.testing.assert_close(induction_score(weights, period), torch.stack(named).mean((0, 1)))
    named = [weights[:, :, t, t - 1] for t in range(1, 9)]
    torch.testing.assert_close(previous_token_score(weights), torch.stack(named).mean((0, 1)))


def test_the_last_token_of_the_first_half_does_not_count():
    """At position P - 1 nothing has been seen again; the diagonal of the score begins there."""
    weights = torch.zeros(1, 1, 8, 8)
    weights[0, 0, 3, 0] = 1
    assert induction_score(weights, 4).item() == 0


def test_a_head_that_passes_tokens_on_copies_and_one_that_exchanges_them_does_not():
    model = AttentionOnly(6, LENGTH, 12, 2, 1)  # two heads of width 6: one for each half of the stream
    layer = model.layers[0]
    with torch.no_grad():
        for parameter in (model.tokens.weight, layer.w_v.weight, layer.w_o.weight, model.to_logits.weight):
            parameter.zero_()
        model.tokens.weight[:, :6] = torch.eye(6)
        layer.w_v.weight[:6, :6] = torch.eye(6)
        layer.w_v.weight[6:, :6] = torch.eye(6)[[1, 0, 3, 2, 4, 5]]  # four tokens of six change places
        layer.w_o.weight[6:] = torch.cat([torch.eye(6), torch.eye(6)], 1)
        model.to_logits.weight[:, 6:] = torch.eye(6)
    torch.testing.assert_close(copying_score(model, 0), torch.tensor([1, 1 / 3]))


def test_attention_weights_are_those_of_every_layer(model):
    ids = torch.randint(VOCAB, (2, 7))
    weights = attention_weights(model, ids)
    assert [one.shape for one in weights] == [(2, HEADS, 7, 7)] * 2
    x = model.start(ids)
    model.attend(model.layers[0], x, x, x)
    torch.testing.assert_close(weights[0], model.layers[0].weights.detach())


# --- changed models ------------------------------------------------------------------------------------------


def test_a_model_without_a_head_lacks_what_the_head_adds(model):
    ids = torch.randint(VOCAB, (2, 7))
    before = model(ids)  # with gradients: the weights that the layers keep belong to a graph
    other = without_heads(model, [(1, 2)])
    x = model.start(ids)
    x = x + model.attend(model.layers[0], x, x, x)
    second = model.layers[1]
    added = model.attend(second, x, x, x)
    heads = (second.weights @ second.w_v(x).view(2, 7, HEADS, -1).transpose(1, 2)).transpose(1, 2)  # (B, T, H, w)
    lost = heads[:, :, 2] @ second.w_o.weight[:, -heads.shape[-1] :].T
    torch.testing.assert_close(other(ids), model.to_logits(x + added - lost))
    torch.testing.assert_close(model(ids), before)


def test_without_all_heads_only_biases_are_left(model):
    ids = torch.randint(VOCAB, (2, 7))
    other = without_heads(model, [(layer, head) for layer in (0, 1) for head in range(HEADS)])
    x = model.start(ids) + model.layers[0].w_o.bias + model.layers[1].w_o.bias
    torch.testing.assert_close(other(ids), model.to_logits(x))


def test_without_no_head_a_model_is_as_it_was(model):
    ids = torch.randint(VOCAB, (2, 7))
    torch.testing.assert_close(without_heads(model, [])(ids), model(ids))


def test_a_cut_input_is_read_by_one_role_alone(model):
    """With all that a head adds at zero, no cut changes anything; with values at zero, only the stream counts."""
    ids = torch.randint(VOCAB, (2, 7))
    first, second = model.layers
    whole = model(ids).detach()
    cut = {role: logits_with_input_cut(model, ids, 1, role) for role in ("query", "key", "value")}
    for role in cut:
        assert not torch.allclose(cut[role], whole, atol=1e-4), role
    with torch.no_grad():
        second.w_k.weight.zero_()
    whole = model(ids).detach()
    for role in ("query", "key"):  # keys are all alike, so neither queries nor keys matter any more
        torch.testing.assert_close(logits_with_input_cut(model, ids, 1, role), whole)
    assert not torch.allclose(logits_with_input_cut(model, ids, 1, "value"), whole, atol=1e-4)
    with torch.no_grad():
        first.w_o.weight.zero_()
    torch.testing.assert_close(logits_with_input_cut(model, ids, 1, "value"), model(ids).detach())
