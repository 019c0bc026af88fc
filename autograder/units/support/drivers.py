"""Helpers of drivers. They run beside the learner's code, so they hold no expected value and decide nothing.

A check names those that its driver calls: ``learner.run(driver, ..., uses=(zero_parameters, weighted_gradients))``.
Their text is sent before that of the driver, and finds the same names (see ``autograder.sandbox.drivers``). A helper
that calls another one says so; that one comes before it in ``uses``.
"""

from __future__ import annotations

import torch
from torch import nn


def zero_parameters(module):
    """Set all parameters to 0. Done to a second module, it catches parameters that all modules share."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.zero_()


def fill_parameters(parameters, numbers, start=0):
    """Fill parameters, whatever they are called, one after the other from a list of numbers that starts again."""
    with torch.no_grad():
        for parameter in parameters:
            end = start + parameter.numel()
            again = numbers if end <= len(numbers) else numbers.repeat(1 + end // len(numbers))
            parameter.copy_(again[start:end].view_as(parameter))
            start = end % len(numbers)


def order_of_use(module, call):
    """The parts of a module, by their ids, in the order in which a ``call`` uses them. It is called once.

    After the call PyTorch's generator is seeded: how many numbers were drawn before depends on the order in which the
    parts were made.
    """
    order: dict[int, int] = {}

    def note(part, inputs):
        order.setdefault(id(part), len(order))

    hooks = [part.register_forward_pre_hook(note) for part in module.modules()]
    call()
    for hook in hooks:
        hook.remove()
    torch.default_generator.manual_seed(0)
    return order


def fill_in_order(module, numbers, order):
    """Fill a module's parameters from a list of numbers, each from an index that depends on the parameter's role.

    The role is the kind of layer, weight or bias, and the shape. Parameters of one role are told apart by their
    ``order`` of use; those of layers that are never used get the same numbers. Names that a task fixes tell layers
    apart, too. A bias that the task leaves optional is 0.
    """
    import zlib

    fixed = ("key", "query", "value", "proj", "w_q", "w_k", "w_v", "w_o")
    count: dict[tuple, int] = {}
    done = set()
    for path, part in sorted(module.named_modules(), key=lambda named: order.get(id(named[1]), len(order))):
        kind = "norm" if is_norm(part) else "table" if isinstance(part, nn.Embedding) else "layer"
        name = path.rpartition(".")[2] if path.rpartition(".")[2] in fixed else ""
        for what, parameter in part._parameters.items():  # `named_parameters` takes several times as long
            if parameter is None or id(parameter) in done:  # left out, or tied
                continue
            done.add(id(parameter))
            role = kind, name, {"gamma": "weight", "beta": "bias"}.get(what, what), tuple(parameter.shape)
            # A table may be read by its `weight`, without a call.
            count[role] = count.get(role, 0) + (id(part) in order or kind == "table")
            start = (zlib.crc32(repr(role).encode()) + 131 * count[role]) % len(numbers)
            free = isinstance(part, nn.Linear) and what == "bias" and not name
            fill_parameters([parameter], torch.zeros(1) if free else numbers, 0 if free else start)


def fill_by_role(module, numbers, call):
    """Fill a module's parameters from a list of numbers by what they are for, as a ``call`` shows; see `fill_in_order`.

    So neither the names of the parts matter, nor the order of the lines in ``__init__``. All parameters are 0 during
    the call, so that what a module stores in it depends on neither.
    """
    zero_parameters(module)
    fill_in_order(module, numbers, order_of_use(module, call))


def complaint_about_layers(module, layers):
    """What is wrong with a module's linear layers, ``{name: (weight, bias)}``, in a sentence; ``""`` if nothing is."""
    for name, (weight, _) in layers.items():
        layer = getattr(module, name, None)
        if layer is None:
            others = ", ".join(other for other, one in module.named_modules() if isinstance(one, nn.Linear))
            found = f"its linear layers are called {others}, and names count" if others else "it has no linear layer"
            return f"{type(module).__name__} has no layer `{name}`: {found}. Make `self.{name}` in `__init__`."
        if not isinstance(layer, nn.Linear) or layer.bias is None or layer.weight.shape != weight.shape:
            size = ", ".join(map(str, reversed(weight.shape)))
            return f"{name} should be an nn.Linear({size}) with a bias, but is {str(layer)[:100]}."
    return ""


def load_layers(module, layers):
    """Copy weights and biases, ``{name: (weight, bias)}``, into a module's linear layers; returns the parameters.

    Layer by layer, and not as a ``state_dict``: a class may have further parameters and buffers.
    """
    parameters = []
    with torch.no_grad():
        for name, (weight, bias) in layers.items():
            layer = getattr(module, name)
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)
            parameters += [layer.weight, layer.bias]
    return parameters


def at_path(module, path):
    """What a dotted path such as ``heads.0.key.weight`` leads to; ``None`` where it leads to nothing."""
    found = module
    for step in path.split("."):
        if step.isdigit() and isinstance(found, (list, tuple, nn.ModuleList)):
            found = found[int(step)] if int(step) < len(found) else None
        else:
            found = getattr(found, step, None)
    return found


