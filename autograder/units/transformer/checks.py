"""Checks of the unit on the Transformer.

Inner names are free. A layer's attentions, norms and linear layers are found by type, by shape, and by the attribute
names that the units on many heads and on blocks fix. They are given random weights, and the layer is compared with a
formula in float64; every way to assign the weights counts as right. The order in which parts are made is free too: of
parts that look alike, the one that is used first is given its weights first. A mistake then gives the same numbers
however the parts are arranged, and the diagnosis recognises it. Stacks and models are watched from inside: what enters
and leaves each layer is recorded, and each layer is called again with the masks that it should have had.

First comes what several tasks share, then each task with its drivers, helpers and checks, from basic to subtle. Each
check looks at one mechanism. Sizes that could be confused differ.
"""

import math
from functools import partial
from itertools import permutations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from autograder.judging.assertions import assert_close, assert_equal, demand_one
from autograder.judging.replies import assert_raises, reply_of
from autograder.units.support.drivers import (
    fill_by_role,
    fill_in_order,
    fill_parameters,
    is_norm,
    load_layers,
    norm_parameters,
    order_of_use,
    weighted_gradients,
    zero_parameters,
)
from autograder.units.support.oracles import decoder_mask_by_hand, padding_mask_by_hand
from autograder.units.support.statistics import share_of

PAD, BOS = 0, 2
SIZES = (7, 9, 2, 6, 10, 2)  # src_vocab, tgt_vocab, num_layers, d_model, d_ff, num_heads
# Depth 3 catches stacks that always have two layers. d_ff is 3, which divides d_model: passed as the number of
# heads, it raises no error.
DEEPER = (7, 9, 3, 6, 3, 2)


# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def by_shape_and_name(named):
    """A sort key that does not depend on the order of registration; in one shape, `w_q` comes before `w_v`."""
    path = named[0].split(".")
    return tuple(named[1].shape), path[-1], path[-2] if path[-2:-1] and path[-2][:2] == "w_" else ""


def modules_of(model, kind, *others):
    """The modules whose class is named ``kind``; among several named base classes the nearest counts."""
    kinds, modules = (kind, *others), list(model.modules())
    nearest = {
        cls: next((base.__name__ for base in cls.__mro__ if base.__name__ in kinds), "")
        for cls in set(map(type, modules))
    }
    return [one for one in modules if nearest[type(one)] == kind]


def record(layer, index, records, memories, masks):
    """Make a layer note what it reads and returns at each call, and what it returns with the masks it should get.

    A decoder layer has two masks. It also notes its memory, and its second call reads the first layer's memory.
    """
    right = layer.forward

    def forward(x, *args, **kwargs):
        output = right(x, *args, **kwargs)
        if len(masks) == 1:
            again = right(x, *masks)
        else:
            memories.append(args[0] if args else kwargs["memory"])
            again = right(x, memories[0], *masks)
        records.append((index, x, output, again))
        return output

    layer.forward = forward


def heads_of(layers):
    """The numbers of heads in the layers: the second size of each attention's ``weights`` (B, H, T_q, T_k)."""
    weights = [getattr(one, "weights", None) for layer in layers for one in layer.modules() if hasattr(one, "w_q")]
    return [one.shape[1] for one in weights if isinstance(one, torch.Tensor) and one.ndim == 4]


def last_norms(stacks, layers):
    """Gain and bias of each norm of the stacks that belongs to none of the layers."""
    inside = {id(part) for layer in layers for part in layer.modules()}
    norms = [one for stack in stacks for one in stack.modules() if id(one) not in inside and is_norm(one)]
    return [norm_parameters(one) for one in norms]


def table_of(model, shape, outputs):
    """The one parameter of this shape that is none of the ``outputs``; ``None`` unless there is exactly one."""
    tables = [one for one in model.parameters() if one.shape == shape and not any(one is other for other in outputs)]
    return tables[0] if len(tables) == 1 else None


def watch(learner, sizes, options, numbers, src, tgt, masks, given, half=None, training=False, plain=False):
    """Build a model, fill its parameters from a list of numbers, call it, and record what each of its layers does.

    ``plain``: norms have a gain of 1 and no bias. ``masks`` are those that the layers should have had, ``given`` those
    that the call gets; ``half`` calls ``encode`` alone, or ``decode`` alone with ``src`` as the memory. Returns the
    result, the records, the tables and the last norms; ``None`` in place of what was not found.
    """
    model = learner.make_model(*sizes, **options)
    model = model.to(numbers.dtype).train(training)

    def call(src, tgt):
        if half == "encode":
            return model.encode(src, given[0])
        if half == "decode":
            return model.decode(src, given[0], tgt, given[1])
        return model(src, tgt, *given)

    src = src.clone().requires_grad_() if half == "decode" else src
    # A call with other ids: catches models that cache their first call.
    fill_by_role(model, numbers, lambda: call(src.roll(1, 0), tgt.roll(1, 0)))
    for norm in filter(is_norm, model.modules() if plain else ()):
        for value, parameter in zip((1.0, 0.0), norm_parameters(norm)):
            nn.init.constant_(parameter, value)
    kinds, stacks = ("EncoderLayer", "DecoderLayer"), ("Encoder", "Decoder")
    layers = [modules_of(model, *kinds), modules_of(model, *kinds[::-1])]
    records: list = [[], []]
    memories: list = []
    for side in (0, 1):
        for index, layer in enumerate(layers[side]):
            record(layer, index, records[side], memories, masks[: side + 1])
    passed: list = [[], []]  # what each stack reads (if it is passed by position), and what it returns
    for side, order in enumerate((stacks, stacks[::-1])):
        for stack in modules_of(model, *order):
            stack.register_forward_hook(lambda _, inputs, output, side=side: passed[side].append((inputs[:1], output)))
    result = call(src, tgt)
    slope = None
    if half == "decode" and isinstance(result, torch.Tensor) and result.requires_grad:
        (slope,) = torch.autograd.grad((result * result.detach().cos()).sum(), src, allow_unused=True)
    outputs = [one for generator in modules_of(model, "Generator") for one in generator.parameters()]
    return {
        "result": result,
        "learns": slope is not None and bool(slope.any()),
        "records": records,
        "memory": memories,
        "passed": passed,
        "heads": [heads_of(found) for found in layers],
        "norms": [last_norms(modules_of(model, *order), [*layers[0], *layers[1]]) for order in (stacks, stacks[::-1])],
        "tables": [table_of(model, (size, sizes[3]), outputs) for size in sizes[:2]],
    }


def watched(subject, *request, **options):
    """The reply of `watch`."""
    uses = (is_norm, norm_parameters, fill_parameters, order_of_use, zero_parameters, fill_in_order, fill_by_role)
    uses += (modules_of, record, heads_of, last_norms, table_of)
    return subject.run(watch, *request, uses=uses, **options)


def inventory(learner, sizes, options):
    """What a fresh model is made of: its parameters' shapes, which of them each layer holds, and the output's weight.

    Parameters are numbered: first those of the encoder's layers, then the decoder's layers, the output, all others.
    """
    model = learner.make_model(*sizes, **options)
    kinds = ("EncoderLayer", "DecoderLayer")
    sides = [modules_of(model, *order) for order in (kinds, kinds[::-1])]
    parts = (*sides[0], *sides[1], *modules_of(model, "Generator"), model)
    named = [sorted(part.named_parameters(), key=by_shape_and_name) for part in parts]
    parameters = list({id(one): one for part in named for _, one in part}.values())
    number_of = {id(one): number for number, one in enumerate(parameters)}
    uses = [number_of[id(one)] for _, one in model.named_parameters(remove_duplicate=False)]
    layers = [[sorted(number_of[id(one)] for one in layer.parameters()) for layer in side] for side in sides]
    weight = getattr(getattr(getattr(model, "generator", None), "proj", None), "weight", None)
    return {
        "parameters": [list(one.shape) for one in parameters],
        "uses": [uses.count(number) for number in range(len(parameters))],
        "frozen": sum(not one.requires_grad for one in parameters),
        "layers": layers,
        "output": number_of.get(id(weight)) if isinstance(weight, torch.Tensor) else None,
    }


