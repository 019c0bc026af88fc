"""Running one request of the grader against a namespace, in the process that holds the namespace."""

from __future__ import annotations

import contextlib
import io
import math
import random
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from opcode import opmap
from types import CodeType
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .lines import DRIVER_FILE, is_library, lines_of_traceback, where_raised
from .wire import plain

MOST_PRINTED = 500  # characters: enough to see what a learner printed to find a fault
_TAKING_TURNS = threading.RLock()


def _said(fields: dict) -> dict:
    """The fields that are not empty: most frames have none, and thousands are sent."""
    return {name: value for name, value in fields.items() if value}


@dataclass(frozen=True)
class Request:
    """Call ``name`` in the learner's namespace, or run the driver function ``name`` whose ``source`` is given.

    A driver receives the namespace as its first argument. Arguments are plain data (see `wire.plain`). ``seconds``: how
    long it may take, if that is longer than the limit for all requests.
    """

    name: str
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    source: str | None = None
    seed: int = 0
    seconds: float = 0.0

    def to_wire(self) -> dict:
        """As plain data, without the fields that have their default values."""
        others = {"kwargs": self.kwargs, "source": self.source, "seconds": self.seconds}
        return {"name": self.name, "args": self.args, "seed": self.seed} | _said(others)


@dataclass(frozen=True)
class Outcome:
    """What a request led to: a value, an exception (``kinds`` is its class and bases), or a missing name."""

    value: Any = None
    kinds: tuple[str, ...] = ()
    text: str = ""
    where: str = ""
    stub: str = ""  # the function that raised NotImplementedError, when that is what happened
    missing: str = ""
    printed: str = ""  # the beginning of what the code wrote to standard output meanwhile

    def to_wire(self) -> dict:
        """As plain data, without the fields that have their default values."""
        others = {name: getattr(self, name) for name in _TEXTS}
        return {"value": self.value} | _said({"kinds": list(self.kinds), **others})

    @staticmethod
    def from_wire(data: Any) -> Outcome:
        """Rebuild an outcome from a reply, which may be forged: every field gets the type that it should have."""
        if not isinstance(data, dict):
            return Outcome(kinds=("Exception",), text="The answer was not understood.")
        kinds = data.get("kinds")
        return Outcome(
            value=data.get("value"),
            kinds=tuple(str(kind)[:100] for kind in kinds[:20]) if isinstance(kinds, list) else (),
            **{name: text[:2000] for name in _TEXTS if isinstance(text := data.get(name), str)},
        )


_TEXTS = ("text", "where", "stub", "missing", "printed")


class MissingName(Exception):
    """The learner's namespace lacks a name."""


class Names:
    """The learner's namespace with attribute access, as drivers see it."""

    def __init__(self, namespace: dict):
        self.__dict__["_namespace"] = namespace

    def __getattr__(self, name: str) -> Any:
        try:
            return self._namespace[name]
        except KeyError:
            raise MissingName(name) from None


def execute(namespace: dict, request: Request, shared: bool = True) -> Outcome:
    """Run a request; whatever the learner's code raises becomes part of the outcome.

    ``KeyboardInterrupt`` alone passes through, so that a learner can stop a check in a notebook. Where the process is
    ``shared`` with other work, as in a notebook, its random generators are left as they were.
    """
    said = _Beginning()
    with contextlib.redirect_stdout(said):
        outcome = _outcome(namespace, request, shared)
    return replace(outcome, printed=said.getvalue()) if said.tell() else outcome


class _Beginning(io.StringIO):
    """Standard output of which the beginning is kept."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, MOST_PRINTED - self.tell())])
        return len(text)


def _outcome(namespace: dict, request: Request, shared: bool) -> Outcome:
    try:
        with _seeded(request.seed) if shared else _seeds_set(request.seed), torch_as_it_starts():
            return Outcome(value=plain(_perform(Names(namespace), request)))
    except KeyboardInterrupt:
        raise
    except MissingName as error:
        return Outcome(missing=str(error))
    except BaseException as error:
        return _outcome_of(error, request)


@contextmanager
def torch_as_it_starts() -> Iterator[None]:
    """Inside, gradients are recorded and numbers are float32; afterwards the earlier settings return.

    Code that turns gradients off for good would otherwise spoil what comes after it: in a notebook, even its own
    fixed version.
    """
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        with torch.enable_grad():
            yield
    finally:
        torch.set_default_dtype(before)


class OutOfTime(BaseException):
    """The processor time that a driver allowed is used up. No `Exception`: the learner's code should not catch it."""


