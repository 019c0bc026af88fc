"""Naming the misconception: which catalogued mistake answers exactly as the learner's code did?

The requests of every check are kept. When a check fails, each mistake gets the same requests; one whose
answers equal the learner's is named. Mistakes of the other tasks of the unit are tried as well: a wrong
`softmax` shows in everything that calls it.

Where the catalogue explains nothing, slips are tried in the same way (`autograder.course.slips`), and then effects:
relations between wrong answers and right ones (`autograder.judging.effects`). What is left may be one change away from
right code (`autograder.judging.repairs`). At the end comes where answers differ, or by how much
(`autograder.judging.partly`).

A name is a claim, so it rests on values: many different programs end in one exception, one complaint of a driver, or
`None`. Where nothing else agrees, or where several mistakes agree equally well, they are listed as possible.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, islice, repeat
from operator import itemgetter
from typing import Any, overload

import torch

from autograder.course.catalogue import Mistake, is_c, mistakes, reference_uses
from autograder.course.catches import find_catch
from autograder.course.registry import BY_NAME, is_catch
from autograder.course.slips import Slip, explanation, likeliest_of, slips
from autograder.judging.cache import ENTRY_BYTES, MISTAKE_ANSWERS, MISTAKE_PASSES, CachedReference, digest
from autograder.judging.effects import OTHERS, PLAIN, Pair, differing, effect_on, shows_a_value
from autograder.judging.implementations import namespace, prepared_ahead
from autograder.judging.pairs import both
from autograder.judging.partly import PARTLY
from autograder.judging.results import ERROR, FAILED, PASSED, Diagnosis, TaskResult
from autograder.judging.rounding import tolerance
from autograder.judging.subject import LocalSubject, reproducible
from autograder.judging.verdicts import Evidence, Judgement
from autograder.judging.work import CHEAP, MOST_WORK, WORK_OF_ONE, WORK_TO_VERIFY, loops_end, work
from autograder.sandbox.runtime.requests import Outcome, words

Repair = Callable[[str, Sequence[Evidence]], "Mistake | None"]

# No mistake of the catalogue fails to compile; and a timeout fits any slow mistake, but is costly to reproduce.
_NOT_COMPARED = {"CompileError", "OutOfTime", "Race", "UninitialisedRead"}


def diagnose(judgement: Judgement, repair: Repair | None = None) -> tuple[TaskResult, ...]:
    """The results of the tasks that were to be judged, with the mistake behind each that failed.

    ``repair``: finds a change of the learner's code after which a task passes (see `judging.repairs`).
    """
    found: list[Mistake] = []
    graded = []
    with reproducible(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a mistake's warnings would give it away; `execute` captures what it prints
        for task in judgement.tasks:
            checks = judgement.results(task)
            passed = all(check.status == PASSED for check in checks)  # if so, its answers need not be decoded
            behind = Likeliest() if passed else _behind(judgement, task, found)
            if not passed and not behind.mistake and _fails_alone(judgement, task):
                behind = _at_last(judgement, task, behind, repair)
            if behind.mistake:
                found.append(behind.mistake)
            possible = tuple(map(diagnosis_of, behind.possible))
            graded.append(TaskResult(task, checks, diagnosis_of(behind.mistake), possible, judgement.needed(task)))
    return tuple(graded)


@overload
def diagnosis_of(mistake: Mistake) -> Diagnosis: ...
@overload
def diagnosis_of(mistake: None) -> None: ...
def diagnosis_of(mistake: Mistake | None) -> Diagnosis | None:
    return Diagnosis(mistake.family, mistake.hint, mistake.link, mistake.task) if mistake else None


def tasks_behind_failures(judgement: Judgement) -> list[str]:
    """The tasks, not judged yet, whose code contributes to the answers of a failing task."""
    all_tasks = BY_NAME[judgement.unit].task_ids
    if len(judgement.verdicts) == len(all_tasks):
        return []
    failing = [judgement.evidence(task) for task in judgement.tasks if not judgement.passed(task)]
    asked = [item for evidence in failing if _comparable(evidence) for item in evidence]
    reached = names_reached(judgement.unit, asked)
    tests = [task for task in judgement.tasks if is_catch(task) and not judgement.passed(task)]
    reached = reached.union(*map(names_a_test_needs, tests))
    return [task for task in all_tasks if task.partition(".")[2] in reached and task not in judgement.verdicts]


def _fails_alone(judgement: Judgement, task: str) -> bool:
    """Whether a task is written, and nothing that it calls fails."""
    others = {f"{judgement.unit}.{name}" for name in _parts_of(judgement.unit, task, judgement.evidence(task))} - {task}
    return not judgement.missing(task) and all(map(judgement.passed, others & judgement.verdicts.keys()))


def _at_last(judgement: Judgement, task: str, behind: Likeliest, repair: Repair | None) -> Likeliest:
    """A change of the learner's code; else what is possible, or what all wrong answers have in common."""
    evidence = judgement.evidence(task)
    mistake = repair(task, evidence) if repair else None
    if not mistake and not behind.possible and not is_catch(task):
        mistake = _right_in_part(judgement.unit, task, evidence)
    return Likeliest(mistake) if mistake else behind


