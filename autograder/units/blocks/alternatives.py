"""Right implementations of the tasks of blocks, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import math
import random
import warnings
from collections.abc import Callable

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from autograder.course.catalogue import alternative

# ---------------------------------------------------------------------------------------------------------------------
# gelu


@alternative("blocks.gelu", "library-call")
def gelu(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


@alternative("blocks.gelu", "as-a-sigmoid")
def gelu(x):
    # (1 + tanh(a)) / 2 is the sigmoid of 2a.
    return x * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x.pow(3)))


@alternative("blocks.gelu", "factored")
def gelu(x):
    c = (2 / math.pi) ** 0.5
    inner = c * x * (1 + 0.044715 * x * x)
    return x / 2 + x / 2 * torch.tanh(inner)


@alternative("blocks.gelu", "with-exponentials")
def gelu(x):
    a = math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))
    return x / (1 + torch.exp(-2 * a))


@alternative("blocks.gelu", "entry-by-entry")
def gelu(x):
    print("gelu of", x.numel(), "numbers")

    def one(number):
        inner = math.sqrt(2 / math.pi) * (number + 0.044715 * number**3)
        return 0.5 * number * (1 + inner.tanh())

    return torch.stack([one(number) for number in x.flatten()]).reshape(x.shape)


@alternative("blocks.gelu", "module-inside")
def gelu(x):
    return nn.GELU("tanh")(x)


@alternative("blocks.gelu", "constant-tensors")
def gelu(x):
    root = torch.sqrt(torch.tensor(2.0, dtype=torch.float64) / math.pi)
    wide = x.double()
    return (0.5 * wide * (1.0 + torch.tanh(root * (wide + 0.044715 * wide**3)))).to(x.dtype)


# ---------------------------------------------------------------------------------------------------------------------
# LayerNorm


@alternative("blocks.LayerNorm", "library-function")
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, (x.size(-1),), weight=self.gamma, bias=self.beta, eps=self.eps)


@alternative("blocks.LayerNorm", "biased-var")
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones((d_model,)))
        self.beta = nn.Parameter(torch.zeros((d_model,)))
        self.register_buffer("epsilon", torch.tensor(eps, dtype=torch.float64), persistent=False)

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(var + self.epsilon.item()) * self.gamma + self.beta


@alternative("blocks.LayerNorm", "mean-of-squares-minus-square-of-mean")
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.gamma = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x * x).mean(dim=-1, keepdim=True) - mean * mean
        return torch.addcmul(self.beta, self.gamma, (x - mean) / (variance + self.eps) ** 0.5)


@alternative("blocks.LayerNorm", "bessel-undone")
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        d = self.d_model
        variance = x.std(-1, keepdim=True).pow(2) * (d - 1) / d
        return self.gamma * (x - x.mean(-1, keepdim=True)) / (variance + self.eps).sqrt() + self.beta


@alternative("blocks.LayerNorm", "computed-in-float32-or-wider")
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        wide = x.double()
        centred = wide - wide.sum(-1, keepdim=True) / wide.shape[-1]
        variance = (centred**2).sum(-1, keepdim=True) / wide.shape[-1]
        normed = centred / (variance + self.eps).sqrt()
        return (normed * self.gamma.double() + self.beta.double()).to(x.dtype)


@alternative("blocks.LayerNorm", "vector-by-vector")
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.empty(d_model))
        self.beta = nn.Parameter(torch.empty(d_model))
        nn.init.ones_(self.gamma)
        nn.init.zeros_(self.beta)

    def one(self, vector):
        mean = sum(vector) / len(vector)
        variance = sum((entry - mean) ** 2 for entry in vector) / len(vector)
        return (vector - mean) / torch.sqrt(variance + self.eps)

    def forward(self, x):
        warnings.warn("slow")
        rows = [self.one(vector) for vector in x.reshape(-1, x.shape[-1])]
        return torch.stack(rows).reshape(x.shape) * self.gamma + self.beta


@alternative("blocks.LayerNorm", "child-of-the-library-layer")
class LayerNorm(nn.LayerNorm):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps=eps, elementwise_affine=False)
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return super().forward(x) * self.gamma + self.beta


@alternative("blocks.LayerNorm", "mean-and-variance-first")
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, unbiased=False, keepdim=True)
        return self.gamma * (x - mean) / torch.sqrt(variance + self.eps) + self.beta


# ---------------------------------------------------------------------------------------------------------------------
# rms_norm


@alternative("blocks.rms_norm", "library-function")
def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-5) -> Tensor:
    return F.rms_norm(x, (x.shape[-1],), weight, eps)


@alternative("blocks.rms_norm", "reciprocal-root")
def rms_norm(x, weight, eps=1e-5):
    return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps) * weight


@alternative("blocks.rms_norm", "through-the-norm")
def rms_norm(x, weight, eps=1e-5):
    d = x.shape[-1]
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return weight * (x / (length * length / d + eps) ** 0.5)


@alternative("blocks.rms_norm", "einsum-in-float64")
def rms_norm(x, weight, eps=1e-5):
    wide = x.to(torch.float64)
    mean_square = torch.einsum("...d,...d->...", wide, wide) / x.size(-1)
    return torch.einsum("...d,d,...->...d", wide, weight.double(), (mean_square + eps) ** -0.5).to(x.dtype)


@alternative("blocks.rms_norm", "vector-by-vector")
def rms_norm(x, weight, eps=1e-5):
    rows = []
    for vector in x.reshape(-1, x.shape[-1]):
        mean_square = sum(entry * entry for entry in vector) / len(vector)
        rows.append(torch.stack([g * entry / (mean_square + eps).sqrt() for g, entry in zip(weight, vector)]))
    return torch.stack(rows).reshape(x.shape)


@alternative("blocks.rms_norm", "sum-of-squares-scaled")
def rms_norm(x, weight, eps=1e-5):
    d = x.shape[-1]
    return weight * math.sqrt(d) * x / torch.sqrt((x * x).sum(-1, keepdim=True) + d * eps)


# ---------------------------------------------------------------------------------------------------------------------
# FeedForward


@alternative("blocks.FeedForward", "branches-in-forward")
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1, activation: str = "relu") -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(p=dropout)
        self.kind = activation

    def forward(self, x: Tensor) -> Tensor:
        if self.kind == "relu":
            hidden = F.relu(self.w_1(x))
        elif self.kind == "gelu":
            hidden = F.gelu(self.w_1(x), approximate="tanh")
        else:
            raise ValueError(f"activation must be 'relu' or 'gelu', got {self.kind!r}")
        return self.w_2(self.drop(hidden))


@alternative("blocks.FeedForward", "own-dropout-function")
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        match activation:
            case "relu":
                self.act = nn.ReLU()
            case "gelu":
                self.act = nn.GELU(approximate="tanh")
            case _:
                raise ValueError(activation)
        self.p = dropout
        self.w_2 = nn.Linear(d_ff, d_model)
        self.w_1 = nn.Linear(d_model, d_ff)

    def forward(self, x):
        return self.w_2(dropout(self.act(self.w_1(x)), self.p, training=self.training))


@alternative("blocks.FeedForward", "matrix-products")
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        if activation not in {"relu", "gelu"}:
            raise ValueError("activation is " + str(activation))
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout_p, self.activation = dropout, activation

    def forward(self, x):
        hidden = torch.einsum("btd,fd->btf", x, self.w_1.weight) + self.w_1.bias
        hidden = hidden.clamp(min=0) if self.activation == "relu" else gelu(hidden)
        hidden = F.dropout(hidden, self.dropout_p, self.training)
        return torch.einsum("btf,df->btd", hidden, self.w_2.weight) + self.w_2.bias


@alternative("blocks.FeedForward", "position-by-position")
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        functions: dict[str, Callable] = {"relu": torch.relu, "gelu": gelu}
        try:
            self.function = functions[activation]
        except KeyError:
            raise ValueError(f"unknown activation {activation}") from None
        self.w_1 = nn.Linear(d_model, d_ff)
        self.dropout = nn.Dropout(dropout)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        steps = [self.w_2(self.dropout(self.function(self.w_1(x[:, t])))) for t in range(x.shape[1])]
        return torch.stack(steps, dim=1)


@alternative("blocks.FeedForward", "sequential-of-named-layers")
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        middle = {"relu": nn.ReLU, "gelu": lambda: nn.GELU("tanh")}.get(activation)
        if middle is None:
            raise ValueError(f"activation: {activation!r}; allowed: relu, gelu")
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.steps = nn.Sequential(self.w_1, middle(), nn.Dropout(dropout), self.w_2)

    def forward(self, x):
        return self.steps(x)


@alternative("blocks.FeedForward", "dropout-before-relu")
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is {activation!r}, but must be 'relu' or 'gelu'.")
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = activation

    def forward(self, x):
        hidden = self.w_1(x)
        if self.activation == "relu":  # relu and scaling by a positive number commute
            return self.w_2(self.dropout(hidden).relu())
        return self.w_2(self.dropout(gelu(hidden)))


@alternative("blocks.FeedForward", "conditional-activation")
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is {activation!r}, but must be 'relu' or 'gelu'.")
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = torch.relu if activation == "relu" else gelu

    def forward(self, x):
        return self.w_2(self.dropout(self.activation(self.w_1(x))))


# ---------------------------------------------------------------------------------------------------------------------
# dropout


@alternative("blocks.dropout", "library-call")
def dropout(x: Tensor, p: float, training: bool = True, generator=None) -> Tensor:
    if p < 0 or p >= 1:
        raise ValueError(f"p must lie in [0, 1), but is {p}")
    if generator is None:
        return F.dropout(x, p, training)
    if not training:
        return x
    return x * torch.empty_like(x).bernoulli_(1 - p, generator=generator) / (1 - p)


@alternative("blocks.dropout", "bernoulli-tensor")
def dropout(x, p, training=True, generator=None):
    if not (p >= 0.0 and p < 1.0):
        raise ValueError("p")
    if training:
        keep = torch.bernoulli(torch.full(x.shape, 1.0 - p), generator=generator)
        x = x * keep.to(x.dtype) * (1.0 / (1.0 - p))
    return x


@alternative("blocks.dropout", "where")
def dropout(x, p, training=True, generator=None):
    if p < 0:
        raise ValueError(f"negative p: {p}")
    if p >= 1:
        raise ValueError(f"p too large: {p}")
    if not training:
        return x.clone()
    u = torch.rand(x.numel(), generator=generator, dtype=torch.float64).view_as(x)
    return torch.where(u < p, torch.zeros_like(x), x / (1 - p))


@alternative("blocks.dropout", "entry-by-entry")
def dropout(x, p, training=True, generator=None):
    if not 0 <= p < 1:
        raise ValueError(f"p = {p}")
    if not training or p == 0:
        return x
    if generator is None:
        keep = [random.random() >= p for _ in range(x.numel())]
    else:
        keep = (torch.rand(x.numel(), generator=generator) >= p).tolist()
    return x * torch.tensor(keep, dtype=x.dtype).reshape(x.shape) / (1 - p)


@alternative("blocks.dropout", "mask-scaled-first")
def dropout(x, p, training=True, generator=None):
    if math.isnan(p) or p < 0 or p >= 1:
        raise ValueError(f"p is {p}")
    keep_probability = 1 - p if training else 1.0
    mask = torch.rand(x.shape, generator=generator).lt(keep_probability).to(x) / keep_probability
    return mask * x


@alternative("blocks.dropout", "shifted-and-floored")
def dropout(x, p, training=True, generator=None):
    if p < 0.0 or 1.0 <= p:
        raise ValueError("dropout probability has to be in [0, 1), but got " + repr(p))
    if not training:
        return x
    random_tensor = (1 - p) + torch.rand(x.shape, generator=generator, device=x.device)
    return x.div(1 - p) * random_tensor.floor_().to(x.dtype)


# ---------------------------------------------------------------------------------------------------------------------
# SublayerConnection


@alternative("blocks.SublayerConnection", "branches-exchanged")
class SublayerConnection(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, norm: str = "pre") -> None:
        super().__init__()
        self.norm_layer = LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        self.where = norm

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.where == "post":
            return self.norm_layer(self.drop(sublayer(x)) + x)
        if self.where == "pre":
            return self.drop(sublayer(self.norm_layer(x))) + x
        raise ValueError(f"norm is {self.where!r}; allowed are 'pre' and 'post'")


@alternative("blocks.SublayerConnection", "identities")
class SublayerConnection(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm="pre"):
        super().__init__()
        if norm not in {"pre", "post"}:
            raise ValueError(norm)
        self.norm_layer = LayerNorm(d_model)
        self.before = self.norm_layer if norm == "pre" else nn.Identity()
        self.after = self.norm_layer if norm == "post" else nn.Identity()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return self.after(x + self.dropout(sublayer(self.before(x))))


@alternative("blocks.SublayerConnection", "own-dropout-function")
class SublayerConnection(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm="pre"):
        super().__init__()
        if norm != "pre" and norm != "post":
            raise ValueError(f"norm must be pre or post, not {norm}")
        self.p, self.pre = dropout, norm == "pre"
        self.norm_layer = LayerNorm(d_model)

    def forward(self, x, sublayer):
        branch = sublayer(self.norm_layer(x) if self.pre else x)
        total = torch.add(x, dropout(branch, self.p, self.training))
        return total if self.pre else self.norm_layer(total)


@alternative("blocks.SublayerConnection", "functional-dropout")
class SublayerConnection(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm="pre"):
        super().__init__()
        orders = {"pre": self.pre, "post": self.post}
        if norm not in orders:
            raise ValueError(f"norm {norm!r} is none of {list(orders)}")
        self.order = norm
        self.norm_layer = LayerNorm(d_model, eps=1e-5)
        self.rate = dropout
        self.unused = nn.Linear(3, 2)

    def pre(self, x, sublayer):
        return x + F.dropout(sublayer(self.norm_layer(x)), self.rate, training=self.training)

    def post(self, x, sublayer):
        return self.norm_layer(x + F.dropout(sublayer(x), self.rate, training=self.training))

    def forward(self, x, sublayer):
        return getattr(self, self.order)(x, sublayer)


@alternative("blocks.SublayerConnection", "sum-of-a-copy")
class SublayerConnection(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm="pre"):
        super().__init__()
        self.add_module("norm_layer", LayerNorm(d_model))
        self.add_module("dropout_layer", nn.Dropout(dropout))
        self.norm = norm

    def forward(self, x, sublayer):
        print("connection", self.norm)
        residual = x.clone()
        if self.norm not in ("pre", "post"):
            raise ValueError(self.norm)
        if self.norm == "pre":
            x = self.norm_layer(x)
        x = sublayer(x)
        x = self.dropout_layer(x)
        x = residual + x
        if self.norm == "post":
            x = self.norm_layer(x)
        return x
