"""What this machine is, to stand beside what was measured on it."""

from __future__ import annotations

import platform
from pathlib import Path


def processor() -> str:
    """The name of the processor, as well as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
