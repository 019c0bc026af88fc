"""Right implementations of the tasks of llama in other styles: the checks must accept them all."""

import math
import re
import warnings

import torch
import torch.nn.functional as F
from torch import nn

from autograder.course.catalogue import alternative
from solutions.attention import softmax
from solutions.llama import GroupedQueryAttention, LlamaBlock, RMSNorm, SwiGLU, apply_rope
from solutions.masks import causal_mask, masked_softmax
from solutions.multihead import split_heads

# ---------------------------------------------------------------------------------------------------------------------
# RMSNorm


@alternative("llama.RMSNorm", "library-function")
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        wide = x if x.dtype == torch.float64 else x.float()
        return F.rms_norm(wide, (x.shape[-1],), self.weight.to(wide.dtype), self.eps).to(x.dtype)


@alternative("llama.RMSNorm", "length-of-the-vector")
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.d = d
        self.register_buffer("epsilon", torch.tensor(eps, dtype=torch.float64), persistent=False)
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        dtype = x.dtype
        x = x.double()
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        return (x / torch.sqrt(length**2 / self.d + self.epsilon.double()) * self.weight).to(dtype)


@alternative("llama.RMSNorm", "rounded-before-the-weight")
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.promote_types(dtype, torch.float32))
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states.to(dtype)


@alternative("llama.RMSNorm", "vector-by-vector")
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(d))
        nn.init.ones_(self.weight)

    def forward(self, x):
        warnings.warn("slow")
        rows = []
        for vector in x.double().reshape(-1, x.shape[-1]):
            rows.append(vector / torch.sqrt(torch.dot(vector, vector) / len(vector) + self.eps))
        return (torch.stack(rows).reshape(x.shape) * self.weight.double()).to(x.dtype)


# ---------------------------------------------------------------------------------------------------------------------
# apply_rope


