"""Entries of the catalogue in a terminal: what `autograder show` prints."""

from __future__ import annotations

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from autograder.course.catalogue import Entry, Mistake, is_c
from autograder.course.catches import Catch
from autograder.course.show import base_name, difference


def print_entries(entries: list[Entry], console: Console | None = None) -> None:
    """The names of a task's mistakes, each with what goes wrong in its first sentence; then the alternatives."""
    table = Table.grid(padding=(0, 2))
    for entry in entries:
        if isinstance(entry, Mistake):
            table.add_row(Text(entry.name, style="bold"), Text(_first_sentence(entry.why)))
    console = console or Console()
    console.print(table)
    right = [entry.name for entry in entries if not isinstance(entry, Mistake)]
    console.print(Text(f"\nRight in other styles: {', '.join(right)}"))


def print_catch(catch: Catch, console: Console | None = None) -> None:
    """A catch-it task: each group with its mistakes and their symptoms, then the styles."""
    console = console or Console()
    for group in catch.groups:
        console.print(Text(f"\n{group.title}", style="bold"))
        _print_rows(console, [(slip.name, slip.words) for slip in group.slips])
    console.print(Text("\nRight, and to be accepted", style="bold"))
    _print_rows(console, [(style.name, style.words) for style in catch.styles])


def _print_rows(console: Console, rows: list[tuple[str, str]]) -> None:
    table = Table.grid(padding=(0, 2))
    for name, words in rows:
        table.add_row(Text(f"  {name}"), Text(words))
    console.print(table)


def print_entry(entry: Entry, console: Console | None = None) -> None:
    """An entry: its description, its code, and the difference from its base."""
    console = console or Console()
    console.print(Text(f"{entry.task}  {entry.name}", style="bold"))
    if isinstance(entry, Mistake):
        console.print(Text(f"\nWhy:  {entry.why}\nHint: {entry.hint}\nRead: {entry.link}"))
    console.print()
    _print_code(console, entry.source, "c" if is_c(entry.unit) else "python")
    console.print(Text(f"\nCompared with the {base_name(entry)}:\n"))
    _print_code(console, difference(entry), "diff")


def _print_code(console: Console, code: str, language: str) -> None:
    """Print code, coloured in a terminal; elsewhere without colours, so that it can be saved and run."""
    if console.is_terminal:
        console.print(
            Syntax(code.rstrip("\n"), language, theme="ansi_dark", background_color="default", word_wrap=True)
        )
    else:
        console.print(Text(code.rstrip("\n")), soft_wrap=True)


def _first_sentence(text: str) -> str:
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]
