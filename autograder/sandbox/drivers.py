"""Drivers: functions of a check that run beside the learner's code, and so travel there as source text.

A driver gets the learner's namespace as its first argument (``learner.softmax`` is the learner's object), then plain
data, and returns plain data: readings, never a judgement. It holds no expected value, since learner code shares its
process. Its text is compiled where these names exist, and nothing else of the check's file:

``torch``, ``math``, ``nn`` (``torch.nn``), ``F`` (``torch.nn.functional``)
    as usual;
``call_kernels(learner, name, calls)``
    calls a C kernel of the learner's, for each list of arguments in turn, in one process;
``line_of_overflow(learner, name)``
    the line in which a C kernel computes an offset as an `int`, or an empty text;
``processor_time(seconds, what)``
    a context that raises `OutOfTime` in the code inside it once that code has computed for ``seconds``;
the functions and classes that the check names with ``uses=``
    (``learner.run(driver, ..., uses=(load_weights,))``): helpers that several drivers share. A helper finds the same
    names, and the helpers that stand before it in ``uses``.

A driver imports everything else itself.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from autograder.sandbox.runtime.requests import OutOfTime, call_kernels, line_of_overflow, processor_time

__all__ = ["OutOfTime", "call_kernels", "driver_source", "line_of_overflow", "processor_time"]


@lru_cache(maxsize=None)
def driver_source(driver: Callable[..., Any], uses: tuple[Callable[..., Any], ...] = ()) -> str:
    """Source text of a driver, with the helpers that it uses before it."""
    return "\n\n".join(textwrap.dedent(inspect.getsource(part)) for part in (*uses, driver))
