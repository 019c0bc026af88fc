"""Right implementations of pretrained in styles that learners really use: all must get full points.

Inner names of a `GPT2` are free, so most of these come with a `gpt2_state` of their own.
"""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import re
from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn

from autograder.course.catalogue import alternative
from solutions.attention import softmax
from solutions.blocks import FeedForward, LayerNorm, SublayerConnection, gelu
from solutions.decoding import KVCache, sample_next
from solutions.embeddings import gpt2_embed
from solutions.multihead import MultiHeadAttention
from solutions.pretrained import GPT2Config

# ---------------------------------------------------------------------------------------------------------------------
# GPT2


class FusedLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

    def forward(self, x, number, cache):
        B, T, C = x.shape
        q, k, v = self.c_attn(self.ln_1(x)).split(C, dim=2)
        q, k, v = (one.view(B, T, self.heads, C // self.heads).transpose(1, 2) for one in (q, k, v))
        if cache is None:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            k, v = cache.update(number, k, v)
            allowed = torch.arange(k.size(2)) <= torch.arange(k.size(2) - T, k.size(2)).unsqueeze(1)
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        x = x + self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
        return x + self.mlp(self.ln_2(x))


def gpt2_state(state):
    names = {"attn.c_attn": "c_attn", "attn.c_proj": "c_proj", "mlp.c_fc": "mlp.0", "mlp.c_proj": "mlp.2"}
    found, seen = {}, {re.sub("^transformer.", "", name): tensor for name, tensor in state.items()}
    if "wte.weight" not in seen:
        raise ValueError("wte.weight is not there")
    d, count = seen["wte.weight"].shape[1], len({name.split(".")[1] for name in seen if name.startswith("h.")})

    def take(name, shape, our):
        if name not in seen:
            raise ValueError(f"no tensor {name}")
        tensor = seen.pop(name)
        if tuple(tensor.shape) != shape:
            raise ValueError(f"{name}: {tuple(tensor.shape)} instead of {shape}")
        found[our] = tensor.t() if ".c_" in name and len(shape) == 2 else tensor

    take("wte.weight", (len(seen["wte.weight"]), d), "wte.weight")
    found["head.weight"] = found["wte.weight"]
    take("wpe.weight", (seen["wpe.weight"].size(0) if "wpe.weight" in seen else 0, d), "wpe.weight")
    for i in range(count):
        for theirs, (rows, columns) in zip(names, ((d, 3 * d), (d, d), (d, 4 * d), (4 * d, d))):
            take(f"h.{i}.{theirs}.weight", (rows, columns), f"layers.{i}.{names[theirs]}.weight")
            take(f"h.{i}.{theirs}.bias", (columns,), f"layers.{i}.{names[theirs]}.bias")
        for norm in ("ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias"):
            take(f"h.{i}.{norm}", (d,), f"layers.{i}.{norm}")
        seen.pop(f"h.{i}.attn.bias", None), seen.pop(f"h.{i}.attn.masked_bias", None)
    take("ln_f.weight", (d,), "ln_f.weight")
    take("ln_f.bias", (d,), "ln_f.bias")
    if not torch.equal(seen.pop("lm_head.weight", found["wte.weight"]), found["wte.weight"]):
        raise ValueError("lm_head.weight is not tied")
    if seen:
        raise ValueError(f"these tensors are new: {', '.join(seen)}")
    return found


@alternative("pretrained.GPT2", "one-layer-for-queries-keys-and-values", FusedLayer, gpt2_state)
class GPT2(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embed)
        self.wpe = nn.Embedding(config.block_size, config.n_embed)
        self.layers = nn.ModuleList([FusedLayer(config.n_embed, config.num_heads) for _ in range(config.num_layers)])
        self.ln_f = nn.LayerNorm(config.n_embed)
        self.head = nn.Linear(config.n_embed, config.vocab_size, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, ids, cache=None):
        past = cache.length if cache is not None else 0
        if past + ids.size(1) > self.config.block_size:
            raise ValueError("too long")
        x = self.wte(ids) + self.wpe.weight[past : past + ids.size(1)]
        for number, layer in enumerate(self.layers):
            x = layer(x, number, cache)
        return self.head(self.ln_f(x))


def as_published(state):
    d = None
    own = {(name[12:] if name.startswith("transformer.") else name): one for name, one in state.items()}
    own = {name: one for name, one in own.items() if not re.fullmatch(r"h\.\d+\.attn\.(masked_)?bias", name)}
    head = own.pop("lm_head.weight", None)
    kinds = {
        "ln_1.weight": "d", "ln_1.bias": "d", "ln_2.weight": "d", "ln_2.bias": "d",
        "attn.c_attn.weight": "d,3d", "attn.c_attn.bias": "3d", "attn.c_proj.weight": "d,d", "attn.c_proj.bias": "d",
        "mlp.c_fc.weight": "d,4d", "mlp.c_fc.bias": "4d", "mlp.c_proj.weight": "4d,d", "mlp.c_proj.bias": "d",
    }  # fmt: skip
    numbers = [int(name.split(".")[1]) for name in own if name.startswith("h.")]
    expected = {"wte.weight": "V,d", "wpe.weight": "T,d", "ln_f.weight": "d", "ln_f.bias": "d"}
    for number in range(max(numbers, default=-1) + 1):
        expected.update({f"h.{number}.{kind}": shape for kind, shape in kinds.items()})
    for name in expected:
        if name not in own:
            raise ValueError(f"{name} is missing; there are {len(own)} others")
    if head is not None and not torch.equal(head, own["wte.weight"]):
        raise ValueError("an untied lm_head.weight")
    d = own["wte.weight"].shape[-1]
    for name, tensor in own.items():
        if name not in expected:
            raise ValueError(f"what is {name}?")
        sizes = []
        for axis, letter in enumerate(expected[name].split(",")):
            free = letter in "VT"
            sizes.append(tensor.shape[axis] if free else d * int(letter[:-1] or 1))
        if list(tensor.shape) != sizes:
            raise ValueError(f"{name} should be {sizes}, not {list(tensor.shape)}")
    return {name.replace(".", "__"): tensor for name, tensor in own.items()}


def gpt2_state(state):
    return as_published(state)


@alternative("pretrained.GPT2", "parameters-as-published", as_published, gpt2_state)
class GPT2(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        d = config.n_embed
        sizes = {"wte.weight": (config.vocab_size, d), "wpe.weight": (config.block_size, d)}
        sizes |= {"ln_f.weight": (d,), "ln_f.bias": (d,)}
        for i in range(config.num_layers):
            for part, shape in (("attn.c_attn", (d, 3 * d)), ("attn.c_proj", (d, d)), ("mlp.c_fc", (d, 4 * d))):
                sizes |= {f"h.{i}.{part}.weight": shape, f"h.{i}.{part}.bias": shape[1:]}
            sizes |= {f"h.{i}.mlp.c_proj.weight": (4 * d, d), f"h.{i}.mlp.c_proj.bias": (d,)}
            sizes |= {f"h.{i}.ln_{n}.{what}": (d,) for n in (1, 2) for what in ("weight", "bias")}
        for name, shape in sizes.items():
            self.register_parameter(name.replace(".", "__"), nn.Parameter(torch.randn(shape) * 0.02))

    def get(self, name):
        return getattr(self, name.replace(".", "__"))

    def forward(self, ids, cache=None):
        B, T = ids.shape
        H, d = self.config.num_heads, self.config.n_embed
        past = 0 if cache is None else cache.length
        if past + T > self.get("wpe.weight").shape[0]:
            raise ValueError(f"{past} + {T} positions")

        def norm(x, name):
            return F.layer_norm(x, (d,), self.get(name + ".weight"), self.get(name + ".bias"), 1e-5)

        def conv1d(x, name):
            return torch.addmm(self.get(name + ".bias"), x.reshape(B * T, -1), self.get(name + ".weight")).view(
                B, T, -1
            )

        h = F.embedding(ids, self.get("wte.weight")) + self.get("wpe.weight")[past : past + T]
        for i in range(self.config.num_layers):
            qkv = conv1d(norm(h, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").view(B, T, 3, H, d // H)
            q, k, v = qkv.permute(2, 0, 3, 1, 4)
            if cache is not None:
                k, v = cache.update(i, k, v)
            scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * (d // H) ** -0.5
            bias = torch.full((T, past + T), torch.finfo(scores.dtype).min, dtype=scores.dtype).triu(past + 1)
            mixed = torch.einsum("bhqk,bhkd->bqhd", torch.softmax(scores + bias, -1), v).reshape(B, T, d)
            h = h + conv1d(mixed, f"h.{i}.attn.c_proj")
            h = h + conv1d(
                F.gelu(conv1d(norm(h, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh"), f"h.{i}.mlp.c_proj"
            )
        return F.linear(norm(h, "ln_f"), self.get("wte.weight"))


class StoredMaskLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config.num_heads
        self.around = nn.ModuleList(SublayerConnection(config.n_embed, 0.0) for _ in range(2))
        self.queries, self.values, self.keys, self.mix = (nn.Linear(config.n_embed, config.n_embed) for _ in range(4))
        self.wide = nn.Linear(config.n_embed, 4 * config.n_embed)
        self.narrow = nn.Linear(4 * config.n_embed, config.n_embed)
        self.register_buffer("triangle", torch.tril(torch.ones(config.block_size, config.block_size)))

    def attend(self, x, number, cache):
        every = (torch.stack(layer(x).chunk(self.heads, -1), 1) for layer in (self.queries, self.keys, self.values))
        q, k, v = every  # (B, H, T, d_head)
        if cache is not None:
            k, v = cache.update(number, k, v)
        end, outputs = k.shape[2], []
        rows = self.triangle[end - x.shape[1] : end, :end]
        for head in range(self.heads):
            scores = (q[:, head] @ k[:, head].mT / q.shape[-1] ** 0.5).masked_fill(rows == 0, float("-inf"))
            outputs.append(softmax(scores) @ v[:, head])
        return self.mix(torch.cat(outputs, -1))

    def forward(self, x, number, cache):
        x = self.around[0](x, lambda normed: self.attend(normed, number, cache))
        return self.around[1](x, lambda normed: self.narrow(gelu(self.wide(normed))))


def gpt2_state(state):
    state = {name.replace("transformer.", "", 1): tensor for name, tensor in state.items()}
    result, used = OrderedDict(), set()

    def get(name, *shape):
        used.add(name)
        if name not in state:
            raise ValueError("Missing: " + name)
        if state[name].dim() != len(shape) or any(size and size != is_ for size, is_ in zip(shape, state[name].shape)):
            raise ValueError(f"Shape of {name}: {list(state[name].shape)}")
        return state[name]

    table = get("wte.weight", 0, 0)
    d = table.shape[1]
    result["table.weight"], result["places.weight"] = table, get("wpe.weight", 0, d)
    result["last.gamma"], result["last.beta"] = get("ln_f.weight", d), get("ln_f.bias", d)
    i = 0
    while any(name.startswith(f"h.{i}.") for name in state):
        for norm in (0, 1):
            result[f"stack.{i}.around.{norm}.norm_layer.gamma"] = get(f"h.{i}.ln_{norm + 1}.weight", d)
            result[f"stack.{i}.around.{norm}.norm_layer.beta"] = get(f"h.{i}.ln_{norm + 1}.bias", d)
        three, shifts = get(f"h.{i}.attn.c_attn.weight", d, 3 * d), get(f"h.{i}.attn.c_attn.bias", 3 * d)
        for number, our in enumerate(("queries", "keys", "values")):
            columns = slice(number * d, (number + 1) * d)
            result[f"stack.{i}.{our}.weight"] = three[:, columns].t().clone()
            result[f"stack.{i}.{our}.bias"] = shifts[columns].clone()
        for our, their, wide, high in (
            ("mix", "attn.c_proj", d, d),
            ("wide", "mlp.c_fc", d, 4 * d),
            ("narrow", "mlp.c_proj", 4 * d, d),
        ):
            result[f"stack.{i}.{our}.weight"] = get(f"h.{i}.{their}.weight", wide, high).transpose(0, 1).contiguous()
            result[f"stack.{i}.{our}.bias"] = get(f"h.{i}.{their}.bias", high)
        used |= {f"h.{i}.attn.bias", f"h.{i}.attn.masked_bias"}
        i += 1
    if not state.get("lm_head.weight", table).equal(table):
        raise ValueError("Not tied: lm_head.weight")
    for name in state.keys() - used - {"lm_head.weight"}:
        raise ValueError("Not expected: " + name)
    return result


@alternative("pretrained.GPT2", "heads-in-a-loop-and-a-stored-mask", StoredMaskLayer, gpt2_state)
class GPT2(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.table = nn.Embedding(config.vocab_size, config.n_embed)
        self.places = nn.Embedding(config.block_size, config.n_embed)
        self.stack = nn.ModuleList(StoredMaskLayer(config) for _ in range(config.num_layers))
        self.last = LayerNorm(config.n_embed)

    def forward(self, ids, cache=None):
        begin = cache.length if cache is not None else 0
        if begin + ids.shape[1] > self.config.block_size:
            raise ValueError("no positions left")
        x = self.table(ids) + self.places(torch.arange(begin, begin + ids.shape[1]))
        for number, layer in enumerate(self.stack):
            x = layer(x, number, cache)
        return torch.matmul(self.last(x), self.table.weight.transpose(0, 1))


@alternative("pretrained.GPT2", "the-attention-of-the-course-without-a-cache")
class GPT2(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config, width = config, config.n_embed
        self.tokens, self.positions = nn.Embedding(config.vocab_size, width), nn.Embedding(config.block_size, width)
        parts = {
            "norm_1": LayerNorm,
            "attention": lambda width: MultiHeadAttention(width, config.num_heads),
            "norm_2": LayerNorm,
            "feed_forward": lambda width: FeedForward(width, 4 * width, 0.0, "gelu"),
        }
        stack = [{name: make(width) for name, make in parts.items()} for _ in range(config.num_layers)]
        self.layers = nn.ModuleList(map(nn.ModuleDict, stack))
        self.norm = LayerNorm(width)

    def attend(self, layer, x, number, cache):
        attention, new = layer["attention"], x.shape[1]
        if cache is None:
            allowed = torch.ones(new, new, dtype=torch.bool).tril()
            return attention(x, x, x, allowed)
        B, H = len(x), self.config.num_heads
        k, v = cache.update(
            number,
            attention.w_k(x).view(B, new, H, -1).transpose(1, 2),
            attention.w_v(x).view(B, new, H, -1).transpose(1, 2),
        )
        q = attention.w_q(x).view(B, new, H, -1).transpose(1, 2)
        rows = []
        for t in range(new):  # each new position for itself: it needs no mask
            end = k.shape[2] - new + t + 1
            weights = (q[:, :, t : t + 1] @ k[:, :, :end].mT / k.shape[-1] ** 0.5).softmax(-1)
            rows.append((weights @ v[:, :, :end]).transpose(1, 2).reshape(B, 1, -1))
        return attention.w_o(torch.cat(rows, 1))

    def forward(self, ids, cache=None):
        start = 0 if cache is None else cache.length
        if start + ids.shape[1] > self.config.block_size:
            raise ValueError(f"block_size is {self.config.block_size}")
        x = gpt2_embed(ids, self.tokens.weight, self.positions.weight[start:])
        for number, layer in enumerate(self.layers):
            x = x + self.attend(layer, layer["norm_1"](x), number, cache)
            x = x + layer["feed_forward"](layer["norm_2"](x))
        return F.linear(self.norm(x), self.tokens.weight)


# ---------------------------------------------------------------------------------------------------------------------
# gpt2_state


@alternative("pretrained.gpt2_state", "one-name-after-the-other")
def gpt2_state(state):
    own = {}
    for name, tensor in state.items():
        own[name[len("transformer.") :] if name.startswith("transformer.") else name] = tensor
    if "wte.weight" not in own:
        raise ValueError("wte.weight is missing")
    if "lm_head.weight" in own and own["lm_head.weight"].tolist() != own["wte.weight"].tolist():
        raise ValueError("lm_head.weight is another table than wte.weight")
    d = own["wte.weight"].shape[1]
    result, numbers = {}, set()
    for name, tensor in own.items():
        parts, shape = name.split("."), list(tensor.shape)
        if parts[0] == "h" and parts[2:] in (["attn", "bias"], ["attn", "masked_bias"]) or name == "lm_head.weight":
            continue
        if parts[0] == "h":
            numbers.add(parts[1])
            layer, rest = f"layers.{parts[1]}.", ".".join(parts[2:])
        else:
            layer, rest = "", name
        if rest in ("wte.weight", "wpe.weight") and not layer:
            wrong = tensor.dim() != 2 or shape[1] != d
            result[{"wte": "tokens", "wpe": "positions"}[parts[0]] + ".weight"] = tensor
        elif rest in ("ln_f.weight", "ln_f.bias") and not layer or rest.startswith(("ln_1.", "ln_2.")):
            wrong = shape != [d]
            norm = {"ln_f": "norm", "ln_1": "norm_1", "ln_2": "norm_2"}.get(rest[:4])
            what = {"weight": "gamma", "bias": "beta"}.get(rest[5:])
            if what is None or bool(layer) == (norm == "norm"):
                raise ValueError(f"{name} is not known")
            result[f"{layer}{norm}.{what}"] = tensor
        elif layer and rest == "attn.c_attn.weight":
            wrong = shape != [d, 3 * d]
            for letter, start in zip("qkv", (0, d, 2 * d)):
                result[f"{layer}attention.w_{letter}.weight"] = tensor[:, start : start + d].T if not wrong else None
        elif layer and rest == "attn.c_attn.bias":
            wrong = shape != [3 * d]
            for letter, start in zip("qkv", (0, d, 2 * d)):
                result[f"{layer}attention.w_{letter}.bias"] = tensor[start : start + d] if not wrong else None
        elif layer and rest in ("attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight"):
            wrong = shape != [{"mlp.c_proj.weight": 4 * d}.get(rest, d), {"mlp.c_fc.weight": 4 * d}.get(rest, d)]
            our = {"attn.c_proj": "attention.w_o", "mlp.c_fc": "feed_forward.w_1", "mlp.c_proj": "feed_forward.w_2"}
            result[f"{layer}{our[rest[:-7]]}.weight"] = tensor.t()
        elif layer and rest in ("attn.c_proj.bias", "mlp.c_fc.bias", "mlp.c_proj.bias"):
            wrong = shape != [4 * d if rest == "mlp.c_fc.bias" else d]
            our = {"attn.c_proj": "attention.w_o", "mlp.c_fc": "feed_forward.w_1", "mlp.c_proj": "feed_forward.w_2"}
            result[f"{layer}{our[rest[:-5]]}.bias"] = tensor
        else:
            raise ValueError(f"{name} is not known")
        if wrong:
            raise ValueError(f"{name} has the shape {shape}, which cannot be right")
    needed = ["wte.weight", "wpe.weight", "ln_f.weight", "ln_f.bias"]
    for number in sorted(numbers, key=int):
        for kind in ("ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"):
            needed += [f"h.{number}.{kind}.weight", f"h.{number}.{kind}.bias"]
    for name in needed:
        if name not in own:
            raise ValueError(f"{name} is missing")
    return result


@alternative("pretrained.gpt2_state", "an-empty-model-says-what-fits")
def gpt2_state(state):
    import warnings

    state = {re.sub(r"^transformer\.", "", name): tensor.detach() for name, tensor in state.items()}
    for name in ("wte.weight", "wpe.weight"):
        if name not in state or state[name].ndim != 2:
            raise ValueError(f"{name} must be there, with two axes")
    if "lm_head.weight" in state and not torch.equal(state["lm_head.weight"], state["wte.weight"]):
        raise ValueError("lm_head.weight and wte.weight differ")
    masks = [name for name in state if re.fullmatch(r"h\.\d+\.attn\.(masked_)?bias", name)]
    if masks:
        warnings.warn(f"{len(masks)} masks are left out")
    state = {name: tensor for name, tensor in state.items() if name not in masks and name != "lm_head.weight"}
    depth = 1 + max((int(name.split(".")[1]) for name in state if name.startswith("h.")), default=-1)
    (V, width), T = state["wte.weight"].shape, state["wpe.weight"].shape[0]
    with torch.device("meta"):
        empty = GPT2(GPT2Config(V, T, width, 1, depth)).state_dict()
    place = {"tokens": "wte", "positions": "wpe", "norm": "ln_f", "norm_1": "ln_1", "norm_2": "ln_2"}
    place |= {"attention.w_o": "attn.c_proj", "feed_forward.w_1": "mlp.c_fc", "feed_forward.w_2": "mlp.c_proj"}
    place |= {f"attention.w_{letter}": "attn.c_attn" for letter in "qkv"}
    ours, used = {}, set()
    for name, wanted in empty.items():
        start, module, what = re.fullmatch(r"(?:layers(\.\d+\.))?(.*)\.(\w+)", name).groups()
        theirs = (
            ("h" + start if start else "") + place[module] + "." + {"gamma": "weight", "beta": "bias"}.get(what, what)
        )
        used.add(theirs)
        if theirs not in state:
            raise ValueError(f"{theirs} is missing for {name}")
        tensor = state[theirs]
        whole = list(wanted.shape)
        if place[module] == "attn.c_attn":
            whole[0] *= 3
        if what == "weight" and start:
            whole.reverse()
        if list(tensor.shape) != whole:
            raise ValueError(f"{theirs} is {list(tensor.shape)}, not {whole}")
        if what == "weight" and start:
            tensor = tensor.permute(1, 0)
        if place[module] == "attn.c_attn":
            tensor = tensor.tensor_split(3)["qkv".index(module[-1])]
        ours[name] = tensor
    for name in state:
        if name not in used:
            raise ValueError(f"{name} has no counterpart")
    return ours


@alternative("pretrained.gpt2_state", "a-table-of-patterns")
def gpt2_state(state):
    table = [
        (r"wte\.weight", ("tokens.weight",), "Vd"),
        (r"wpe\.weight", ("positions.weight",), "Td"),
        (r"ln_f\.weight", ("norm.gamma",), "d"),
        (r"ln_f\.bias", ("norm.beta",), "d"),
        (r"h\.(\d+)\.ln_1\.weight", ("norm_1.gamma",), "d"),
        (r"h\.(\d+)\.ln_1\.bias", ("norm_1.beta",), "d"),
        (r"h\.(\d+)\.ln_2\.weight", ("norm_2.gamma",), "d"),
        (r"h\.(\d+)\.ln_2\.bias", ("norm_2.beta",), "d"),
        (r"h\.(\d+)\.attn\.c_attn\.weight", tuple(f"attention.w_{one}.weight" for one in "qkv"), "d3"),
        (r"h\.(\d+)\.attn\.c_attn\.bias", tuple(f"attention.w_{one}.bias" for one in "qkv"), "3"),
        (r"h\.(\d+)\.attn\.c_proj\.weight", ("attention.w_o.weight",), "dd"),
        (r"h\.(\d+)\.attn\.c_proj\.bias", ("attention.w_o.bias",), "d"),
        (r"h\.(\d+)\.mlp\.c_fc\.weight", ("feed_forward.w_1.weight",), "d4"),
        (r"h\.(\d+)\.mlp\.c_fc\.bias", ("feed_forward.w_1.bias",), "4"),
        (r"h\.(\d+)\.mlp\.c_proj\.weight", ("feed_forward.w_2.weight",), "4d"),
        (r"h\.(\d+)\.mlp\.c_proj\.bias", ("feed_forward.w_2.bias",), "d"),
    ]
    names = {name.split("transformer.")[-1]: name for name in state}
    layers = {int(name.split(".")[1]) for name in names if name.startswith("h.")}
    found = {}
    for pattern, targets, letters in table:
        for number in sorted(layers) if "(" in pattern else [None]:
            name = pattern.replace("\\", "").replace("(d+)", str(number))
            if name not in names:
                raise ValueError(f"no {name}")
            tensor = state[names.pop(name)]
            width = found["tokens.weight"].shape[1] if found else tensor.shape[-1]
            free = {"V": tensor.shape[0] if tensor.dim() else 0}
            free["T"] = free["V"]
            wanted = [free[one] if one in free else width * (1 if one == "d" else int(one)) for one in letters]
            if list(tensor.shape) != wanted:
                raise ValueError(f"{name}: shape {list(tensor.shape)} should be {wanted}")
            start = "" if number is None else f"layers.{number}."
            turned = tensor.mT if len(letters) == 2 and number is not None else tensor
            for target, part in zip(targets, turned.split(len(turned) // len(targets))):
                found[start + target] = part
    for number in layers:
        for mask in ("bias", "masked_bias"):
            names.pop(f"h.{number}.attn.{mask}", None)
    head = names.pop("lm_head.weight", None)
    if head is not None and not torch.equal(state[head], found["tokens.weight"]):
        raise ValueError(f"{head} is a second table")
    if names:
        raise ValueError(f"left over: {sorted(names)}")
    return found


@alternative("pretrained.gpt2_state", "copies-in-a-loop-over-layers")
def gpt2_state(state):
    given = dict(state)
    for name in list(given):
        if name.startswith("transformer."):
            given[name.partition(".")[2]] = given.pop(name)
    total = len({name.split(".")[1] for name in given if name.split(".")[0] == "h"})
    head = given.pop("lm_head.weight", None)
    for layer in range(total):
        for mask in ("bias", "masked_bias"):
            given.pop(f"h.{layer}.attn.{mask}", None)

    def matrix(name, rows, columns):
        if name not in given:
            raise ValueError(f"the tensor {name} is not in the file")
        tensor = given.pop(name)
        if tensor.ndim != 2 or (rows or len(tensor)) != len(tensor) or tensor.size(1) != (columns or tensor.size(1)):
            raise ValueError(f"the tensor {name} has an unexpected shape")
        return tensor

    def vector(name, length):
        if name not in given:
            raise ValueError(f"the tensor {name} is not in the file")
        tensor = given.pop(name)
        if tensor.shape != torch.Size([length]):
            raise ValueError(f"the tensor {name} has an unexpected shape")
        return tensor

    table = matrix("wte.weight", None, None)
    if head is not None and not torch.equal(head, table):
        raise ValueError("the tensor lm_head.weight is not that of wte.weight")
    width = table.size(1)
    own = {"tokens.weight": table.clone(), "positions.weight": matrix("wpe.weight", None, width).clone()}
    for layer in range(total):
        old, new = f"h.{layer}", f"layers.{layer}"
        q, k, v = torch.split(matrix(f"{old}.attn.c_attn.weight", width, 3 * width), width, dim=1)
        own |= {f"{new}.attention.w_{one}.weight": part.t() for one, part in zip("qkv", (q, k, v))}
        own |= {
            f"{new}.attention.w_{one}.bias": part
            for one, part in zip("qkv", vector(f"{old}.attn.c_attn.bias", 3 * width).reshape(3, width))
        }
        own[f"{new}.attention.w_o.weight"] = matrix(f"{old}.attn.c_proj.weight", width, width).t()
        own[f"{new}.attention.w_o.bias"] = vector(f"{old}.attn.c_proj.bias", width)
        own[f"{new}.feed_forward.w_1.weight"] = matrix(f"{old}.mlp.c_fc.weight", width, 4 * width).t()
        own[f"{new}.feed_forward.w_1.bias"] = vector(f"{old}.mlp.c_fc.bias", 4 * width)
        own[f"{new}.feed_forward.w_2.weight"] = matrix(f"{old}.mlp.c_proj.weight", 4 * width, width).t()
        own[f"{new}.feed_forward.w_2.bias"] = vector(f"{old}.mlp.c_proj.bias", width)
        for one in "12":
            own[f"{new}.norm_{one}.gamma"] = vector(f"{old}.ln_{one}.weight", width)
            own[f"{new}.norm_{one}.beta"] = vector(f"{old}.ln_{one}.bias", width)
    own["norm.gamma"], own["norm.beta"] = vector("ln_f.weight", width), vector("ln_f.bias", width)
    for name in given:
        raise ValueError(f"the tensor {name} is none of GPT-2's")
    return own


# ---------------------------------------------------------------------------------------------------------------------
# generate_text


@alternative("pretrained.generate_text", "own-sampling")
def generate_text(model, encode, decode, prompt, max_new_tokens, temperature=1.0, top_k=None, generator=None):
    ids = torch.tensor([encode(prompt)])
    if ids.shape[1] > model.config.block_size:
        raise ValueError(f"prompt of {ids.shape[1]} tokens")
    cache, new = KVCache(), ids
    with torch.inference_mode():
        while max_new_tokens > 0 and ids.shape[1] < model.config.block_size:
            last = model(new, cache=cache)[0, -1]
            if temperature == 0:
                token = int(last.argmax())
            else:
                scores, tokens = (last / temperature).sort(descending=True)
                scores = scores[:top_k]
                token = int(tokens[torch.multinomial(scores.softmax(-1), 1, generator=generator)])
            new = torch.tensor([[token]])
            ids = torch.cat([ids, new], dim=1)
            max_new_tokens -= 1
    return decode(ids[0].tolist())


@alternative("pretrained.generate_text", "token-by-token")
def generate_text(model, encode, decode, prompt, max_new_tokens, temperature=1.0, top_k=None, generator=None):
    was_training = model.training
    model.eval()
    ids = encode(prompt)
    limit = model.config.block_size
    if len(ids) > limit:
        raise ValueError("The prompt is too long.")
    cache = KVCache()
    wanted = min(limit, len(ids) + max_new_tokens)
    with torch.no_grad():
        for place in range(limit):
            if place >= wanted - 1:
                break
            logits = model(torch.tensor([[ids[place]]]), cache)[:, 0]
            if place == len(ids) - 1:
                ids = [*ids, int(sample_next(logits, temperature=temperature, top_k=top_k, generator=generator))]
    model.train(was_training)
    return decode(ids)


@alternative("pretrained.generate_text", "prompt-first-and-the-last-token-too")
def generate_text(model, encode, decode, prompt, max_new_tokens, temperature=1.0, top_k=None, generator=None):
    ids = list(encode(prompt))
    if not ids:
        raise ValueError("The prompt is empty.")
    if len(ids) > model.config.block_size:
        raise ValueError(f"{len(ids)} > {model.config.block_size}")
    cache = KVCache()
    with torch.no_grad():
        logits = model(torch.tensor(ids).unsqueeze(0), cache)
        for _ in range(max_new_tokens):
            if len(ids) == model.config.block_size:
                break
            token = sample_next(logits[:, -1, :], temperature, top_k, None, generator)
            ids.append(token.item())
            print("wrote", ids[-1])
            logits = model(token.view(1, 1), cache)
    return decode(ids)


@alternative("pretrained.generate_text", "prompt-and-what-follows")
def generate_text(model, encode, decode, prompt, max_new_tokens, temperature=1.0, top_k=None, generator=None):
    known = torch.as_tensor(encode(prompt), dtype=torch.long)
    count = min(max_new_tokens, model.config.block_size - known.numel())
    if count < 0 and known.numel() > model.config.block_size:
        raise ValueError(f"room for {model.config.block_size} tokens only")
    cache, step, written = KVCache(), known[None], []

    def draw(logits):
        if temperature == 0:
            return logits.argmax(-1)
        if top_k is not None:
            least = logits.topk(min(top_k, logits.shape[-1])).values.min()
            logits = torch.where(logits < least, -torch.inf, logits)
        # The largest of the logarithms plus Gumbel noise is drawn as the softmax says.
        noise = -torch.log(torch.empty_like(logits).exponential_(generator=generator))
        return (logits / temperature + noise).argmax(-1)

    with torch.no_grad():
        for _ in range(count):
            token = draw(model(step, cache).select(1, -1))
            written.append(token.item())
            step = token.reshape(1, 1)
    return prompt + decode(written)
