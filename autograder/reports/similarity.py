"""Which submissions of a class share code that is not the usual answer: information for the instructor, no verdict.

copydetect tokenises and fingerprints the code (Schleimer, Wilkerson and Aiken 2003, "Winnowing"), so
changed names, comments and layout have no effect. Short right answers look alike anyway. So three kinds of fingerprints
do not count: those of the reference solution and of the code that notebooks provide, those of the catalogue, since many
learners write its alternatives and mistakes, and those that more than `COMMON` submissions have.
"""

from __future__ import annotations

import ast
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from autograder.course.addresses import ROOT
from autograder.course.catalogue import alternatives, c_solution, in_c, is_c, mistakes
from autograder.course.registry import BY_NAME
from autograder.course.source import syntax_tree
from autograder.reports.html import render
from autograder.submissions.definitions import is_stub
from autograder.submissions.discovery import Source
from autograder.submissions.files import UnreadableSubmission
from autograder.submissions.notebooks import read_files
from autograder.submissions.syntax import MAX_CODE, demand_readable

if TYPE_CHECKING:
    from copydetect import CodeFingerprint

LENGTH = 25  # of a fingerprint, in characters of tokenised code: copydetect's default
COMMON = 10  # fingerprints in more submissions do not count: the default of Moss
LEAST_SHARED = 60  # characters of tokenised code: two or three lines
LEAST_SHARE = 1 / 3  # of the smaller submission's unusual code: copydetect's default
MOST_PAIRS = 100  # that the page shows
IN_C = "%%c"  # how a cell with C begins

Marked = tuple[tuple[str, bool], ...]  # code in pieces, and whether each is shared


@dataclass(frozen=True)
class Passage:
    """Two functions or classes that share code, one of each submission."""

    codes: tuple[Marked, Marked]


@dataclass(frozen=True)
class Pair:
    """Two submissions to one unit, the characters of tokenised code that they share, and their share of the smaller."""

    one: Source
    other: Source
    shared: int
    share: float
    passages: tuple[Passage, ...]


class _Work:
    """A submission as fingerprints, one for each function and class that its learner wrote."""

    def __init__(self, source: Source, parts: Sequence[CodeFingerprint]):
        self.source = source
        self.parts = parts

    @cached_property
    def hashes(self) -> set[int]:
        return set[int]().union(*(part.hashes for part in self.parts))

    def discount(self, usual: set[int]) -> None:
        """Drop the usual fingerprints."""
        from copydetect.utils import get_token_coverage

        for part in self.parts:
            part.hashes -= usual
            part.hash_idx = {one: part.hash_idx[one] for one in part.hashes}
            part.token_coverage = int(get_token_coverage(part.hash_idx, LENGTH, len(part.filtered_code)))
        self.__dict__.pop("hashes", None)

    @property
    def unusual(self) -> int:
        return sum(part.token_coverage for part in self.parts)


def similar(sources: Iterable[Source]) -> list[Pair]:
    """The pairs of submissions that share unusual code, those that share most of it first."""
    by_unit: dict[str, list[_Work]] = {}
    for source in sources:
        if source.unit in BY_NAME and BY_NAME[source.unit].complete and not source.problem:
            by_unit.setdefault(source.unit, []).append(_Work(source, list(_parts(_cells(source), source.unit))))
    pairs = [pair for unit, works in by_unit.items() for pair in _pairs(unit, works)]
    return sorted(pairs, key=lambda pair: (-pair.share, -pair.shared, pair.one.student, pair.other.student))


def similar_page(sources: Iterable[Source]) -> str:
    """The same as a page to read."""
    pairs = similar(sources)
    return render("similar.html.j2", pairs=pairs[:MOST_PAIRS], left_out=max(0, len(pairs) - MOST_PAIRS), common=COMMON)


def _pairs(unit: str, works: Sequence[_Work]) -> Iterator[Pair]:
    holders = Counter(one for work in works for one in work.hashes)
    usual = _usual(unit) | {one for one, count in holders.items() if count > COMMON}
    for work in works:
        work.discount(usual)
    for one, other in combinations(works, 2):
        if one.source.student == other.source.student or one.hashes.isdisjoint(other.hashes):
            continue
        found = list(_passages(one, other))
        shared = sum(count for count, _ in found)
        share = min(1.0, shared / min(one.unusual, other.unusual))
        if shared >= LEAST_SHARED and share >= LEAST_SHARE:
            yield Pair(one.source, other.source, shared, share, tuple(passage for _, passage in found))


def _passages(one: _Work, other: _Work) -> Iterator[tuple[int, Passage]]:
    """For each part of a submission, the part of the other that shares most with it."""
    from copydetect import compare_files

    for part in one.parts:
        compared = [(compare_files(part, partner), partner) for partner in other.parts]
        (shared, _, slices), partner = max(compared, key=lambda entry: entry[0][0])
        if shared:
            codes = _marked(part.raw_code, slices[0]), _marked(partner.raw_code, slices[1])
            yield int(shared), Passage(codes)


def _marked(code: str, slices: Sequence[Sequence[int]]) -> Marked:
    pieces, last = list[tuple[str, bool]](), 0
    for begin, end in sorted((int(begin), int(end)) for begin, end in zip(*slices)):
        begin = max(begin, last)  # copydetect's positions are sometimes off by a few characters
        pieces += [(code[last:begin], False), (code[begin:end], True)]
        last = max(last, end)
    return tuple((text, shared) for text, shared in [*pieces, (code[last:], False)] if text)


def _usual(unit: str) -> set[int]:
    """The fingerprints of the course's own code."""
    entries = [*alternatives(unit), *mistakes(unit)]
    texts = [f"{IN_C}\n{entry.source}" if in_c(entry.task) else entry.source for entry in entries]
    if is_c(unit):
        texts.append(f"{IN_C}\n{c_solution(unit)}")
    files = (ROOT / "solutions" / f"{name}.py" for name in (unit, "given"))
    texts += [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    return set[int]().union(*(part.hashes for part in _parts(texts)))


def _cells(source: Source) -> list[str]:
    try:
        return read_files(source.path, source.own_folder).code(source.path).cells
    except UnreadableSubmission:
        return []


def _parts(cells: Iterable[str], unit: str = "") -> Iterator[CodeFingerprint]:
    """The fingerprints of each function and class in the cells; stubs of the unit are left out."""
    from copydetect import CodeFingerprint

    for cell in cells:
        language = "c" if cell.startswith(IN_C) else "python"
        for text in _texts(cell, unit):
            yield CodeFingerprint("", LENGTH, 1, language=language, fp=io.StringIO(text[:MAX_CODE]))


def _texts(cell: str, unit: str) -> list[str]:
    if cell.startswith(IN_C):
        text = cell.partition("\n")[2]
        return [one for one in re.split(r"^(?=(?:static )?void )", text, flags=re.MULTILINE) if one.strip()]
    try:
        demand_readable(cell)
        nodes = [node for node in syntax_tree(cell).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [cell]
    return [ast.get_source_segment(cell, node) or "" for node in nodes if not (unit and is_stub(unit, node))]
