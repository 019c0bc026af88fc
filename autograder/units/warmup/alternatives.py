"""Right implementations of the tasks of warmup, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from autograder.course.catalogue import alternative

# ---------------------------------------------------------------------------------------------------------------------
# pairwise_distances


@alternative("warmup.pairwise_distances", "square-sum-root")
def pairwise_distances(x, y):
    difference = x.unsqueeze(1) - y.unsqueeze(0)
    return difference.square().sum(-1).sqrt()


@alternative("warmup.pairwise_distances", "expanded-squares")
def pairwise_distances(x, y):
    squares = (x * x).sum(1, keepdim=True) + (y * y).sum(1) - 2 * x @ y.T
    return squares.clamp(min=0).sqrt()


@alternative("warmup.pairwise_distances", "library")
def pairwise_distances(x, y):
    if x.dtype in (torch.float32, torch.float64):
        return torch.cdist(x, y)
    return torch.cdist(x.float(), y.float()).to(x.dtype)


@alternative("warmup.pairwise_distances", "library-without-its-epsilon")
def pairwise_distances(x, y):
    return F.pairwise_distance(x[:, None], y[None], eps=0.0)


@alternative("warmup.pairwise_distances", "einsum-of-differences")
def pairwise_distances(x, y):
    print("from", tuple(x.shape), "to", tuple(y.shape))
    (n, d), m = x.shape, len(y)
    gaps = x.view(n, 1, d).expand(n, m, d) - y.expand(n, m, d)
    return torch.einsum("nmd,nmd->nm", gaps, gaps) ** 0.5


@alternative("warmup.pairwise_distances", "repeated-rows")
def pairwise_distances(x, y):
    left = x.repeat_interleave(y.shape[0], dim=0)
    right = y.repeat(x.shape[0], 1)
    return (left - right).norm(dim=1).reshape(x.shape[0], y.shape[0])


@alternative("warmup.pairwise_distances", "mapped")
def pairwise_distances(x, y):
    def to_all(point):
        return ((y - point) ** 2).sum(dim=1)

    return torch.sqrt(torch.vmap(to_all)(x))


# ---------------------------------------------------------------------------------------------------------------------
# pick_rows


@alternative("warmup.pick_rows", "gather")
def pick_rows(x, ids):
    index = ids.unsqueeze(-1).expand(-1, -1, x.shape[-1])
    return torch.gather(x, 1, index)


@alternative("warmup.pick_rows", "take-along-dim")
def pick_rows(x, ids):
    return torch.take_along_dim(x, ids[:, :, None], dim=1)


@alternative("warmup.pick_rows", "flat-with-offsets")
def pick_rows(x, ids):
    batch, length, d = x.shape
    offsets = length * torch.arange(batch).view(batch, 1)
    return x.reshape(batch * length, d)[ids + offsets]


@alternative("warmup.pick_rows", "index-select")
def pick_rows(x, ids):
    flat = (ids + x.size(1) * torch.arange(x.size(0)).unsqueeze(1)).flatten()
    return x.flatten(0, 1).index_select(0, flat).unflatten(0, ids.shape)


@alternative("warmup.pick_rows", "sequence-by-sequence")
def pick_rows(x, ids):
    picked = []
    for sequence, positions in zip(x, ids):
        picked.append(sequence[positions])
    return torch.stack(picked)


@alternative("warmup.pick_rows", "row-by-row")
def pick_rows(x, ids):
    rows = [[x[b, t] for t in positions] for b, positions in enumerate(ids.tolist())]
    return torch.stack([torch.stack(row) for row in rows])


@alternative("warmup.pick_rows", "one-hot-product")
def pick_rows(x, ids):
    return torch.einsum("bkt,btd->bkd", F.one_hot(ids, x.shape[1]).to(x.dtype), x)


# ---------------------------------------------------------------------------------------------------------------------
# Scale


@alternative("warmup.Scale", "new-count-each-time")
class Scale(nn.Module):
    def __init__(self, d: int):
        nn.Module.__init__(self)
        self.gain = torch.nn.parameter.Parameter(torch.full((d,), 1.0))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            self.seen = self.seen + 1
        return self.gain * x


@alternative("warmup.Scale", "added-truth")
class Scale(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.register_buffer("seen", torch.tensor(0, dtype=torch.int64), persistent=True)
        self.register_parameter("gain", nn.Parameter(torch.ones(d)))

    def forward(self, x):
        self.seen.add_(int(self.training))
        return torch.mul(x, self.gain)


@alternative("warmup.Scale", "filled-later")
class Scale(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.d = d
        self.gain = nn.Parameter(torch.empty(d))
        self.register_buffer("seen", torch.LongTensor([0])[0].clone())
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.ones_(self.gain)

    def forward(self, x):
        with torch.no_grad():
            if self.training is True:
                self.seen.copy_(self.seen + 1)
        return torch.einsum("...d,d->...d", x, self.gain)


@alternative("warmup.Scale", "buffer-class-and-more-buffers")
class Scale(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))
        self.register_buffer("seen", torch.tensor(0))
        self.register_buffer("ones", torch.ones(d), persistent=False)

    def forward(self, x):
        self.seen = torch.where(torch.tensor(self.training), self.seen + 1, self.seen)
        return x * (self.ones * self.gain)


@alternative("warmup.Scale", "diagonal-matrix")
class Scale(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))
        self.register_buffer("seen", torch.tensor(0))
        self.register_forward_pre_hook(Scale.count)

    def count(self, inputs):
        if self.training:
            self.seen += 1

    def forward(self, x):
        return x @ torch.diag(self.gain)


# ---------------------------------------------------------------------------------------------------------------------
# fit_line


@alternative("warmup.fit_line", "linear-layer")
def fit_line(x, y, steps=500, lr=0.1):
    model = nn.Linear(1, 1).to(x.dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x[:, None]), y[:, None])
        loss.backward()
        optimizer.step()
    return model.weight.item(), model.bias.item()


@alternative("warmup.fit_line", "one-parameter-of-two-numbers")
def fit_line(x, y, steps=500, lr=0.1):
    line = nn.Parameter(torch.randn(2, dtype=x.dtype))
    inputs = torch.stack([x, torch.ones_like(x)], dim=1)
    optimizer = torch.optim.SGD([line], lr=lr)
    step = 0
    while step < steps:
        error = inputs @ line - y
        (error @ error / len(y)).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        step += 1
    slope, intercept = line.tolist()
    return slope, intercept


@alternative("warmup.fit_line", "half-the-squares")
def fit_line(x, y, steps=500, lr=0.1):
    a = torch.tensor(1.0, dtype=x.dtype, requires_grad=True)
    b = torch.tensor(-1.0, dtype=x.dtype, requires_grad=True)
    descent = torch.optim.SGD([{"params": a}, {"params": b}], lr)
    for i in range(steps):
        descent.zero_grad()
        (0.5 * (y - (a * x + b)).pow(2)).mean().backward()
        descent.step()
        if i % 100 == 0:
            print("step", i)
    return float(a), float(b)


@alternative("warmup.fit_line", "new-optimizer-each-step")
def fit_line(x, y, steps=500, lr=0.1):
    model = nn.Module()
    model.slope = nn.Parameter(torch.zeros(1, dtype=x.dtype))
    model.intercept = nn.Parameter(torch.zeros(1, dtype=x.dtype))
    for _ in range(steps):
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        model.zero_grad()
        nn.MSELoss()(model.slope * x + model.intercept, y).backward()
        optimizer.step()
    return [parameter.detach().numpy()[0].item() for parameter in (model.slope, model.intercept)]


@alternative("warmup.fit_line", "closure")
def fit_line(x, y, steps=500, lr=0.1):
    slope = torch.zeros(1, dtype=x.dtype, requires_grad=True)
    intercept = torch.full((1,), float(torch.rand(())), dtype=x.dtype, requires_grad=True)
    optimizer = torch.optim.SGD([slope, intercept], lr=lr)

    def closure():
        optimizer.zero_grad()
        loss = torch.mean((slope * x + intercept - y) ** 2)
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)
    return slope.item(), intercept.item()


@alternative("warmup.fit_line", "a-class-of-its-own")
def fit_line(x, y, steps=500, lr=0.1):
    class Line(nn.Module):
        def __init__(self):
            super().__init__()
            start = np.random.default_rng(0).normal(size=2)
            self.a, self.b = (nn.Parameter(torch.tensor(number, dtype=x.dtype)) for number in start)

        def forward(self, x):
            return self.a * x + self.b

    line = Line().train()
    optimizer = torch.optim.SGD(line.parameters(), lr=lr)
    for _ in range(steps):
        loss = (line(x) - y).square().mean()
        gradients = torch.autograd.grad(loss, list(line.parameters()))
        for parameter, gradient in zip(line.parameters(), gradients):
            parameter.grad = gradient
        optimizer.step()
    return line.a.item(), line.b.item()


# ---------------------------------------------------------------------------------------------------------------------
# vector_jacobian


@alternative("warmup.vector_jacobian", "backward-on-a-copy")
def vector_jacobian(f, x, v):
    copy = x.detach().clone().requires_grad_(True)
    f(copy).backward(v)
    return copy.grad


@alternative("warmup.vector_jacobian", "weighted-sum")
def vector_jacobian(f, x, v):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    (f(leaf) * v).sum().backward()
    return leaf.grad


@alternative("warmup.vector_jacobian", "library-of-transforms")
def vector_jacobian(f, x, v):
    _, pull_back = torch.func.vjp(f, x)
    return pull_back(v)[0]


@alternative("warmup.vector_jacobian", "functional")
def vector_jacobian(f, x, v):
    return torch.autograd.functional.vjp(f, x, v)[1]


@alternative("warmup.vector_jacobian", "whole-jacobian")
def vector_jacobian(f, x, v):
    jacobian = torch.autograd.functional.jacobian(f, x)
    return torch.tensordot(v, jacobian, dims=v.dim())


@alternative("warmup.vector_jacobian", "one-entry-at-a-time")
def vector_jacobian(f, x, v):
    leaf = x.clone().detach().requires_grad_()
    total = torch.zeros_like(leaf)
    output = f(leaf).reshape(-1)
    for value, weight in zip(output, v.reshape(-1)):
        total = total + weight * torch.autograd.grad(value, leaf, retain_graph=True)[0]
    return total.detach()


@alternative("warmup.vector_jacobian", "borrowed-and-given-back")
def vector_jacobian(f, x, v):
    before = x.requires_grad, x.grad
    x.grad = None
    x.requires_grad_()
    f(x).backward(v)
    product = x.grad
    x.grad = before[1]
    x.requires_grad_(before[0])
    return product
