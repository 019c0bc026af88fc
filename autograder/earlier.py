"""What a notebook takes from earlier units: ``from autograder.earlier import softmax, apply_mask``.

It is your own code where its check has passed (see `autograder.notebook.carried`), and the course's elsewhere; a line
says which. When a notebook is graded, it is always the course's.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from autograder.notebook import carried  # imports torch

    return carried.bring_in(name)


def __dir__() -> list[str]:
    from autograder.notebook import carried

    return sorted(carried.TASK_OF)
