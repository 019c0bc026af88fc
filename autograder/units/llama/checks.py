"""Checks of the unit on Llama.

First comes what several tasks share: oracles in float64, which compute one head and one position at a time and share
nothing with the reference, and the driver that builds a module, gives it weights by name and calls it. Then come the
tasks, each with its drivers, helpers and checks, from basic to subtle. Sizes that could be confused (batch, positions,
heads, widths) differ, unless a comment says what equal ones are for.

Angles in float32 are right for every type, since released models compute them so. Where angles matter, float64 is
therefore compared with the tolerance of `ANGLES`. The checks pass a cache of their own, which has ``update`` and
``length`` and nothing else.
"""

import math

import pytest
import torch

from autograder.judging.assertions import assert_close, assert_equal, describe
from autograder.judging.replies import LearnerRaised, assert_raises, assert_refused, reply_of
from autograder.units.support.calls import assert_call, gradient_names, result_and_arguments, shape_of
from autograder.units.support.drivers import (
    at_path,
    load_by_path,
    weighted_gradients,
    with_gradients,
    zero_parameters,
)

ANGLES = 1e-5  # rounding an angle of 10 to float32 changes it by up to 5e-7
LONG = 5e-3  # rounding one of 5,000 changes it by up to 2e-4, and computing it adds some
HALVES = 4e-2  # bfloat16


# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def rms_by_hand(x, weight, eps=1e-5):
    """Vector by vector, number by number, in float64."""
    rows = []
    for vector in x.double().reshape(-1, x.shape[-1]).tolist():
        size = math.sqrt(sum(entry**2 for entry in vector) / len(vector) + eps)
        rows.append([gain * entry / size for gain, entry in zip(weight.tolist(), vector)])
    return torch.tensor(rows, dtype=torch.float64).reshape(x.shape)


def rope_by_hand(x, positions, base=10000.0):
    """Pair by pair, in float64: one complex number is multiplied by another of length 1."""
    half = x.shape[-1] // 2
    angles = [[position * base ** (-2 * i / (2 * half)) for i in range(half)] for position in positions.tolist()]
    turns = torch.tensor([[complex(math.cos(a), math.sin(a)) for a in row] for row in angles], dtype=torch.complex128)
    turned = torch.complex(x[..., :half].double(), x[..., half:].double()) * turns
    return torch.cat([turned.real, turned.imag], dim=-1)


def swiglu_by_hand(x, weights, prefix=""):
    gate, up, down = (weights[f"{prefix}{name}_proj.weight"].double() for name in ("gate", "up", "down"))
    inside = x.double() @ gate.T
    return (inside / (1 + torch.exp(-inside)) * (x.double() @ up.T)) @ down.T


def attention_by_hand(x, weights, heads, kv_heads, base=10000.0, prefix=""):
    """Query by query, head by head, in float64, from position 0."""
    q, k, v, o = (weights[f"{prefix}{name}_proj.weight"].double() for name in "qkvo")
    x, width, found = x.double(), len(q) // heads, []
    positions = torch.arange(x.shape[1])
    for head in range(heads):
        rows = slice(head * width, (head + 1) * width)
        shared = head * kv_heads // heads
        own = slice(shared * width, (shared + 1) * width)
        query, key = (rope_by_hand(x @ w.T, positions, base) for w in (q[rows], k[own]))
        value = x @ v[own].T
        mixed = []
        for t in positions.tolist():
            scores = (key[:, : t + 1] @ query[:, t, :, None])[..., 0] / math.sqrt(width)
            mixed.append((scores.softmax(-1)[:, None] @ value[:, : t + 1])[:, 0])
        found.append(torch.stack(mixed, dim=1))
    return torch.cat(found, dim=-1) @ o.T


def block_by_hand(x, weights, sizes, prefix=""):
    """One block; ``sizes`` are the arguments of a `LlamaConfig`."""
    x = x.double()
    normed = rms_by_hand(x, weights[f"{prefix}input_layernorm.weight"], sizes["eps"])
    of_heads = sizes["num_heads"], sizes["num_kv_heads"], sizes["base"]
    x = x + attention_by_hand(normed, weights, *of_heads, f"{prefix}self_attn.")
    normed = rms_by_hand(x, weights[f"{prefix}post_attention_layernorm.weight"], sizes["eps"])
    return x + swiglu_by_hand(normed, weights, f"{prefix}mlp.")


def llama_by_hand(ids, weights, sizes):
    """The whole model, without a cache."""
    table = weights["embed_tokens.weight"].double()
    x = table[ids]
    for layer in range(sizes["num_layers"]):
        x = block_by_hand(x, weights, sizes, f"layers.{layer}.")
    head = table if sizes["tied"] else weights["lm_head.weight"].double()
    return rms_by_hand(x, weights["norm.weight"], sizes["eps"]) @ head.T


def random_weights(rng, shapes, dtype=torch.float64):
    """Weights by path: matrices that keep the size of what they map, gains of order 1 and of both signs."""
    return {
        path: (rng.normal(*shape, dtype=torch.float64) / math.sqrt(shape[-1] if len(shape) > 1 else 1)).to(dtype)
        for path, shape in shapes.items()
    }


