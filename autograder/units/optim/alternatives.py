"""Right implementations of the tasks of optim, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import math
import warnings
from fractions import Fraction
from typing import Any

import torch
import torch.optim as optim
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from autograder.course.catalogue import alternative
from solutions.optim import noam_lr

# ---------------------------------------------------------------------------------------------------------------------
# noam_lr


@alternative("optim.noam_lr", "two-cases")
def noam_lr(step, d_model, warmup=4000, factor=1.0):
    if warmup < 1:
        raise ValueError(f"warmup must be >= 1, got {warmup!r}")
    if step == 0:
        step = 1
    if step < warmup:
        rate = step / warmup**1.5
    else:
        rate = 1 / math.sqrt(step)
    return rate * factor / math.sqrt(d_model)


@alternative("optim.noam_lr", "from-the-peak")
def noam_lr(step: int, d_model: int, warmup: int = 4000, factor: float = 1.0) -> float:
    if not warmup >= 1:
        raise ValueError(f"{warmup=} is below 1")
    peak = factor * (d_model * warmup) ** -0.5
    progress = Fraction(max(1, int(step)), int(warmup))
    return peak * min(float(progress), float(progress) ** -0.5)


@alternative("optim.noam_lr", "tensors-inside")
def noam_lr(step, d_model, warmup=4000, factor=1.0):
    if warmup < 1:
        raise ValueError(f"warmup is {warmup}")
    step = torch.as_tensor(step, dtype=torch.float32).clamp(min=1)
    branches = torch.stack([step.rsqrt(), step * torch.tensor(float(warmup)).pow(-1.5)])
    return (factor * torch.tensor(float(d_model)).rsqrt() * branches.amin()).item()


@alternative("optim.noam_lr", "logarithms-and-a-type-error")
def noam_lr(step, d_model, warmup=4000, factor=1.0):
    if warmup < 1:
        raise TypeError("warmup has to be a positive number of steps")
    if step <= 0:
        warnings.warn("step 0 counts as step 1", stacklevel=2)
    log_step = math.log(step or 1)
    return factor * math.exp(-0.5 * math.log(d_model) + min(-0.5 * log_step, log_step - 1.5 * math.log(warmup)))


@alternative("optim.noam_lr", "sorted-branches")
def noam_lr(step, d_model, warmup=4000, factor=1.0):
    def rate(step):
        return sorted([step ** (-1 / 2), step * warmup ** (-3 / 2)])[0]

    if warmup <= 0:
        raise ValueError("warmup <= 0")
    return factor * rate(1 if step == 0 else step) / d_model ** (1 / 2)


# ---------------------------------------------------------------------------------------------------------------------
# AdamW


@alternative("optim.AdamW", "library-subclass")
class AdamW(torch.optim.AdamW):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


@alternative("optim.AdamW", "functional-without-operations-in-place")
class AdamW(Optimizer):
    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not all(0.0 <= beta < 1.0 for beta in betas):
            raise ValueError(f"Invalid betas: {betas}")
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, defaults)

    def step(self, closure=None):
        loss = closure() if closure is not None else None
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._update(p, p.grad, group)
        return loss

    def _update(self, p, grad, group):
        state = self.state[p]
        if len(state) == 0:
            state["step"] = 0
            state["exp_avg"] = torch.zeros_like(p, memory_format=torch.preserve_format)
            state["exp_avg_sq"] = torch.zeros_like(p, memory_format=torch.preserve_format)
        b1, b2 = group["betas"]
        state["step"] = t = state["step"] + 1
        state["exp_avg"] = b1 * state["exp_avg"] + (1 - b1) * grad
        state["exp_avg_sq"] = b2 * state["exp_avg_sq"] + (1 - b2) * grad**2
        m_hat = state["exp_avg"] / (1 - b1**t)
        v_hat = state["exp_avg_sq"] / (1 - b2**t)
        update = m_hat / (torch.sqrt(v_hat) + group["eps"]) + group["weight_decay"] * p
        p.copy_(p - group["lr"] * update)


@alternative("optim.AdamW", "step-size-and-root-corrected-in-one")
class AdamW(optim.Optimizer):
    def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                state.setdefault("m", p.new_zeros(p.shape))
                state.setdefault("v", p.new_zeros(p.shape))
                state["count"] = state.get("count", 0) + 1
                first, second = 1 - group["betas"][0] ** state["count"], 1 - group["betas"][1] ** state["count"]
                p.mul_(1 - group["lr"] * group["weight_decay"])
                state["m"].lerp_(p.grad, 1 - group["betas"][0])
                state["v"].lerp_(p.grad.square(), 1 - group["betas"][1])
                denominator = (state["v"].sqrt() / math.sqrt(second)).add_(group["eps"])
                p.addcdiv_(state["m"], denominator, value=-group["lr"] / first)
        return loss


@alternative("optim.AdamW", "decay-after-the-step")
class AdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = closure and torch.enable_grad()(closure)()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in filter(lambda p: p.grad is not None, group["params"]):
                m, v, t = self.state[p].get("mvt", (torch.zeros_like(p), torch.zeros_like(p), 0))
                m, v, t = b1 * m + (1 - b1) * p.grad, b2 * v + (1 - b2) * p.grad * p.grad, t + 1
                self.state[p]["mvt"] = (m, v, t)
                p -= group["lr"] * (m / (1 - b1**t)) / ((v / (1 - b2**t)) ** 0.5 + group["eps"])
                p -= group["lr"] * group["weight_decay"] * p
        return loss


@alternative("optim.AdamW", "running-products-of-the-betas")
class AdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
        print("made an optimiser with", len(self.param_groups), "groups")

    def step(self, closure=None):
        loss = None
        if closure is not None:
            loss = closure()
        for group in self.param_groups:
            lr, eps, decay = group["lr"], group["eps"], group["weight_decay"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "left" not in state:
                    state.update(left=[1.0, 1.0], means=[torch.zeros_like(p.data), torch.zeros_like(p.data)])
                grad = p.grad.data
                corrected = []
                for i, (beta, new) in enumerate(zip(group["betas"], (grad, grad * grad))):
                    state["left"][i] *= beta
                    state["means"][i] = state["means"][i] + (new - state["means"][i]) * (1 - beta)
                    corrected.append(state["means"][i] / (1 - state["left"][i]))
                p.data = p.data - lr * decay * p.data - lr * corrected[0] / (corrected[1].sqrt() + eps)
        return loss


@alternative("optim.AdamW", "count-as-a-tensor")
class AdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["step"] = torch.tensor(0.0)
                    state["m"] = torch.zeros_like(p)
                    state["v"] = torch.zeros_like(p)
                state["step"] += 1
                m = state["m"].mul_(beta1).add_(p.grad, alpha=1 - beta1)
                v = state["v"].mul_(beta2).add_((1 - beta2) * p.grad.pow(2))
                correction1, correction2 = 1 - beta1 ** state["step"], 1 - beta2 ** state["step"]
                p.add_(p, alpha=-group["lr"] * group["weight_decay"])
                p.sub_(group["lr"] * (m / correction1) / ((v / correction2).sqrt() + group["eps"]))
        return loss


@alternative("optim.AdamW", "lists-of-tensors")
class AdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            if not params:
                continue
            grads = [p.grad for p in params]
            states = [self.state[p] for p in params]
            for p, state in zip(params, states):
                state["t"] = state.get("t", 0) + 1
                for name in ("m", "v"):
                    if name not in state:
                        state[name] = torch.zeros_like(p)
            beta1, beta2 = group["betas"]
            ms, vs = [state["m"] for state in states], [state["v"] for state in states]
            torch._foreach_mul_(params, 1 - group["lr"] * group["weight_decay"])
            torch._foreach_lerp_(ms, grads, 1 - beta1)
            torch._foreach_mul_(vs, beta2)
            torch._foreach_addcmul_(vs, grads, grads, 1 - beta2)
            for p, m, v, state in zip(params, ms, vs, states):
                root = (v / (1 - beta2 ** state["t"])).sqrt() + group["eps"]
                p.addcdiv_(m, root, value=-group["lr"] / (1 - beta1 ** state["t"]))
        return loss


@alternative("optim.AdamW", "state-made-by-the-constructor")
class AdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p] = {"n": 0, "first": torch.zeros_like(p.data), "second": torch.zeros_like(p.data)}

    def step(self, closure=None):
        result = closure() if closure else None
        for group in self.param_groups:
            with torch.no_grad():
                for p in group["params"]:
                    g, s = p.grad, self.state[p]
                    if g is not None:
                        s["n"] += 1
                        s["first"] = torch.lerp(g, s["first"], group["betas"][0])
                        s["second"] = torch.lerp(g**2, s["second"], group["betas"][1])
                        bias = [1 - beta ** s["n"] for beta in group["betas"]]
                        direction = (s["first"] / bias[0]) / (torch.sqrt(s["second"] / bias[1]) + group["eps"])
                        p.set_(p.data * (1 - group["lr"] * group["weight_decay"]) - group["lr"] * direction)
        return result


@alternative("optim.AdamW", "entry-by-entry")
class AdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                n = p.numel()
                ms, vs = state.get("ms", [0.0] * n), state.get("vs", [0.0] * n)
                t = state["t"] = state.get("t", 0) + 1
                new = []
                for i, (x, g) in enumerate(zip(p.flatten().tolist(), p.grad.flatten().tolist())):
                    ms[i] = b1 * ms[i] + (1 - b1) * g
                    vs[i] = b2 * vs[i] + (1 - b2) * g * g
                    root = math.sqrt(vs[i] / (1 - b2**t)) + group["eps"]
                    new.append(x - group["lr"] * (group["weight_decay"] * x + ms[i] / (1 - b1**t) / root))
                state["ms"], state["vs"] = ms, vs
                p.copy_(torch.tensor(new, dtype=p.dtype).view_as(p))
        return loss


@alternative("optim.AdamW", "decay-first")
class AdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            lr, (beta1, beta2) = group["lr"], group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["t"], state["m"], state["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)
                state["t"] += 1
                t, m, v = state["t"], state["m"], state["v"]
                p.mul_(1 - lr * group["weight_decay"])
                m.mul_(beta1).add_(p.grad, alpha=1 - beta1)
                v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
                m_hat = m / (1 - beta1**t)
                v_hat = v / (1 - beta2**t)
                p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))
        return loss


# ---------------------------------------------------------------------------------------------------------------------
# noam_scheduler


@alternative("optim.noam_scheduler", "named-function")
def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):
    def rate(finished_steps: int) -> float:
        return noam_lr(finished_steps + 1, d_model=d_model, warmup=warmup, factor=factor)

    return torch.optim.lr_scheduler.LambdaLR(optimizer=optimizer, lr_lambda=rate)


@alternative("optim.noam_scheduler", "formula-written-out")
def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):
    print("warm-up of", warmup, "steps")
    return LambdaLR(
        optimizer,
        lambda k: factor / (d_model**0.5) * min(1 / (k + 1) ** 0.5, (k + 1) / (warmup * warmup**0.5)),
        last_epoch=-1,
    )


@alternative("optim.noam_scheduler", "callable-object")
def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):
    class Rate:
        def __init__(self, **options):
            self.options = options

        def __call__(self, done):
            return noam_lr(done + 1, **self.options)

    return LambdaLR(optimizer, Rate(d_model=d_model, warmup=warmup, factor=factor))


@alternative("optim.noam_scheduler", "subclass")
def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):
    class NoamLR(LambdaLR):
        def __init__(self):
            super().__init__(optimizer, self.rate)

        @staticmethod
        def rate(epoch):
            return noam_lr(epoch + 1, d_model, warmup, factor)

    return NoamLR()


@alternative("optim.noam_scheduler", "one-function-for-each-group")
def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):
    functions = [lambda done: noam_lr(1 + done, d_model, warmup, factor) for _ in optimizer.param_groups]
    scheduler = LambdaLR(optimizer, functions)
    return scheduler


@alternative("optim.noam_scheduler", "divided-by-the-rate-at-the-start")
def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):
    base = optimizer.param_groups[0]["lr"]
    return LambdaLR(optimizer, lambda step: noam_lr(step + 1, d_model, warmup, factor) / base)


# ---------------------------------------------------------------------------------------------------------------------
# clip_grad_norm


@alternative("optim.clip_grad_norm", "library")
def clip_grad_norm(parameters, max_norm):
    return nn.utils.clip_grad_norm_(parameters, max_norm).item()


@alternative("optim.clip_grad_norm", "one-long-vector")
def clip_grad_norm(parameters, max_norm):
    parameters = list(parameters)
    pieces = [p.grad.detach().reshape(-1) for p in parameters if p.grad is not None]
    norm = float(torch.cat(pieces).norm(2)) if pieces else 0.0
    scale = max_norm / (norm + 1e-6)
    if scale < 1:
        for p in parameters:
            if p.grad is not None:
                p.grad = p.grad * scale
    return norm


@alternative("optim.clip_grad_norm", "sum-of-squares-in-a-loop")
def clip_grad_norm(parameters, max_norm):
    grads = []
    total = 0.0
    for p in parameters:
        if p.grad is None:
            continue
        grads.append(p.grad)
        total += (p.grad**2).sum().item()
    total = math.sqrt(total)
    print(f"gradient norm {total:.3f}")
    if total <= max_norm:
        return total
    for grad in grads:
        grad /= total / max_norm
    return total


@alternative("optim.clip_grad_norm", "factor-of-one-multiplied")
def clip_grad_norm(parameters, max_norm):
    grads = tuple(p.grad for p in parameters if p.grad is not None)
    if len(grads) == 0:
        return 0.0
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in grads]))
    scale = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
    with torch.no_grad():
        for g in grads:
            g.mul_(scale.to(g.dtype))
    return float(norm)


@alternative("optim.clip_grad_norm", "in-float64")
def clip_grad_norm(parameters, max_norm):
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = sum(float(g.double().pow(2).sum()) for g in grads) ** 0.5
    if norm > max_norm:
        [g.copy_(g.double() * (max_norm / norm)) for g in grads]
    return norm


@alternative("optim.clip_grad_norm", "foreach")
def clip_grad_norm(parameters, max_norm):
    grads = [p.grad for p in parameters if p.grad is not None]
    norms = torch._foreach_norm(grads) if grads else []
    norm = math.fsum(n.item() ** 2 for n in norms) ** 0.5
    if norm > max_norm:
        torch._foreach_mul_(grads, max_norm / norm)
    return norm