@contextmanager
def processor_time(seconds: float, what: str = "this") -> Iterator[None]:
    """For drivers: raise `OutOfTime` in the code inside once it has computed for so many seconds.

    ``what``: how the message names it.

    Waiting for a busy machine does not count. Where the system has no such timer, nothing is limited.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise OutOfTime(f"{what} took more than {seconds:g} seconds of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # and again each second, for code that catches everything
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def call_kernels(names: Names, name: str, calls: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """For drivers: call a C kernel of the learner, several times in one process (see `c.call_kernels`)."""
    from . import c  # where there is no C code, nothing of it is needed

    try:
        return c.call_kernels(names._namespace, name, calls)
    except (KeyError, NotImplementedError):  # not there, or still empty
        raise MissingName(name) from None


def line_of_overflow(names: Names, name: str) -> str:
    """For drivers: where a C kernel of the learner computes an offset as an `int` (see `c.line_of_overflow`)."""
    from . import c

    return c.line_of_overflow(names._namespace, name)


def _perform(names: Names, request: Request) -> Any:
    if request.source is None:
        return getattr(names, request.name)(*request.args, **request.kwargs)
    tools: dict = {"torch": torch, "math": math, "nn": nn, "F": functional, "call_kernels": call_kernels}
    tools |= {"line_of_overflow": line_of_overflow, "processor_time": processor_time, "OutOfTime": OutOfTime}
    exec(_compiled(request.source), tools)
    return tools[request.name](names, *request.args, **request.kwargs)


@lru_cache(maxsize=1024)
def _compiled(driver: str) -> CodeType:
    return compile(driver, DRIVER_FILE, "exec")


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Inside, the same request gets the same random numbers; afterwards the caller's generators are as they were.

    The generators are this process's, so requests from several threads take turns.
    """
    numpy = sys.modules.get("numpy")
    with _TAKING_TURNS:
        state, numpy_state = random.getstate(), numpy.random.get_state() if numpy else None
        try:
            with torch.random.fork_rng(devices=[]), _seeds_set(seed):
                yield
        finally:
            random.setstate(state)
            if numpy:
                numpy.random.set_state(numpy_state)


@contextmanager
def _seeds_set(seed: int) -> Iterator[None]:
    torch.default_generator.manual_seed(seed)  # torch.manual_seed costs more than most requests
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed % 2**32)
    yield


def _outcome_of(error: BaseException, request: Request) -> Outcome:
    lines = lines_of_traceback(error.__traceback__)
    where = where_raised(lines, words(request)) or str(getattr(error, "c_line", ""))  # what happens in C has no frame
    stub = ""
    if isinstance(error, NotImplementedError) and lines and _is_raised_by_hand(error):
        stub = "self" if len(lines) == 1 else lines[-1].function
    try:
        text = str(error)
    except Exception:  # a learner's own exception class may be broken
        text = ""
    kinds = tuple(kind.__name__ for kind in type(error).__mro__[:-1])
    return Outcome(kinds=kinds, text=steady(text)[:2000], where=where[:500], stub=stub)


def words(request: Request) -> set[str]:
    """Every word in which a request may name something in the learner's code."""
    texts = [value for value in (*request.args, *request.kwargs.values()) if isinstance(value, str)]
    return {*_words_of(" ".join([request.name, *texts])), *_words_of(request.source or "")}


@lru_cache(maxsize=1024)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


def _is_raised_by_hand(error: BaseException) -> bool:
    """Whether an error comes from a learner's `raise` statement: PyTorch, too, calls many things "not implemented"."""
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    if not last or is_library(last.tb_frame.f_code.co_filename):
        return False
    return last.tb_frame.f_code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]


def steady(text: str) -> str:
    """A text without the addresses of objects, which differ from run to run."""
    return re.sub(r"\b0x[0-9a-fA-F]{6,16}\b", "0x...", text)
