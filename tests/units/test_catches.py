"""The catch-it tasks of all units: what tests, from empty to good, must get in each of them.

A new task needs an entry in `TESTS`. What any test must get is tried on all tasks: nothing for doing nothing, nothing
for refusing everything.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from functools import lru_cache

import pytest

from autograder.course.catches import Catch, catches, faults, find_catch
from autograder.course.registry import COMPLETE, is_catch
from autograder.judging import results
from autograder.judging.implementations import reference_names
from autograder.judging.quality import measure_tests
from autograder.judging.results import TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet

SEED = 20_26  # `python -m autograder.quality` measures with the default seed
TASKS = [one.task for unit in COMPLETE for one in catches(unit.name)]
ALL, NONE = "all", ""

# Tests by their body, and the checks that each must pass: all of them, none, or those named.
Tests = dict[str, tuple[str, str]]
TESTS: dict[str, Tests] = {
    "attention.test_attention": {
        "in double precision, query by query": (
            """
            import math
            q, k, v = torch.rand(2, 3, 4).double(), torch.rand(2, 5, 4).double(), torch.rand(2, 5, 2).double()
            mask = torch.ones(2, 3, 5, dtype=torch.bool)
            mask[0, 0, 3:] = mask[1, 2] = mask[1, 0, 0] = False
            given = q, k, v, mask
            before = [one.clone() for one in given]
            output, weights = scaled_dot_product_attention(*given)
            for b in range(2):
                for i in range(3):
                    keys = [j for j in range(5) if before[3][b, i, j]]
                    shares = [math.exp(float(before[0][b, i] @ before[1][b, j]) / 2) for j in keys]
                    expected = torch.zeros(5).double()
                    expected[keys] = torch.tensor([share / sum(shares) for share in shares]).double()
                    assert torch.allclose(weights[b, i], expected, atol=1e-6)
                    assert torch.allclose(output[b, i], expected @ before[2][b], atol=1e-6)
            assert all(torch.equal(one, other) for one, other in zip(given, before))
            """,
            ALL,
        ),
        "shapes": (
            """
            output, weights = scaled_dot_product_attention(*(torch.randn(2, n, 4) for n in (3, 5, 5)))
            assert (output.shape, weights.shape) == ((2, 3, 4), (2, 3, 5))
            """,
            NONE,
        ),
        "unpacks": ("output, weights = scaled_dot_product_attention(*torch.randn(3, 3, 5, 4))", NONE),
        "insists on a tuple": (
            """
            result = scaled_dot_product_attention(*(torch.randn(2, n, 4) for n in (3, 5, 5)))
            assert isinstance(result, tuple)
            assert torch.allclose(result[1].sum(-1), torch.ones(2, 3))
            """,
            NONE,
        ),
        "equal to the last bit": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            expected = (q @ k.transpose(-2, -1) / 2).softmax(-1)
            output, weights = scaled_dot_product_attention(q, k, v)
            assert torch.equal(output, expected @ v)
            """,
            NONE,
        ),
        "asks for memory in order": (
            """
            output, weights = scaled_dot_product_attention(*(torch.randn(2, n, 4) for n in (3, 5, 5)))
            assert torch.allclose(weights.view(-1).sum(), torch.tensor(6.0))
            """,
            NONE,
        ),
        "sums of rows": (
            """
            output, weights = scaled_dot_product_attention(*(torch.randn(2, n, 4) for n in (3, 5, 5)))
            assert torch.allclose(weights.sum(-1), torch.ones(2, 3))
            """,
            "both-results",
        ),
        "no mask": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            expected = (q @ k.transpose(-2, -1) / 2).softmax(-1)
            output, weights = scaled_dot_product_attention(q, k, v)
            torch.testing.assert_close(weights, expected)
            torch.testing.assert_close(output, expected @ v)
            """,
            "the-scale which-axis both-results",
        ),
        "one sentence": (
            """
            q, k, v = (torch.randn(n, 4) for n in (3, 5, 5))
            expected = (q @ k.T / 2).softmax(-1)
            output, weights = scaled_dot_product_attention(q, k, v)
            torch.testing.assert_close(weights, expected)
            torch.testing.assert_close(output, expected @ v)
            """,
            "the-scale both-results",
        ),
        "everything but empty rows and arguments": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            mask = torch.ones(3, 5, dtype=torch.bool).tril()
            before = q.clone()
            for allowed in (mask, None):
                scores = before @ k.transpose(-2, -1) / 2
                if allowed is not None:
                    scores = scores.masked_fill(~mask, float("-inf"))
                output, weights = scaled_dot_product_attention(q.clone(), k, v, allowed)
                torch.testing.assert_close(weights, scores.softmax(-1))
                torch.testing.assert_close(output, scores.softmax(-1) @ v)
            """,
            "the-scale which-axis the-mask both-results",
        ),
        "only finite": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            mask = torch.rand(2, 3, 5) < 0.5
            mask[:, 1] = False
            output, weights = scaled_dot_product_attention(q, k, v, mask)
            assert output.isfinite().all() and weights.isfinite().all()
            """,
            NONE,
        ),
        "empty rows alone": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            output, weights = scaled_dot_product_attention(q, k, v, torch.zeros(3, 5, dtype=torch.bool))
            assert not output.any() and not weights.any()
            """,
            "nothing-to-attend",
        ),
        "arguments alone": (
            """
            given = [*(torch.randn(2, n, 4) for n in (3, 5, 5)), torch.zeros(2, 3, 5, dtype=torch.bool)]
            before = [one.clone() for one in given]
            scaled_dot_product_attention(*given)
            assert all(torch.equal(one, other) for one, other in zip(given, before))
            """,
            "changes-its-input",
        ),
    },
    "masks.test_decoder_mask": {
        "shape and type": (
            """
            mask = decoder_mask(torch.tensor([[5, 6, 0], [7, 0, 0]]))
            assert mask.shape == (2, 1, 3, 3)
            assert mask.dtype == torch.bool
            """,
            "shape-and-type",
        ),
        "no padding": (
            """
            mask = decoder_mask(torch.tensor([[5, 6, 7]]))
            assert mask.shape == (1, 1, 3, 3)
            assert torch.equal(mask[0, 0], torch.ones(3, 3, dtype=torch.bool).tril())
            """,
            "the-future both-at-once",
        ),
        "padding at the end": (
            """
            ids = torch.tensor([[5, 6, 7, 0], [5, 6, 0, 0]])
            mask = decoder_mask(ids)
            expected = torch.ones(4, 4, dtype=torch.bool).tril() & (ids != 0)[:, None, None, :]
            torch.testing.assert_close(mask, expected)
            """,
            "shape-and-type the-future both-at-once",
        ),
        "everything but another padding id": (
            """
            ids = torch.tensor([[0, 5, 6, 7], [5, 6, 0, 0], [0, 0, 0, 0]])
            expected = torch.ones(4, 4, dtype=torch.bool).tril() & (ids != 0)[:, None, None, :]
            torch.testing.assert_close(decoder_mask(ids), expected)
            """,
            "shape-and-type the-future both-at-once no-exceptions",
        ),
        "asks for memory in order": (
            """
            ids = torch.tensor([[5, 6, 7, 0]])
            assert decoder_mask(ids).is_contiguous()
            """,
            NONE,
        ),
        "by its own mask": (
            """
            for pad_id in (0, 6):
                ids = torch.tensor([[0, 5, 6, 7], [5, 6, 0, 0], [0, 0, 0, 0], [6, 6, 6, 6]])
                expected = padding_mask(ids, pad_id) & causal_mask(4)
                assert torch.equal(decoder_mask(ids, pad_id), expected)
            """,
            "the-future padding both-at-once no-exceptions",
        ),
        "counts": ("assert decoder_mask(torch.tensor([[5, 6, 7]])).sum() == 6", "the-future both-at-once"),
        "last row": (
            """
            ids = torch.tensor([[5, 0, 6, 7], [0, 5, 6, 7]])
            assert torch.equal(decoder_mask(ids)[:, 0, -1], ids != 0)
            """,
            "both-at-once",
        ),
        "rows see themselves": (
            "assert decoder_mask(torch.tensor([[5, 0]]))[0, 0].diagonal().all()",
            NONE,
        ),
    },
    "multihead.test_heads": {
        "shapes": (
            """
            heads = split_heads(torch.randn(2, 5, 12), 3)
            assert heads.shape == (2, 3, 5, 4)
            assert merge_heads(heads).shape == (2, 5, 12)
            """,
            "order-of-axes",
        ),
        "there and back": (
            """
            x = torch.randn(2, 5, 12)
            assert torch.equal(merge_heads(split_heads(x, 3)), x)
            """,
            "which-numbers order-of-axes the-way-back",
        ),
        "square": (
            """
            x = torch.randn(2, 2, 4)
            assert split_heads(x, 2).shape == (2, 2, 2, 2)
            assert merge_heads(split_heads(x, 2)).shape == x.shape
            """,
            NONE,
        ),
        "first head": (
            """
            x = torch.randn(2, 5, 12)
            assert torch.equal(split_heads(x, 3)[:, 0], x[..., :4])
            """,
            "which-numbers order-of-axes",
        ),
        "must be a copy": (
            """
            x = torch.randn(2, 5, 12)
            heads = split_heads(x, 3)
            assert heads.data_ptr() != x.data_ptr()
            """,
            NONE,
        ),
        "must be contiguous": ("split_heads(torch.randn(2, 5, 12), 3).view(-1)", NONE),
        "a certain error": (
            """
            try:
                split_heads(torch.randn(2, 5, 12), 5)
            except ValueError:
                return
            raise AssertionError
            """,
            NONE,
        ),
        "from elsewhere": (
            """
            merged = merge_heads(torch.arange(24.0).view(1, 2, 3, 4))
            assert torch.equal(merged[0, 1], torch.tensor([4.0, 5, 6, 7, 16, 17, 18, 19]))
            """,
            "the-way-back any-layout",
        ),
        "no uneven width": (
            """
            x = torch.randn(2, 5, 12)
            heads = split_heads(x, 3)
            assert torch.equal(heads, torch.stack(x.split(4, -1), 1))
            assert torch.equal(merge_heads(heads.contiguous()), x)
            """,
            "which-numbers order-of-axes the-way-back any-layout",
        ),
    },
    "blocks.test_layer_norm": {
        "shape": ("assert LayerNorm(4)(torch.randn(2, 3, 4)).shape == (2, 3, 4)", NONE),
        "mean and variance": (
            """
            y = LayerNorm(4)(torch.randn(2, 3, 4))
            assert torch.allclose(y.mean(-1), torch.zeros(2, 3), atol=1e-5)
            assert torch.allclose(y.var(-1, unbiased=False), torch.ones(2, 3), atol=1e-2)
            """,
            "mean-and-variance",
        ),
        "to the last bit": (
            """
            x = torch.randn(2, 3, 4)
            centred = x - x.mean(-1, keepdim=True)
            variance = centred.square().mean(-1, keepdim=True)
            assert torch.equal(LayerNorm(4)(x), centred / torch.sqrt(variance + 1e-5))
            """,
            NONE,
        ),
        "asks for memory in order": ("LayerNorm(4)(torch.randn(2, 3, 4)).view(-1)", NONE),
        "asks for the name of an attribute": ("assert LayerNorm(4).eps == 1e-5", NONE),
        "asks for the order of parameters": (
            "assert [name for name, _ in LayerNorm(4).named_parameters()] == ['gamma', 'beta']",
            NONE,
        ),
        "no warnings": (
            """
            import warnings
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                LayerNorm(4)(torch.randn(2, 3, 4))
            """,
            NONE,
        ),
        "a new layer": (
            """
            x = torch.randn(2, 3, 4)
            torch.testing.assert_close(LayerNorm(4)(x), nn.LayerNorm(4)(x))
            """,
            "mean-and-variance",
        ),
        "a matrix and a batch": (
            """
            for x in (torch.randn(2, 3, 4), torch.randn(5, 4)):
                torch.testing.assert_close(LayerNorm(4)(x), nn.LayerNorm(4)(x))
            """,
            "which-axis mean-and-variance",
        ),
        "small ones": (
            """
            for options in ({}, {"eps": 0.5}):
                for x in (torch.randn(5, 4), torch.zeros(5, 4), torch.randn(5, 4) / 1000):
                    torch.testing.assert_close(LayerNorm(4, **options)(x), nn.LayerNorm(4, **options)(x))
            """,
            "mean-and-variance small-variances",
        ),
        "gain and bias": (
            """
            norm = LayerNorm(4)
            assert torch.equal(norm.gamma, torch.ones(4)) and torch.equal(norm.beta, torch.zeros(4))
            gamma, beta = torch.randn(4), torch.randn(4)
            norm.load_state_dict({"gamma": gamma, "beta": beta}, strict=False)
            x = torch.randn(5, 4)
            torch.testing.assert_close(norm(x), nn.functional.layer_norm(x, (4,), gamma, beta))
            """,
            "mean-and-variance gain-and-bias",
        ),
        "everything but gradients": (
            """
            norm = LayerNorm(4)
            assert len(list(norm.parameters())) == 2
            for _ in range(2):
                x = torch.randn(5, 4)
                before = x.clone()
                torch.testing.assert_close(norm(x), nn.LayerNorm(4)(before))
                assert torch.equal(x, before)
            """,
            "mean-and-variance call-after-call",
        ),
        "gradients": (
            """
            norm = LayerNorm(4)
            x = torch.randn(5, 4, requires_grad=True)
            factors = torch.randn(5, 4)
            (norm(x) * factors).sum().backward()
            found, x.grad = x.grad, None
            (nn.LayerNorm(4)(x) * factors).sum().backward()
            torch.testing.assert_close(found, x.grad)
            assert norm.gamma.grad is not None and list(norm.parameters())
            """,
            "mean-and-variance what-is-trained",
        ),
    },
    "babygpt.test_no_peeking": {
        "shape": (
            """
            logits, loss = model(torch.zeros(2, 5, dtype=torch.long))
            assert logits.shape == (2, 5, model.config.vocab_size)
            """,
            NONE,
        ),
        "finite": ("assert model(torch.randint(11, (2, 8)))[0].isfinite().all()", NONE),
        "insists on a tuple": ("assert isinstance(model(torch.zeros(1, 2, dtype=torch.long)), tuple)", NONE),
        "asks for names inside": ("assert model.blocks[0].attention.heads[0].tril.tril().any()", NONE),
        "to the last bit": (
            """
            ids = torch.randint(11, (3, 8))
            for t in range(1, 9):
                assert torch.equal(model(ids[:, :t])[0], model(ids)[0][:, :t])
            """,
            NONE,
        ),
        "the last token": (
            """
            ids = torch.randint(11, (1, 5))
            other = ids.clone()
            other[0, -1] = (ids[0, -1] + 1) % 11
            torch.testing.assert_close(model(ids)[0][:, -2], model(other)[0][:, -2])
            """,
            "later-tokens even-a-little",
        ),
        "a wide tolerance": (
            """
            ids = torch.randint(11, (1, 8))
            for t in range(1, 9):
                assert torch.allclose(model(ids[:, :t])[0], model(ids)[0][:, :t], atol=0.1)
            """,
            "later-tokens every-position",
        ),
        "changed tokens": (
            """
            ids = torch.randint(11, (3, 8))
            for t in range(1, 8):
                other = ids.clone()
                other[:, t:] = (ids[:, t:] + 1) % 11
                torch.testing.assert_close(model(ids)[0][:, :t], model(other)[0][:, :t])
            """,
            "later-tokens even-a-little every-position call-after-call",
        ),
        "prefixes": (
            """
            ids = torch.randint(11, (1, 8))
            whole = model(ids)[0]
            for t in range(1, 8):
                torch.testing.assert_close(model(ids[:, :t])[0], whole[:, :t])
            """,
            "later-tokens even-a-little every-position how-many-follow",
        ),
        "short prefixes": (
            """
            ids = torch.randint(11, (2, 5))
            whole = model(ids)[0]
            for t in range(1, 5):
                torch.testing.assert_close(model(ids[:, :t])[0], whole[:, :t])
            """,
            "later-tokens even-a-little how-many-follow",
        ),
        "one by one": (
            """
            ids = torch.randint(11, (3, 8))
            whole = model(ids)[0]
            for row in range(3):
                torch.testing.assert_close(model(ids[row : row + 1])[0][0], whole[row])
            """,
            "other-sequences call-after-call",
        ),
        "twice": (
            """
            ids = torch.randint(11, (3, 8))
            first = model(ids)[0]
            model(ids.flip(1))
            torch.testing.assert_close(model(ids)[0], first)
            """,
            "call-after-call",
        ),
    },
    "losses.test_smoothing": {
        "shape": ("assert smooth_labels(torch.tensor([1, 0, 2]), 5, 0.1).shape == (3, 5)", NONE),
        "square": ("assert smooth_labels(torch.tensor([1, 0, 2]), 3, 0.1).shape == (3, 3)", NONE),
        "sums": (
            """
            sums = smooth_labels(torch.tensor([1, 0, 2]), 5, 0.2).sum(-1)
            assert torch.allclose(sums, torch.ones(3))
            """,
            "the-others the-type",
        ),
        "the target leads": (
            """
            targets = torch.tensor([1, 0, 2])
            assert torch.equal(smooth_labels(targets, 5, 0.2).argmax(-1), targets)
            """,
            NONE,
        ),
        "the type": ("assert smooth_labels(torch.tensor([1, 0, 2]), 5, 0.2).dtype == torch.float32", "the-type"),
        "to the last bit": (
            """
            targets = torch.tensor([1, 0, 2])
            expected = (1 - 0.2) * torch.eye(5)[targets] + 0.2 / 5
            assert torch.equal(smooth_labels(targets, 5, 0.2), expected)
            """,
            NONE,
        ),
        "asks for memory in order": ("smooth_labels(torch.tensor([1, 0, 2]), 5, 0.2).view(-1)", NONE),
        "all numbers": (
            """
            targets = torch.tensor([1, 0, 2])
            expected = (1 - 0.1) * torch.eye(5)[targets] + 0.1 / 5
            torch.testing.assert_close(smooth_labels(targets, 5, 0.1), expected)
            """,
            "which-class the-target the-others sums-are-not-enough the-type",
        ),
        "as many rows as classes": (
            """
            targets = torch.tensor([1, 4, 2, 3, 3])
            expected = (1 - 0.3) * torch.eye(5)[targets] + 0.3 / 5
            torch.testing.assert_close(smooth_labels(targets, 5, 0.3), expected)
            """,
            "the-target sums-are-not-enough the-type",
        ),
        "the ends": (
            """
            for epsilon in (0.0, 1.0):
                expected = (1 - epsilon) * torch.eye(5)[torch.tensor([1, 0, 2])] + epsilon / 5
                assert torch.allclose(smooth_labels(torch.tensor([1, 0, 2]), 5, epsilon).float(), expected)
            """,
            "which-class the-target the-others sums-are-not-enough every-epsilon",
        ),
    },
    "optim.test_schedule": {
        "positive": ("assert noam_lr(5, 64) > 0", NONE),
        "a float": ("assert isinstance(noam_lr(5, 64), float)", NONE),
        "exactly a float": ("assert type(noam_lr(5, 64)) is float", NONE),
        "to the last bit": ("assert noam_lr(10, 64, 10) == 64**-0.5 * min(10**-0.5, 10 * 10**-1.5)", NONE),
        "a certain error": (
            """
            try:
                noam_lr(1, 64, 0)
            except ValueError:
                return
            raise AssertionError
            """,
            NONE,
        ),
        "no warnings": (
            """
            import warnings
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                noam_lr(0, 64)
            """,
            NONE,
        ),
        "up and down": (
            """
            rates = [noam_lr(step, 64, 10) for step in range(1, 30)]
            assert rates[:10] == sorted(rates[:10])
            assert rates[9:] == sorted(rates[9:], reverse=True)
            assert max(rates) == rates[9]
            """,
            NONE,
        ),
        "the peak": ("assert abs(noam_lr(10, 64, 10) - 640**-0.5) < 1e-6", NONE),
        "at both sides of the peak": (
            """
            for step in (1, 4, 10, 40, 90):
                expected = 64**-0.5 * min(step**-0.5, step * 10**-1.5)
                assert abs(noam_lr(step, 64, 10) / expected - 1) < 1e-4
            """,
            "falling the-width",
        ),
        "a fixed tolerance": (
            """
            for step in (1, 400, 4000, 16000):
                expected = 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
                assert abs(noam_lr(step, 512) - expected) < 1e-6
            """,
            "falling the-width",
        ),
        "step zero": (
            """
            assert abs(noam_lr(0, 64, 10) / noam_lr(1, 64, 10) - 1) < 1e-4
            assert abs(noam_lr(10, 64, 10) * 640**0.5 - 1) < 1e-4
            """,
            "step-zero",
        ),
        "warm-ups": (
            """
            assert noam_lr(1, 64, 1) > 0
            for warmup in (0, -1):
                try:
                    noam_lr(1, 64, warmup)
                except Exception:
                    continue
                raise AssertionError
            """,
            "shortest-warm-up",
        ),
    },
    "transformer.test_padding_is_ignored": {
        "shape": ("assert model(torch.randint(4, 12, (2, 6)), torch.randint(4, 12, (2, 5))).shape[:2] == (2, 5)", NONE),
        "finite": ("assert model(torch.randint(4, 12, (2, 6)), torch.randint(4, 12, (2, 5))).isfinite().all()", NONE),
        "asks for names inside": ("assert model.src_embed[0].embed.weight.shape[0] == 13", NONE),
        "asks for memory in order": (
            "model(torch.randint(4, 12, (2, 6)), torch.randint(4, 12, (2, 5))).view(-1)",
            NONE,
        ),
        "to the last bit": (
            """
            src, tgt = torch.randint(4, 12, (1, 4)), torch.randint(4, 12, (1, 5))
            padded = nn.functional.pad(src, (0, 30), value=pad_id)
            assert torch.equal(model(padded, tgt), model(src, tgt))
            """,
            NONE,
        ),
        "a padded source": (
            """
            src, tgt = torch.randint(4, 12, (2, 4)), torch.randint(4, 12, (2, 5))
            padded = torch.cat([src, torch.full((2, 3), pad_id)], 1)
            torch.testing.assert_close(model(padded, tgt), model(src, tgt))
            """,
            "the-encoder the-cross-attention how-much",
        ),
        "one position of padding": (
            """
            src, tgt = torch.randint(4, 12, (2, 4)), torch.randint(4, 12, (2, 5))
            padded = torch.cat([src, torch.full((2, 1), pad_id)], 1)
            torch.testing.assert_close(model(padded, tgt), model(src, tgt))
            """,
            "the-encoder the-cross-attention",
        ),
        "a padded target": (
            """
            src, tgt = torch.randint(4, 12, (2, 4)), torch.randint(4, 12, (2, 5))
            padded = torch.cat([tgt, torch.full((2, 3), pad_id)], 1)
            torch.testing.assert_close(model(src, padded)[:, :5], model(src, tgt))
            """,
            "the-target",
        ),
        "memories": (
            """
            src = torch.randint(4, 12, (2, 4))
            padded = torch.cat([src, torch.full((2, 2), pad_id)], 1)
            found = model.encode(padded, (padded != pad_id)[:, None, None])[:, :4]
            torch.testing.assert_close(found, model.encode(src, None))
            """,
            "the-encoder",
        ),
        "two sentences": (
            """
            src, tgt = torch.randint(4, 12, (2, 6)), torch.randint(4, 12, (2, 5))
            src[0, 4:] = pad_id
            together = model(src, tgt)
            torch.testing.assert_close(model(src[:1, :4], tgt[:1])[0], together[0])
            torch.testing.assert_close(model(src[1:], tgt[1:])[0], together[1])
            """,
            "the-encoder the-cross-attention how-much several-sentences",
        ),
        "only padding": (
            """
            src, tgt = torch.randint(4, 12, (2, 6)), torch.randint(4, 12, (2, 5))
            src[0] = pad_id
            assert model(src, tgt).isfinite().all()
            """,
            "nothing-but-padding",
        ),
    },
    "llama.test_rope": {
        "in loops, in three types": (
            """
            import math
            d, positions = 6, torch.tensor([1000, 0, 3, 17])
            for dtype, tolerance in ((torch.float32, 1e-3), (torch.float64, 1e-3), (torch.bfloat16, 5e-2)):
                x = torch.randn(2, 3, 4, d).to(dtype)
                before = x.clone()
                for more in ({}, {"base": 100.0}):
                    y = apply_rope(x, positions, **more)
                    assert y.dtype == dtype
                    for i in range(3):
                        a, b = before[0, ..., i].double(), before[0, ..., i + 3].double()
                        for t, m in enumerate(positions.tolist()):
                            c, s = (f(m * more.get("base", 10000.0) ** (-2 * i / d)) for f in (math.cos, math.sin))
                            assert torch.allclose(y[0, :, t, i].double(), a[:, t] * c - b[:, t] * s, atol=tolerance)
                            assert torch.allclose(y[0, :, t, i + 3].double(), a[:, t] * s + b[:, t] * c, atol=tolerance)
                assert torch.equal(x, before)
            try:
                apply_rope(torch.randn(2, 5), torch.arange(2))
            except Exception:
                return
            raise AssertionError("odd")
            """,
            ALL,
        ),
        "shapes": ("assert apply_rope(torch.randn(2, 3, 4, 6), torch.arange(4)).shape == (2, 3, 4, 6)", NONE),
        "position zero": (
            """
            x = torch.randn(2, 3, 1, 6)
            assert torch.allclose(apply_rope(x, torch.tensor([0])), x, atol=1e-6)
            """,
            NONE,
        ),
        "to the last bit": (
            """
            x, m = torch.randn(3, 4), torch.arange(3.0)
            angles = m[:, None] * 10000 ** -(torch.arange(2) / 2)
            a, b = x[:, :2], x[:, 2:]
            expected = torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)
            assert torch.equal(apply_rope(x, torch.arange(3)), expected)
            """,
            NONE,
        ),
        "insists on a ValueError": (
            """
            try:
                apply_rope(torch.randn(4, 5), torch.arange(4))
            except ValueError:
                return
            raise AssertionError("odd")
            """,
            NONE,
        ),
        "relative scores and lengths": (
            """
            q, k = torch.randn(2, 1, 8)
            near, far = (
                apply_rope(q, torch.tensor([s + 3])) @ apply_rope(k, torch.tensor([s])).T for s in (0, 11)
            )
            assert torch.allclose(near, far, atol=1e-3)
            assert torch.allclose(apply_rope(q, torch.tensor([5])).norm(), q.norm(), atol=1e-3)
            """,
            NONE,
        ),
        "one pair": (
            """
            import math
            turned = apply_rope(torch.tensor([[1.0, 0.0]]), torch.tensor([2]))
            assert torch.allclose(turned, torch.tensor([[math.cos(2), math.sin(2)]]), atol=1e-4)
            """,
            NONE,
        ),
        "unit vectors at position one": (
            """
            import math
            turned = apply_rope(torch.eye(4), torch.ones(4, dtype=torch.int64))
            c, s, c2, s2 = math.cos(1), math.sin(1), math.cos(0.01), math.sin(0.01)
            expected = torch.tensor([[c, 0, s, 0], [0, c2, 0, s2], [-s, 0, c, 0], [0, -s2, 0, c2]])
            assert torch.allclose(turned, expected, atol=1e-4)
            """,
            "which-pairs a-rotation",
        ),
        "everything in float32": (
            """
            x, positions = torch.randn(2, 3, 4, 6), torch.tensor([0, 5, 2, 90])
            for base in (10000.0, 50.0):
                angles = positions[:, None] * base ** -(torch.arange(3) / 3)
                a, b = x[..., :3], x[..., 3:]
                expected = torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)
                found = apply_rope(x.clone(), positions) if base == 10000 else apply_rope(x.clone(), positions, base)
                assert torch.allclose(found, expected, atol=1e-3)
            """,
            "which-pairs a-rotation frequencies which-positions",
        ),
        "counted positions": (
            """
            x = torch.randn(2, 3, 4, 6)
            for base in (10000.0, 50.0):
                angles = torch.arange(4)[:, None] * base ** -(torch.arange(3) / 3)
                a, b = x[..., :3], x[..., 3:]
                expected = torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)
                args = () if base == 10000 else (base,)
                assert torch.allclose(apply_rope(x.clone(), torch.arange(4), *args), expected, atol=1e-3)
            """,
            "which-pairs a-rotation frequencies",
        ),
    },
    "embeddings.test_positions": {
        "shape and type": (
            """
            table = sinusoidal_positions(7, 6)
            assert table.shape == (7, 6)
            assert table.dtype == torch.float32
            """,
            "shape-and-type",
        ),
        "row zero": (
            "assert sinusoidal_positions(4, 6)[0].tolist() == [0, 1, 0, 1, 0, 1]",
            NONE,
        ),
        "row zero, and nearly": (
            "assert torch.allclose(sinusoidal_positions(4, 6)[0], torch.tensor([0.0, 1, 0, 1, 0, 1]))",
            "shape-and-type",
        ),
        "two columns": (
            """
            table = sinusoidal_positions(5, 4)
            for p in range(5):
                assert abs(table[p, 0] - math.sin(p)) < 1e-4
                assert abs(table[p, 1] - math.cos(p)) < 1e-4
            """,
            "which-column positions",
        ),
        "an even width": (
            """
            table = sinusoidal_positions(7, 6)
            for p in range(7):
                for column in range(6):
                    angle = p / 10000 ** ((column - column % 2) / 6)
                    assert abs(table[p, column] - (math.cos(angle) if column % 2 else math.sin(angle))) < 1e-4
            """,
            "frequencies which-column positions",
        ),
        "no type": (
            """
            table = sinusoidal_positions(7, 9)
            for p in range(7):
                for column in range(9):
                    angle = p / 10000 ** ((column - column % 2) / 9)
                    assert abs(table[p, column] - (math.cos(angle) if column % 2 else math.sin(angle))) < 1e-4
            """,
            "frequencies which-column positions odd-width",
        ),
        "to the last bit": (
            """
            even = torch.arange(0, 6, 2)
            angles = torch.arange(7)[:, None] / 10000 ** (even / 6)
            assert torch.equal(sinusoidal_positions(7, 6)[:, 0::2], angles.sin())
            """,
            NONE,
        ),
        "between minus one and one": ("assert sinusoidal_positions(50, 8).abs().max() <= 1", NONE),
        "lengths of pairs": (
            """
            table = sinusoidal_positions(7, 6)
            assert torch.allclose(table[:, 0::2] ** 2 + table[:, 1::2] ** 2, torch.ones(7, 3))
            """,
            "shape-and-type",
        ),
    },
    "tokens.test_bpe": {
        "english comes back": (
            """
            merges = train_bpe("the cat sat on the mat", 5)
            text = "the cat"
            assert bpe_decode(bpe_encode(text, merges), merges) == text
            """,
            NONE,
        ),
        "texts come back": (
            """
            for text in (" a b ", " Stra\u00dfe, 5 \u20ac\t"):
                for merges in ([], train_bpe(text, 3)):
                    assert bpe_decode(bpe_encode(text, merges), merges) == text
            """,
            "text-comes-back",
        ),
        "counts merges": ("assert len(train_bpe('the cat sat on the mat', 5)) == 5", NONE),
        "a list of tuples": ("assert all(type(pair) is tuple for pair in train_bpe('the cat', 2))", NONE),
        "one merge": (
            """
            assert train_bpe("hi ab ab ab", 1) == [(b"a", b"b")]
            """,
            NONE,
        ),
        "training": (
            """
            assert train_bpe("banana banana", 2) == [(b"n", b"a"), (b"na", b"na")]
            assert train_bpe("hi ab ab ab", 1) == [(b"a", b"b")]
            """,
            "which-pair",
        ),
        "encoding": (
            """
            merges = [(b"b", b"c"), (b"a", b"b"), (b"bc", b"d")]
            assert bpe_encode("abcd", merges) == [97, 258]
            """,
            "order-of-merges",
        ),
        "pieces": (
            """
            assert train_bpe("a b a b a b", 1) == [(b" ", b"b")]
            assert bpe_encode("a b", [(b"a", b" ")]) == [97, 32, 98]
            """,
            "inside-pieces",
        ),
        "a certain error": (
            """
            try:
                train_bpe("ab", -1)
            except ValueError:
                return
            raise AssertionError
            """,
            NONE,
        ),
        "its own marks for bad bytes": ("assert bpe_decode([0xE2, 0x82], []) == '\ufffd'", NONE),
    },
    "bleu.test_bleu": {
        "a perfect translation": (
            """
            text = "the cat sat on the mat".split()
            assert math.isclose(corpus_bleu([text], [[text]]), 100)
            """,
            NONE,
        ),
        "between nothing and a hundred": (
            "assert 0 <= corpus_bleu([list('abcd')], [[list('abxd')]], 2) <= 100",
            NONE,
        ),
        "a float, always": ("assert type(corpus_bleu([list('ab')], [[list('cd')]])) is float", NONE),
        "a float, where there is a score": (
            "assert type(corpus_bleu([list('abcd')], [[list('abcd')]])) is float",
            NONE,
        ),
        "equal to the last bit": (
            "assert corpus_bleu([list('abcd')], [[list('abxd')]], 2) == 100 * math.sqrt(3 / 4 * 1 / 3)",
            NONE,
        ),
        "one sentence": (
            "assert math.isclose(corpus_bleu([list('abcd')], [[list('abxd')]], 2), 50)",
            "the-mean",
        ),
        "no match": (
            "assert corpus_bleu([list('ab')], [[list('ba')]], 2) == 0",
            "no-match",
        ),
        "a short sentence": (
            """
            score = corpus_bleu([list("abc")], [[list("abcde")]], 2)
            assert math.isclose(score, 100 * math.exp(1 - 5 / 3))
            """,
            NONE,
        ),
        "two sentences": (
            """
            score = corpus_bleu([list("abcd"), list("ef")], [[list("abxdyz")], [list("e")]], 2)
            assert math.isclose(score, 100 * math.exp(1 - 7 / 6) * math.sqrt(4 / 6 * 1 / 4))
            """,
            "the-mean sums-first short-candidates",
        ),
        "smoothing alone": (
            """
            score = corpus_bleu([list("ab"), list("cd")], [[list("ba")], [list("dx")]], 2, "add-k")
            assert math.isclose(score, 100 * math.sqrt(3 / 4 * 1 / 3))
            """,
            "the-mean sums-first smoothing",
        ),
        "all but several references": (
            """
            corpus = [list("abcd"), list("aag")], [[list("abxdef")], [list("ag")]]
            penalty = math.exp(1 - 8 / 7)
            assert math.isclose(corpus_bleu(*corpus, 1), 100 * penalty * 5 / 7)
            assert math.isclose(corpus_bleu(*corpus, 2), 100 * penalty * math.sqrt(5 / 7 * 2 / 5))
            assert math.isclose(corpus_bleu(*corpus, 2, "add-k"), 100 * penalty * math.sqrt(5 / 7 * 3 / 6))
            assert corpus_bleu([list("ab")], [[list("ba")]], 2) == 0
            assert math.isclose(corpus_bleu([list("ab")], [[list("ba")]], 2, "add-k"), 100 * math.sqrt(1 / 2))
            """,
            "the-mean sums-first short-candidates no-match smoothing",
        ),
        "references alone": (
            """
            one = corpus_bleu([list("aag")], [[list("ghik"), list("ag")]], 1)
            assert math.isclose(one, 100 * 2 / 3)
            other = corpus_bleu([list("abcd")], [[list("d"), list("abxdef")]], 1)
            assert math.isclose(other, 100 * math.exp(1 - 6 / 4) * 3 / 4)
            """,
            "several-references",
        ),
    },
    "decoding.test_beam": {
        "a list for each source": (
            """
            model = TableModel(lambda source, written: {4: 0.9, EOS: 0.1} if len(written) < 2 else {EOS: 1.0})
            src = torch.tensor([[4], [5]])
            assert len(beam_search(model, src, torch.ones(2, 1, 1, 1, dtype=torch.bool), 6)) == 2
            """,
            NONE,
        ),
        "a beam of one": (
            """
            model = TableModel(lambda source, written: {4: 0.6, 5: 0.4} if len(written) < 2 else {EOS: 1.0})
            src, mask = torch.tensor([[4]]), torch.ones(1, 1, 1, 1, dtype=torch.bool)
            (found,) = beam_search(model, src, mask, 6, beam_size=1)
            assert found == greedy_decode(model, src, mask, 6)[0, 1:3].tolist()
            """,
            NONE,
        ),
        "a table without a rival": (
            """
            model = TableModel(lambda source, written: {4 + len(written): 1.0} if len(written) < 3 else {EOS: 1.0})
            src, mask = torch.tensor([[4]]), torch.ones(1, 1, 1, 1, dtype=torch.bool)
            assert beam_search(model, src, mask, 6, beam_size=2) == [[4, 5, 6]]
            """,
            NONE,
        ),
        "counts the calls": (
            """
            calls = []
            model = TableModel(lambda source, written: {4: 1.0} if len(written) < 3 else {EOS: 1.0})
            model.likely = lambda source, written, likely=model.likely: calls.append(written) or likely(source, written)
            beam_search(model, torch.tensor([[4]]), torch.ones(1, 1, 1, 1, dtype=torch.bool), 6, beam_size=2)
            assert len(calls) == len(set(calls))
            """,
            NONE,
        ),
        "insists on tuples": (
            """
            model = TableModel(lambda source, written: {EOS: 1.0})
            mask = torch.ones(1, 1, 1, 1, dtype=torch.bool)
            assert beam_search(model, torch.tensor([[4]]), mask, 6, beam_size=2) == [()]
            """,
            NONE,
        ),
        "insists that what ends takes room": (
            """
            table = {(): {EOS: 0.5, 4: 0.3, 5: 0.2}, (5,): {6: 1.0}, (5, 6): {EOS: 1.0}, (4,): {4: 0.5, 5: 0.5}}
            model = TableModel(lambda source, written: table.get(written, {9: 1.0}))
            mask = torch.ones(1, 1, 1, 1, dtype=torch.bool)
            assert beam_search(model, torch.tensor([[4]]), mask, 6, beam_size=2, length_penalty=5.0) == [[]]
            """,
            NONE,
        ),
        "greedy decoding misses it": (
            """
            table = {(): {4: 0.6, 5: 0.4}, (5,): {EOS: 0.9, 9: 0.1}, (4,): {6: 0.3, 7: 0.3, 8: 0.4}}
            model = TableModel(lambda source, written: table.get(written, {9: 1.0}))
            mask = torch.ones(1, 1, 1, 1, dtype=torch.bool)
            assert beam_search(model, torch.tensor([[4]]), mask, 6, beam_size=2) == [[5]]
            """,
            NONE,
        ),
        "two good ones of one parent": (
            """
            table = {(): {4: 0.6, 5: 0.4}, (4,): dict.fromkeys((4, 5, 6, 7), 0.25), (5,): {6: 0.52, 4: 0.48}}
            table |= {(5, 4): {EOS: 0.9, 8: 0.1}, (5, 6): {EOS: 0.15, 8: 0.85}}
            model = TableModel(lambda source, written: table.get(written, {8: 1.0}))
            mask = torch.ones(1, 1, 1, 1, dtype=torch.bool)
            assert beam_search(model, torch.tensor([[4]]), mask, 7, beam_size=2, length_penalty=0.0) == [[5, 4]]
            """,
            "several-beginnings",
        ),
        "no room": (
            """
            model = TableModel(lambda source, written: {4 + len(written): 1.0})
            mask = torch.ones(1, 1, 1, 1, dtype=torch.bool)
            assert beam_search(model, torch.tensor([[4]]), mask, 4, beam_size=2) == [[4, 5, 6]]
            """,
            NONE,
        ),
        "far from the balance": (
            """
            table = {(): {EOS: 0.4, 4: 0.6}, (4,): {4: 0.8, 9: 0.2}, (4, 4): {4: 0.8, 9: 0.2}, (4, 4, 4): {EOS: 0.8}}
            model = TableModel(lambda source, written: table.get(written, {9: 1.0}))
            src, mask = torch.tensor([[4]]), torch.ones(1, 1, 1, 1, dtype=torch.bool)
            assert beam_search(model, src, mask, 6, beam_size=2, length_penalty=0.0) == [[]]
            assert beam_search(model, src, mask, 6, beam_size=2, length_penalty=2.0) == [[4, 4, 4]]
            """,
            NONE,
        ),
        "close to the balance": (
            """
            table = {(): {EOS: 0.4, 4: 0.6}, (4,): {4: 0.8, 9: 0.2}, (4, 4): {4: 0.8, 9: 0.2}, (4, 4, 4): {EOS: 0.8}}
            model = TableModel(lambda source, written: table.get(written, {9: 1.0}))
            src, mask = torch.tensor([[4]]), torch.ones(1, 1, 1, 1, dtype=torch.bool)
            assert beam_search(model, src, mask, 6, beam_size=2, length_penalty=0.6) == [[]]
            assert beam_search(model, src, mask, 6, beam_size=2, length_penalty=0.65) == [[4, 4, 4]]
            """,
            "the-penalty",
        ),
        "a batch": (
            """
            tables = {(4,): {(): {5: 1.0}}, (4, 5): {(): {6: 1.0}}, (6,): {(): {7: 1.0}}}
            model = TableModel(lambda source, written: tables[source].get(written, {EOS: 1.0}))
            src = torch.tensor([[4, 0], [4, 5], [6, 0]])
            assert beam_search(model, src, (src != 0)[:, None, None], 6, beam_size=2) == [[5], [6], [7]]
            """,
            "each-source",
        ),
    },
    "training.test_accumulation": {
        "something changes": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            before = model.embed.weight.detach().clone()
            run_epoch(batches, model, loss_fn, optimizer, accumulate=2)
            assert not torch.equal(before, model.embed.weight)
            """,
            NONE,
        ),
        "counts steps": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2, 3, 1))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            assert run_epoch(batches, model, loss_fn, optimizer, accumulate=2).steps == 3
            """,
            NONE,
        ),
        "insists on a class": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            assert isinstance(run_epoch(batches, model, loss_fn, optimizer, accumulate=2), EpochResult)
            """,
            NONE,
        ),
        "insists on tidiness": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            run_epoch(batches, model, loss_fn, optimizer, accumulate=2)
            assert all(parameter.grad is None for parameter in model.parameters())
            """,
            NONE,
        ),
        "insists on gradients": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            run_epoch(batches, model, loss_fn, optimizer, accumulate=3)
            assert model.embed.weight.grad.any()
            """,
            NONE,
        ),
        "to the last bit": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2, 3, 1))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            twin = copy.deepcopy(model)
            twins = torch.optim.SGD(twin.parameters(), lr=0.5)
            for group in (batches[:3], batches[3:]):
                losses = [loss_fn(twin.generator(twin.embed(b.tgt)).flatten(0, 1), b.tgt_y.flatten()) for b in group]
                twins.zero_grad()
                (sum(losses) / sum(b.ntokens for b in group)).backward()
                twins.step()
            run_epoch(batches, model, loss_fn, optimizer, accumulate=3)
            assert all(map(torch.equal, model.parameters(), twin.parameters()))
            """,
            NONE,
        ),
        "one group": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            twin = copy.deepcopy(model)
            twins = torch.optim.SGD(twin.parameters(), lr=0.5)
            for group in ([batches]):
                losses = [loss_fn(twin.generator(twin.embed(b.tgt)).flatten(0, 1), b.tgt_y.flatten()) for b in group]
                twins.zero_grad()
                (sum(losses) / sum(b.ntokens for b in group)).backward()
                twins.step()
            run_epoch(batches, model, loss_fn, optimizer, accumulate=3)
            torch.testing.assert_close(list(model.parameters()), list(twin.parameters()))
            """,
            "whose-tokens",
        ),
        "batches of one size": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (2, 2, 2, 2))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            twin = copy.deepcopy(model)
            twins = torch.optim.SGD(twin.parameters(), lr=0.5)
            for group in (batches[:3], batches[3:]):
                losses = [loss_fn(twin.generator(twin.embed(b.tgt)).flatten(0, 1), b.tgt_y.flatten()) for b in group]
                twins.zero_grad()
                (sum(losses) / sum(b.ntokens for b in group)).backward()
                twins.step()
            run_epoch(batches, model, loss_fn, optimizer, accumulate=3)
            torch.testing.assert_close(list(model.parameters()), list(twin.parameters()))
            """,
            "adding-up",
        ),
        "nothing left at the end": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2, 3))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            twin = copy.deepcopy(model)
            twins = torch.optim.SGD(twin.parameters(), lr=0.5)
            for group in (batches[:2], batches[2:]):
                losses = [loss_fn(twin.generator(twin.embed(b.tgt)).flatten(0, 1), b.tgt_y.flatten()) for b in group]
                twins.zero_grad()
                (sum(losses) / sum(b.ntokens for b in group)).backward()
                twins.step()
            run_epoch(batches, model, loss_fn, optimizer, accumulate=2)
            torch.testing.assert_close(list(model.parameters()), list(twin.parameters()))
            """,
            "adding-up whose-tokens",
        ),
        "steps alone": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2, 3, 1))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            twin = copy.deepcopy(model)
            twins = torch.optim.SGD(twin.parameters(), lr=0.5)
            for group in (batches[:3], batches[3:]):
                losses = [loss_fn(twin.generator(twin.embed(b.tgt)).flatten(0, 1), b.tgt_y.flatten()) for b in group]
                twins.zero_grad()
                (sum(losses) / sum(b.ntokens for b in group)).backward()
                twins.step()
            run_epoch(batches, model, loss_fn, optimizer, accumulate=3)
            torch.testing.assert_close(list(model.parameters()), list(twin.parameters()))
            """,
            "adding-up whose-tokens the-rest",
        ),
        "one large batch": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            twin = copy.deepcopy(model)
            large = torch.cat([batch.src for batch in batches])
            run_epoch([Batch(large, large)], twin, loss_fn, torch.optim.SGD(twin.parameters(), lr=0.5))
            run_epoch(batches, model, loss_fn, optimizer, accumulate=3)
            torch.testing.assert_close(list(model.parameters()), list(twin.parameters()))
            """,
            "whose-tokens",
        ),
        "the schedule alone": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2, 3, 1))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
            run_epoch(batches, model, loss_fn, optimizer, scheduler, accumulate=3)
            assert optimizer.param_groups[0]["lr"] == 0.125
            """,
            NONE,
        ),
        "the report alone": (
            """
            loss_fn = nn.NLLLoss(ignore_index=0, reduction="sum")
            batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2, 3, 1))]
            model = TinyModel()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            result = run_epoch(batches, model, loss_fn, optimizer, accumulate=5)
            assert (result.tokens, result.steps) == (55, 1)
            """,
            NONE,
        ),
    },
    "gpt2_backward.test_gradients": {
        "by differences in double precision": (
            """
            def norm(x, w, b):
                centred = x - x.mean(-1, keepdims=True)
                return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * w + b

            sizes = B, T, C = 2, 2, 3
            x, dout = torch.randn(B, T, C).numpy(), torch.randn(B, T, C).numpy()
            w, b = torch.randn(C).numpy(), torch.randn(C).numpy()
            out, mean, rstd = (np.ones(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            forward(out, mean, rstd, x, w, b, *sizes)
            assert np.allclose(out, norm(x, w, b), atol=1e-3)
            made = [np.ones_like(one) for one in (x, w, b)]
            backward(*made, dout, x, w, mean, rstd, *sizes)
            for n, found in enumerate(made):
                for place in np.ndindex(found.shape):
                    ends = []
                    for step in (1e-5, -1e-5):
                        moved = [one.astype(np.float64) for one in (x, w, b)]
                        moved[n][place] += step
                        ends.append((norm(*moved) * dout).sum())
                    slope = (ends[0] - ends[1]) / 2e-5
                    assert abs(found[place] - 1 - slope) < 3e-3 * (1 + abs(slope))
            """,
            "the-whole-row factors added every-position statistics",
        ),
        "only finite": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            assert np.isfinite(out).all()
            """,
            NONE,
        ),
        "a row has no mean": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            assert np.allclose(((out - bias) / weight).mean(-1), 0, atol=1e-3)
            """,
            NONE,
        ),
        "equal to the last bit": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            x, w, b = (torch.from_numpy(one).double().requires_grad_() for one in (inp, weight, bias))
            expected = F.layer_norm(x, (C,), w, b)
            slopes = torch.autograd.grad(expected, (x, w, b), torch.from_numpy(dout).double())
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            assert (out == expected.detach().float().numpy()).all()
            """,
            NONE,
        ),
        "arrays of another type": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            forward(out.astype(np.float64), mean, rstd, inp, weight, bias, *sizes)
            """,
            NONE,
        ),
        "the output alone": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            x, w, b = (torch.from_numpy(one).double().requires_grad_() for one in (inp, weight, bias))
            expected = F.layer_norm(x, (C,), w, b)
            slopes = torch.autograd.grad(expected, (x, w, b), torch.from_numpy(dout).double())
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            assert np.allclose(out, expected.detach().numpy(), rtol=1e-3, atol=1e-3)
            """,
            NONE,
        ),
        "the output with a flat row": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            inp[0, 0] *= 0.01
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            x, w, b = (torch.from_numpy(one).double().requires_grad_() for one in (inp, weight, bias))
            expected = F.layer_norm(x, (C,), w, b)
            slopes = torch.autograd.grad(expected, (x, w, b), torch.from_numpy(dout).double())
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            assert np.allclose(out, expected.detach().numpy(), rtol=1e-3, atol=1e-3)
            """,
            "the-output",
        ),
        "gradients from zero": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            x, w, b = (torch.from_numpy(one).double().requires_grad_() for one in (inp, weight, bias))
            expected = F.layer_norm(x, (C,), w, b)
            slopes = torch.autograd.grad(expected, (x, w, b), torch.from_numpy(dout).double())
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            made = [np.zeros(slope.shape, np.float32) for slope in slopes]
            backward(*made, dout, inp, weight, mean, rstd, *sizes)
            for array, slope in zip(made, slopes):
                assert np.allclose(array, slope.numpy(), rtol=1e-3, atol=1e-3)
            """,
            "the-whole-row factors every-position statistics",
        ),
        "gradients from one": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            x, w, b = (torch.from_numpy(one).double().requires_grad_() for one in (inp, weight, bias))
            expected = F.layer_norm(x, (C,), w, b)
            slopes = torch.autograd.grad(expected, (x, w, b), torch.from_numpy(dout).double())
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            made = [np.ones(slope.shape, np.float32) for slope in slopes]
            backward(*made, dout, inp, weight, mean, rstd, *sizes)
            for array, slope in zip(made, slopes):
                assert np.allclose(array, slope.numpy() + 1, rtol=1e-3, atol=1e-3)
            """,
            "the-whole-row factors added every-position statistics",
        ),
        "statistics of its own": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            x, w, b = (torch.from_numpy(one).double().requires_grad_() for one in (inp, weight, bias))
            expected = F.layer_norm(x, (C,), w, b)
            slopes = torch.autograd.grad(expected, (x, w, b), torch.from_numpy(dout).double())
            mean[:], rstd[:] = inp.mean(-1), 1 / np.sqrt(inp.var(-1) + 1e-5)
            made = [np.ones(slope.shape, np.float32) for slope in slopes]
            backward(*made, dout, inp, weight, mean, rstd, *sizes)
            for array, slope in zip(made, slopes):
                assert np.allclose(array, slope.numpy() + 1, rtol=1e-3, atol=1e-3)
            """,
            "the-whole-row factors added every-position",
        ),
        "an untrained layer": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            weight, bias = np.ones(C, np.float32), np.zeros(C, np.float32)
            x, w, b = (torch.from_numpy(one).double().requires_grad_() for one in (inp, weight, bias))
            expected = F.layer_norm(x, (C,), w, b)
            slopes = torch.autograd.grad(expected, (x, w, b), torch.from_numpy(dout).double())
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            made = [np.ones(slope.shape, np.float32) for slope in slopes]
            backward(*made, dout, inp, weight, mean, rstd, *sizes)
            for array, slope in zip(made, slopes):
                assert np.allclose(array, slope.numpy() + 1, rtol=1e-3, atol=1e-3)
            """,
            "the-whole-row added every-position statistics",
        ),
        "one sequence": (
            """
            sizes = B, T, C = 1, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            x, w, b = (torch.from_numpy(one).double().requires_grad_() for one in (inp, weight, bias))
            expected = F.layer_norm(x, (C,), w, b)
            slopes = torch.autograd.grad(expected, (x, w, b), torch.from_numpy(dout).double())
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            made = [np.ones(slope.shape, np.float32) for slope in slopes]
            backward(*made, dout, inp, weight, mean, rstd, *sizes)
            for array, slope in zip(made, slopes):
                assert np.allclose(array, slope.numpy() + 1, rtol=1e-3, atol=1e-3)
            """,
            "the-whole-row factors added",
        ),
        "one gradient by differences": (
            """
            sizes = B, T, C = 2, 3, 5
            inp, dout, weight, bias = (torch.randn(*shape).numpy() for shape in ((B, T, C), (B, T, C), (C,), (C,)))
            out, mean, rstd = (np.zeros(shape, np.float32) for shape in ((B, T, C), (B, T), (B, T)))
            step = np.zeros_like(inp)
            step[1, 2, 3] = 0.01
            after = np.zeros_like(out)
            forward(after, mean, rstd, inp + step, weight, bias, *sizes)
            forward(out, mean, rstd, inp - step, weight, bias, *sizes)
            slope = ((after.astype(np.float64) - out) * dout).sum() / 0.02
            forward(out, mean, rstd, inp, weight, bias, *sizes)
            dinp, dweight, dbias = np.ones_like(inp), np.ones_like(weight), np.ones_like(bias)
            backward(dinp, dweight, dbias, dout, inp, weight, mean, rstd, *sizes)
            assert abs(dinp[1, 2, 3] - 1 - slope) < 0.02
            """,
            "the-whole-row statistics",
        ),
    },
}
ANY: Tests = {
    "empty": ("pass", NONE),
    "prints": ("print('fine')", NONE),
    "looks at nothing": ("assert True", NONE),
    "returns": ("return False", NONE),
    "refuses everything": ("raise ValueError('wrong')", NONE),
    "is misspelt": ("asert_fine()", NONE),
    "looks for the source": ("import inspect\nassert 'wrong' not in inspect.getsource(NAME)", NONE),
    "tosses a coin": ("import random\nassert random.random() < 0.5", NONE),
    "counts its calls": (
        "import builtins\nbuiltins.n = getattr(builtins, 'n', 0) + 1\nassert builtins.n % 7 != 5",
        NONE,
    ),
}
CASES = [(task, name) for task in TASKS for name in (*ANY, *TESTS.get(task, ()))]


