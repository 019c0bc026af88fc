"""Judging a catch-it task: the learner's test is called with right and wrong implementations, one at a time.

What counts is whether the test raises. Where a class is graded, each implementation meets the test in a process of its
own (``sandbox.trials``), in an order that nobody can foresee, as code that says nothing about itself
(`judging.shown`); no expected value is there, and the verdict is made here.

What remains possible: a test may recognise an implementation by its bytecode, or hold the right answer and compare.
Both need somebody who has the right implementation, or has seen the course's catalogue, and can learn nothing more
from the task. A test that knows the one right implementation gains nothing: it must accept every right style.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import torch
from torch import nn

from autograder.course.catalogue import reference_part
from autograder.course.catches import Catch, Group, Shown, find_catch
from autograder.judging import results
from autograder.judging.inputs import seed_for
from autograder.judging.results import CheckResult
from autograder.judging.shown import code_of
from autograder.judging.subject import Subject, what_was_printed
from autograder.judging.verdicts import Verdict
from autograder.sandbox.drivers import driver_source
from autograder.sandbox.runtime.requests import Outcome, OutOfTime, Request, processor_time
from autograder.sandbox.session import ProcessSubject, SubjectCrashed, SubjectTimeout
from autograder.sandbox.trials import TrialProcess
from autograder.submissions.definitions import definitions, is_stub
from autograder.submissions.demonstrations import left_out
from autograder.submissions.syntax import MAX_SEARCHED, defined_names

SEEDS = 3  # number of seeds with which each implementation is tried
SECONDS = 2.0  # processor time for one implementation
RETURNED, RAISED, VARIED = "returned", "raised", "varied"
ONLY_RAISING_COUNTS = (
    "No `assert` of your test fails for any wrong implementation. A test says that one is wrong by raising; what it "
    "prints or returns does not count."
)
_ORDER = random.SystemRandom()


@dataclass(frozen=True)
class Reading:
    """The outcome of a test that was called with one implementation, seed after seed.

    It returned, it raised, it did one under some seeds and the other under others (``VARIED``), or another status.
    """

    what: str
    message: str = ""
    lacks_a_name: bool = False


def checks_of(catch: Catch) -> list[tuple[str, Fraction, str]]:
    """The id, the points and the title of each group's check."""
    return [(f"{catch.task}.{group.id}", Fraction(1), group.title) for group in catch.groups]


def judge_catch(subject: Subject, task: str, seed: int, given: tuple[str, ...] = ()) -> list[Verdict]:
    """A verdict for each group of a catch-it task; ``given``: names for which the test finds the course's versions."""
    catch = find_catch(task)
    first = Reading(results.NOT_ATTEMPTED, f"There is no `{catch.name}` in your code yet.")
    for only_needed in (True, False) if _is_written(subject, catch) else ():
        for cells in _cells_to_try(subject):
            with _room(subject, cells, catch, only_needed, given) as room:
                first = _try(room, catch, None, seed)
                if first.what == RETURNED:
                    return _judge(room, catch, seed)
            if first.what not in (results.TIMEOUT, results.CRASHED):  # the cause may be a cell instead of the test
                break
        if not first.lacks_a_name:  # a cell that was left out may define the name
            break
    return _refused(catch, "the course's own implementation", first)


def _judge(room: Subject, catch: Catch, seed: int) -> list[Verdict]:
    """The verdicts, once the reference has been accepted."""
    # The reference comes again: otherwise a test could know the right implementation because it comes first.
    order: list[Shown | None] = [None, *catch.styles, *catch.slips]
    if isinstance(room, TrialProcess):
        _ORDER.shuffle(order)
    found = _until_refused(room, catch, order, seed)
    if found[None].what != RETURNED:
        return _refused(catch, "the course's own implementation when it comes a second time", found[None])
    for style in catch.styles:
        if style in found and found[style].what != RETURNED:
            return _refused(catch, f"a right implementation: {style.words}", found[style])
    readings = [[found[slip] for slip in group.slips] for group in catch.groups]
    judged = [_result(*one) for one in zip(checks_of(catch), catch.groups, readings)]
    raised = any(found[slip].message.startswith("It raised AssertionError") for slip in catch.slips)
    if not raised and all(result.status == results.FAILED for result in judged):
        judged[0] = replace(judged[0], message=f"{ONLY_RAISING_COUNTS} {judged[0].message}")
    return [Verdict(result) for result in judged]