def _behind(judgement: Judgement, task: str, found: Sequence[Mistake]) -> Likeliest:
    """What is behind a task's failing checks; a mistake of another task only if that task fails, too.

    Mistakes ``found`` behind other tasks come first: a task that only calls wrong code contains no second mistake.
    """
    if again := judgement.given.get(task):  # a failure there comes from the task's own code
        own = likeliest(judgement.unit, task, [verdict.evidence for verdict in again.verdicts], {task})
        if own.mistake or judgement.waits(task):
            return own
    failing = frozenset(other for other in judgement.verdicts if not judgement.passed(other))
    return likeliest(judgement.unit, task, judgement.evidence(task), failing, found)


MOST_POSSIBLE = 3  # mistakes that are listed; a longer list would be a guess
MOST_PAIRS = 120  # pairs of mistakes that are run
MOST_PAIRS_IN_C = 8  # fewer, since each pair must be compiled


@dataclass(frozen=True)
class Likeliest:
    """The mistake behind a task's failing checks, if values prove it, or else those that are possible."""

    mistake: Mistake | None = None
    possible: tuple[Mistake, ...] = ()


def likeliest(
    unit: str, task: str, evidence: Sequence[Evidence], suspects: Container[str], found: Sequence[Mistake] = ()
) -> Likeliest:
    """The catalogued mistake behind a task's failing checks; where the catalogue has none that fits, the slip."""
    # A check that fails because the other half of a pair is not written yet says nothing about this half.
    evidence = [item for item in evidence if not any(outcome.missing for _, outcome in item.transcript)]
    behind = _catalogued(unit, task, evidence, suspects, found)
    if behind.mistake or behind.possible:
        return behind
    if is_catch(task) or any(f"{unit}.{name}" in suspects for name in _parts_of(unit, task, evidence)):
        return behind  # the failure may come from a part that fails, too
    return beyond_the_catalogue(unit, task, evidence)


def _parts_of(unit: str, task: str, evidence: Iterable[Evidence]) -> set[str]:
    """The definitions that contribute to a task's answers and do not themselves call it."""
    name, uses = task.partition(".")[2], reference_uses(unit)
    return (
        names_reached(unit, evidence) - {other for other in uses if name in uses[other]} - BY_NAME[unit].partners(name)
    )


def beyond_the_catalogue(unit: str, task: str, evidence: Sequence[Evidence]) -> Likeliest:
    """The slip or the effect that explains every check of a task; a wrong value must be among the answers."""
    failing, pairs = _compared(unit, evidence)
    if not pairs:
        return Likeliest()
    if effect := effect_on(task, pairs, PLAIN):
        return Likeliest(effect)
    passing = [item for item in evidence if item.status == PASSED]
    if any(shows_a_value(*pair) for pair in pairs) and (fits := fitting_slips(unit, task, failing, passing)):
        return _in_common(fits)
    return Likeliest(effect_on(task, pairs, OTHERS) if len(failing) > 1 else None)


def _right_in_part(unit: str, task: str, evidence: Sequence[Evidence]) -> Mistake | None:
    """Where, or by how much, all wrong answers of a task differ from the right ones."""
    return effect_on(task, _compared(unit, evidence)[1], PARTLY)


