"""Labels of the list of references: author and year, as the text cites them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import entry_points

import pybtex.plugin
from pybtex.database import Entry
from pybtex.richtext import Text
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.sorting import BaseSortingStyle

NAME = "authoryear"


class AuthorYearLabels(BaseLabelStyle):
    """``Jain and Wallace, 2019``; works of the same authors and year get letters."""

    def format_labels(self, sorted_entries: Sequence[Entry]) -> Iterator[str]:
        labels = [f"{_authors(entry)}, {entry.fields.get('year', 'n.d.')}" for entry in sorted_entries]
        total, seen = Counter(labels), Counter[str]()
        for label in labels:
            yield label + (chr(ord("a") + seen[label]) if total[label] > 1 else "")
            seen[label] += 1


class ByAuthorAndYear(BaseSortingStyle):
    """The order of the labels."""

    def sorting_key(self, entry: Entry) -> tuple[str, str]:
        return _authors(entry).casefold(), entry.fields.get("year", "")


class AuthorYearStyle(PlainStyle):
    """Pybtex's plain style with these labels, in their order."""

    default_sorting_style = ByAuthorAndYear
    default_label_style = AuthorYearLabels


def _authors(entry: Entry) -> str:
    names = [
        str(Text.from_latex(" ".join(person.prelast_names + person.last_names)))
        for person in entry.persons.get("author") or entry.persons["editor"]
    ]
    if len(names) > 2:
        return f"{names[0]} et al."
    return " and ".join(names)


def register() -> None:
    """Make the style known to sphinxcontrib-bibtex under `NAME`."""
    pybtex.plugin.register_plugin("pybtex.style.formatting", NAME, AuthorYearStyle)
    # Pybtex reads what all installed packages offer once more for every citation: three seconds in this book.
    pybtex.plugin.entry_points = lru_cache(maxsize=None)(entry_points)