def _until_refused(
    room: Subject, catch: Catch, order: Sequence[Shown | None], seed: int
) -> dict[Shown | None, Reading]:
    """The readings of the implementations, in this order.

    A right one that is refused decides the verdict: after it only right ones that come earlier in the catalogue are
    tried, since the first of those that are refused is named.
    """
    right = [None, *catch.styles]
    found: dict[Shown | None, Reading] = {}
    first = len(right) + 1  # the index in `right` of the first one that was refused; none was yet
    for shown in order:
        index = right.index(shown) if shown in right else len(right)
        if index < first:
            found[shown] = _try(room, catch, shown, seed)
            if shown in right and found[shown].what != RETURNED:
                first = index
    return found


def _result(check: tuple[str, Fraction, str], group: Group, readings: Sequence[Reading]) -> CheckResult:
    """The result of one group: passed when all of its mistakes are caught."""
    name, points, title = check
    missed = [slip.words for slip, reading in zip(group.slips, readings) if reading.what != RAISED]
    if not missed:
        return CheckResult(name, results.PASSED, points, points, "", title)
    caught = f"{len(readings) - len(missed)} of {len(readings)} caught. " if readings[1:] else ""
    ways = {reading.what for reading in readings}
    slow = f" With one of them your test took more than {SECONDS:g} seconds, which does not count as caught."
    luck = f" One of them is caught in some of the {SEEDS} calls and accepted in others. Which inputs always show it?"
    listed = " And another one: ".join(dict.fromkeys(missed))  # two mistakes may have the same symptom
    message = f"{caught}Your test accepts a wrong implementation: {listed}"
    message += (slow if results.TIMEOUT in ways else "") + (luck if VARIED in ways else "")
    return CheckResult(name, results.FAILED, Fraction(0), points, message, title)


def _refused(catch: Catch, what: str, reading: Reading) -> list[Verdict]:
    """The verdicts where a right implementation was not accepted: no points."""
    if reading.what in (results.NOT_ATTEMPTED, results.ERROR, results.TIMEOUT, results.CRASHED):
        return _all(catch, reading.what, reading.message)
    said = f"Your test refuses {what}."
    if reading.what == VARIED:
        said += f" This happens in some of the {SEEDS} calls; each has other random numbers."
    return _all(catch, results.FAILED, f"{said} {reading.message}")


def _all(catch: Catch, status: str, message: str) -> list[Verdict]:
    """The same result for every group; the message appears once."""
    later = message if status == results.NOT_ATTEMPTED else "Not judged: see the first check."
    return [
        Verdict(CheckResult(name, status, Fraction(0), points, later if number else message, title))
        for number, (name, points, title) in enumerate(checks_of(catch))
    ]


# --- one call --------------------------------------------------------------------------------------------------


def _try(room: Subject, catch: Catch, shown: Shown | None, seed: int) -> Reading:
    """Call the test with one implementation, by default the reference solution."""
    request = Request(
        call_test.__name__,
        (
            catch.name,
            code_of(catch, shown),
            list(catch.gets),
            [catch.build.__name__, driver_source(catch.build)] if catch.build else [],
            [seed_for(seed, f"{catch.task}.{number}") for number in range(SEEDS)],
            SECONDS,
        ),
        source=driver_source(call_test, (call_once, Varied)),
        seed=seed_for(seed, catch.task),
    )
    try:
        return _reading(room.ask(request))
    except SubjectTimeout as error:
        return Reading(results.TIMEOUT, str(error))
    except SubjectCrashed as error:
        return Reading(results.CRASHED, str(error))


def _reading(outcome: Outcome) -> Reading:
    if outcome.missing:
        return Reading(results.NOT_ATTEMPTED, f"There is no `{outcome.missing}` in your code yet.", True)
    if not outcome.kinds:
        return Reading(RETURNED)
    if outcome.stub == "self":
        return Reading(results.NOT_ATTEMPTED, "Not written yet: it still raises NotImplementedError.")
    if outcome.stub:
        return Reading(results.ERROR, f"Your test calls `{outcome.stub}`, which is not written yet.")
    where = f" ({outcome.where})" if outcome.where else ""
    if OutOfTime.__name__ in outcome.kinds:
        said = f"{outcome.text[:1].upper()}{outcome.text[1:]}{where}. Is there a loop that never ends?"
        return Reading(results.TIMEOUT, said)
    if outcome.kinds[0] == Varied.__name__:
        return Reading(VARIED, f"It raised {outcome.text}{where}")
    text = f": {outcome.text}" if outcome.text else ""
    printed = f"\n\n{what_was_printed(outcome.printed)}" if outcome.printed.strip() else ""
    return Reading(RAISED, f"It raised {outcome.kinds[0]}{text}{where}{printed}", "NameError" in outcome.kinds)