def parts_of_model(subject, *request):
    """The reply of `inventory`."""
    return subject.run(inventory, *request, uses=(by_shape_and_name, modules_of))


def random_ids(rng, length=5, words=SIZES[1], rows=2, time=4):
    """Source and target with padding on both sides (unless there is one position), and of different lengths."""
    src, tgt = rng.integers(4, 7, rows, length), rng.integers(4, words, rows, time)
    for ids in (src, tgt):
        ids[0, 3:] = PAD
        if ids.shape[1] > 1:
            ids[1:, 0] = PAD
    return src, tgt


# One sequence, and one position on either side: catches axes of length 1 that are squeezed away.
ONE_ROW = {"rows": 1}
ONE_POSITION = {"length": 1, "time": 1}


def masks_by_hand(src, tgt):
    """The masks that a model builds from ids."""
    return padding_mask_by_hand(src), decoder_mask_by_hand(tgt)


def watch_model(learner, rng, norm="pre", half=None, memory=None, training=False, **ids):
    src, tgt = random_ids(rng, **ids)
    numbers = rng.normal(997, dtype=torch.float64)  # a prime: no two layers are filled alike
    right, read = masks_by_hand(src, tgt), src if memory is None else memory
    options = {"dropout": 0.0, "norm": norm}
    return src, tgt, watched(learner, SIZES, options, numbers, read, tgt, right, right, half, training)


def assert_stack(seen, side, norm, result):
    """The layers run in a chain, each of them once, and the last norm follows if ``norm`` is "pre"."""
    records, name = seen["records"][side], ("encoder", "decoder")[side]
    assert len(records) == SIZES[2], (
        f"With num_layers={SIZES[2]} the {name} should call {SIZES[2]} layers, but calls {len(records)}."
    )
    assert len({index for index, *_ in records}) == len(records), (
        f"The {name} calls one of its layers several times. Each layer should run once, in order."
    )
    for inputs, _ in seen["passed"][side]:
        for x in inputs:
            assert_close(records[0][1], x, f"what the first layer of the {name} reads (the {name}'s input)")
    for (_, _, before, _), (_, x, _, _) in zip(records, records[1:]):
        assert_close(x, before, f"what a layer of the {name} reads (the output of the layer before it)")
    last = records[-1][2]
    if norm == "post":
        assert_close(result, last, f"the {name}'s output with norm='post' (its last layer's output)")
        return
    norms = seen["norms"][side]
    if len(norms) > 1:
        return
    assert norms, f"With norm='pre' the {name} should have one norm after its last layer, but has none."
    assert_close(result, F.layer_norm(last, last.shape[-1:], *norms[0]), f"the {name}'s output (that of its last norm)")


def assert_masks(seen, side):
    name = ("encoder", "decoder")[side]
    for number, (_, _, output, again) in enumerate(seen["records"][side]):
        assert_close(output, again, f"what layer {number} of the {name} returns (its result with the right masks)")


def check_handed_on(learner, rng, sides):
    """Each layer has the norm, the dropout and the number of heads passed to make_model."""
    src, tgt = random_ids(rng)
    right, small = masks_by_hand(src, tgt), (*SIZES[:2], 1, *SIZES[3:])
    numbers = 0.5 * rng.normal(997, dtype=torch.float64)
    for norm, dropout in (("post", 0.0), ("pre", 0.5)):
        options = {"dropout": dropout, "norm": norm}
        seen = watched(learner, small, options, numbers, src, tgt, right, right, training=True, plain=True)
        for side in sides:
            what = f"With norm={norm!r} and dropout={dropout} every layer of the {('encoder', 'decoder')[side]}"
            for _, _, output, again in seen["records"][side]:
                mean, variance = output.mean(-1).abs().max(), (output.var(-1, unbiased=False) - 1).abs().max()
                assert bool(mean + variance < 1e-2) == (norm == "post"), (
                    f"{what} should {'' if norm == 'post' else 'not '}end in a norm. Does `norm` reach the layers?"
                )
                assert torch.allclose(output, again) == (dropout == 0), (
                    f"In training, {what[0].lower()}{what[1:]} should return "
                    f"{'the same' if dropout == 0 else 'something else'} at each call. Does `dropout` reach the layers?"
                )
            counts = set(seen["heads"][side])
            assert counts <= {SIZES[5]}, (
                f"{what} should have {SIZES[5]} heads, but the attentions have {', '.join(map(str, sorted(counts)))}."
            )


# ---------------------------------------------------------------------------------------------------------------------
# EncoderLayer


def is_attention(module):
    """Whether a module is an attention: PyTorch's class, or any with the four linear layers of the course's class."""
    names = ("w_q", "w_k", "w_v", "w_o")
    return isinstance(module, nn.MultiheadAttention) or all(
        isinstance(getattr(module, name, None), nn.Linear) for name in names
    )


def parts_of_layer(module, d_model, d_ff, wanted, order):
    """The attentions, norms, and linear layers of a layer, by type and shape, in the ``order`` of their use.

    If at least as many parts are used as are ``wanted``, unused parts are left out: they may be leftovers. Otherwise
    unused parts come after the used ones.
    """

    def used(parts, least):
        found = [one for one in parts if id(one) in order]
        return sorted(found if len(found) >= least else parts, key=lambda one: order.get(id(one), len(order)))

    attentions = [one for one in module.modules() if is_attention(one)]
    inside = {id(part) for one in attentions for part in one.modules()}
    rest = [one for one in module.modules() if id(one) not in inside]
    norms = list({id(norm_parameters(one)[0]): one for one in rest if is_norm(one)}.values())
    linear = used([one for one in rest if isinstance(one, nn.Linear)], 2)
    return {
        "attentions": used(attentions, wanted[0]),
        "norms": used(norms, wanted[1]),
        "linear": linear,
        "wide": [one for one in linear if one.weight.shape == (d_ff, d_model)],
        "narrow": [one for one in linear if one.weight.shape == (d_model, d_ff)],
    }


def complaint_about_parts(module, name, d_model, d_ff, parts, wanted):
    """What is wrong with a layer's parts, a sentence; ``""`` if nothing is, ``None`` if they cannot be told apart."""
    attentions, norms, linear = len(parts["attentions"]), len(parts["norms"]), parts["linear"]
    if 0 < attentions < wanted[0]:
        return f"{name} should have {wanted[0]} attentions, each with parameters of its own, but has {attentions}."
    if norms < wanted[1] and attentions:
        known = {id(one) for one in module.parameters()}
        if not norms and not any(one.dim() == 1 and id(one) not in known for one in module.parameters()):
            return f"PyTorch finds no norm in {name}. It does not look for modules in a plain list."
        return f"{name} should have {wanted[1]} norms, one for each sublayer, but has {norms}."
    if attentions > wanted[0]:
        return f"{name} should call {wanted[0]} attentions, but calls {attentions}."
    if attentions and norms > wanted[1]:
        return f"{name} should call {wanted[1]} norms, one for each sublayer, but calls {norms}."
    if attentions and len(linear) == 2 and not (parts["wide"] and parts["narrow"]):
        shapes = " and ".join(str(tuple(one.weight.shape)) for one in linear)
        return (
            f"With d_model={d_model} and d_ff={d_ff} the feed-forward network of {name} has weights of shapes "
            f"{shapes}. Its hidden layer should have the width d_ff."
        )
    told_apart = (attentions, norms, len(parts["wide"]), len(parts["narrow"])) == (*wanted, 1, 1)
    return "" if told_apart else None