@alternative("llama.apply_rope", "rotate-half")
def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError(f"d_head must be even, but is {d}")
    inv_freq = 1.0 / (base ** (torch.arange(0, d, 2).float() / d))
    freqs = torch.outer(positions.float(), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
    x1, x2 = x[..., : d // 2], x[..., d // 2 :]
    rotated = torch.cat((-x2, x1), dim=-1)
    return x * cos + rotated * sin


@alternative("llama.apply_rope", "complex-numbers")
def apply_rope(x, positions, base=10000.0):
    half, rest = divmod(x.shape[-1], 2)
    if rest:
        raise ValueError("d_head must be even")
    angles = positions.double().unsqueeze(-1) * base ** (-torch.arange(half).double() / half)
    turned = torch.complex(x[..., :half].double(), x[..., half:].double()) * torch.exp(1j * angles)
    return torch.cat([turned.real, turned.imag], dim=-1).to(x.dtype)


@alternative("llama.apply_rope", "pair-by-pair")
def apply_rope(x, positions, base=10000.0):
    half = x.shape[-1] // 2
    if 2 * half != x.shape[-1]:
        raise ValueError(f"{x.shape[-1]} is odd")
    out = torch.empty_like(x)
    for i in range(half):
        frequency = math.exp(-2 * i / x.shape[-1] * math.log(base))
        for t, position in enumerate(positions.tolist()):
            c, s = math.cos(position * frequency), math.sin(position * frequency)
            out[..., t, i] = x[..., t, i] * c - x[..., t, i + half] * s
            out[..., t, i + half] = x[..., t, i] * s + x[..., t, i + half] * c
    return out


@alternative("llama.apply_rope", "rotation-matrices")
def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2 == 1:
        raise ValueError("an odd width cannot be cut into pairs")
    half = d // 2
    angles = positions.to(torch.float64)[:, None] * torch.tensor([base ** (-2 * i / d) for i in range(half)]).double()
    c, s = torch.diag_embed(angles.cos()), torch.diag_embed(angles.sin())
    matrices = torch.cat([torch.cat([c, -s], dim=-1), torch.cat([s, c], dim=-1)], dim=-2)
    return torch.einsum("tij,...tj->...ti", matrices, x.double()).to(x.dtype)


# ---------------------------------------------------------------------------------------------------------------------
# SwiGLU


@alternative("llama.SwiGLU", "sigmoid-written-out")
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)

    def forward(self, x):
        gate = self.gate_proj(x)
        return self.down_proj(self.up_proj(x) * gate * torch.sigmoid(gate))


@alternative("llama.SwiGLU", "one-product-for-both")
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_proj, self.up_proj = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        self.act = nn.SiLU()

    def forward(self, x):
        both = x @ torch.cat([self.gate_proj.weight, self.up_proj.weight]).T
        gate, up = both.chunk(2, dim=-1)
        return F.linear(self.act(gate).mul(up), self.down_proj.weight)


@alternative("llama.SwiGLU", "einsum")
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.sizes = d_model, d_ff
        for name, inputs, outputs in (("gate", d_model, d_ff), ("up", d_model, d_ff), ("down", d_ff, d_model)):
            setattr(self, f"{name}_proj", nn.Linear(inputs, outputs, False))

    def forward(self, x):
        gate = torch.einsum("...d,fd->...f", x, self.gate_proj.weight)
        up = torch.einsum("...d,fd->...f", x, self.up_proj.weight)
        hidden = gate / (1 + torch.exp(-gate)) * up
        return torch.einsum("...f,df->...d", hidden, self.down_proj.weight)


# ---------------------------------------------------------------------------------------------------------------------
# GroupedQueryAttention


@alternative("llama.GroupedQueryAttention", "turned-before-the-cache")
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if num_heads % num_kv_heads:
            raise ValueError(f"{num_kv_heads} key heads cannot be shared by {num_heads} query heads")
        self.h, self.g, self.base, d_head = num_heads, num_kv_heads, base, d_model // num_heads
        self.q_proj = nn.Linear(d_model, num_heads * d_head, bias=False)
        self.k_proj = nn.Linear(d_model, num_kv_heads * d_head, bias=False)
        self.v_proj = nn.Linear(d_model, num_kv_heads * d_head, bias=False)
        self.o_proj = nn.Linear(num_heads * d_head, d_model, bias=False)

    def forward(self, x, cache=None, layer=0):
        time = x.shape[1]
        start = 0
        if cache is not None:  # its length is that of layer 0, which has the new positions already when layer 1 comes
            start = cache.length if layer == 0 else cache.length - time
        positions = torch.arange(start, start + time)
        q = apply_rope(split_heads(self.q_proj(x), self.h), positions, self.base)
        k = apply_rope(split_heads(self.k_proj(x), self.g), positions, self.base)
        v = split_heads(self.v_proj(x), self.g)
        if cache is not None:
            k, v = cache.update(layer, k, v)
        mask = causal_mask(start + time)[start:]
        scale = 1 / math.sqrt(q.shape[-1])
        q = q.unflatten(1, (self.g, self.h // self.g))  # (B, G, H / G, T, d_head)
        weights = masked_softmax(torch.einsum("bgrtd,bgsd->bgrts", q, k) * scale, mask)
        heads = torch.einsum("bgrts,bgsd->bgrtd", weights, v).flatten(1, 2)
        return self.o_proj(heads.transpose(1, 2).reshape(x.shape))


@alternative("llama.GroupedQueryAttention", "library-attention")
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if num_heads % num_kv_heads != 0:
            raise ValueError("num_heads must be a multiple of num_kv_heads")
        self.d_head = d_model // num_heads
        self.num_heads, self.num_kv_heads, self.rope_base = num_heads, num_kv_heads, base
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, num_kv_heads * self.d_head, bias=False)
        self.v_proj = nn.Linear(d_model, num_kv_heads * self.d_head, bias=False)
        self.o_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, cache=None, layer=0):
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, self.num_heads, self.d_head).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.num_kv_heads, self.d_head).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.num_kv_heads, self.d_head).transpose(1, 2)
        if cache is not None:
            k, v = cache.update(layer, k, v)
        total = k.size(2)
        q = apply_rope(q, torch.arange(total - t, total), base=self.rope_base)
        k = apply_rope(k, torch.arange(total), base=self.rope_base)
        shape = b, self.num_kv_heads, self.num_heads // self.num_kv_heads, total, self.d_head
        k = k[:, :, None].expand(shape).reshape(b, self.num_heads, total, self.d_head)
        v = v[:, :, None].expand(shape).reshape(b, self.num_heads, total, self.d_head)
        bias = torch.full((t, total), float("-inf"), dtype=x.dtype).triu(total - t + 1)
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return self.o_proj(heads.transpose(1, 2).contiguous().view(b, t, -1))