def attention_shapes(d, heads, kv_heads, prefix=""):
    kv_width = kv_heads * (d // heads)
    rows = {"q": d, "k": kv_width, "v": kv_width, "o": d}
    return {f"{prefix}{name}_proj.weight": (out, d) for name, out in rows.items()}


def swiglu_shapes(d, d_ff, prefix=""):
    return {f"{prefix}{name}_proj.weight": (d_ff, d) for name in ("gate", "up")} | {
        f"{prefix}down_proj.weight": (d, d_ff)
    }


def block_shapes(sizes, prefix=""):
    d = sizes["d_model"]
    norms = {f"{prefix}{name}_layernorm.weight": (d,) for name in ("input", "post_attention")}
    attention = attention_shapes(d, sizes["num_heads"], sizes["num_kv_heads"], f"{prefix}self_attn.")
    return norms | attention | swiglu_shapes(d, sizes["d_ff"], f"{prefix}mlp.")


def llama_shapes(sizes):
    table = (sizes["vocab_size"], sizes["d_model"])
    shapes = {"embed_tokens.weight": table, "norm.weight": (sizes["d_model"],)}
    for layer in range(sizes["num_layers"]):
        shapes |= block_shapes(sizes, f"layers.{layer}.")
    return shapes if sizes["tied"] else shapes | {"lm_head.weight": table}


class Cache:
    """Keys and values of each layer, as unit decoding's `KVCache` keeps them, and the shape of each update."""

    def __init__(self):
        self.kept, self.shapes = {}, []

    @property
    def length(self):
        return self.kept[0][0].shape[-2] if 0 in self.kept else 0

    def update(self, layer, k, v):
        self.shapes.append([layer, list(k.shape), list(v.shape)])
        if layer in self.kept:
            k, v = (torch.cat([old, new], dim=-2) for old, new in zip(self.kept[layer], (k, v)))
        self.kept[layer] = k, v
        return k, v


def made(learner, name, arguments):
    """An object of a class; a dictionary as ``arguments`` becomes a `LlamaConfig`, or a stand-in if that is missing."""
    from types import SimpleNamespace

    if isinstance(arguments, dict):
        try:
            make = learner.LlamaConfig
        except Exception:
            make = SimpleNamespace
        arguments = [make(**arguments)]
    return getattr(learner, name)(*arguments)


def call_module(learner, name, arguments, weights, inputs, chunks=None, cotangent=None):
    """Build a module, give it weights by path, and call it on several inputs.

    Returns the outputs, and the inputs as the calls left them. With ``chunks``, a list of lengths, the only input comes
    in pieces of these lengths, with one cache: returns the joined output, the input, the length of the cache after each
    piece, and the shapes of all updates. With a cotangent, the module is in training mode, which should change nothing:
    returns the output for the only input, and the gradients for the input and all weights. A sentence as the reply says
    what could not be set.
    """
    dtype = next(iter(weights.values())).dtype
    module = made(learner, name, arguments).to(dtype).train(cotangent is not None)
    for x in inputs[:1]:
        module(x.clone())  # catches modules that keep what their first call computed
    if complaint := load_by_path(module, weights):
        return complaint
    zero_parameters(made(learner, name, arguments))  # catches layers that all modules share
    if cotangent is not None:
        (x,), leaves = with_gradients(inputs)
        leaves += [at_path(module, path) for path in weights]
        output = module(x)
        return [output.detach(), *weighted_gradients(output, cotangent, leaves)]
    if chunks is None:
        return [module(x) for x in inputs], inputs
    cache, outputs, lengths, start = Cache(), [], [], 0
    for length in chunks:
        outputs.append(module(inputs[0][:, start : start + length], cache))
        lengths.append(cache.length)
        start += length
    return [torch.cat(outputs, dim=1)], inputs, lengths, cache.shapes


def called(subject, *request, **options):
    """The reply of `call_module`."""
    uses = (zero_parameters, at_path, load_by_path, with_gradients, weighted_gradients, Cache, made)
    return reply_of(subject, call_module, *request, parts=2, uses=uses, **options)


def check_outputs(learner, name, arguments, weights, inputs, expected, what, tolerance=None):
    """The outputs of `call_module` for several inputs are as expected, and the inputs have not changed."""
    outputs, after, *_ = called(learner, name, arguments, weights, inputs)
    for x, output, wanted, left in zip(inputs, outputs, expected, after):
        where = f"{what}, x {shape_of(x)} {x.dtype}"
        assert_close(output, wanted, where, tolerance, tolerance)
        assert_equal(left, x, f"the argument (it must not change) of {where}, after the call")


def check_gradients(learner, reference, name, arguments, weights, x, out_shape, rng, tolerance=None):
    """The output, and gradients for the input and every weight, in float64."""
    cotangent = rng.normal(*out_shape, dtype=torch.float64)
    request = name, arguments, weights, [x], None, cotangent
    expected = called(reference, *request)
    leaves = (*(["x"] if x.is_floating_point() else []), *weights)
    names = gradient_names(leaves, f"{name} in float64, in training mode")
    assert_close(tuple(called(learner, *request)), tuple(expected), names, tolerance, tolerance)


def inventory(learner, name, arguments):
    """The learned parameters of a module by name, with their shapes."""
    return {path: list(one.shape) for path, one in made(learner, name, arguments).named_parameters()}


def check_parts(learner, name, arguments, shapes):
    """A module has these parameters and no others; a tensor with two names counts once, under either."""
    found = learner.run(inventory, name, arguments, uses=(made,))
    if not isinstance(found, dict):
        raise AssertionError(f"The check cannot read the parts of {name}.")
    for path, shape in shapes.items():
        if path not in found and path == "embed_tokens.weight":
            path = "lm_head.weight"
        if path not in found:
            there = ", ".join(found) or "none"
            raise AssertionError(f"{name} should have a parameter {path}, but its parameters are: {there[:300]}.")
        assert_equal(list(found[path]), list(shape), f"the shape of {path} in {name}")
    spare = [path for path in found if path not in shapes]
    if len(found) > len(shapes):
        raise AssertionError(f"{name} should have no further parameter, but it has {', '.join(spare)[:300]}.")


# ---------------------------------------------------------------------------------------------------------------------
# RMSNorm


def norm_inputs(rng, shape, dtype=torch.float32):
    """Vectors that each have a mean and a size of their own."""
    spread = rng.uniform(*shape[:-1], 1, low=0.5, high=4)
    return (rng.normal(*shape) * spread + 2 * rng.normal(*shape[:-1], 1)).to(dtype)


@pytest.mark.task("llama.RMSNorm", points=1)
def test_norm_parts(learner, reference, rng):
    """The only parameter is `weight` of shape (d,), and it starts at 1."""
    check_parts(learner, "RMSNorm", [7], {"weight": (7,)})
    assert_equal(learner.run(untouched, 7), torch.ones(7), "RMSNorm(7).weight as it is built")


def untouched(learner, d):
    """The weight that a norm is built with."""
    return learner.RMSNorm(d).weight.detach()


@pytest.mark.task("llama.RMSNorm", points=2)
def test_root_mean_square(learner, reference, rng):
    """Every vector is divided by its own root mean square, whatever axes come before the last."""
    # Square shapes catch a lost axis, which raises no error there; one axis and four axes catch a fixed axis.
    for shapes in (((2, 5, 6), (6,), (3, 6), (2, 3, 4, 6)), ((4, 4, 4), (4, 4), (1, 1, 4))):
        weights = random_weights(rng, {"weight": shapes[0][-1:]}, torch.float32)
        inputs = [norm_inputs(rng, shape) for shape in shapes]
        expected = [rms_by_hand(x, weights["weight"]).float() for x in inputs]
        check_outputs(learner, "RMSNorm", [shapes[0][-1]], weights, inputs, expected, f"RMSNorm({shapes[0][-1]})")


@pytest.mark.task("llama.RMSNorm", points=1)
def test_norm_epsilon(learner, reference, rng):
    """eps is added to the mean square, inside the root; 1e-5 unless given."""
    weights = random_weights(rng, {"weight": (6,)}, torch.float32)
    small = rng.normal(5, 6) * torch.tensor([[3e-2], [3e-3], [1e-3], [1e-4], [0.0]])
    large = rng.normal(3, 6) * torch.tensor([[2.0], [0.5], [0.1]])
    for given, eps, x in (([], 1e-5, small), ([1e-6], 1e-6, small), ([0.1], 0.1, large), ([2.0], 2.0, large)):
        expected = [rms_by_hand(x, weights["weight"], eps).float()]
        what = f"RMSNorm(6{''.join(f', {one}' for one in given)}) of rows of different sizes"
        check_outputs(learner, "RMSNorm", [6, *given], weights, [x], expected, what)


@pytest.mark.task("llama.RMSNorm", points=1)
def test_norm_types_and_gradients(learner, reference, rng):
    """Works in float64 and bfloat16, and lets gradients through."""
    for dtype, tolerance in ((torch.float64, None), (torch.bfloat16, HALVES)):
        weights = random_weights(rng, {"weight": (8,)}, dtype)
        x = norm_inputs(rng, (2, 3, 8), dtype)
        expected = [rms_by_hand(x, weights["weight"]).to(dtype)]
        check_outputs(learner, "RMSNorm", [8], weights, [x], expected, "RMSNorm(8)", tolerance)
    weights = random_weights(rng, {"weight": (5,)})
    check_gradients(learner, reference, "RMSNorm", [5], weights, norm_inputs(rng, (3, 5)).double(), (3, 5), rng)


@pytest.mark.task("llama.RMSNorm", points=1)
def test_norm_of_large_halves(learner, reference, rng):
    """Squares neither overflow nor vanish where x has 16 bits: the mean square is computed in float32."""
    weights = random_weights(rng, {"weight": (6,)}, torch.float16)
    for size in (1000.0, 1e-3):  # the squares are 1e6, beyond the largest float16, and 1e-6, of few digits there
        x = (size * rng.normal(3, 4, 6)).to(torch.float16)
        expected = [rms_by_hand(x, weights["weight"]).to(torch.float16)]
        what = f"RMSNorm(6) of numbers near {size:g}"
        check_outputs(learner, "RMSNorm", [6], weights, [x], expected, what, 1e-2)
    # Many entries: a sum of squares that is kept in bfloat16 stops growing.
    weights = {"weight": torch.ones(2000, dtype=torch.bfloat16)}
    x = rng.normal(2, 2000, dtype=torch.bfloat16)
    expected = [rms_by_hand(x, weights["weight"]).bfloat16()]
    check_outputs(learner, "RMSNorm", [2000], weights, [x], expected, "RMSNorm(2000)", HALVES)


# ---------------------------------------------------------------------------------------------------------------------
# apply_rope


def check_rope(learner, rng, shape, positions, base=None, dtype=torch.float32, tolerance=ANGLES):
    """The result is that of `rope_by_hand`, and the arguments are as they were."""
    x, positions = rng.normal(*shape, dtype=dtype), torch.as_tensor(positions)
    arguments = {"x": x, "positions": positions} | ({} if base is None else {"base": base})
    expected = rope_by_hand(x, positions, 10000.0 if base is None else base).to(dtype)
    given = "" if base is None else f", base={base:g}"
    what = f"apply_rope(x, positions{given}) for x {shape} {dtype}, positions {positions.tolist()}"[:200]
    reply = result_and_arguments(learner, "apply_rope", list(arguments.values()))
    assert_call(reply, arguments, expected, what, tolerance)


@pytest.mark.task("llama.apply_rope", points=2)
def test_turned_in_halves(learner, reference, rng):
    """Entries i and i + d_head/2 are turned as a pair, by position times frequency."""
    check_rope(learner, rng, (2, 3, 5, 8), range(5))
    check_rope(learner, rng, (3, 2, 4, 6), range(4))
    check_rope(learner, rng, (1, 4, 3, 2), range(3))  # one pair: no frequency but 1
    # As many heads as positions, and as many sequences: catches an axis that was taken for another.
    check_rope(learner, rng, (4, 4, 4, 4), range(4))


@pytest.mark.task("llama.apply_rope", points=2)
def test_any_positions(learner, reference, rng):
    """Positions are those that are given: not from 0, with gaps, in any order, one alone."""
    for positions in ((7, 8, 9), (3, 11, 12), (5, 0, 2), (6, 6, 1)):
        check_rope(learner, rng, (2, 4, 3, 6), positions)
    for position in (0, 1, 13):
        check_rope(learner, rng, (2, 3, 1, 10), (position,))


@pytest.mark.task("llama.apply_rope", points=1)
def test_other_base(learner, reference, rng):
    """base sets how slowly the last pair turns."""
    for base in (50.0, 500000.0, 10000.0, 3.0):
        check_rope(learner, rng, (2, 3, 4, 8), (2, 3, 9, 30), base)


@pytest.mark.task("llama.apply_rope", points=1)
def test_any_leading_axes(learner, reference, rng):
    """Works for a single sequence of vectors and for any axes before it."""
    for shape in ((4, 6), (3, 4, 6), (2, 1, 3, 4, 6)):
        check_rope(learner, rng, shape, (0, 3, 1, 8))


@pytest.mark.task("llama.apply_rope", points=1)
def test_rope_types(learner, reference, rng):
    """Keeps the float type; angles of far positions are exact enough also where x has 16 bits."""
    check_rope(learner, rng, (2, 3, 4, 8), range(4), dtype=torch.float64)
    check_rope(learner, rng, (2, 3, 4, 8), (0, 1, 2, 3), dtype=torch.bfloat16, tolerance=HALVES)
    # bfloat16 knows no integer between 256 and 258: angles in it are those of other positions.
    check_rope(learner, rng, (2, 3, 4, 8), (257, 1001, 4095, 30), dtype=torch.bfloat16, tolerance=HALVES)
    check_rope(learner, rng, (2, 3, 3, 8), (257, 4095, 30), 500000.0, dtype=torch.float16, tolerance=1e-2)
    check_rope(learner, rng, (2, 3, 4, 8), (257, 1001, 4095, 8191), tolerance=LONG)


def rope_gradient(learner, x, positions, cotangent):
    """The gradient of a weighted sum of the result for x."""
    (x,), leaves = with_gradients([x])
    return weighted_gradients(learner.apply_rope(x, positions), cotangent, leaves)[0]


@pytest.mark.task("llama.apply_rope", points=1)
def test_rope_gradient_and_odd_width(learner, reference, rng):
    """Lets gradients through; an odd width raises ValueError."""
    x, cotangent = (rng.normal(2, 3, 4, 6, dtype=torch.float64) for _ in range(2))
    positions = torch.tensor([3, 0, 9, 4])
    found = learner.run(rope_gradient, x, positions, cotangent, uses=(with_gradients, weighted_gradients))
    # A rotation's gradient is turned back.
    expected = rope_by_hand(cotangent, -positions)
    assert_close(found, expected, "the gradient of apply_rope(x, positions) with respect to x", ANGLES, ANGLES)
    for width in (5, 1, 7):
        x = rng.normal(2, 3, 4, width)
        assert_raises(
            ValueError,
            lambda x=x: learner.apply_rope(x, torch.arange(4)),
            f"apply_rope(x, positions) for x {shape_of(x)}, whose entries cannot be paired,",
        )


def check_raises(call, what):
    """Any error is accepted."""
    try:
        call()
    except LearnerRaised:
        return
    raise AssertionError(f"{what} should raise a ValueError, but raised no error.")


# ---------------------------------------------------------------------------------------------------------------------
# SwiGLU


@pytest.mark.task("llama.SwiGLU", points=1)
def test_swiglu_parts(learner, reference, rng):
    """Three linear layers without biases, of the right sizes."""
    for d, d_ff in ((4, 10), (9, 6)):
        check_parts(learner, "SwiGLU", [d, d_ff], swiglu_shapes(d, d_ff))


@pytest.mark.task("llama.SwiGLU", points=2)
def test_gated(learner, reference, rng):
    """With given weights, the output is down(silu(gate(x)) * up(x))."""
    for d, d_ff in ((4, 7), (7, 5), (5, 5), (1, 3)):
        weights = random_weights(rng, swiglu_shapes(d, d_ff), torch.float32)
        # Large numbers as well: there SiLU, GELU and the ReLU come close, and a sigmoid alone does not.
        inputs = [rng.normal(2, 3, d), 3 * rng.normal(4, d), 0.3 * rng.normal(2, 1, 3, d), rng.normal(d)]
        expected = [swiglu_by_hand(x, weights).float() for x in inputs]
        check_outputs(learner, "SwiGLU", [d, d_ff], weights, inputs, expected, f"SwiGLU({d}, {d_ff})", 1e-4)


@pytest.mark.task("llama.SwiGLU", points=1)
def test_swiglu_types_and_gradients(learner, reference, rng):
    """Works in float64 and bfloat16; gradients reach the input and all three weights."""
    for dtype, tolerance in ((torch.float64, None), (torch.bfloat16, 2 * HALVES)):
        weights = random_weights(rng, swiglu_shapes(6, 9), dtype)
        x = rng.normal(2, 4, 6, dtype=dtype)
        expected = [swiglu_by_hand(x, weights).to(dtype)]
        check_outputs(learner, "SwiGLU", [6, 9], weights, [x], expected, "SwiGLU(6, 9)", tolerance)
    weights, x = random_weights(rng, swiglu_shapes(3, 5)), rng.normal(2, 4, 3, dtype=torch.float64)
    check_gradients(learner, reference, "SwiGLU", [3, 5], weights, x, (2, 4, 3), rng)


# ---------------------------------------------------------------------------------------------------------------------
# GroupedQueryAttention


def check_attention(
    learner, rng, d, heads, kv_heads, base=None, times=(5, 3, 1), dtype=torch.float64, tolerance=ANGLES
):
    """The output with given weights, without a cache, for inputs of several lengths."""
    weights = random_weights(rng, attention_shapes(d, heads, kv_heads))
    for name in "qk":  # scores of order 1 to 4: flat ones would hide a wrong rotation
        weights[f"{name}_proj.weight"] *= 1.5
    weights = {path: one.to(dtype) for path, one in weights.items()}
    inputs = [rng.normal(2, time, d, dtype=dtype) for time in times]
    expected = [attention_by_hand(x, weights, heads, kv_heads, base or 10000.0).to(dtype) for x in inputs]
    arguments = [d, heads, kv_heads, *([] if base is None else [base])]
    what = f"GroupedQueryAttention({', '.join(map(str, arguments))})"
    check_outputs(learner, "GroupedQueryAttention", arguments, weights, inputs, expected, what, tolerance)


@pytest.mark.task("llama.GroupedQueryAttention", points=1)
def test_attention_parts(learner, reference, rng):
    """Four linear layers without biases; those of keys and values are as wide as their heads."""
    for d, heads, kv_heads in ((12, 6, 2), (10, 5, 1), (8, 2, 2)):
        shapes = attention_shapes(d, heads, kv_heads)
        check_parts(learner, "GroupedQueryAttention", [d, heads, kv_heads], shapes)


@pytest.mark.task("llama.GroupedQueryAttention", points=2)
def test_as_many_key_heads(learner, reference, rng):
    """With as many key heads as query heads it is causal attention with rotary positions."""
    for d, heads in ((8, 2), (12, 3), (6, 1)):
        check_attention(learner, rng, d, heads, heads)
    for dtype, tolerance in ((torch.float32, 1e-4), (torch.bfloat16, 1e-1)):
        check_attention(learner, rng, 12, 3, 3, dtype=dtype, tolerance=tolerance)


@pytest.mark.task("llama.GroupedQueryAttention", points=2)
def test_groups_of_neighbours(learner, reference, rng):
    """Query heads that are neighbours share a key head: h uses h // (num_heads / num_kv_heads)."""
    # 4 heads in 2 groups, and 9 in 3: with one group, or groups of one head, `repeat` would give the same.
    for d, heads, kv_heads in ((8, 4, 2), (36, 9, 3), (24, 6, 2), (20, 5, 1), (24, 6, 3)):
        check_attention(learner, rng, d, heads, kv_heads, times=(4,))


@pytest.mark.task("llama.GroupedQueryAttention", points=1)
def test_base_of_the_attention(learner, reference, rng):
    """base reaches the rotary positions, of queries and of keys."""
    for base in (3.0, 500000.0):
        check_attention(learner, rng, 16, 4, 2, base, times=(7,))


def attention_by_layers(learner, arguments, weights, x, chunks):
    """Two attentions on the same input, piece by piece, as layers 0 and 1 of one cache.

    Between two pieces the attentions read another sequence with another cache: catches those that count positions
    themselves. Returns the outputs of both, the input, and the shapes of all updates; or a sentence.
    """
    modules = []
    for of_layer in weights:
        modules.append(learner.GroupedQueryAttention(*arguments).to(x.dtype).eval())
        if complaint := load_by_path(modules[-1], of_layer):
            return complaint
    cache, outputs, start = Cache(), [[] for _ in modules], 0
    for length in chunks:
        for layer, module in enumerate(modules):
            outputs[layer].append(module(x[:, start : start + length], cache, layer))
        start += length
        other = Cache()
        for layer, module in enumerate(modules):
            module(x.flip(1), other, layer)
    return [torch.cat(one, dim=1) for one in outputs], x, cache.shapes


def cached(learner, rng, d, heads, kv_heads, chunks, batch=2):
    """Outputs, what they should be, and the shapes of the updates."""
    weights = [random_weights(rng, attention_shapes(d, heads, kv_heads)) for _ in range(2)]
    x = rng.normal(batch, sum(chunks), d, dtype=torch.float64)
    expected = [attention_by_hand(x, one, heads, kv_heads) for one in weights]
    uses = (at_path, load_by_path, Cache)
    request = [d, heads, kv_heads], weights, x, chunks
    outputs, after, shapes = reply_of(learner, attention_by_layers, *request, parts=3, uses=uses)
    assert_equal(after, x, f"the argument x of GroupedQueryAttention({d}, {heads}, {kv_heads}) after the call")
    return outputs, expected, shapes


@pytest.mark.task("llama.GroupedQueryAttention", points=3)
def test_with_a_cache(learner, reference, rng):
    """With a cache, pieces give what the whole gives: positions continue, and new ones do not see the future."""
    # One at a time; a piece of several first; several new ones on a full cache, which a mask of T by T does not fit.
    for d, heads, kv_heads, chunks in (
        (12, 3, 1, (1, 1, 1, 1)),
        (8, 4, 2, (4, 1, 1)),
        (24, 6, 2, (3, 4, 1, 2)),
        (8, 2, 2, (2, 2)),
    ):
        outputs, expected, _ = cached(learner, rng, d, heads, kv_heads, chunks, batch=1 + len(chunks) % 2)
        for layer, (output, wanted) in enumerate(zip(outputs, expected)):
            what = f"GroupedQueryAttention({d}, {heads}, {kv_heads}) in pieces of {chunks}, as layer {layer} of a cache"
            assert_close(output, wanted, what, ANGLES, ANGLES)


@pytest.mark.task("llama.GroupedQueryAttention", points=1)
def test_cache_holds_key_heads(learner, reference, rng):
    """For each layer, the cache holds num_kv_heads heads and every position once."""
    chunks = (3, 1)
    _, _, shapes = cached(learner, rng, 24, 6, 2, chunks, batch=3)
    # An update without positions is left out: it only asks how many positions a layer holds.
    added = [one for one in shapes if one[1:] != [[3, 2, 0, 4]] * 2]
    expected = [[layer, *[[3, 2, time, 4]] * 2] for time in chunks for layer in range(2)]
    assert_equal(added, expected, "layer and shapes of k and v in each cache.update (B, num_kv_heads, T, d_head)")


@pytest.mark.task("llama.GroupedQueryAttention", points=1)
def test_attention_to_the_past(learner, reference, rng):
    """Later positions change nothing before them; gradients reach the input and every weight."""
    weights = random_weights(rng, attention_shapes(12, 3, 1))
    whole = rng.normal(2, 6, 12, dtype=torch.float64)
    later = whole.clone()
    later[:, 4:] += 3 * rng.normal(2, 2, 12, dtype=torch.float64)
    outputs, *_ = called(learner, "GroupedQueryAttention", [12, 3, 1], weights, [whole, later, whole[:, :4]])
    for name, output in (("after later ones changed", outputs[1][:, :4]), ("given alone", outputs[2])):
        assert_close(output, outputs[0][:, :4], f"GroupedQueryAttention(12, 3, 1) at the first 4 positions, {name}")
    arguments, shapes = [8, 4, 2], attention_shapes(8, 4, 2)
    x, weights = rng.normal(2, 5, 8, dtype=torch.float64), random_weights(rng, shapes)
    name = "GroupedQueryAttention"
    check_gradients(learner, reference, name, arguments, weights, x, (2, 5, 8), rng, ANGLES)


def build_attention(learner, *arguments):
    """Only build one."""
    learner.GroupedQueryAttention(*arguments)


@pytest.mark.task("llama.GroupedQueryAttention", points=1)
def test_groups_that_do_not_fit(learner, reference, rng):
    """A number of key heads that does not divide the number of query heads raises when the module is built."""
    learner.run(build_attention, 24, 6, 3)
    for d, heads, kv_heads in ((24, 6, 4), (12, 3, 2), (8, 2, 4)):
        check_raises(
            lambda sizes=(d, heads, kv_heads): learner.run(build_attention, *sizes),
            f"GroupedQueryAttention({d}, {heads}, {kv_heads})",
        )


# ---------------------------------------------------------------------------------------------------------------------
# LlamaBlock

SIZES = {  # all differ, and base and eps are not the defaults
    "vocab_size": 13,
    "d_model": 24,
    "d_ff": 10,
    "num_heads": 6,
    "num_kv_heads": 2,
    "num_layers": 3,
    "base": 40.0,
    "eps": 0.02,
    "tied": True,
}
ODD = SIZES | {"d_model": 18, "num_heads": 3, "num_kv_heads": 1, "d_ff": 29, "base": 10000.0, "eps": 1e-5}


@pytest.mark.task("llama.LlamaBlock", points=1)
def test_block_parts(learner, reference, rng):
    """Two norms, attention and feed-forward layer under the names of released checkpoints."""
    for sizes in (SIZES, ODD):
        check_parts(learner, "LlamaBlock", sizes, block_shapes(sizes))


@pytest.mark.task("llama.LlamaBlock", points=3)
def test_block_values(learner, reference, rng):
    """Each sublayer reads a normed input, and what it finds is added to the input that was not normed."""
    for sizes, dtype, tolerance in (
        (SIZES, torch.float64, ANGLES),
        (ODD, torch.float64, ANGLES),
        (SIZES, torch.float32, 1e-4),
        (ODD, torch.bfloat16, 0.15),
    ):
        weights = random_weights(rng, block_shapes(sizes), dtype)
        # Inputs of size 0.3 and 3: there the epsilon shows, and where the norm stands. One position, or one sequence:
        # catches axes of length 1 that are squeezed away.
        shapes = ((0.3, 2, 5), (3, 2, 1), (3, 1, 3))
        inputs = [scale * rng.normal(rows, time, sizes["d_model"], dtype=dtype) for scale, rows, time in shapes]
        expected = [block_by_hand(x, weights, sizes).to(dtype) for x in inputs]
        check_outputs(learner, "LlamaBlock", sizes, weights, inputs, expected, "LlamaBlock(config)", tolerance)


def block_by_layers(learner, sizes, weights, x, chunks):
    """A block as layer 0, then as layer 1 of one cache, piece by piece; both outputs, or a sentence."""
    block = made(learner, "LlamaBlock", sizes).to(x.dtype).eval()
    if complaint := load_by_path(block, weights):
        return complaint
    cache, outputs, start = Cache(), [[], []], 0
    for length in chunks:
        for layer in range(2):
            piece = x[layer][:, start : start + length]
            outputs[layer].append(block(piece, cache, layer))
        start += length
    return [torch.cat(one, dim=1) for one in outputs], cache.length


@pytest.mark.task("llama.LlamaBlock", points=1)
def test_block_with_a_cache(learner, reference, rng):
    """Cache and layer reach the attention."""
    weights = random_weights(rng, block_shapes(SIZES))
    # Two layers that read different inputs: catches keys and values that all layers share.
    x = rng.normal(2, 2, 6, 24, dtype=torch.float64)
    uses = (at_path, load_by_path, Cache, made)
    outputs, length = reply_of(learner, block_by_layers, SIZES, weights, x, (3, 1, 2), parts=2, uses=uses)
    for layer in range(2):
        expected = block_by_hand(x[layer], weights, SIZES)
        what = f"LlamaBlock(config) in pieces of (3, 1, 2), as layer {layer} of a cache"
        assert_close(outputs[layer], expected, what, ANGLES, ANGLES)
    assert_equal(length, 6, "cache.length after LlamaBlock(config) has read pieces of (3, 1, 2)")


@pytest.mark.task("llama.LlamaBlock", points=1)
def test_block_gradients(learner, reference, rng):
    """Gradients reach the input and every weight."""
    x, weights = rng.normal(2, 4, 24, dtype=torch.float64), random_weights(rng, block_shapes(SIZES))
    check_gradients(learner, reference, "LlamaBlock", SIZES, weights, x, (2, 4, 24), rng, ANGLES)


# ---------------------------------------------------------------------------------------------------------------------
# Llama

UNTIED = ODD | {"tied": False, "num_layers": 2, "vocab_size": 11}


def loud(weights):
    """The weights with a table three times as large, so that logits differ by more than rounding."""
    return weights | {"embed_tokens.weight": 3 * weights["embed_tokens.weight"]}


@pytest.mark.task("llama.Llama", points=1)
def test_llama_parts(learner, reference, rng):
    """Table, blocks, last norm; a head of its own only where it is not tied."""
    for sizes in (UNTIED, SIZES, SIZES | {"num_layers": 1}):
        check_parts(learner, "Llama", sizes, llama_shapes(sizes))


@pytest.mark.task("llama.Llama", points=3)
def test_logits(learner, reference, rng):
    """Logits at every position, with a tied head and with one of its own."""
    for sizes, dtype, tolerance in (
        (UNTIED, torch.float64, 1e-4),
        (SIZES, torch.float64, 1e-4),
        (SIZES, torch.float32, 1e-3),
        (ODD | {"num_layers": 1}, torch.float64, 1e-4),
    ):
        weights = loud(random_weights(rng, llama_shapes(sizes), dtype))
        # One sequence, one position, or both alone: catches axes of length 1 that are squeezed away.
        inputs = [rng.integers(0, sizes["vocab_size"], *shape) for shape in ((2, 6), (3, 1), (1, 4), (1, 1))]
        expected = [llama_by_hand(ids, weights, sizes).to(dtype) for ids in inputs]
        what = f"Llama(config)(ids), tied={sizes['tied']}"
        check_outputs(learner, "Llama", sizes, weights, inputs, expected, what, tolerance)


@pytest.mark.task("llama.Llama", points=2)
def test_llama_with_a_cache(learner, reference, rng):
    """With a cache, pieces give the logits of the whole; every layer has its own keys and values."""
    for sizes, chunks in ((UNTIED, (1, 1, 1)), (SIZES, (4, 1, 1, 3)), (ODD, (2, 5))):
        weights = loud(random_weights(rng, llama_shapes(sizes)))
        ids = rng.integers(0, sizes["vocab_size"], 2, sum(chunks))
        (logits,), _, lengths, shapes = called(learner, "Llama", sizes, weights, [ids], chunks)
        expected = llama_by_hand(ids, weights, sizes)
        assert_close(logits, expected, f"Llama(config)(ids, cache) in pieces of {chunks}", 1e-4, 1e-4)
        ends = torch.tensor(chunks).cumsum(0).tolist()
        assert_equal(
            list(lengths), ends, f"cache.length after each of the pieces {chunks} of Llama(config)(ids, cache)"
        )
        layers = sorted({layer for layer, *_ in shapes})
        assert_equal(
            layers,
            list(range(sizes["num_layers"])),
            "the layers with which Llama(config)(ids, cache) updated the cache",
        )


@pytest.mark.task("llama.Llama", points=1)
def test_llama_gradients(learner, reference, rng):
    """Gradients reach every weight; those of a tied table come from both of its uses."""
    for sizes in (UNTIED, SIZES):
        weights = loud(random_weights(rng, llama_shapes(sizes)))
        ids, size = rng.integers(0, sizes["vocab_size"], 2, 4), (2, 4, sizes["vocab_size"])
        check_gradients(learner, reference, "Llama", sizes, weights, ids, size, rng, 1e-4)


# ---------------------------------------------------------------------------------------------------------------------
# llama_state


def checkpoint(rng, sizes, dtype=torch.float32, prefix="model."):
    """A state as a released checkpoint names it, and what it should become."""
    weights = random_weights(rng, llama_shapes(sizes), dtype)
    state = {path if path == "lm_head.weight" else prefix + path: one for path, one in weights.items()}
    return state, weights


def convert(learner, state):
    """The converted state as a plain dict, and the names and tensors of the given one afterwards."""
    found = learner.llama_state(state)
    return dict(found), dict(state)


def check_state(learner, state, expected, what):
    found, after = reply_of(learner, convert, state, parts=2)
    if not isinstance(found, dict):
        raise AssertionError(f"llama_state(state) should return a dict ({what}), but returned {describe(found)}.")
    missing, extra = sorted(expected.keys() - found.keys()), sorted(found.keys() - expected.keys())
    if missing:
        raise AssertionError(f"The converted state should hold {missing[0]} ({what}); it holds {sorted(found)[:4]} …")
    if extra:
        raise AssertionError(f"The converted state should not hold {extra[0]} ({what}).")
    for name, tensor in expected.items():
        assert_equal(found[name], tensor, f"{name} of the converted state ({what})")
    assert_equal(
        sorted(after), sorted(state), f"the names in the argument of llama_state(state) after the call ({what})"
    )


def refuses_deep_ones(learner, states):
    """For each state, whether `llama_state` refuses it by a ValueError."""
    llama_state, found = learner.llama_state, []
    for state in states:
        try:
            llama_state(state)
        except ValueError:
            found.append(True)
        else:
            found.append(False)
    return found


DEEP = SIZES | {"vocab_size": 5, "d_model": 4, "d_ff": 3, "num_heads": 2, "num_kv_heads": 1, "num_layers": 100}


@pytest.mark.task("llama.llama_state", points=2)
def test_names(learner, reference, rng):
    """Every tensor of a checkpoint arrives under this model's name for it, unchanged; old frequencies are left out."""
    for sizes, dtype in (
        (SIZES, torch.float32),
        (SIZES | {"d_model": 12, "num_heads": 6, "d_ff": 12, "num_kv_heads": 6}, torch.bfloat16),  # square matrices
        (SIZES | {"num_layers": 12}, torch.float32),  # layers of two digits
    ):
        state, weights = checkpoint(rng, sizes, dtype)
        names = sorted(state, key=lambda name: name[::-1])  # in another order than the model's
        # A separate request tells two mistakes from others: reading one digit alone, and comparing numbers as texts.
        deep = [state, checkpoint(rng, DEEP)[0]] if sizes["num_layers"] == 12 else []
        for count, refused in zip((12, 100), learner.run(refuses_deep_ones, deep) if deep else ()):
            if refused:
                raise AssertionError(
                    f"llama_state refuses a checkpoint of {count} layers, in which nothing is missing."
                )
        check_state(learner, {name: state[name] for name in names}, weights, f"{sizes['num_layers']} layers, {dtype}")


@pytest.mark.task("llama.llama_state", points=1)
def test_tied_head(learner, reference, rng):
    """A head that is the table is dropped; one of its own is kept."""
    state, weights = checkpoint(rng, SIZES)
    head = state["model.embed_tokens.weight"].clone()
    check_state(learner, state | {"lm_head.weight": head}, weights, "a tied head")
    state, weights = checkpoint(rng, UNTIED)
    check_state(learner, state, weights, "a head of its own")
    # A head that was trained for a few steps after it was untied.
    table = state["model.embed_tokens.weight"]
    head = table.clone()
    head[3, 5] += 0.01
    state, weights = state | {"lm_head.weight": head}, weights | {"lm_head.weight": head}
    check_state(learner, state, weights, "a head that differs from the table in one entry, by 0.01")


def refused_states(learner, states):
    """For each state the refusal of `llama_state`: kinds, text and ``None``; or no kinds, no text, and the names."""
    llama_state, outcomes = learner.llama_state, []
    for state in states:
        try:
            outcomes.append([[], "", sorted(llama_state(state))])
        except NotImplementedError:
            raise
        except Exception as error:
            outcomes.append([[kind.__name__ for kind in type(error).__mro__], str(error), None])
    return outcomes


def check_refusals(learner, cases):
    """Each case is a description, a state and names. The state is refused by a ValueError with one of the names.

    The sizes of layer 0, of the table and of the last norm are right, so a learner may read them from any of these.
    """
    outcomes = reply_of(learner, refused_states, [state for _, state, _ in cases])
    for (what, _, names), outcome in zip(cases, outcomes):
        assert_refused(outcome, f"llama_state of a checkpoint {what}", shown=lambda names: f"{len(names)} tensors")
        text = outcome[1]
        if not any(name in text for name in names):
            raise AssertionError(
                f"The message about a checkpoint {what} should name {names[0]}, but says: {text[:120]!r}."
            )


@pytest.mark.task("llama.llama_state", points=1)
def test_missing_tensors(learner, reference, rng):
    """A tensor that is missing raises ValueError, which names it."""
    state, _ = checkpoint(rng, SIZES)
    names = [
        "model.norm.weight",
        "model.embed_tokens.weight",
        "model.layers.1.self_attn.v_proj.weight",
        "model.layers.2.post_attention_layernorm.weight",
        "model.layers.0.mlp.up_proj.weight",
    ]
    cases = [(f"without {name}", {k: v for k, v in state.items() if k != name}, [name[6:]]) for name in names]
    gap = {name: one for name, one in state.items() if ".layers.1." not in name}
    cases.append(("without layer 1 of 3", gap, ["layers.1"]))
    check_refusals(learner, cases)


@pytest.mark.task("llama.llama_state", points=1)
def test_extra_tensors(learner, reference, rng):
    """A tensor that this model has no counterpart for raises ValueError, which names it."""
    state, _ = checkpoint(rng, SIZES)
    extra = {
        "model.layers.1.self_attn.q_proj.bias": (24,),
        "model.layers.0.mlp.fc.weight": (10, 24),
        "model.embed_positions.weight": (50, 24),
        "score.weight": (2, 24),
        "model.norm.bias": (24,),
    }
    cases = [(f"with {name}", state | {name: rng.normal(*shape)}, [name]) for name, shape in extra.items()]
    check_refusals(learner, cases)


@pytest.mark.task("llama.llama_state", points=1)
def test_shapes_that_do_not_fit(learner, reference, rng):
    """A tensor of a shape that does not fit the others raises ValueError, which names it."""
    state, _ = checkpoint(rng, UNTIED | {"num_layers": 3})
    cases = []
    for name, shape in (
        ("model.layers.1.self_attn.q_proj.weight", (18, 17)),
        ("model.layers.2.mlp.down_proj.weight", (29, 18)),  # transposed, as GPT-2's checkpoints have it
        ("model.layers.1.input_layernorm.weight", (17,)),
        ("model.layers.1.self_attn.k_proj.weight", (6, 19)),
        ("model.layers.2.self_attn.v_proj.weight", (12, 18)),
        ("model.layers.1.mlp.gate_proj.weight", (30, 18)),
        ("lm_head.weight", (11, 17)),
        ("model.layers.2.post_attention_layernorm.weight", (1, 18)),
    ):
        part = name.removeprefix("model.")
        cases.append((f"whose {name} has the shape {shape}", state | {name: rng.normal(*shape)}, [part]))
    check_refusals(learner, cases)