def load_parts(parts, weights):
    """Copy weights into the parts of a layer."""
    names = ("w_q", "w_k", "w_v", "w_o")
    with torch.no_grad():
        for attention, values in zip(parts["attentions"], weights["attentions"]):
            if isinstance(attention, nn.MultiheadAttention):
                attention.in_proj_weight.copy_(torch.cat([weight for weight, _ in values[:3]]))
                attention.in_proj_bias.copy_(torch.cat([bias for _, bias in values[:3]]))
                load_layers(attention, {"out_proj": values[3]})
            else:
                load_layers(attention, dict(zip(names, values)))
        for norm, values in zip(parts["norms"], weights["norms"]):
            for parameter, value in zip(norm_parameters(norm), values):
                parameter.copy_(value)
        for layer, (weight, bias) in zip((parts["wide"][0], parts["narrow"][0]), weights["linear"]):
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)


def call_layer(learner, name, build, weights, args, masks, training=False, cotangent=None):
    """Build a layer, find its parts, give them weights, and call it.

    Returns the output and the inputs as the call left them; with a cotangent the output, and the gradients of its
    weighted sum for the inputs. A sentence if parts are wrong; ``None`` if they could not be told apart. Where a part
    is shared, the sentence comes with what the layer returns: such values tell mistakes apart, the sentence does not.
    """
    d_model, _, d_ff = build[0][:3]
    module = getattr(learner, name)(*build[0], **build[1]).to(args[0].dtype).train(training)
    if not list(module.parameters()):
        return f"PyTorch finds no parameters in {name}. It does not look for modules in a plain list."
    hiding = [torch.arange(arg.shape[1])[None, None, None] < arg.shape[1] - 1 for arg in args]
    # A call with other inputs: catches layers that cache their first call.
    order = order_of_use(module, lambda: module(*(-arg for arg in args), *(masks or hiding[::-1])))
    wanted = len(weights["attentions"]), len(weights["norms"])
    parts = parts_of_layer(module, d_model, d_ff, wanted, order)
    complaint = complaint_about_parts(module, name, d_model, d_ff, parts, wanted)
    counts = len(parts["attentions"]), len(parts["norms"])
    shared = all(0 < count <= most for count, most in zip(counts, wanted)) and parts["wide"] and parts["narrow"]
    if complaint and shared:
        load_parts(parts, weights)
        return complaint, module.eval()(*args, *masks)
    if complaint != "":
        return complaint
    load_parts(parts, weights)
    torch.default_generator.manual_seed(0)  # the same dropout, whatever the initialisation drew
    if cotangent is None:
        return module(*args, *masks), args
    leaves = [arg.clone().requires_grad_() for arg in args]
    output = module(*leaves, *masks)
    return output, weighted_gradients(output, cotangent, leaves)


def called(learner, *request, **options):
    """The reply of `call_layer`; ``None`` where a layer's parts could not be told apart."""
    uses = (order_of_use, is_norm, norm_parameters, load_layers, weighted_gradients)
    uses += (is_attention, parts_of_layer, complaint_about_parts, load_parts)
    reply = reply_of(learner, call_layer, *request, uses=uses, **options)
    if reply and isinstance(reply[0], str):
        raise AssertionError(reply[0])
    return reply


def disturb(learner, name, build, args, cases):
    """The outputs for the inputs as they are, and with the last position of each input changed in turn.

    Each case gives the size of the parameters, and masks or none. For layers whose parts cannot be told apart.
    """
    module = getattr(learner, name)(*build[0], **build[1]).to(args[0].dtype).eval()
    variants = [list(args)]
    for index, arg in enumerate(args):
        changed = arg.clone()
        changed[:, -1] *= -2  # a norm would remove a constant that is added
        variants.append([*args[:index], changed, *args[index + 1 :]])
    answers = []
    for size, masks in cases:
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(size * torch.randn(parameter.shape))
        answers.append([module(*inputs, *masks) for inputs in variants])
    return answers


D_MODEL, HEADS, D_FF = 6, 2, 10


def random_weights(rng, attentions, dtype=torch.float64, scale=1):
    def linear(rows, columns, scale=1):
        return scale * rng.normal(rows, columns, dtype=dtype) * 0.7, rng.normal(rows, dtype=dtype)

    scales = (scale, scale, 1, 1)  # of queries, keys, values and output
    return {
        "attentions": [[linear(D_MODEL, D_MODEL, one) for one in scales] for _ in range(attentions)],
        "norms": [
            (rng.normal(D_MODEL, dtype=dtype) + 1, rng.normal(D_MODEL, dtype=dtype)) for _ in range(attentions + 1)
        ],
        "linear": [linear(D_FF, D_MODEL), linear(D_MODEL, D_FF)],
    }


def attention_by_hand(query, memory, weights, mask):
    q, k, v = (
        F.linear(x, *pair).unflatten(-1, (HEADS, -1)).transpose(1, 2)
        for x, pair in zip((query, memory, memory), weights)
    )
    mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool) if mask is None else mask
    nothing = ~mask.any(-1, keepdim=True)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    shares = scores.masked_fill(~mask, float("-inf")).masked_fill(nothing, 0.0).softmax(-1).masked_fill(nothing, 0.0)
    return F.linear((shares @ v).transpose(1, 2).flatten(2), *weights[3])


def network_by_hand(x, weights):
    return F.linear(F.linear(x, *weights[0]).relu(), *weights[1])


def layer_by_hand(x, sublayers, norms, style):
    for sublayer, (gain, bias) in zip(sublayers, norms):
        if style == "pre":
            x = x + sublayer(F.layer_norm(x, (D_MODEL,), gain, bias))
        else:
            x = F.layer_norm(x + sublayer(x), (D_MODEL,), gain, bias)
    return x


def layer_results(weights, x, memory, src_mask, tgt_mask, style):
    """What a layer may return, the usual assignment of the weights first."""
    for own, *other in permutations(weights["attentions"]):
        for norms in permutations(weights["norms"]):
            sublayers: list = [lambda y, own=own: attention_by_hand(y, y, own, tgt_mask)]
            sublayers += [lambda y, one=one: attention_by_hand(y, memory, one, src_mask) for one in other]
            sublayers += [lambda y: network_by_hand(y, weights["linear"])]
            yield layer_by_hand(x, sublayers, norms, style)


def random_masks(rng, length, empty, rows=2, time=4):
    """The masks of source and target. If ``empty``: one source is all padding, and one target position sees nothing."""
    src_mask, tgt_mask = rng.mask(rows, 1, 1, length), rng.mask(rows, 1, time, time)
    if empty:
        src_mask[1], tgt_mask[0, 0, 1] = False, False
    return src_mask, tgt_mask


def check_layer(
    learner, rng, name, style, build=None, mask=True, in_place=False, length=5, empty=False, scale=1, rows=2, time=4
):
    """A layer on known weights; ``length`` is that of the source, and ``scale`` enlarges all scores."""
    decoder = name == "DecoderLayer"
    weights = random_weights(rng, 2 if decoder else 1, scale=scale)
    x = rng.normal(rows, time, D_MODEL, dtype=torch.float64)
    memory = 3 * rng.normal(rows, length, D_MODEL, dtype=torch.float64) + 1
    src_mask, tgt_mask = random_masks(rng, length, empty, rows, time) if mask else (None, None)
    args, masks = ((x, memory), (src_mask, tgt_mask)) if decoder else ((x,), (tgt_mask,))
    build = build or ((D_MODEL, HEADS, D_FF, 0.3, style), {})
    answer = called(learner, name, build, weights, args, masks if mask else ())
    if answer is None:
        return check_unknown_parts(learner, name, build, args)
    got, after = answer
    if in_place:
        assert_equal(tuple(after), args, "the layer's input after the call")
    assert_one_of(got, layer_results(weights, x, memory, src_mask, tgt_mask, style), f"the {style}-norm layer's output")


