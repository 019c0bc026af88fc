"""Autograder of the Transformer Workbook. In a notebook: ``from autograder import check, hint, progress``."""

TYPE_CHECKING = False  # type checkers know this name; importing it would come before `__main__` sets sys.path
if TYPE_CHECKING:
    from autograder.notebook.api import (
        by_hand,
        certificate,
        check,
        differences,
        hint,
        progress,
        run_kernel,
        when_ready,
        write_earlier_kernels,
        write_kernels,
    )

__all__ = [
    "by_hand",
    "certificate",
    "check",
    "differences",
    "hint",
    "progress",
    "run_kernel",
    "when_ready",
    "write_earlier_kernels",
    "write_kernels",
]


def __getattr__(name: str) -> object:
    # Loaded on first use: the command line and the doctor answer without waiting for torch.
    if name in __all__:
        from autograder.notebook import api

        return getattr(api, name)
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