def call_test(learner, test, code, gets, build, seeds, seconds):
    """A driver: call a test with a fresh copy of one implementation, seed after seed. It returns nothing."""
    import marshal
    import random
    import types

    import numpy

    function = getattr(learner, test)
    raised = []
    with processor_time(seconds, "your test"):
        for number, seed in enumerate(seeds, 1):
            given: dict = {"__name__": "given"}
            exec(marshal.loads(code), given)
            arguments = [given[name] for name in gets]
            if build:
                tools: dict = {"torch": torch, "nn": nn, "math": math}
                exec(build[1], tools)
                arguments = tools[build[0]](types.SimpleNamespace(**given))
            torch.default_generator.manual_seed(seed)
            random.seed(seed)
            numpy.random.seed(seed % 2**32)
            try:
                call_once(function, arguments)
            except (KeyboardInterrupt, OutOfTime):
                raise
            except BaseException as error:
                raised.append(error)
            if 0 < len(raised) < number:
                break
    if raised[len(seeds) - 1 :]:
        raise raised[0]
    if raised:
        raise Varied(raised[0]).with_traceback(raised[0].__traceback__)


class Varied(Exception):
    """For the driver: a test raised under some seeds only; it holds what was raised first."""

    def __str__(self):
        (error,) = self.args
        return f"{type(error).__name__}: {error}".removesuffix(": ")


def call_once(function, arguments):
    """For the driver: a `KeyboardInterrupt` that the test raises counts as raised; the learner's own passes through."""
    import inspect
    import signal
    import threading

    typed = []

    def interrupt(number, frame):
        typed.append(number)
        raise KeyboardInterrupt

    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, interrupt) if in_main else None
    try:
        returned = function(*arguments)
        if inspect.isgenerator(returned) or inspect.iscoroutine(returned):
            returned.close()
            raise TypeError("your test contains `yield` or `await`, so a call runs nothing of it")
    except KeyboardInterrupt:
        if typed or not in_main:
            raise
        raise RuntimeError("your test raised KeyboardInterrupt") from None
    finally:
        if in_main:
            signal.signal(signal.SIGINT, before)


# --- where it runs ---------------------------------------------------------------------------------------------


def _cells_to_try(subject: Subject) -> Iterator[Sequence[str]]:
    """A submission's cells; once more if some of them turn out to hang or kill the process, without these."""
    if not isinstance(subject, ProcessSubject):
        yield ()
        return
    yield (known := subject.harmless_cells())
    subject.look_for_lethal_cells()
    if (found := subject.harmless_cells()) != known:
        yield found


@contextlib.contextmanager
def _room(
    subject: Subject, cells: Sequence[str], catch: Catch, only_needed: bool, given: tuple[str, ...]
) -> Iterator[Subject]:
    """Where tests run: processes of their own beside a submission's, else the running notebook itself.

    A running notebook already has the ``given`` names (`follow.handed_over`); elsewhere one more cell defines them.
    """
    if not isinstance(subject, ProcessSubject):
        yield subject
        return
    cells = _needed(cells, catch.name) if only_needed else cells
    if given:
        cells = [*cells, reference_part(catch.unit, frozenset(given))]
    with TrialProcess.beside(subject, cells) as room:
        yield room


def _needed(cells: Sequence[str], name: str) -> list[str]:
    """The cells that the test needs, since all cells are executed again for each implementation."""
    if sum(map(len, cells)) > MAX_SEARCHED:
        return list(cells)
    return left_out(cells, [not _brings(cell, name) for cell in cells])


def _brings(cell: str, name: str) -> bool:
    """Whether a cell defines the test, or names that are known only after executing it."""
    return name in defined_names(cell) or "import *" in cell or cell.lstrip().startswith("%")


def _is_written(subject: Subject, catch: Catch) -> bool:
    """Whether there is a test to try; answered without starting a process."""
    if not isinstance(subject, ProcessSubject):
        return True
    if not any(catch.name in text for text in (*subject.cells, *subject.modules.values())):
        return False
    found = definitions(subject.cells, catch.name) if sum(map(len, subject.cells)) <= MAX_SEARCHED else []
    return not found or not all(one.node and is_stub(catch.unit, one.node) for one in found)