def check_unknown_parts(learner, name, build, args):
    """The output at the first position depends on the last position of every input, unless a mask hides that."""
    visible = [torch.arange(arg.shape[1])[None, None, None] < arg.shape[1] - 1 for arg in args][::-1]
    nothing = [torch.zeros_like(mask) for mask in visible]
    # With parameters of size 0.5, no key gets all the attention. With 30, one key does, which catches a mask after the
    # softmax. Without any visible key, a wrong layer returns NaN.
    cases = [(0.5, ()), (0.5, visible), (30.0, visible), (0.5, nothing)]
    for answers, (_, masks) in zip(learner.run(disturb, name, build, args, cases), cases):
        assert answers[0].shape == args[0].shape, (
            f"{name} should return a tensor of shape {tuple(args[0].shape)}, not {tuple(answers[0].shape)}."
        )
        first = answers[0][:, 0]
        for arg, other in zip(args, answers[1:]):
            # A single position of x reaches the output through the shortcut, whatever the mask hides.
            hidden = bool(masks) and (arg is not args[0] or arg.shape[1] > 1)
            assert masks is not nothing or answers[0].isfinite().all(), (
                f"{name} should return finite numbers where no key may be attended to."
            )
            same = torch.allclose(other[:, 0], first, rtol=0, atol=1e-9)
            assert same == hidden, f"What {name} returns at the first position should " + (
                "not depend on a position that the mask hides." if hidden else "depend on every position."
            )


def assert_one_of(got, candidates, what):
    demand_one(*(partial(assert_close, got, expected, what) for expected in candidates))


@pytest.mark.task("transformer.EncoderLayer", points=1)
def test_pre_norm(learner, reference, rng):
    """The pre-norm layer, which is the default, is right on known weights, without a mask and with one."""
    check_layer(learner, rng, "EncoderLayer", "pre", build=((D_MODEL, HEADS, D_FF), {}), mask=False)
    check_layer(learner, rng, "EncoderLayer", "pre", in_place=True)
    # Scores of thousands: catches a mask after the softmax, where a forbidden score has taken the whole row.
    check_layer(learner, rng, "EncoderLayer", "pre", scale=40)
    check_layer(learner, rng, "EncoderLayer", "pre", empty=True)
    check_layer(learner, rng, "EncoderLayer", "pre", **ONE_ROW)
    check_layer(learner, rng, "EncoderLayer", "pre", **ONE_POSITION)


@pytest.mark.task("transformer.EncoderLayer", points=1)
def test_post_norm(learner, reference, rng):
    """The post-norm layer is right on known weights."""
    check_layer(learner, rng, "EncoderLayer", "post")


def check_layer_gradients(learner, rng, name):
    decoder = name == "DecoderLayer"
    weights = random_weights(rng, 2 if decoder else 1)
    args = [rng.normal(2, 4, D_MODEL, dtype=torch.float64), rng.normal(2, 5, D_MODEL, dtype=torch.float64)]
    args = args[: 1 + decoder]
    cotangent = rng.normal(2, 4, D_MODEL, dtype=torch.float64)
    src_mask, tgt_mask = random_masks(rng, 5, empty=True)
    masks = (src_mask, tgt_mask) if decoder else (tgt_mask,)
    build: tuple = ((D_MODEL, HEADS, D_FF, 0.0, "pre"), {})  # in training mode nothing else may be different
    answer = called(learner, name, build, weights, args, masks, True, cotangent)
    if answer is None:
        return
    leaves = [arg.clone().requires_grad_() for arg in args]
    expected = []
    for output in layer_results(weights, leaves[0], leaves[-1], src_mask, tgt_mask, "pre"):
        grads = torch.autograd.grad((output * cotangent).sum(), leaves, retain_graph=True)
        expected.append(torch.cat([grad.flatten() for grad in grads]))
    got = torch.cat([grad.flatten() for grad in answer[1]])
    assert_one_of(got, expected, "the gradient for the layer's inputs")


@pytest.mark.task("transformer.EncoderLayer", points=1)
def test_gradients(learner, reference, rng):
    """Gradients flow through both sublayers and both shortcuts, and are finite where a query may attend to nothing."""
    check_layer_gradients(learner, rng, "EncoderLayer")


def check_dropout(learner, rng, name, which, p=0.5, options=(0.5, "pre")):
    """One sublayer alone adds the constant 1 to x = 3, or rather what dropout leaves of it.

    x is not 0: that would hide a dropout of the sum, which erases parts of the shortcut too.
    Dropout of what the sublayer returns makes a share p of the results 0. Dropout inside the sublayer, of n weights or
    hidden units, spreads the others. Chance makes a right answer fail with a probability below 1e-9: see below.
    """
    attentions = 2 if name == "DecoderLayer" else 1
    zero, one = torch.zeros(D_MODEL, D_MODEL), torch.zeros(D_MODEL)
    off = [(zero, one)] * 4
    on = [(zero, one), (zero, one), (zero, one + 1), (torch.eye(D_MODEL), one)]
    weights: dict[str, list] = {
        "attentions": [on if which == index else off for index in range(attentions)],
        "norms": [(torch.ones(D_MODEL), one)] * (attentions + 1),
        "linear": [(torch.zeros(D_FF, D_MODEL), torch.ones(D_FF)), (torch.zeros(D_MODEL, D_FF), one)],
    }
    if which == "network":
        weights["linear"][1] = (torch.full((D_MODEL, D_FF), 1 / D_FF), one)
    args = [torch.full((20, 12, D_MODEL), 3.0), torch.zeros(20, 9, D_MODEL)][:attentions]
    build: tuple = ((D_MODEL, HEADS, D_FF, *options), {})
    answer = called(learner, name, build, weights, args, (), training=True)
    if answer is None:
        return
    assert answer[0].shape == args[0].shape, (
        f"The output of {name} should have shape {tuple(args[0].shape)}, not {tuple(answer[0].shape)}."
    )
    got = answer[0] - args[0]
    # 1440 entries: a share of 0.5 is missed by 0.1 with probability 3e-14, a share of 0.1 by 0.06 with 8e-13.
    zeros, margin = share_of(got == 0), 0.1 if p == 0.5 else 0.06
    given = f"dropout={p}" if options else f"the default dropout={p}"
    assert abs(zeros - p) < margin, (
        f"With {given}, {p:.0%} of what a sublayer of {name} returns should be dropped in training, but {zeros:.0%} is."
    )
    if p != 0.5:
        return
    number = D_FF if which == "network" else args[which].shape[1]
    spread = float((got[got != 0].double() * (1 - p) - 1).square().mean())
    # At least 240 independent means of n numbers, each 0 or 2. Their variance is 1 / n; the measured
    # variance is below half of that with probability 1e-10.
    share = spread * number
    assert share > 1e-3, (
        f"In training, {name} with dropout=0.5 should also drop inside each sublayer (attention weights, or "
        "hidden units), but one sublayer drops nothing inside."
    )
    assert 0.5 < share < 2, (
        f"In training, {name} with dropout=0.5 should drop half of the attention weights, or hidden units, inside a "
        f"sublayer. Before its last dropout, the sublayer's result should have a variance of {1 / number:.3f}, but has "
        f"{spread:.3f}."
    )


