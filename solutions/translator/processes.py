"""The processes of a run, and the signals that ask them to end."""

import contextlib
import os
import signal

import torch

from solutions.translator.errors import BadInput


class World:
    """The processes of a run, as ``torchrun`` started them; one alone without it."""

    def __init__(self, device=None):
        self.size = int(os.environ.get("WORLD_SIZE", 1))
        self.rank = int(os.environ.get("RANK", 0))
        if self.size > 1 and ":" in str(device or ""):
            raise BadInput(f"The number in --device {device} has no effect with several processes: leave it out.")
        gpu = torch.cuda.is_available() and str(device or "cuda").startswith("cuda")
        if device is None or self.size > 1:
            device = f"cuda:{os.environ.get('LOCAL_RANK', 0)}" if gpu else (device or "cpu")
        try:
            self.device = torch.device(device)
            if self.device.type not in ("cpu", "cuda", "mps"):
                raise RuntimeError("cpu, cuda and mps are devices")
            torch.empty(1, device=self.device)
        except (RuntimeError, AssertionError) as error:
            raise BadInput(f"There is no device {device!r} here ({str(error).splitlines()[0]}).") from None
        if self.size > 1:
            if gpu:
                torch.cuda.set_device(self.device)
            if not torch.distributed.is_initialized():
                torch.distributed.init_process_group("nccl" if gpu else "gloo")

    def sum(self, *numbers):
        """Each number, added over all processes."""
        if self.size == 1:
            return list(numbers)
        total = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        torch.distributed.all_reduce(total)
        return total.tolist()

    def first(self, make):
        """What the first process makes, in every process."""
        if self.size == 1:
            return make()
        box = [make() if self.rank == 0 else None]
        torch.distributed.broadcast_object_list(box, 0, device=self.device)
        return box[0]


@contextlib.contextmanager
def interruptible():
    """While it lasts, the first Ctrl-C or SIGTERM is only noted; a second one raises ``KeyboardInterrupt``."""
    noted: list[int] = []

    def note(number, frame):
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    before = {}
    with contextlib.suppress(ValueError):  # only the main thread may do this
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, note)
    try:
        yield noted
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is note:
                signal.signal(number, handler)
