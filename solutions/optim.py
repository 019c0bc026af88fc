"""Optimisation: AdamW (Loshchilov and Hutter 2019), the warm-up schedule (Vaswani et al. 2017), clipping.

A *step* is one update of the parameters; steps are counted from 1. A *rate* is a learning rate: how far a step goes.
"""

import math

import torch
from torch.optim.lr_scheduler import LambdaLR


class AdamW(torch.optim.Optimizer):
    """Adam with decoupled weight decay.

    For each parameter ``p`` with gradient ``g``, in its ``t``-th step (``t`` counts the steps of this parameter)::

        p = p - lr * weight_decay * p
        m = beta1 * m + (1 - beta1) * g              m, v start at 0
        v = beta2 * v + (1 - beta2) * g * g
        p = p - lr * (m / (1 - beta1**t)) / (sqrt(v / (1 - beta2**t)) + eps)

    A parameter whose gradient is ``None`` is left alone, its state and its ``t`` too. Gradients are not changed.
    Each group of ``self.param_groups`` has its own ``lr``, ``betas``, ``eps`` and ``weight_decay``, which a schedule
    may change between steps. What is remembered is in ``self.state``, so that ``state_dict`` saves it and
    ``load_state_dict`` brings it back; the names of its entries are free.

    Args:
        params: parameters, or groups of them as dictionaries, like those of every optimiser of PyTorch.
        lr: learning rate.
        betas: ``(beta1, beta2)``, how much of the running means of ``g`` and ``g * g`` each step keeps.
        eps: added to the root, so that the division is safe.
        weight_decay: how fast parameters shrink, as a multiple of ``lr``.

    Source: Loshchilov and Hutter 2019, algorithm 2, as in ``torch.optim.AdamW``.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        ### BEGIN SOLUTION
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        ### END SOLUTION

    @torch.no_grad()
    def step(self, closure=None):
        """Update every parameter that has a gradient.

        Args:
            closure: optional function that computes the loss anew, with its gradients, and returns it. It is
                called once, before the update, with gradients enabled.

        Returns:
            What the closure returned, ``None`` without one.
        """
        ### BEGIN SOLUTION
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
                m.mul_(beta1).add_(p.grad, alpha=1 - beta1)
                v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
                m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
                p.mul_(1 - lr * group["weight_decay"])  # the decay does not enter m and v
                p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))
        return loss
        ### END SOLUTION


def noam_lr(step, d_model, warmup=4000, factor=1.0):
    """Learning rate of a step: rises in proportion to the step, then falls as one over its root.

    Args:
        step: number of the step, from 1; 0 counts as 1.
        d_model: width of the model.
        warmup: number of the step with the highest rate, at least 1.
        factor: multiplies the whole.

    Returns:
        A Python float: ``factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)``.

    Raises:
        ValueError: ``warmup`` is below 1.

    Source: Vaswani et al. 2017, equation 3 (section 5.3).
    """
    ### BEGIN SOLUTION
    if warmup < 1:
        raise ValueError(f"warmup is {warmup}, but has to be at least 1: it is the step with the highest rate.")
    step = max(step, 1)
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    ### END SOLUTION


def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):
    """Have an optimiser run at `noam_lr`.

    Args:
        optimizer: any optimiser whose groups all have ``lr=1.0``, since the scheduler multiplies.
        d_model, warmup, factor: those of `noam_lr`.

    Returns:
        A ``torch.optim.lr_scheduler.LambdaLR``. With ``scheduler.step()`` after each ``optimizer.step()``, the k-th
        step of the optimiser, k from 1, runs at ``noam_lr(k)``; no rate is used twice.

    Source: Vaswani et al. 2017, equation 3; documentation of ``LambdaLR``, which counts from 0.
    """
    ### BEGIN SOLUTION
    return LambdaLR(optimizer, lambda done: noam_lr(done + 1, d_model, warmup, factor))
    ### END SOLUTION


def clip_grad_norm(parameters, max_norm):
    """Shorten the gradient of all parameters together, if it is longer than ``max_norm``.

    Args:
        parameters: any iterable of parameters, such as ``model.parameters()``, which can be read only once. Those
            without a gradient do not count.
        max_norm: the largest norm allowed, positive.

    Returns:
        A Python float: the norm before clipping, the root of the sum of squares of all entries of all gradients.

    The gradients are changed: all by the same factor, so that their direction stays. If the norm is at most
    ``max_norm`` they stay exactly as they were.

    Source: Pascanu et al. 2013, algorithm 1.
    """
    ### BEGIN SOLUTION
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))
    if norm > max_norm:
        for gradient in gradients:
            gradient.mul_(max_norm / norm)
    return norm
    ### END SOLUTION


def test_schedule(noam_lr):
    """A test of `noam_lr`: it returns for a right implementation and raises for a wrong one.

    Args:
        noam_lr: the implementation to test, called as in Task 2. It comes in many styles: rates may be off by one part
            in a million, as in float32, and a wrong ``warmup`` may raise an error of any class.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    for d_model, warmup, factor in ((512, 4000, 1.0), (64, 10, 0.5)):
        for step in (0, 1, 4, 10, 11, 90, 4000, 4001, 20_000):
            counted = max(step, 1)
            expected = factor * d_model**-0.5 * min(counted**-0.5, counted * warmup**-1.5)
            assert abs(noam_lr(step, d_model, warmup, factor) / expected - 1) < 1e-4
    assert abs(noam_lr(7, 64) / noam_lr(7, 64, 4000, 1.0) - 1) < 1e-4
    assert abs(noam_lr(4, 64, 1) - 1 / 16) < 1e-4
    for warmup in (0, -3):
        try:
            noam_lr(1, 64, warmup)
        except Exception:
            continue
        raise AssertionError(f"a warm-up of {warmup} was accepted")
    ### END SOLUTION