@pytest.mark.task("transformer.EncoderLayer", points=1)
def test_dropout(learner, reference, rng):
    """In training, dropout acts on what both sublayers return, on attention weights and on hidden units."""
    check_dropout(learner, rng, "EncoderLayer", 0)
    check_dropout(learner, rng, "EncoderLayer", 0, 0.1, ())
    check_dropout(learner, rng, "EncoderLayer", "network")


# ---------------------------------------------------------------------------------------------------------------------
# DecoderLayer


@pytest.mark.task("transformer.DecoderLayer", points=1)
def test_decoder_without_masks(learner, reference, rng):
    """The pre-norm layer, which is the default, is right on known weights without masks."""
    # Equal lengths first: there a mix-up of target and memory gives wrong numbers; with other lengths, an error.
    for length in (4, 5):
        build: tuple = ((D_MODEL, HEADS, D_FF), {})
        check_layer(learner, rng, "DecoderLayer", "pre", build=build, mask=False, length=length)


@pytest.mark.task("transformer.DecoderLayer", points=1)
def test_decoder_with_masks(learner, reference, rng):
    """Each of the two masks hides what it should, in the attention that it belongs to."""
    for length in (4, 5):
        check_layer(learner, rng, "DecoderLayer", "pre", in_place=True, length=length)
    # Scores of thousands: catches a mask after the softmax, where a forbidden score has taken the whole row.
    check_layer(learner, rng, "DecoderLayer", "pre", scale=40)
    check_layer(learner, rng, "DecoderLayer", "pre", **ONE_ROW)
    check_layer(learner, rng, "DecoderLayer", "pre", **ONE_POSITION)


@pytest.mark.task("transformer.DecoderLayer", points=1)
def test_decoder_nothing_to_attend(learner, reference, rng):
    """A source that is all padding, and a target position that sees nothing, give no NaN."""
    check_layer(learner, rng, "DecoderLayer", "pre", empty=True)


@pytest.mark.task("transformer.DecoderLayer", points=1)
def test_decoder_post_norm(learner, reference, rng):
    """The post-norm layer is right on known weights."""
    check_layer(learner, rng, "DecoderLayer", "post")


@pytest.mark.task("transformer.DecoderLayer", points=1)
def test_decoder_gradients(learner, reference, rng):
    """Gradients reach the target and the memory, and are finite where a query may attend to nothing."""
    check_layer_gradients(learner, rng, "DecoderLayer")


@pytest.mark.task("transformer.DecoderLayer", points=1)
def test_decoder_dropout(learner, reference, rng):
    """In training, dropout acts on and inside each of the three sublayers."""
    check_dropout(learner, rng, "DecoderLayer", 0)
    check_dropout(learner, rng, "DecoderLayer", 0, 0.1, ())
    check_dropout(learner, rng, "DecoderLayer", 1)
    check_dropout(learner, rng, "DecoderLayer", "network")


# ---------------------------------------------------------------------------------------------------------------------
# Encoder


@pytest.mark.task("transformer.Encoder", points=1)
def test_encoder_chain(learner, reference, rng):
    """Every layer reads what the one before returned, and one norm ends the pre-norm stack."""
    for training, sizes in ((False, {}), (True, ONE_ROW), (False, ONE_POSITION)):
        _, _, seen = watch_model(learner, rng, half="encode", training=training, **sizes)
        assert_stack(seen, 0, "pre", seen["result"])


@pytest.mark.task("transformer.Encoder", points=1)
def test_encoder_post_norm(learner, reference, rng):
    """A post-norm stack ends with its last layer."""
    _, _, seen = watch_model(learner, rng, norm="post", half="encode")
    assert_stack(seen, 0, "post", seen["result"])


@pytest.mark.task("transformer.Encoder", points=1)
def test_encoder_masks(learner, reference, rng):
    """Every layer gets the mask."""
    _, _, seen = watch_model(learner, rng, half="encode")
    assert_masks(seen, 0)


@pytest.mark.task("transformer.Encoder", points=1)
def test_encoder_hands_on_its_arguments(learner, reference, rng):
    """Every layer has the norm, the dropout and the number of heads that make_model was called with."""
    check_handed_on(learner, rng, (0,))


def assert_depth(parts, side):
    layers, name = parts["layers"][side], ("encoder", "decoder")[side]
    assert len(layers) == DEEPER[2], (
        f"With num_layers={DEEPER[2]} the {name} should hold {DEEPER[2]} layers, but PyTorch finds {len(layers)} in it."
    )


def assert_own(parts, side):
    assert_depth(parts, side)
    layers, name = parts["layers"][side], ("encoder", "decoder")[side]
    shared = set(layers[0]).intersection(*layers[1:])
    assert not shared, (
        f"All layers of the {name} share {len(shared)} of their {len(layers[0])} parameters. Is one layer used several "
        "times, or copied without its parameters?"
    )
    numbers = [number for layer in layers for number in layer]
    assert len(set(numbers)) == len(numbers), (
        f"Some layers of the {name} share parameters, but each should have its own."
    )


@pytest.mark.task("transformer.Encoder", points=1)
def test_encoder_layers_own_their_parameters(learner, reference, rng):
    """No two layers of the encoder share a parameter, and PyTorch finds every layer in the model."""
    assert_own(parts_of_model(learner, DEEPER, {}), 0)


# ---------------------------------------------------------------------------------------------------------------------
# Decoder


@pytest.mark.task("transformer.Decoder", points=1)
def test_decoder_chain(learner, reference, rng):
    """Every layer reads what the one before returned, and one norm ends the pre-norm stack."""
    # Equal lengths first: there a mix-up of target and memory gives wrong numbers; with other lengths, an error.
    cases = ((False, {"length": 4}), (False, {}), (True, {"length": 4, **ONE_ROW}), (False, ONE_POSITION))
    for training, sizes in cases:
        _, _, seen = watch_model(learner, rng, training=training, **sizes)
        assert_stack(seen, 1, "pre", seen["result"])


@pytest.mark.task("transformer.Decoder", points=1)
def test_decoder_stack_post_norm(learner, reference, rng):
    """A post-norm stack ends with its last layer."""
    _, _, seen = watch_model(learner, rng, norm="post")
    assert_stack(seen, 1, "post", seen["result"])


@pytest.mark.task("transformer.Decoder", points=1)
def test_decoder_masks_and_memory(learner, reference, rng):
    """Every layer gets both masks and the same memory."""
    _, _, seen = watch_model(learner, rng, length=4)  # equal lengths: no mix-up of target and memory raises an error
    for memory in seen["memory"][1:]:
        assert_close(memory, seen["memory"][0], "the memory of a later layer (the same as the first layer's)")
    for _, encoded in seen["passed"][0]:
        assert_close(seen["memory"][0], encoded, "the memory that the layers read (what the encoder returned)")
    assert_masks(seen, 1)
    *_, seen = watch_model(learner, rng, half="decode", memory=rng.normal(2, 5, SIZES[3], dtype=torch.float64))
    assert seen["learns"], (
        "The decoder's output has no gradient for the memory, so the encoder cannot learn. Is the memory detached?"
    )


@pytest.mark.task("transformer.Decoder", points=1)
def test_decoder_hands_on_its_arguments(learner, reference, rng):
    """Every layer has the norm, the dropout and the number of heads that make_model was called with."""
    check_handed_on(learner, rng, (1,))


@pytest.mark.task("transformer.Decoder", points=1)
def test_decoder_layers_own_their_parameters(learner, reference, rng):
    """No two layers of the decoder share a parameter, and PyTorch finds every layer in the model."""
    assert_own(parts_of_model(learner, DEEPER, {}), 1)