@alternative("llama.GroupedQueryAttention", "head-by-head")
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        if num_heads // num_kv_heads * num_kv_heads != num_heads:
            raise ValueError(f"num_kv_heads={num_kv_heads} does not divide num_heads={num_heads}")
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        width = d_model // num_heads
        sizes = {"q": num_heads, "k": num_kv_heads, "v": num_kv_heads}
        for name, count in sizes.items():
            self.add_module(f"{name}_proj", nn.Linear(d_model, count * width, bias=False))
        self.o_proj = nn.Linear(num_heads * width, d_model, bias=False)

    def forward(self, x, cache=None, layer=0):
        k, v = split_heads(self.k_proj(x), self.num_kv_heads), split_heads(self.v_proj(x), self.num_kv_heads)
        if cache is not None:
            k, v = cache.update(layer, k, v)
        before = k.shape[2] - x.shape[1]
        k = apply_rope(k, torch.arange(k.shape[2]), self.base)
        q = apply_rope(split_heads(self.q_proj(x), self.num_heads), torch.arange(before, k.shape[2]), self.base)
        rows = []
        for t in range(x.shape[1]):
            found = []
            for h in range(self.num_heads):
                g = h * self.num_kv_heads // self.num_heads
                past = k[:, g, : before + t + 1]
                scores = (past @ q[:, h, t, :, None]).squeeze(-1) / math.sqrt(q.shape[-1])
                found.append((softmax(scores)[:, None] @ v[:, g, : before + t + 1]).squeeze(1))
            rows.append(torch.cat(found, dim=-1))
        return self.o_proj(torch.stack(rows, dim=1))


# ---------------------------------------------------------------------------------------------------------------------
# LlamaBlock


@alternative("llama.LlamaBlock", "residuals-by-name")
class LlamaBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.mlp = SwiGLU(config.d_model, config.d_ff)
        self.self_attn = GroupedQueryAttention(config.d_model, config.num_heads, config.num_kv_heads, base=config.base)
        self.post_attention_layernorm = RMSNorm(config.d_model, eps=config.eps)
        self.input_layernorm = RMSNorm(config.d_model, eps=config.eps)

    def forward(self, x, cache=None, layer=0):
        residual = x
        hidden = self.input_layernorm(x)
        hidden = self.self_attn(hidden, cache=cache, layer=layer)
        hidden = residual + hidden
        residual = hidden
        hidden = self.post_attention_layernorm(hidden)
        hidden = self.mlp(hidden)
        return residual + hidden


@alternative("llama.LlamaBlock", "loop-over-sublayers")
class LlamaBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        d, eps = config.d_model, config.eps
        self.input_layernorm, self.post_attention_layernorm = RMSNorm(d, eps), RMSNorm(d, eps)
        self.self_attn = GroupedQueryAttention(d, config.num_heads, config.num_kv_heads, config.base)
        self.mlp = SwiGLU(d, config.d_ff)

    def forward(self, x, cache=None, layer=0):
        for norm, sublayer in (
            (self.input_layernorm, lambda y: self.self_attn(y, cache, layer)),
            (self.post_attention_layernorm, self.mlp),
        ):
            x = x + sublayer(norm(x))
        return x


@alternative("llama.LlamaBlock", "feed-forward-position-by-position")
class LlamaBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.input_layernorm = RMSNorm(config.d_model, config.eps)
        self.self_attn = GroupedQueryAttention(config.d_model, config.num_heads, config.num_kv_heads, config.base)
        self.post_attention_layernorm = RMSNorm(config.d_model, config.eps)
        self.mlp = SwiGLU(config.d_model, config.d_ff)

    def forward(self, x, cache=None, layer=0):
        attended = torch.add(x, self.self_attn(self.input_layernorm(x), cache, layer))
        normed = self.post_attention_layernorm(attended)
        fed = torch.stack([self.mlp(normed[:, t]) for t in range(x.shape[1])], dim=1)
        return fed + attended


# ---------------------------------------------------------------------------------------------------------------------
# Llama