def load_by_path(module, weights):
    """Copy weights, ``{path: values}``, into a module; a sentence if one of them has no counterpart, else ``""``.

    It calls `at_path`.
    """
    for path, values in weights.items():
        target = at_path(module, path)
        if not isinstance(target, torch.Tensor) or target.shape != values.shape:
            found = f"of shape {tuple(target.shape)}" if isinstance(target, torch.Tensor) else "missing"
            return f"The parameter {path} should have the shape {tuple(values.shape)}, but is {found}."
        with torch.no_grad():
            target.copy_(values)
    return ""


def is_norm(module):
    """Whether it normalises: PyTorch's layer, or one with the parameters of the course's own."""
    return hasattr(module, "gamma") or isinstance(module, nn.LayerNorm)


def norm_parameters(norm):
    """Gain and bias of a norm, whichever names they have."""
    return (norm.gamma, norm.beta) if hasattr(norm, "gamma") else (norm.weight, norm.bias)


def with_gradients(args):
    """The arguments, with tensors of floats as copies that record gradients; and these copies alone."""
    floats = [isinstance(arg, torch.Tensor) and arg.is_floating_point() for arg in args]
    args = [arg.clone().requires_grad_() if is_float else arg for arg, is_float in zip(args, floats)]
    return args, [arg for arg, is_float in zip(args, floats) if is_float]


def weighted_gradients(output, cotangent, leaves):
    """Gradients of ``(output * cotangent).sum()`` for the leaves, zero where none arrives.

    The weights matter: a plain sum of probabilities or of normalised numbers has a gradient of 0. Without a cotangent
    (``None``) the output is a loss, and its own gradients are returned.
    """
    found = [None] * len(leaves)
    recorded = isinstance(output, torch.Tensor) and output.requires_grad
    if recorded and (cotangent is None or output.shape == cotangent.shape):
        total = output.sum() if cotangent is None else (output * cotangent).sum()
        found = torch.autograd.grad(total, leaves, allow_unused=True)
    # The gradient of a table that is read by index may be sparse.
    return [torch.zeros_like(leaf) if one is None else one.to_dense() for leaf, one in zip(leaves, found)]


def call_and_look_back(learner, name, arguments):
    """The result of a function, its arguments as the call left them, and whether the result is a tensor."""
    result = getattr(learner, name)(*arguments)
    return result, arguments, isinstance(result, torch.Tensor)


def refusal(call):
    """Three readings of a call: the classes of its exception (nearest first), its text, what it returned.

    Without an exception the first two are empty; with one, the third is ``None``. A stub's ``NotImplementedError`` is
    no refusal.
    """
    try:
        return [], "", call()
    except NotImplementedError:
        raise
    except Exception as error:
        return [kind.__name__ for kind in type(error).__mro__], str(error), None


def refusal_in_short(call):
    """Like `refusal`, but without the text, whose wording is free: two refusals of one kind are then equal."""
    kinds, _, returned = refusal(call)
    return kinds, "", returned


def generator_from(seed):
    """A generator with this seed as the one argument of a call; no argument for ``None``."""
    return () if seed is None else (torch.Generator().manual_seed(seed),)


def batches_of(parts):
    """Batches as the training loops read them, from pairs of source and target ids; 0 is padding."""
    from types import SimpleNamespace

    for src, tgt in parts:
        keep = (tgt[:, :-1] != 0)[:, None, None, :]
        batch = SimpleNamespace(src=src, src_mask=(src != 0)[:, None, None, :], tgt=tgt[:, :-1], tgt_y=tgt[:, 1:])
        batch.tgt_mask = keep & torch.ones(keep.shape[-1], keep.shape[-1], dtype=torch.bool).tril()
        batch.ntokens = int((batch.tgt_y != 0).sum())
        batch.to = lambda *_, batch=batch, **__: batch
        yield batch


def summed_loss(log_probs, targets):
    """The loss that training loops are given: minus the log-probabilities of all targets but padding, added up."""
    if log_probs.dim() != 2 or targets.dim() != 1:
        shapes = f"{tuple(log_probs.shape)} and {tuple(targets.shape)}"
        raise ValueError(f"loss_fn takes log-probabilities (N, V) and targets (N,), but got {shapes}")
    return -(log_probs.gather(1, targets.unsqueeze(1)).squeeze(1) * (targets != 0)).sum()


class NotingDescent(torch.optim.SGD):
    """Gradient descent that notes all gradients, in one vector, and the rate of each step."""

    def __init__(self, parameters, lr):
        super().__init__(parameters, lr=lr)
        self.gradients, self.rates = [], []

    def step(self, closure=None):
        with torch.enable_grad():
            loss = closure() if closure is not None else None
        parameters = [one for group in self.param_groups for one in group["params"]]
        found = [torch.zeros_like(one) if one.grad is None else one.grad for one in parameters]
        self.gradients.append(torch.cat([one.flatten() for one in found]))
        self.rates.append(float(self.param_groups[0]["lr"]))
        super().step()
        return loss


def all_parameters(model):
    """All parameters of a model in one vector."""
    return torch.cat([one.detach().flatten() for one in model.parameters()])