# ---------------------------------------------------------------------------------------------------------------------
# Generator


def generate_words(learner, d_model, vocab_size, weight, bias, inputs, cotangent=None):
    """A Generator with given weights, called on several inputs.

    With a cotangent: gradients of the first result's weighted sum, for the input and the weights.
    """
    generator = learner.Generator(d_model, vocab_size).to(weight.dtype).eval()
    proj = getattr(generator, "proj", None)
    if not isinstance(proj, nn.Linear):
        return f"The attribute `proj` of a Generator should be an nn.Linear, but is of type {type(proj).__name__}."
    if proj.weight.shape != weight.shape:
        found = f"`proj` of Generator({d_model}, {vocab_size}) has a weight of shape {tuple(proj.weight.shape)}"
        return f"{found}, but should have {vocab_size} rows and {d_model} columns."
    if proj.bias is None:
        return f"`proj` of Generator({d_model}, {vocab_size}) should have a bias, but has none."
    parameters = load_layers(generator, {"proj": (weight, bias)})
    if cotangent is None:
        return [generator(x) for x in inputs]
    leaves = [inputs[0].clone().requires_grad_(), *parameters]
    return weighted_gradients(generator(leaves[0]), cotangent, leaves)


def generated(learner, *request):
    """The reply of `generate_words`."""
    return reply_of(learner, generate_words, *request, uses=(load_layers, weighted_gradients))


def check_generator(learner, rng, dtype, shapes, scale=1, tolerance=None):
    weight, bias = rng.normal(7, 5, dtype=dtype), rng.normal(7, dtype=dtype)
    inputs = [scale * rng.normal(*shape, dtype=dtype) for shape in shapes]
    answer = generated(learner, 5, 7, weight, bias, inputs)
    for got, x in zip(answer, inputs):
        expected = F.linear(x.double(), weight.double(), bias.double()).log_softmax(-1).to(dtype)
        assert_close(got, expected, f"Generator on an input of shape {tuple(x.shape)}", tolerance, tolerance)


@pytest.mark.task("transformer.Generator", points=1)
def test_log_probabilities(learner, reference, rng):
    """The log-probabilities along the last axis are right in float64, and so are their gradients."""
    check_generator(learner, rng, torch.float64, [(3, 4, 5), (3, 4, 5)])  # two of one shape: catches a cache by shape
    leaves = [rng.normal(*shape, dtype=torch.float64) for shape in ((2, 3, 5), (7, 5), (7,))]
    cotangent = rng.normal(2, 3, 7, dtype=torch.float64)
    got = generated(learner, 5, 7, *leaves[1:], leaves[:1], cotangent)
    for leaf in leaves:
        leaf.requires_grad_()
    expected = torch.autograd.grad((F.linear(*leaves).log_softmax(-1) * cotangent).sum(), leaves)
    names = [f"the gradient of a Generator for {name}" for name in ("its input", "proj.weight", "proj.bias")]
    assert_close(tuple(got), expected, names)


@pytest.mark.task("transformer.Generator", points=1)
def test_leading_axes(learner, reference, rng):
    """The result is right for any number of leading axes, in float32 and in bfloat16."""
    # Then axes of length 1: catches those that are squeezed away.
    ones = [(1, 5), (1, 3, 5), (3, 1, 5), (1, 3, 4, 5), (2, 1, 4, 5), (2, 3, 1, 5)]
    check_generator(learner, rng, torch.float32, [(5,), (4, 5), (2, 3, 5), (2, 3, 4, 5), *ones])
    check_generator(learner, rng, torch.bfloat16, [(4, 5)], tolerance=1e-1)


@pytest.mark.task("transformer.Generator", points=1)
def test_large_logits(learner, reference, rng):
    """Logits of several hundred give finite log-probabilities."""
    check_generator(learner, rng, torch.float32, [(2, 3, 5)], scale=300)


# ---------------------------------------------------------------------------------------------------------------------
# Transformer


