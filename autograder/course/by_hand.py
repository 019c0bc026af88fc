"""Questions by hand: what a learner works out on paper and types, on the page or in the notebook.

``autograder/units/<unit>/by_hand.py`` holds a unit's questions, each once; a chapter shows one with
``{by-hand} attention.three-weights``, a notebook's source with a cell ``:by-hand: attention.three-weights``. An answer
is a list of numbers and fractions. ``book/static/by-hand.js`` judges by the same rules, and a test compares the two.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from autograder.course.references import expand
from autograder.course.registry import BY_NAME

MARKS = {"−": "-", "–": "-", "∞": "inf"}  # typed characters and their plain forms
_BRACKETS = str.maketrans(dict.fromkeys("()[]{}", " "))
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:/\d+\.?\d*)?|inf)", re.IGNORECASE)
_THOUSANDS = re.compile(r"[+−–-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?")


@dataclass(frozen=True)
class Question:
    """A question by hand.

    Args:
        ask: the question, in Markdown; it says how many numbers are wanted, and in which order.
        answer: numbers and fractions, separated by commas, as they are shown with the solution.
        hint: shown after a second wrong answer. Plain text, like ``because``: a notebook prints both.
        because: the way to the answer.
        computed: a Python expression of the same numbers, with the names of ``solutions/<unit>.py``, ``torch`` and
            ``math``; a test compares it with ``answer``.
        tolerance: how far a typed number may be off; two decimals are enough for the default.
    """

    ask: str
    answer: str
    hint: str
    because: str
    computed: str
    tolerance: float = 0.006

    @property
    def expected(self) -> list[float]:
        return [number(part) for part in parts(self.answer)]


@dataclass(frozen=True)
class Reply:
    """The reply to a typed answer; ``miss``: the answer was readable, and wrong."""

    right: bool
    text: str
    miss: bool = False


class UnknownQuestion(ValueError):
    """There is no such question; the message is one sentence."""


def questions(unit: str) -> dict[str, Question]:
    """The questions of a unit by id (``"attention.three-weights"``), in order; none where it has no such file."""
    if unit not in BY_NAME or importlib.util.find_spec(f"autograder.units.{unit}.by_hand") is None:
        return {}
    return importlib.import_module(f"autograder.units.{unit}.by_hand").BY_HAND


def question(name: str) -> Question:
    """The question of that id; raises `UnknownQuestion`."""
    unit = str(name).partition(".")[0]
    found = questions(unit)
    if name not in found:
        known = f"The questions of {unit} are {', '.join(found)}." if found else "Give its name in quotes."
        raise UnknownQuestion(f"There is no question by hand called {name!r}. {known}")
    return found[name]


def parts(text: str) -> list[str]:
    """The numbers of an answer as they were typed, without brackets."""
    for typed, meant in MARKS.items():
        text = text.replace(typed, meant)
    tight = re.sub(r"\s*/\s*", "/", text.translate(_BRACKETS))
    return [part for part in re.split(r"[\s,;]+", tight) if part]


def number(part: str) -> float:
    """``"3/7"``, ``".25"``, ``"-inf"`` as a number; NaN for anything else."""
    if not _NUMBER.fullmatch(part):
        return math.nan
    above, _, below = part.partition("/")
    if below and float(below) == 0:
        return math.nan
    return float(above) / float(below) if below else float(above)


def judge(asked: Question, typed: object) -> Reply:
    """The reply to an answer: a string, a number, or a list of them."""
    expected = asked.expected
    text = _as_text(typed)
    given = parts(_without_thousands(text) if len(expected) == 1 else text)
    if not given:
        return Reply(False, "Type your answer first: numbers or fractions, separated by commas.")
    unread = [part for part in given if math.isnan(number(part))]
    if unread:
        return Reply(False, f"{unread[0]!r} is not a number. Type numbers such as 0.25, 1/4 or -3.")
    if len(given) != len(expected):
        return Reply(False, f"The question asks for {_plural(len(expected))}; you typed {len(given)}.")
    right = sum(_close(number(part), wanted, asked.tolerance) for part, wanted in zip(given, expected))
    if right == len(expected):
        return Reply(True, "Right.")
    return Reply(False, "Not yet." if len(expected) == 1 else f"Not yet: {right} of {len(expected)} are right.", True)


def hint(asked: Question) -> str:
    return expand(asked.hint)


def solution(asked: Question) -> str:
    """The answer and the way to it."""
    return f"Answer: {asked.answer}. {expand(asked.because)}"


def _without_thousands(text: str) -> str:
    """``"7,087,872"`` as ``"7087872"``: where one number is asked for, commas may separate thousands."""
    return text.replace(",", "") if _THOUSANDS.fullmatch(text.strip()) else text


def _as_text(typed: object) -> str:
    if isinstance(typed, str):
        return typed
    if isinstance(typed, (int, float, Fraction)):
        return str(typed)
    if hasattr(typed, "tolist"):  # a tensor or an array
        return _as_text(typed.tolist())
    return " ".join(_as_text(part) for part in typed) if isinstance(typed, Sequence) else ""


def _close(typed: float, wanted: float, tolerance: float) -> bool:
    return typed == wanted or abs(typed - wanted) <= tolerance


def _plural(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"
