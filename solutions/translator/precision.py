"""The type of numbers in which a device multiplies matrices fastest, and what float16 needs beside it."""

import torch

LARGEST_SCALE = 2.0**16  # of the loss, to begin with; PyTorch's default


def number_type(device):
    """``torch.bfloat16``, ``torch.float16`` or ``torch.float32``: what autocast computes products of matrices in.

    bfloat16 where the GPU has units for it (an A100, an L4 and newer ones); float16 where it has units for that alone
    (a T4, a V100), together with a scaled loss, see `loss_scaler`; float32 on every other device.
    """
    if device.type != "cuda":
        return torch.float32
    if has_bfloat16(device):
        return torch.bfloat16
    return torch.float16 if torch.cuda.get_device_capability(device) >= (7, 0) else torch.float32


def has_bfloat16(device):
    """Whether a GPU computes in bfloat16 itself. A T4 emulates it, slowly, which PyTorch calls supported as well."""
    with torch.cuda.device(device):
        try:
            return torch.cuda.is_bf16_supported(including_emulation=False)
        except TypeError:  # PyTorch before 2.5 cannot leave emulation out
            return torch.cuda.get_device_capability(device) >= (8, 0)


def loss_scaler(device, enabled):
    """PyTorch's ``GradScaler``; one that is not enabled changes nothing.

    The smallest normal float16 is about 6e-5, and gradients are often smaller: they would lose digits or be 0. So the
    loss is multiplied by a large number, and the gradients are divided by it in float32, before the optimiser's step.
    A step whose gradients overflow is left out, and the number is halved (Micikevicius et al. 2018, section 3.2).
    """
    if not hasattr(torch.amp, "GradScaler"):  # PyTorch 2.2
        return torch.cuda.amp.GradScaler(LARGEST_SCALE, enabled=enabled)
    return torch.amp.GradScaler(device.type, LARGEST_SCALE, enabled=enabled)


class ScaledOptimizer:
    """An optimiser as `training_step` uses one, for gradients that a scaler has made larger.

    Args:
        optimizer: of PyTorch or the course.
        scaler: from `loss_scaler`; the loss went through its ``scale``.
    """

    def __init__(self, optimizer, scaler):
        self.optimizer, self.scaler = optimizer, scaler

    def zero_grad(self):
        """Clear the gradients."""
        self.optimizer.zero_grad()

    def step(self):
        """A step with the gradients in their own size, or none if one of them overflowed; then the next scale."""
        self.scaler.step(self.optimizer)
        self.scaler.update()