def embedded_by_hand(ids, table):
    d_model = table.shape[1]
    position = torch.arange(ids.shape[1], dtype=torch.float64)[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    positions = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
    return table[ids] * math.sqrt(d_model) + positions


def assert_embedded(seen, side, ids):
    table, records = seen["tables"][side], seen["records"][side]
    if table is not None and records:
        which = ("source", "target")[side]
        # The table of positions is float32, and need not be computed more exactly.
        expected = embedded_by_hand(ids, table.detach())
        assert_close(records[0][1], expected, f"what the first layer reads of the {which}", 1e-5, 1e-5)


@pytest.mark.task("transformer.Transformer", points=1)
def test_encode(learner, reference, rng):
    """The encoder reads the embedded source, with its mask, and encode returns the encoder's output."""
    src, _, seen = watch_model(learner, rng, half="encode")
    assert_masks(seen, 0)
    assert_embedded(seen, 0, src)
    assert_equal(list(getattr(seen["result"], "shape", [])), [*src.shape, SIZES[3]], "the shape of the memory")


@pytest.mark.task("transformer.Transformer", points=1)
def test_decode(learner, reference, rng):
    """decode(memory, src_mask, tgt, tgt_mask) passes the memory and the embedded target to the decoder."""
    memory = rng.normal(2, 5, SIZES[3], dtype=torch.float64)
    _, tgt, seen = watch_model(learner, rng, half="decode", memory=memory)
    assert_equal(list(getattr(seen["result"], "shape", [])), [*tgt.shape, SIZES[3]], "the shape of the output")
    assert_embedded(seen, 1, tgt)
    assert_close(seen["memory"][0], memory, "the memory that the first layer reads")
    assert_masks(seen, 1)


@pytest.mark.task("transformer.Transformer", points=2)
def test_forward_with_masks(learner, reference, rng):
    """The decoder reads the embedded target and the encoder's output, with the masks that are given."""
    # Equal lengths first: there a mix-up of source and target raises no error.
    for sizes in ({"length": 4}, ONE_ROW, ONE_POSITION):
        src, tgt = random_ids(rng, **sizes)
        given = random_masks(rng, empty=False, **{"length": 5, **sizes})  # other masks than those that would be built
        numbers = rng.normal(997, dtype=torch.float64)
        seen = watched(learner, SIZES, {"dropout": 0.0}, numbers, src, tgt, given, given, None, True)
        assert_equal(list(getattr(seen["result"], "shape", [])), [*tgt.shape, SIZES[3]], "the shape of the output")
        assert_embedded(seen, 0, src)
        assert_embedded(seen, 1, tgt)
        assert_masks(seen, 0)
        assert_masks(seen, 1)
        assert_stack(seen, 1, "pre", seen["result"])
        assert_stack(seen, 0, "pre", seen["memory"][0])


@pytest.mark.task("transformer.Transformer", points=2)
def test_masks_from_ids(learner, reference, rng):
    """Masks that are not passed are built from the ids, each separately."""
    numbers = rng.normal(997, dtype=torch.float64)
    # Equal lengths first: there a mask that is built from the wrong ids fits.
    for length, passed in ((4, None), (5, None), (5, 0), (5, 1)):
        src, tgt = random_ids(rng, length)
        right, other = masks_by_hand(src, tgt), random_masks(rng, length, empty=False)
        given = () if passed is None else [one if side == passed else None for side, one in enumerate(other)]
        wanted = [one if one is not None else made for one, made in zip(given or (None, None), right)]
        seen = watched(learner, SIZES, {"dropout": 0.0}, numbers, src, tgt, wanted, given, None, not given)
        assert_masks(seen, 0)
        assert_masks(seen, 1)


def reach(learner, sizes, options, src, tgt):
    """For each parameter of a model whether it gets a gradient that is not zero, those that get none first."""
    model = learner.make_model(*sizes, **options).train()
    result = model(src, tgt)
    if not isinstance(result, torch.Tensor) or not result.requires_grad:
        return []
    (model.generator(result) if result.shape[-1] != sizes[1] else result).square().sum().backward()
    return sorted(one.grad is not None and bool(one.grad.any()) for one in model.parameters())


@pytest.mark.task("transformer.Transformer", points=1)
def test_every_parameter_learns(learner, reference, rng):
    """The loss reaches every parameter of encoder and decoder."""
    src, tgt = rng.integers(1, 7, 4, 8), rng.integers(1, 9, 4, 7)
    reached = learner.run(reach, SIZES, {"dropout": 0.0, "norm": "pre"}, src, tgt)
    # A share, not all: the biases of the keys shift all scores of a query alike, which never matters.
    share = sum(reached) / max(1, len(reached))
    assert share > 0.85, (
        f"Only {share:.0%} of the model's parameters get a gradient from the output. Is a tensor detached, or a part "
        "of the model not used?"
    )


# ---------------------------------------------------------------------------------------------------------------------
# make_model


@pytest.mark.task("transformer.make_model", points=1)
def test_flow(learner, reference, rng):
    """Words and positions are embedded, and the sizes are those requested."""
    for sizes in (DEEPER, SIZES):
        parts = parts_of_model(learner, sizes, {})
        if sizes == DEEPER:
            assert_depth(parts, 0)
            assert_depth(parts, 1)
        total = sum(math.prod(one) for one in parts["parameters"])
        expected = sum(math.prod(one) for one in parts_of_model(reference, sizes, {})["parameters"])
        assert_equal(total, expected, f"the number of parameters of make_model{sizes}")
    for words in SIZES[:2]:  # first only words that both vocabularies have: exchanged tables raise no error there
        src, tgt, seen = watch_model(learner, rng, words=words)
        assert_equal(list(getattr(seen["result"], "shape", [])), [*tgt.shape, SIZES[3]], "the shape of the output")
        assert_embedded(seen, 0, src)
        assert_embedded(seen, 1, tgt)
    assert parts["output"] is not None, (
        "The attribute `generator` of a model should be a Generator with an attribute `proj`, but "
        "`generator.proj.weight` is none of the model's parameters."
    )
    assert_equal(parts["frozen"], 0, "how many parameters of a new model are frozen")
    # The positional encoding of an earlier unit has 5000 rows by default: 600 positions must work.
    for long in ((600, 4), (4, 600)):
        ids = [rng.integers(4, 7, 1, length) for length in long]
        learns = learner.run(reach, (*SIZES[:2], 1, *SIZES[3:5], 1), {"dropout": 0.0}, *ids)
        assert any(learns), "make_model should return a model whose output has gradients, but no parameter gets one."


def left_out(learner, vocab, options, name, value, numbers, src, tgt):
    """Two models with the same numbers as parameters, one made without the argument and one with this value for it.

    Returns their parameters' shapes, and their outputs in training mode with the same random numbers; both are empty
    where the function's own signature has the value already.
    """
    import inspect

    try:
        default = inspect.signature(learner.make_model).parameters[name].default
    except (TypeError, ValueError, KeyError):
        default = None
    if type(default) is type(value) and default == value:
        small = {"num_layers": 1, "d_model": 16, "d_ff": 5, **options}
        some = (
            next(learner.make_model(vocab, vocab, **small).parameters()).detach().flatten()[:0]
        )  # raises if make_model returns no model
        return [[], []], [some, some]
    models = [learner.make_model(vocab, vocab, **options), learner.make_model(vocab, vocab, **options, **{name: value})]
    shapes = [sorted(list(one.shape) for one in model.parameters()) for model in models]
    if shapes[0] != shapes[1]:
        return shapes, [None, None]
    answers = []
    for model in models:
        fill_by_role(model, numbers, lambda model=model: model(src, tgt))
        torch.default_generator.manual_seed(0)
        answers.append(model.train()(src, tgt).detach())
    return shapes, answers


@pytest.mark.task("transformer.make_model", points=1)
def test_defaults(learner, reference, rng):
    """The defaults are those of the paper's base model, pre-norm and not tied."""
    vocab, src, tgt = 11, rng.integers(4, 11, 3, 7), rng.integers(4, 11, 3, 6)
    numbers, uses = (
        0.1 * rng.normal(997),
        (is_norm, fill_parameters, order_of_use, zero_parameters, fill_in_order, fill_by_role),
    )
    expected = {
        "num_layers": 6,
        "d_model": 512,
        "d_ff": 2048,
        "num_heads": 8,
        "dropout": 0.1,
        "norm": "pre",
        "tie_weights": False,
    }
    small = {**expected, "num_layers": 1, "d_model": 16, "d_ff": 5}
    for name, value in expected.items():
        options = {other: small[other] for other in small if other != name}
        shapes, answers = learner.run(left_out, vocab, options, name, value, numbers, src, tgt, uses=uses)
        same = shapes[0] == shapes[1] and torch.equal(*answers)
        assert same, (
            f"Without {name}, make_model should do the same as with {name}={value!r}, its default, but does not."
        )


def start_of_matrices(learner, sizes):
    """How the random numbers of a fresh model are distributed: models that use one distribution give the same reply.

    For each matrix: its shape, how its largest number compares with Xavier's bound, and whether it has a row of zeros.
    """
    import math

    model, again = learner.make_model(*sizes), learner.make_model(*sizes)
    matrices = [one.detach() for one in model.parameters() if one.dim() > 1]
    ratios = [one.double().flatten() / math.sqrt(6 / (one.shape[0] + one.shape[1])) for one in matrices]
    largest = [float(ratio.abs().max()) for ratio in ratios]
    said = ["beyond" if one > 1.0001 else "within" if one > 0.9 else "far below" for one in largest]
    zeros = [not bool(one.any(-1).all()) for one in matrices]
    ratio = torch.cat(ratios)  # about 10,000 numbers between -1 and 1; all below 0.99 once in 10^40
    kinds = ("EncoderLayer", "DecoderLayer")
    stacks = [modules_of(model, *kinds), modules_of(model, *kinds[::-1])]
    layers = [[[p for p in layer.parameters() if p.dim() > 1] for layer in stack] for stack in stacks]
    pairs = [pair for one in layers for first, second in zip(one, one[1:]) for pair in zip(first, second)]
    others = [one.detach() for one in again.parameters() if one.dim() > 1]
    return {
        "matrices": sorted([list(one.shape), *found] for one, *found in zip(matrices, said, zeros)),
        "uniform": max(largest) > 0.99 and abs(float(ratio.square().mean()) - 1 / 3) < 0.025,
        "layers alike": any(torch.equal(*pair) for pair in pairs),
        "drawn before": sum(any(torch.equal(one, other) for other in others) for one in matrices),
    }


@pytest.mark.task("transformer.make_model", points=1)
def test_xavier(learner, reference, rng):
    """Every matrix is drawn from Xavier's uniform distribution, and no two layers start alike.

    All n uniform numbers stay below 0.9 of the bound with probability 0.9^n: below 1e-11 for n of at least 256.
    """
    start = learner.run(start_of_matrices, (17, 19, 2, 16, 20, 2), uses=(modules_of,))
    for shape, said, zeros in start["matrices"]:
        bound = math.sqrt(6 / (shape[0] + shape[1]))
        assert said == "within", (
            f"A matrix of shape {tuple(shape)} should be uniform between -{bound:.4f} and {bound:.4f}, "
            f"but its largest number is {said} this bound."
        )
        assert not zeros, f"A matrix of shape {tuple(shape)} has a row of zeros. Every row should be drawn."
    assert start["uniform"], (
        "The matrices of a new model lie within the bounds of Xavier's distribution, but are not uniform between them."
    )
    assert not start["layers alike"], (
        "Two layers of a stack start with the same numbers. Each matrix should be drawn by itself."
    )
    alike = start["drawn before"]
    assert not alike, f"A second model has {alike} matrices of the first one: draw each matrix anew."


@pytest.mark.task("transformer.make_model", points=2)
def test_tied(learner, reference, rng):
    """With tie_weights the two tables and the output share one parameter, otherwise they share none."""
    sizes = (11, 11, 1, 6, 10, 2)
    for tie, wanted in ((True, 1), (False, 3)):
        parts = parts_of_model(learner, sizes, {"tie_weights": tie})
        tables = [number for number, one in enumerate(parts["parameters"]) if one == [11, 6]]
        assert_equal(len(tables), wanted, f"how many parameters of shape (11, 6) there are with tie_weights={tie}")
        assert parts["output"] in tables, (
            f"With tie_weights={tie}, generator.proj.weight should be one of the parameters of shape (11, 6)."
        )


@pytest.mark.task("transformer.make_model", points=1)
def test_unequal_vocabularies(learner, reference, rng):
    """Tying two vocabularies of different sizes raises ValueError."""
    call = "make_model(7, 9, ..., tie_weights=True)"
    assert_raises(ValueError, lambda: parts_of_model(learner, SIZES, {"tie_weights": True}), call)


def check_embeddings_are_dropped(learner, rng):
    """What the first layers read has zeros in training. Even a dropout of 0.1 would drop some of 360 numbers."""
    src, tgt = rng.integers(4, 7, 2, 30), rng.integers(4, 7, 2, 30)
    masks, small = masks_by_hand(src, tgt), (*SIZES[:2], 1, *SIZES[3:])
    numbers = 0.5 * rng.normal(997, dtype=torch.float64)
    seen = watched(learner, small, {"dropout": 0.5}, numbers, src, tgt, masks, masks, training=True)
    for name, records in zip(("encoder", "decoder"), seen["records"]):
        assert not records or (records[0][1] == 0).any(), (
            f"With dropout=0.5, nothing is dropped in training from the embeddings that the {name} reads. "
            "Does `dropout` reach the positional encoding?"
        )


@pytest.mark.task("transformer.make_model", points=1)
def test_dropout_and_norm(learner, reference, rng):
    """The arguments dropout, norm and num_heads reach every layer, and the embeddings have dropout too."""
    check_handed_on(learner, rng, (0, 1))
    check_embeddings_are_dropped(learner, rng)
    with_norm = sum(math.prod(one) for one in parts_of_model(learner, SIZES, {"norm": "pre"})["parameters"])
    without = sum(math.prod(one) for one in parts_of_model(learner, SIZES, {"norm": "post"})["parameters"])
    assert_equal(
        with_norm - without, 4 * SIZES[3], "how many more parameters a pre-norm model has than a post-norm one"
    )


# ---------------------------------------------------------------------------------------------------------------------
# shift_right


def shift(learner, targets, args):
    """The shifted targets, and the targets as the call left them."""
    return learner.shift_right(targets, *args), targets


def check_shift(learner, targets, *args):
    bos = args[0] if args else BOS
    got, after = learner.run(shift, targets, args)
    expected = torch.cat([torch.full_like(targets[..., :1], bos), targets[..., :-1]], dim=-1)
    assert_equal(
        got, expected, f"shift_right(targets{', bos_id' if args else ''}) for targets of shape {tuple(targets.shape)}"
    )
    assert_equal(after, targets, "the targets after the call")


@pytest.mark.task("transformer.shift_right", points=1)
def test_shift(learner, reference, rng):
    """Every token moves one position to the right, and BOS comes first."""
    for shape in ((3, 5), (1, 4), (5, 1)):
        check_shift(learner, rng.integers(4, 50, *shape))
    check_shift(learner, torch.tensor([[4, 5, 3, 0, 0], [6, 7, 8, 9, 3], [1, 2, 3, 4, 5]]))


@pytest.mark.task("transformer.shift_right", points=1)
def test_one_sequence(learner, reference, rng):
    """The shift is right for a single sequence (T,), and for another integer type, which the result keeps."""
    check_shift(learner, rng.integers(4, 50, 6))
    check_shift(learner, rng.integers(4, 50, 3, 4).to(torch.int32))


@pytest.mark.task("transformer.shift_right", points=1)
def test_bos_id(learner, reference, rng):
    """Another id may start every sequence."""
    check_shift(learner, rng.integers(4, 50, 2, 5), 51)


# ---------------------------------------------------------------------------------------------------------------------
# count_parameters


def count(learner, kind):
    """The counts of a small model, and how many of its parameters are frozen afterwards."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(3, 5)
            self.second = nn.Sequential(nn.Linear(5, 7), nn.LayerNorm(7), nn.Linear(7, 5, bias=False))
            if kind == "tied":
                self.third = nn.Linear(3, 5)
                self.third.weight = self.first.weight
            if kind == "twins":
                self.third = nn.LayerNorm(7)  # type: ignore[assignment]
            if kind == "frozen":
                self.second[0].weight.requires_grad_(False)
            if kind == "buffers":
                self.positions = nn.BatchNorm1d(11)
            if kind == "own":
                self.scale = nn.Parameter(torch.ones(13))
            if kind == "empty":
                self.activation = nn.ReLU()

    model = Model()
    counts = learner.count_parameters(model)
    return counts, sum(not one.requires_grad for one in model.parameters())


FIRST, SECOND = 3 * 5 + 5, 5 * 7 + 7 + 2 * 7 + 7 * 5


def check_count(learner, kind, more, total):
    got, frozen = learner.run(count, kind)
    expected = {"first": FIRST, "second": SECOND, **more, "total": total}
    assert isinstance(got, dict), f"count_parameters should return a dictionary, but returned a {type(got).__name__}."
    missing = [name for name in expected if name not in got]
    assert not missing, f"count_parameters should have the key {missing[0]!r}; its keys are {sorted(map(str, got))}."
    assert_equal(dict(got), expected, f"count_parameters of a model ({kind})")
    assert_equal(frozen, int(kind == "frozen"), "how many parameters are frozen after counting")
    floats = [name for name in expected if not isinstance(got[name], int)]
    assert not floats, (
        f"count_parameters should return counts of type int, but that of {floats[0]!r} is a "
        f"{type(got[floats[0]]).__name__}."
    )


@pytest.mark.task("transformer.count_parameters", points=1)
def test_parts(learner, reference, rng):
    """There is a number for each part, even for one without parameters, and the total."""
    check_count(learner, "plain", {}, FIRST + SECOND)
    check_count(learner, "empty", {"activation": 0}, FIRST + SECOND)
    check_count(learner, "twins", {"third": 14}, FIRST + SECOND + 14)


@pytest.mark.task("transformer.count_parameters", points=1)
def test_tied_once(learner, reference, rng):
    """A tied parameter counts once, in the first part that holds it."""
    check_count(learner, "tied", {"third": 5}, FIRST + SECOND + 5)


@pytest.mark.task("transformer.count_parameters", points=1)
def test_what_counts(learner, reference, rng):
    """Frozen parameters and those of the model itself count, buffers do not."""
    check_count(learner, "frozen", {}, FIRST + SECOND)
    check_count(learner, "buffers", {"positions": 22}, FIRST + SECOND + 22)
    check_count(learner, "own", {}, FIRST + SECOND + 13)