@alternative("llama.Llama", "one-parameter-for-both")
class Llama(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.layers = nn.ModuleList([LlamaBlock(config) for _ in range(config.num_layers)])
        self.norm = RMSNorm(config.d_model, config.eps)
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tied:
            self.lm_head.weight = self.embed_tokens.weight

    def forward(self, ids, cache=None):
        x = self.embed_tokens(ids)
        for i in range(len(self.layers)):
            x = self.layers[i](x, cache=cache, layer=i)
        return self.lm_head(self.norm(x))


@alternative("llama.Llama", "matrix-products")
class Llama(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.tied = config.tied
        self.norm = RMSNorm(config.d_model, config.eps)
        self.layers = nn.ModuleList()
        for _ in range(config.num_layers):
            self.layers.append(LlamaBlock(config))
        if not config.tied:
            self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.d_model)

    def forward(self, ids, cache=None):
        x = self.embed_tokens.weight[ids]
        for layer, block in enumerate(self.layers):
            x = block(x, cache, layer)
        table = self.embed_tokens.weight if self.tied else self.lm_head.weight
        return torch.einsum("btd,vd->btv", self.norm(x), table)


@alternative("llama.Llama", "position-by-position-with-a-cache")
class Llama(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.layers = nn.ModuleList(LlamaBlock(config) for _ in range(config.num_layers))
        self.norm = RMSNorm(config.d_model, config.eps)
        head = None if config.tied else nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.add_module("lm_head", head)

    def read(self, ids, cache):
        x = F.embedding(ids, self.embed_tokens.weight)
        for layer, block in enumerate(self.layers):
            x = block(x, cache, layer)
        x = self.norm(x)
        return x @ self.embed_tokens.weight.T if self.lm_head is None else self.lm_head(x)

    def forward(self, ids, cache=None):
        if cache is None:
            return self.read(ids, None)
        return torch.cat([self.read(ids[:, t : t + 1], cache) for t in range(ids.shape[1])], dim=1)


# ---------------------------------------------------------------------------------------------------------------------
# llama_state


@alternative("llama.llama_state", "sizes-from-the-first-layer")
def llama_state(state):
    parts = {
        "input_layernorm": ("d",),
        "post_attention_layernorm": ("d",),
        "self_attn.q_proj": ("d", "d"),
        "self_attn.k_proj": ("kv", "d"),
        "self_attn.v_proj": ("kv", "d"),
        "self_attn.o_proj": ("d", "d"),
        "mlp.gate_proj": ("ff", "d"),
        "mlp.up_proj": ("ff", "d"),
        "mlp.down_proj": ("d", "ff"),
    }
    for name in ("model.embed_tokens.weight", "model.norm.weight"):
        if name not in state:
            raise ValueError(f"missing: {name}")
    layers = 0
    state = {name: tensor for name, tensor in state.items() if "rotary_emb" not in name}
    for name in state:
        match = re.fullmatch(r"model\.layers\.(\d+)\.(.+)\.weight", name)
        if match and match[2] in parts:
            layers = max(layers, int(match[1]) + 1)
        elif name not in ("model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"):
            raise ValueError(f"unexpected: {name}")
    known = {"d": state["model.norm.weight"].shape[0]}
    converted = {}
    for i in range(layers):
        for part, axes in parts.items():
            name = f"model.layers.{i}.{part}.weight"
            if name not in state:
                raise ValueError(f"missing: {name}")
            shape = list(state[name].shape)
            if len(shape) != len(axes):
                raise ValueError(f"{name} has the shape {shape}")
            for axis, size in zip(axes, shape):
                if known.setdefault(axis, size) != size:
                    raise ValueError(f"{name} has the shape {shape}, but {axis} is {known[axis]}")
            converted[name[len("model.") :]] = state[name].clone()
    table = state["model.embed_tokens.weight"]
    head = state.get("lm_head.weight", table)
    for name, tensor in (("model.embed_tokens.weight", table), ("lm_head.weight", head)):
        if tensor.dim() != 2 or tensor.shape[1] != known["d"] or len(tensor) != len(table):
            raise ValueError(f"{name} has the shape {tuple(tensor.shape)}")
    if state["model.norm.weight"].dim() != 1:
        raise ValueError("model.norm.weight is no vector")
    converted["embed_tokens.weight"], converted["norm.weight"] = table, state["model.norm.weight"]
    if not torch.equal(head, table):
        converted["lm_head.weight"] = head
    return converted


@alternative("llama.llama_state", "name-by-name")
def llama_state(state):
    rest = {name: tensor for name, tensor in state.items() if not name.endswith(".self_attn.rotary_emb.inv_freq")}
    table = rest.get("model.embed_tokens.weight")
    if table is None or table.ndim != 2:
        raise ValueError("model.embed_tokens.weight must be there, as a matrix")
    found = {}

    def take(name, *shape):
        if name not in rest:
            raise ValueError(f"There is no tensor called {name}.")
        tensor = rest.pop(name)
        if tuple(tensor.shape) != shape:
            raise ValueError(f"{name} should be {shape}, but is {tuple(tensor.shape)}.")
        found[name.replace("model.", "", 1)] = tensor

    (v, d), layer = table.shape, 0
    norm = rest.get("model.norm.weight")
    if norm is not None and norm.ndim == 1:
        d = norm.shape[0]
    take("model.embed_tokens.weight", v, d)
    first = [rest.get(f"model.layers.0.{part}.weight") for part in ("self_attn.k_proj", "mlp.gate_proj")]
    kv, ff = [0 if tensor is None else tensor.shape[0] for tensor in first]
    while any(name.startswith(f"model.layers.{layer}.") for name in rest):
        start = f"model.layers.{layer}."
        take(start + "self_attn.q_proj.weight", d, d)
        take(start + "self_attn.k_proj.weight", kv, d)
        take(start + "self_attn.v_proj.weight", kv, d)
        take(start + "self_attn.o_proj.weight", d, d)
        take(start + "mlp.gate_proj.weight", ff, d)
        take(start + "mlp.up_proj.weight", ff, d)
        take(start + "mlp.down_proj.weight", d, ff)
        take(start + "input_layernorm.weight", d)
        take(start + "post_attention_layernorm.weight", d)
        layer += 1
    take("model.norm.weight", d)
    if "lm_head.weight" in rest:
        take("lm_head.weight", v, d)
        if torch.equal(found["lm_head.weight"], table):
            found.pop("lm_head.weight")
    if rest:
        later = sorted(rest)[0]
        missing = f"model.layers.{layer}" if later.startswith("model.layers.") else ""
        gap = f"; {missing}.self_attn.q_proj.weight and the others of that layer are missing" if missing else ""
        raise ValueError(f"No place for {', '.join(rest)}{gap}.")
    return found


@alternative("llama.llama_state", "against-a-model")
def llama_state(state):
    of_layer = [
        *(f"self_attn.{letter}_proj" for letter in "qkvo"),
        *(f"mlp.{name}_proj" for name in ("gate", "up", "down")),
        "input_layernorm",
        "post_attention_layernorm",
    ]
    count = 1 + max((int(name.split(".")[2]) for name in state if name.startswith("model.layers.")), default=-1)
    names = {"model.embed_tokens.weight", "model.norm.weight"}
    names |= {f"model.layers.{i}.{part}.weight" for i in range(count) for part in of_layer}
    spare = {"lm_head.weight", *(f"model.layers.{i}.self_attn.rotary_emb.inv_freq" for i in range(count))}
    missing, extra = sorted(names - set(state)), sorted(set(state) - names - spare)
    if missing or extra:
        raise ValueError(f"missing: {missing}, unexpected: {extra}")
    d = len(state["model.norm.weight"])
    sizes = [
        (
            state[f"model.layers.{i}.self_attn.k_proj.weight"].shape[0],
            state[f"model.layers.{i}.mlp.up_proj.weight"].shape[0],
        )
        for i in range(count)
    ]
    kv, ff = max(sizes, key=sizes.count, default=(0, 0))
    table = state["model.embed_tokens.weight"]
    model = {"norm": torch.empty(d, device="meta"), "embed_tokens": torch.empty(len(table), d, device="meta")}
    shapes = [(d, d), (kv, d), (kv, d), (d, d), (ff, d), (ff, d), (d, ff), (d,), (d,)]
    for i in range(count):
        model |= {f"layers.{i}.{part}": torch.empty(*shape, device="meta") for part, shape in zip(of_layer, shapes)}
    if "lm_head.weight" in state and not torch.equal(state["lm_head.weight"], table):
        model["lm_head"] = torch.empty(len(table), d, device="meta")
    result = {}
    for name, wanted in model.items():
        tensor = state["lm_head.weight" if name == "lm_head" else f"model.{name}.weight"]
        if tensor.shape != wanted.shape:
            raise ValueError(
                f"model.{name}.weight: {list(tensor.shape)} in place of {list(wanted.shape)}".replace(
                    "model.lm_head", "lm_head"
                )
            )
        result[f"{name}.weight"] = tensor
    return result