def _compared(unit: str, evidence: Sequence[Evidence]) -> tuple[list[Evidence], list[Pair]]:
    """The failing checks, and their answers beside the right ones where they differ; none if they show nothing."""
    failing = _comparable(evidence)
    if takes_long(evidence) or any(item.status not in (PASSED, FAILED, ERROR) for item in evidence):
        return failing, []
    reference = CachedReference(unit)
    wrong = [differing((given, reference.ask(request)) for request, given in item.transcript) for item in failing]
    return failing, [pair for some in wrong for pair in some] if all(wrong) else []


def fitting_slips(unit: str, task: str, failing: Sequence[Evidence], passing: Sequence[Evidence]) -> list[Slip]:
    """All slips that explain all checks of a task; none in C."""
    if not (fits := list(slips(task))):
        return []
    first = failing[0]
    if work_of(unit, first) > CHEAP:  # another check may tell slips apart with less
        first = min(failing, key=lambda item: work_of(unit, item))
    left = MOST_WORK
    for item in (first, *(item for item in failing if item is not first), *passing):
        if not fits:
            break
        cost = work_of(unit, item)
        fits = fits[: left // (cost + WORK_OF_ONE)]
        left = WORK_TO_VERIFY if item is first else left - len(fits) * (cost + WORK_OF_ONE)
        same = same_bits if item.status != PASSED and _nearly_right(unit, item) else same_outcome
        with loops_end(cost):
            fits = [
                slip
                for slip in fits
                if answers_alike(slip, item, same) or (item.status == PASSED and passes_too(slip, item))
            ]
    return fits


def work_of(unit: str, evidence: Evidence) -> int:
    """What a slip computes in a check: it is run up to the first wrong answer, where most slips differ."""
    reference = CachedReference(unit)
    right = (same_outcome(given, reference.ask(request)) for request, given in evidence.transcript)
    needed = next((number for number, alike in enumerate(right, 1) if not alike), len(evidence.transcript))
    requests = [request for request, _ in evidence.transcript[:needed]]
    return work(unit, requests, digest(unit, *evidence.keys[needed - 1 : needed]))


def _in_common(fits: Sequence[Slip]) -> Likeliest:
    """What slips that fit equally well have in common: a family, or the statement of the right code.

    In one statement they do the same in different words, and the first is the likeliest. Otherwise they are possible.
    """
    fits = likeliest_of(fits)
    first = fits[0]
    alike = [slip for slip in fits if slip.family == first.family]
    if len({slip.lines for slip in fits}) == 1 or len(alike) == len(fits):
        what = first.what if len({slip.what for slip in alike}) == 1 else ""
        where = first.where if len({slip.where for slip in alike}) == 1 else ""
        return Likeliest(replace(first, hint=explanation(first.family, what, where)))
    families = {slip.family: slip for slip in reversed(fits)}
    possible = [slip for slip in fits if slip in families.values()]
    return Likeliest(possible=tuple(possible)) if len(possible) <= MOST_POSSIBLE else Likeliest()


def _catalogued(
    unit: str, task: str, evidence: Sequence[Evidence], suspects: Container[str], found: Sequence[Mistake] = ()
) -> Likeliest:
    """Compare a task's failing checks with every mistake of the tasks in ``suspects``.

    Among equals, one that was ``found`` behind another task comes first, then those of the task itself.
    """
    failing = _comparable(evidence)
    passing = [item for item in evidence if item.status == PASSED]
    if not failing:
        return Likeliest()
    # Answers within rounding of the right ones also match every mistake without effect in this check: compare bits.
    nearly_right = _nearly_right(unit, failing[0])
    same = same_bits if nearly_right else same_outcome
    best = _Match((), 0)
    equals: list[Mistake] = []
    candidates = [mistake for mistake in _candidates(unit, task, evidence) if mistake.task in suspects]
    for candidate in prepared_ahead(sorted(candidates, key=lambda mistake: mistake not in found)):
        if not answers_alike(candidate, failing[0], same):
            continue  # checks go from basic to subtle, so the mistake must explain the first failure
        explained = (failing[0], *(item for item in failing[1:] if answers_alike(candidate, item)))
        if len(explained) < len(best.failing):
            continue
        alike = [answers_alike(candidate, item) for item in passing]
        match = _Match(explained, sum(same or passes_too(candidate, item) for same, item in zip(alike, passing)))
        if match.score > best.score:
            best, equals = match, []
        if match.score == best.score:
            equals.append(candidate)
        if match.score == (len(failing), len(passing)) and all(alike):
            equals = [candidate]
            break  # none explains more; no two mistakes of a task give the same answers to all checks
    own = [candidate for candidate in candidates if candidate.task == task]
    # Code that calls a wrong part hardly contains two mistakes of its own, and the search for pairs is costly.
    calls_wrong_code = any(mistake.task != task and mistake in candidates for mistake in found)
    search = best.score != (len(failing), len(passing)) and not calls_wrong_code
    if search and (pairs := _two_at_once(unit, own, failing, passing)):
        return Likeliest(pairs[0]) if len(pairs) == 1 else Likeliest(possible=tuple(pairs[:MOST_POSSIBLE]))
    if not best.failing:
        return _all_but_a_few(unit, own, failing, passing)
    equals = _first_of(equals, task, found)
    everything = best.score == (len(failing), len(passing))
    # A symptom such as NaN has many causes: there the mistake must at least explain every other check.
    by_number, by_nan = (any(_tells(unit, item, nearly_right, nan) for item in best.failing) for nan in (False, True))
    told_twice = len(best.failing) > 1 or best.passing == len(passing)  # else the evidence is as strong against as for
    if len(equals) == 1 and ((by_number and told_twice) or (by_nan and everything)):
        return Likeliest(equals[0])
    enough = everything or (by_number and 2 * len(best.failing) >= len(failing))
    return Likeliest(possible=tuple(equals)) if enough and len(equals) <= MOST_POSSIBLE else Likeliest()


def _all_but_a_few(
    unit: str, candidates: Iterable[Mistake], failing: Sequence[Evidence], passing: Sequence[Evidence]
) -> Likeliest:
    """The one mistake that explains two thirds of the failures, two of them wrong values, and all that passes.

    The first failure is known to differ: the same mistake was made in one more line, or there is a second mistake.
    """
    tell = [_tells(unit, item, False, by_nan=False) for item in failing]
    if sum(tell[1:]) < 2:
        return Likeliest()
    fitting = []
    for candidate in candidates:
        unlike, told = 1, 0
        for item, tells in zip(failing[1:], tell[1:]):
            alike = answers_alike(candidate, item)
            told += alike and tells
            unlike += not alike
            if 3 * unlike > len(failing):
                break
        else:
            if told > 1 and all(answers_alike(candidate, item) or passes_too(candidate, item) for item in passing):
                fitting.append(candidate)
    return Likeliest(fitting[0]) if len(fitting) == 1 else Likeliest()


def _two_at_once(
    unit: str, candidates: Iterable[Mistake], failing: Sequence[Evidence], passing: Sequence[Evidence]
) -> list[Mistake]:
    """The pairs of mistakes that explain every check, at least one of them answered with a wrong value.

    Both mistakes must answer every passing check correctly. Where one has no effect, the other has usually produced the
    learner's answers: pairs for which that holds in every tensor entry come first. In C only they are compiled.
    Returns the fitting pairs of the best rank that has any.
    """
    if takes_long([*failing, *passing]) or not any(_tells(unit, one, False, False) for one in failing):
        return []
    if not is_c(unit) and sum(work_of(unit, item) for item in (*failing, *passing)) > MOST_WORK:
        return []  # each mistake is run on all checks: that would take many seconds
    reference = CachedReference(unit)
    right = [[reference.ask(request) for request, _ in item.transcript] for item in failing]
    shows: dict[Mistake, list[_Shown]] = {}
    for candidate in candidates:
        if all(answers_alike(candidate, item) for item in passing):
            shows[candidate] = [_shown(candidate, item, answers) for item, answers in zip(failing, right)]
    unlikely = {two: sum(map(_unlikely, *(shows[one] for one in two))) for two in combinations(shows, 2)}
    likely = sorted(unlikely, key=lambda two: unlikely[two])[:MOST_PAIRS]
    against = {two: (unlikely[two], sum(map(_entries_against, *(shows[one] for one in two)))) for two in likely}
    ranked: Iterator[tuple[tuple[int, int], Mistake]]
    ranked = ((rank, pair) for two, rank in sorted(against.items(), key=itemgetter(1)) if (pair := both(*two)))
    if is_c(unit):
        ranked = islice((one for one in ranked if one[0] == (0, 0)), MOST_PAIRS_IN_C)
    for _, equals in groupby(ranked, key=itemgetter(0)):
        fitting = [pair for _, pair in equals if all(answers_alike(pair, item) for item in (*failing, *passing))]
        if fitting:
            return list({pair.name: pair for pair in reversed(fitting)}.values())
    return []


@dataclass(frozen=True)
class _Shown:
    """Where a mistake's answers to a check equal the learner's (``like``), and where they are ``right``.

    ``whole``: whether all answers are. ``like`` and ``right``: for each request one flag, or one for each tensor entry.
    """

    whole: tuple[bool, bool]
    like: tuple[torch.Tensor, ...]
    right: tuple[torch.Tensor, ...]


def _shown(candidate: Mistake, evidence: Evidence, right: Sequence[Outcome]) -> _Shown:
    all_like = all_right = True
    like, same = [], []
    for answer, (_, given), wanted in zip(_answers(candidate, evidence), evidence.transcript, right):
        all_like = all_like and same_outcome(answer, given)
        all_right = all_right and same_outcome(answer, wanted)
        like.append(_entries_alike(answer, given))
        same.append(_entries_alike(answer, wanted))
        if not (like[-1].any() or same[-1].any()):  # equal to neither: the pair is ruled out
            break
    return _Shown((all_like, all_right), tuple(like), tuple(same))


def _unlikely(one: _Shown, other: _Shown) -> bool:
    """Whether one mistake has no effect in a check, and the other one's answers differ from the learner's."""
    (like, right), (other_like, other_right) = one.whole, other.whole
    return (right and not other_like) or (other_right and not like)


def _entries_against(one: _Shown, other: _Shown) -> int:
    """In how many entries one mistake has no effect, and the other one's value differs from the learner's."""
    found = 0
    for flags in zip(one.like, one.right, other.like, other.right):
        forms = {flag.numel() for flag in flags} - {1}
        like, right, other_like, other_right = flags if len(forms) < 2 else [flag.all()[None] for flag in flags]
        found += int(((right & ~other_like) | (other_right & ~like)).sum())
    return found


def _entries_alike(one: Outcome, other: Outcome) -> torch.Tensor:
    """A flag for each entry of two answers' tensors, or a single one if these are missing or differ in form."""
    pairs = [*_tensors(one.value, other.value)]
    if not pairs:
        return torch.tensor([same_outcome(one, other)])
    return torch.cat(
        [torch.isclose(a.double(), b.double(), *tolerance(a.dtype), equal_nan=True).flatten() for a, b in pairs]
    )


def _tensors(one: Any, other: Any) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """The tensors of two values, if these have the same positions, shapes and types."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        if one.shape == other.shape and one.dtype == other.dtype and one.numel():
            yield one, other
    elif isinstance(one, dict) and isinstance(other, dict):
        for key in (key for key in one if key in other):
            yield from _tensors(one[key], other[key])
    elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        for item, its_other in zip(one, other):
            yield from _tensors(item, its_other)


@dataclass(frozen=True)
class _Match:
    """The failing checks that a mistake answers as the learner's code did, and how many passing ones it passes, too."""

    failing: tuple[Evidence, ...]
    passing: int

    @property
    def score(self) -> tuple[int, int]:
        return len(self.failing), self.passing


def _first_of(equals: Sequence[Mistake], task: str, found: Sequence[Mistake]) -> list[Mistake]:
    """Of mistakes that explain equally much: those found before, else the task's own, else all."""
    known = [mistake for mistake in equals if mistake in found][:1]
    of_families = {(mistake.task, mistake.family): mistake for mistake in reversed(equals)}
    equals = [mistake for mistake in equals if mistake in of_families.values()]  # keeps the first of several variants
    return known or [mistake for mistake in equals if mistake.task == task] or equals


def _tells(unit: str, evidence: Evidence, nearly_right: bool, by_nan: bool) -> bool:
    """Whether a check was answered with a wrong value. Exceptions, complaints and `None` are only symptoms.

    ``by_nan``: whether a value counts that is right wherever it is not NaN.
    """
    reference = CachedReference(unit)
    return any(
        request.seconds
        or _is_wrong_value(given, reference.ask(request), nearly_right, by_nan)  # too slow to train for this
        for request, given in evidence.transcript
    )


def _is_wrong_value(given: Outcome, right: Outcome, nearly_right: bool, by_nan: bool) -> bool:
    if given.kinds or given.missing:
        return False
    if right.kinds:  # wrong input that should have raised did not
        return True
    is_complaint = isinstance(given.value, str) and not isinstance(right.value, str)
    value = given.value if by_nan else _without_nan(given.value, right.value)
    return given.value is not None and not is_complaint and not same_value(value, right.value, nearly_right)


def _without_nan(value: Any, right: Any) -> Any:
    """A value with each NaN replaced by the right number, if both have the same form."""
    if type(value) is not type(right):
        return value
    if isinstance(value, torch.Tensor) and value.shape == right.shape and value.dtype == right.dtype:
        return torch.where(value.isnan(), right, value)
    if isinstance(value, (list, tuple)) and len(value) == len(right):
        return type(value)(map(_without_nan, value, right))
    return right if isinstance(value, float) and math.isnan(value) else value


def _comparable(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The failing checks; none if the answers to the first cannot tell mistakes apart."""
    failing = [item for item in evidence if item.status in (FAILED, ERROR)]
    if not failing or any(_NOT_COMPARED & {*outcome.kinds} for _, outcome in failing[0].transcript):
        return []
    return failing


def _candidates(unit: str, task: str, evidence: Sequence[Evidence]) -> Iterable[Mistake]:
    """The mistakes that can affect the answers. The task's own come first: among equals the first one counts.

    If an answer may take long, as a whole training does, only the task's own: the others would take many times as long.
    """
    if takes_long(evidence):
        return [mistake for mistake in mistakes(unit) if mistake.task == task]
    reached = names_reached(unit, evidence)
    possible = [mistake for mistake in mistakes(unit) if mistake.task.partition(".")[2] in reached]
    return sorted(possible, key=lambda mistake: mistake.task != task)


def takes_long(evidence: Iterable[Evidence]) -> bool:
    return any(request.seconds for item in evidence for request, _ in item.transcript)


def names_reached(unit: str, evidence: Iterable[Evidence]) -> set[str]:
    """The definitions of the reference solution that contribute to its answers to the requests."""
    uses = reference_uses(unit)
    asked = {word for item in evidence for request, _ in item.transcript for word in words(request)}
    return set().union(*(uses[name] for name in asked if name in uses))


def names_a_test_needs(task: str) -> set[str]:
    """The definitions that a catch-it task's test may call in the learner's code, besides what it is called with.

    Neither the parts of the tested function nor its callers: the course's versions would give a test the right answers.
    """
    catch = find_catch(task)
    uses = reference_uses(catch.unit)
    tested = {*catch.gets, *catch.of}
    parts = tested.union(*(uses[name] for name in tested if name in uses))
    called = uses.get(catch.name, frozenset()) - parts - {catch.name}
    return {name for name in called if not uses[name] & tested}


Same = Callable[[Outcome, Outcome], bool]


def answers_alike(candidate: Mistake, evidence: Evidence, same: Same | None = None) -> bool:
    """Whether the mistake answers every request of a check as the learner's code did: the ``same``, within rounding."""
    return _all_alike(_answers(candidate, evidence), evidence, same or same_outcome)


def passes_too(candidate: Mistake, evidence: Evidence) -> bool:
    """Whether the mistake passes a check that the learner's code passed, though with other answers: the style is free.

    Not in C, where answers leave no freedom, and a run is slow.
    """
    if evidence.passes is None or is_c(candidate.unit) or takes_long([evidence]):
        return False
    seed = evidence.transcript[0][0].seed if evidence.transcript else 0
    key = digest(candidate.task, candidate.name, evidence.check, str(seed))
    known = MISTAKE_PASSES.get(key)
    if known is None:
        known = evidence.passes(LocalSubject(namespace(candidate)))
        MISTAKE_PASSES.put(key, known, ENTRY_BYTES)
    return known


def _all_alike(answers: Iterable[Outcome], evidence: Evidence, same: Same) -> bool:
    """Whether all the answers are what the learner's code gave.

    If a check continued after an exception, it had demanded that exception, whose text is the learner's choice.
    """
    asked_for = len(evidence.transcript) - (evidence.status != PASSED)
    return all(
        same(answer, given) or (number < asked_for and bool(given.kinds) and answer.kinds == given.kinds)
        for number, (answer, (_, given)) in enumerate(zip(answers, evidence.transcript))
    )


def _nearly_right(unit: str, evidence: Evidence) -> bool:
    """Whether the learner's answers are the reference's, within rounding, although the check failed."""
    if any(request.seconds for request, _ in evidence.transcript):  # too slow to train for this
        return False
    reference = CachedReference(unit)
    return _all_alike((reference.ask(request) for request, _ in evidence.transcript), evidence, same_outcome)


def _answers(candidate: Mistake, evidence: Evidence) -> Iterator[Outcome]:
    """The mistake's answers to the requests of a check, one after the other.

    With one seed every learner gets the same requests, so the answers are kept, each under all requests up to it,
    since a mistake may keep state between calls.
    """
    subject = None
    for index, key in enumerate(evidence.keys):
        key = digest(candidate.task, candidate.name, key)
        outcome = MISTAKE_ANSWERS.get(key)
        if outcome is None or subject:
            if subject is None:
                subject = LocalSubject(namespace(candidate))  # gets copies: a mistake may change its arguments
                for request, _ in evidence.transcript[:index]:
                    subject.ask(request)
            outcome = subject.ask(evidence.transcript[index][0])
            MISTAKE_ANSWERS.put(key, outcome, _size(outcome))
        yield outcome


def _size(value: Any) -> int:
    """The bytes that a plain value takes, roughly."""
    if isinstance(value, Outcome):
        return _size(value.value) + _size(value.text)
    if isinstance(value, torch.Tensor):
        return 500 + value.nbytes
    if isinstance(value, dict):
        return 200 + sum(_size(key) + _size(item) for key, item in value.items())
    if isinstance(value, (list, tuple, set)):
        return 100 + sum(map(_size, value))
    return 100 + (len(value) if isinstance(value, (str, bytes)) else 0)


def same_outcome(one: Outcome, other: Outcome) -> bool:
    """The same value within rounding, or the same exception with the same text."""
    if one.kinds or other.kinds or one.missing or other.missing:
        return (one.kinds, one.text, one.missing) == (other.kinds, other.text, other.missing)
    return same_value(one.value, other.value)


def same_bits(one: Outcome, other: Outcome) -> bool:
    """Exactly the same value, or the same exception with the same text."""
    told = (one.kinds, one.text, one.missing) == (other.kinds, other.text, other.missing)
    return told and same_value(one.value, other.value, exactly=True)


def same_value(one: Any, other: Any, exactly: bool = False) -> bool:
    """Equal structure and types, tensors equal within rounding, or ``exactly`` (NaN equals NaN)."""
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor):
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        if not one.dtype.is_floating_point:
            return torch.equal(one, other)
        rtol, atol = (0.0, 0.0) if exactly else tolerance(one.dtype)
        return torch.allclose(one.double(), other.double(), rtol, atol, equal_nan=True)
    if isinstance(one, float):
        close = 0.0 if exactly else 1e-4 if _of_float32(one) and _of_float32(other) else 1e-6
        return math.isclose(one, other, rel_tol=close) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same_value, one, other, repeat(exactly)))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            (key == "samples" and not exactly and _same_frequencies(one[key], other[key]))
            or same_value(one[key], other[key], exactly)
            for key in one
        )
    return bool(one == other)


def _same_frequencies(one: Any, other: Any) -> bool:
    """Whether samples ``(N, columns)`` of token ids may come from the same distributions, a column from each.

    Right code draws in any order, so no two styles draw the same tokens. Frequencies that differ by 4.5 standard
    deviations, or a token that is drawn only in one, rule a mistake out.
    """
    if not (isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)) or one.is_floating_point():
        return False
    if one.shape != other.shape or one.dtype != other.dtype or one.dim() != 2 or int(min(one.min(), other.min())) < 0:
        return False
    size = int(max(one.max(), other.max())) + 1
    for a, b in zip(one.T, other.T):
        counts, others = torch.bincount(a, minlength=size), torch.bincount(b, minlength=size)
        often = counts + others
        apart = (counts - others).abs() > 4.5 * often.sqrt() * (1 - often / (2 * len(one))).clamp(min=0.01).sqrt() + 2
        if apart.any() or (((counts == 0) | (others == 0)) & (often > 8)).any():
            return False
    return True


def _of_float32(number: float) -> bool:
    """Whether it may come from a float32 tensor: float32 represents hardly any number that was computed in float64."""
    return number == torch.tensor(number, dtype=torch.float32).item() and not number.is_integer()