def source_of(catch: Catch, body: str) -> str:
    """A test with this body, as a learner has it in a cell."""
    arguments = parameters(catch)
    body = textwrap.dedent(body).strip().replace("NAME", arguments[0])
    return f"def {catch.name}({', '.join(arguments)}):\n{textwrap.indent(body, '    ')}\n"


def parameters(catch: Catch) -> Iterable[str]:
    code = reference_names(catch.unit)[catch.name].__code__
    return code.co_varnames[: code.co_argcount]


def judged(task: str, body: str, seed: int = SEED) -> TaskResult:
    catch = find_catch(task)
    names = dict(reference_names(catch.unit))
    exec(compile(source_of(catch, body), "<cell 1>", "exec"), names)
    with quiet():
        return run_checks(LocalSubject(names), catch.unit, [task], seed)[0]


@lru_cache(maxsize=None)
def measured(unit: str) -> list[TaskResult]:
    return measure_tests(unit, SEED)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_declared_as_it_should_be(task):
    assert list(faults(find_catch(task))) == []
    assert is_catch(task)
    assert len(TESTS[task]) >= 8, "add weak and too strict tests, and what each must get"


@pytest.mark.parametrize("task", TASKS)
def test_the_model_test_accepts_every_style_and_catches_every_group(task):
    for seed in (SEED, SEED + 1):
        (result,) = (one for one in measure_tests(find_catch(task).unit, seed) if one.id == task)
        assert [f"{check.id}: {check.message}" for check in result.checks if check.status != results.PASSED] == []
        assert result.points == len(find_catch(task).groups)


@pytest.mark.parametrize("task", TASKS)
def test_nothing_that_a_learner_reads_names_a_mistake(task):
    catch = find_catch(task)
    for slip in catch.slips:
        assert slip.name.partition(".")[2] not in slip.words or "." not in slip.name
        assert slip.words.rstrip().endswith("?"), f"{slip.name}: end with a question"
        assert slip.name.replace("-", " ") not in slip.words.lower()


@pytest.mark.parametrize(("task", "name"), CASES, ids=lambda part: part.replace(" ", "-"))
def test_a_test_gets_what_it_deserves(task, name):
    body, deserved = {**ANY, **TESTS.get(task, {})}[name]
    result = judged(task, body)
    expected = {group.id for group in find_catch(task).groups} if deserved == ALL else set(deserved.split())
    messages = {check.id: check.message for check in result.checks if check.message}
    found = {check.id.rpartition(".")[2] for check in result.checks if check.status == results.PASSED}
    assert found == expected, messages
