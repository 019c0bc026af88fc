"""How fast a training is: the rate of the device, the operations of a step, and a display of both."""

import math
import re
import sys
import time

import torch

from solutions import PAD

# Products of bfloat16 matrices (of float16 ones where that is all there is), summed in float32: operations per second
# from NVIDIA's data sheets, halved where a sheet counts products with zeros left out ("with sparsity").
PEAKS = {
    "H200": 989e12,  # "H200 Tensor Core GPU", SXM
    "H100 PCIe": 756e12,  # "H100 Tensor Core GPU"
    "H100": 989e12,  # the same, SXM
    "A100": 312e12,  # "A100 Tensor Core GPU"
    "L40S": 362e12,  # "L40S GPU"
    "L4": 121e12,  # "L4 Tensor Core GPU"
    "T4": 65e12,  # "T4 Tensor Core GPU": mixed precision, float16
    "V100": 125e12,  # "V100 Tensor Core GPU", SXM2: float16
    "RTX 4090": 165e12,  # "Ada GPU architecture", appendix A
}


def known_peak(name):
    """The rate of the GPU of that name in `PEAKS`, or ``None``; ``"Tesla T4"`` is a T4, ``"NVIDIA L40"`` is no L4."""
    return next((rate for gpu, rate in PEAKS.items() if re.search(rf"\b{gpu}\b", name)), None)


def peak_rate(device, dtype=None):
    """The most operations per second that a device does in products of matrices: known, or measured here.

    Args:
        device: a ``torch.device``.
        dtype: ``torch.bfloat16`` or ``torch.float16``; ``None``: float32.
    """
    if device.type == "cuda" and dtype is not None and (known := known_peak(torch.cuda.get_device_name(device))):
        return known
    size = 4096 if device.type == "cuda" else 768
    matrix = torch.ones(size, size, device=device, dtype=dtype or torch.float32)
    best = math.inf
    for _ in range(6):
        started = time.perf_counter()
        matrix @ matrix
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        elif device.type == "mps":
            torch.mps.synchronize()
        best = min(best, time.perf_counter() - started)
    return 2 * size**3 / best


def step_operations(model, batches):
    """Operations of a training step in products of matrices, padding not counted: what utilisation is measured by.

    A weight makes 2 operations for each token that passes it, and twice as many in the backward pass; attention adds
    products of queries, keys and values.
    """

    def weights(module):
        return sum(parameter.numel() for parameter in module.parameters() if parameter.dim() == 2)

    cross = sum(weights(layer.cross_attention) for layer in model.decoder.layers)
    reading = weights(model.encoder) + cross // 2  # keys and values of the cross-attention are made of the source
    writing = weights(model.decoder) - cross // 2 + weights(model.generator)
    layers, width = len(model.encoder.layers), model.generator.proj.in_features
    total = 0
    for batch in batches:
        source = (batch.src != PAD).sum(1).double()
        target = (batch.tgt_y != PAD).sum(1).double()
        pairs = source.square() + target.square() / 2 + source * target
        total += 2 * (reading * source + writing * target).sum().item() + 4 * layers * width * pairs.sum().item()
    return 3 * total


class Progress:
    """Says how a training is getting on: as a bar in a terminal, as lines elsewhere."""

    def __init__(self, total, start, peak, quiet=False):
        self.total, self.peak, self.quiet = total, peak, quiet
        self.bar = None
        if not quiet and sys.stderr.isatty():
            from tqdm import tqdm

            self.bar = tqdm(total=total, initial=start, unit="step", dynamic_ncols=True)
        self.every = max(1, total // 40)
        self.started = self.last = time.perf_counter()
        self.start, self.left_out = start, 0.0
        self.loss, self.steps, self.tokens, self.operations = 0.0, 0, 0, 0.0

    def step(self, done, loss, tokens, operations):
        """After a step: its loss and target tokens, and what it computed."""
        self.loss, self.steps = self.loss + loss, self.steps + 1
        self.tokens, self.operations = self.tokens + tokens, self.operations + operations
        if self.bar is not None:
            self.bar.update()
        now = time.perf_counter()
        if self.quiet or (done < self.total and done % self.every and not (self.bar and now - self.last > 1)):
            return
        seconds = max(now - self.last, 1e-9)
        left = (now - self.started) / (done - self.start) * (self.total - done)
        told = {
            "loss": f"{self.loss / self.steps:.3f}",
            "tokens/s": f"{self.tokens / seconds:,.0f}",
            "MFU": f"{self.operations / seconds / self.peak:.0%}",
        }
        if self.bar is not None:
            self.bar.set_postfix(told)
        else:
            line = ", ".join(f"{name} {value}" for name, value in told.items())
            print(f"step {done} of {self.total}: {line}, {left:.0f} s left", file=sys.stderr, flush=True)
        self.last, self.loss, self.steps, self.tokens, self.operations = now, 0.0, 0, 0, 0.0

    def leave_out(self, seconds):
        """Leave ``seconds``, in which nothing was trained, out of the rates and the time left."""
        self.left_out += seconds
        self.started += seconds
        self.last += seconds

    def say(self, line):
        """Write a line beside the display."""
        if self.bar is not None:
            self.bar.write(line, file=sys.stderr)
        elif not self.quiet:
            print(line, file=sys.stderr, flush=True)

    def close(self):
        """Leave the terminal tidy."""
        if self.bar is not None:
            self.bar.close()
