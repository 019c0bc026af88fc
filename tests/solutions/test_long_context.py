"""What the parts of the chapter "Long context" promise."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from solutions.long_context import (
    SCHEMES,
    LongContextModel,
    MixtureOfExperts,
    RMSNorm,
    SwiGLU,
    alibi_bias,
    alibi_slopes,
    balance_loss,
    expert_loads,
    rope,
    window_mask,
    windowed_losses,
)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# --- positions -----------------------------------------------------------------------------------------------


def test_rope_makes_scores_depend_on_the_distance_alone():
    q, k = torch.randn(2, 3, 7, 10, dtype=torch.float64)
    places = torch.arange(7)
    scores = rope(q, places) @ rope(k, places).mT
    moved = rope(q, places + 1000) @ rope(k, places + 1000).mT
    assert torch.allclose(scores, moved, atol=1e-4)  # the angles are float32
    assert not torch.allclose(scores, rope(q, places + 1) @ rope(k, places).mT, atol=1e-1)


def test_rope_turns_pairs_by_the_angles_of_the_formula():
    x = torch.randn(5, 6, dtype=torch.float64)
    turned = rope(x, torch.arange(5))
    for m in range(5):
        for pair in range(3):
            angle = torch.tensor(m * 10000.0 ** (-2 * pair / 6))
            one = torch.complex(*x[m, 2 * pair : 2 * pair + 2]) * torch.polar(torch.tensor(1.0), angle)
            assert torch.allclose(torch.view_as_real(one).double(), turned[m, 2 * pair : 2 * pair + 2], atol=1e-6)


def test_rope_keeps_lengths_and_types_and_leaves_position_0_and_its_input_alone():
    x = torch.randn(2, 4, 8, dtype=torch.bfloat16)
    before = x.clone()
    turned = rope(x, torch.arange(4))
    assert turned.dtype == x.dtype
    assert torch.equal(x, before)
    assert torch.equal(turned[:, 0], x[:, 0])
    assert torch.allclose(turned.float().norm(dim=-1), x.float().norm(dim=-1), rtol=0.02)


@pytest.mark.parametrize(
    ("heads", "slopes"),
    [(8, [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]), (4, [1 / 4, 1 / 16, 1 / 64, 1 / 256])],
)
def test_the_slopes_are_the_papers(heads, slopes):
    assert alibi_slopes(heads).tolist() == pytest.approx(slopes)


def test_16_heads_have_slopes_between_those_of_8():
    assert torch.allclose(alibi_slopes(16)[1::2], alibi_slopes(8))


def test_the_bias_falls_in_proportion_to_the_distance():
    bias = alibi_bias(4, 6)
    assert bias.shape == (4, 6, 6)
    assert torch.allclose(bias[:, 5, 1], -4 * alibi_slopes(4))
    assert torch.equal(bias.diagonal(dim1=1, dim2=2), torch.zeros(4, 6))
    assert torch.equal(bias.triu(), torch.zeros(4, 6, 6))


@pytest.mark.parametrize("window", [1, 3, 6, 9])
def test_a_window_is_causal_and_as_wide_as_it_says(window):
    mask = window_mask(6, window)
    assert mask.sum(-1).tolist() == [min(place + 1, window) for place in range(6)]
    assert mask.diagonal().all()
    assert not mask.triu(1).any()


# --- a long text through a short context ---------------------------------------------------------------------


@pytest.mark.parametrize("stride", [1, 2, 5, 8])
def test_every_token_is_scored_once_with_as_much_context_as_promised(stride):
    length, data = 8, torch.arange(100)
    seen = []

    def logits_of(ids):
        """Perfect, but less sure the less it has seen."""
        places = torch.arange(1.0, length + 1)
        logits = F.one_hot(ids + 1, 101) * places[:, None]
        seen.append(ids)
        return logits

    losses = windowed_losses(logits_of, data, length, stride)
    windows = (len(data) - length - 1) // stride + 1
    assert len(losses) == length + (windows - 1) * stride
    context = (torch.exp(-losses) * 100 / (1 - torch.exp(-losses))).log()  # the logit, and so the place in the window
    expected = list(range(1, length + 1)) + list(range(length - stride + 1, length + 1)) * (windows - 1)
    assert context.tolist() == pytest.approx(expected, rel=1e-3)
    assert torch.cat(seen).shape == (windows, length)


# --- parts of newer blocks -----------------------------------------------------------------------------------


def test_rms_norm_is_pytorchs():
    x = torch.randn(2, 3, 8)
    layer = RMSNorm(8)
    torch.nn.init.normal_(layer.weight)
    assert torch.allclose(layer(x), F.rms_norm(x, (8,), layer.weight, eps=1e-5), atol=1e-6)


def test_swiglu_is_the_formula_and_has_as_many_parameters_at_two_thirds():
    x, layer = torch.randn(4, 6), SwiGLU(6, 10)
    gate = x @ layer.gate.weight.T
    expected = (gate * torch.sigmoid(gate) * (x @ layer.up.weight.T)) @ layer.down.weight.T
    assert torch.allclose(layer(x), expected, atol=1e-6)
    assert sum(p.numel() for p in SwiGLU(96, 256).parameters()) == 2 * 96 * 384


@pytest.mark.parametrize("k", [1, 2, 4])
def test_a_mixture_is_the_weighted_sum_over_the_chosen(k):
    layer = MixtureOfExperts([torch.nn.Linear(6, 6) for _ in range(4)], 6, k)
    x = torch.randn(2, 5, 6)
    probabilities, chosen = layer.route(x.flatten(0, 1))
    assert chosen.shape == (10, k)
    for token, row, experts, got in zip(x.flatten(0, 1), probabilities, chosen, layer(x).flatten(0, 1)):
        assert torch.allclose(got, sum(row[e] * layer.experts[e](token) for e in experts), atol=1e-6)


def test_only_the_chosen_experts_run_and_learn():
    layer = MixtureOfExperts([torch.nn.Linear(6, 6) for _ in range(3)], 6)
    with torch.no_grad():
        layer.router.weight.copy_(torch.tensor([1.0, 0.0, -1.0])[:, None].expand(3, 6))
    rows = []
    for expert in layer.experts:
        expert.register_forward_hook(lambda module, args, _: rows.append(len(args[0])))
    layer(torch.rand(7, 6)).sum().backward()
    assert rows == [7, 0, 0]
    assert layer.experts[0].weight.grad.abs().sum() > 0
    assert layer.experts[2].weight.grad.abs().sum() == 0
    assert layer.router.weight.grad.abs().sum() > 0


def test_the_balance_loss_is_1_at_best_and_the_number_of_experts_at_worst():
    even = torch.full((8, 4), 0.25)
    assert balance_loss(even, torch.arange(8)[:, None] % 4).item() == pytest.approx(1)
    one = F.one_hot(torch.zeros(8, dtype=torch.int64), 4).float()
    assert balance_loss(one, torch.zeros(8, 1, dtype=torch.int64)).item() == pytest.approx(4)


def test_loads_are_shares_of_the_choices():
    assert expert_loads(torch.tensor([[0, 2], [2, 1]]), 4).tolist() == [0.25, 0.25, 0.5, 0]


# --- the model -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_model_is_causal_and_a_wide_window_changes_nothing(scheme):
    model = LongContextModel(11, 8, 2, 2, scheme, max_len=12)
    ids = torch.randint(11, (3, 12))
    logits = model(ids)
    assert logits.shape == (3, 12, 11)
    assert torch.allclose(model(ids[:, :7]), logits[:, :7], atol=1e-5)
    assert torch.allclose(model(ids, window=12), logits, atol=1e-5)
    assert not torch.allclose(model(ids, window=2), logits, atol=1e-3)


@pytest.mark.parametrize("scheme", ["none", "rope", "alibi"])
def test_schemes_that_know_distances_only_do_not_see_where_a_window_lies(scheme):
    """With a window of 3 in each of two layers, the last position sees 5 positions, and not where they stand."""
    model = LongContextModel(11, 8, 2, 2, scheme)
    ids = torch.randint(11, (1, 20))
    assert torch.allclose(model(ids, window=3)[:, -1], model(ids[:, -5:], window=3)[:, -1], atol=1e-5)


def test_an_unknown_scheme_is_refused():
    with pytest.raises(ValueError, match="scheme is 'rotary'"):
        LongContextModel(11, 8, 2, 2, "rotary")
