"""The path through a chapter: two sittings, what is read and done in each, and how many minutes that takes.

Everything is read from two texts, and written nowhere else. A chapter (``book/<unit>.md``) marks where a sitting
begins with ``{sitting}``, a section that is off the path with ``{deeper}``, and puts the box of a task with ``{task}``
where it is to be done. A notebook's source (``solutions/notebooks/<unit>.md``) says how long a task takes. The book,
its map, the PDF, the notebooks and the tests use the result of this module.

Reading minutes are measured, not typed. Folded content takes none; of the rest

* prose, tables and captions take a minute for 200 words; a formula within a line counts as 2 words;
* a displayed formula and a picture take 20 seconds each, a visible line of code 4 seconds;
* a question by hand takes 2 minutes, a quiz question half a minute, a playground 3 minutes.

Needs a checkout of the repository and the Markdown parser that builds the book.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from autograder.course.addresses import ROOT
from autograder.course.registry import BY_NAME

WORDS_PER_MINUTE = 200
SECONDS = {"formula": 20, "code": 4, "picture": 20, "by-hand": 120, "question": 30, "playground": 180}
WORDS_OF_FORMULA = 2
SITTINGS = 2
LONGEST_SITTING = 90  # minutes
MOST_CORE_WORDS = 4500

# Directives whose content is read in place. The content of other directives is folded, or is no text.
READ = {"note", "important", "tip", "warning", "admonition", "figure", "playground", "side-note"}
FOLDING_TAGS = {"hide-input", "hide-cell", "remove-input", "remove-cell", "solution"}
_DIRECTIVE = re.compile(r"\{([\w-]+)\}\s*(.*)")
_WORD = re.compile(r"\w[\w'’-]*")
_TASK = re.compile(
    r"^## Task (?P<number>\d+): `(?P<name>\w+)`\n+\*\*Goal\.\*\* (?P<goal>.+?)\n\n"
    r"\*Difficulty (?P<difficulty>[●○]+) .*?about (?P<minutes>\d+) minutes",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Task:
    """What the source of a notebook says about a task."""

    id: str
    number: int
    goal: str
    difficulty: str  # three dots, some of them filled
    minutes: int

    @property
    def name(self) -> str:
        return self.id.partition(".")[2]

    @property
    def cell(self) -> str:
        """The id of the cell of the notebook in which the task begins."""
        return "about-" + self.id.replace(".", "-")


@dataclass
class Section:
    """A part of a chapter below a heading of level 2 or 3, up to the next heading."""

    title: str
    anchor: str
    level: int
    sitting: int
    deeper: bool = False
    words: int = 0  # of prose
    seconds: float = 0.0  # for everything else that is read
    tasks: list[Task] = field(default_factory=list)
    inner: list[Section] = field(default_factory=list)  # sections of level 3 in one of level 2

    @property
    def on_path(self) -> list[Section]:
        """The section and its inner sections on the path; none if the section is off the path."""
        return [] if self.deeper else [self, *(part for part in self.inner if not part.deeper)]

    @property
    def minutes(self) -> float:
        """Minutes to read what is on the path; for a section off the path, minutes to read all of it."""
        parts = self.on_path or [self, *self.inner]
        return sum(part.words / WORDS_PER_MINUTE + part.seconds / 60 for part in parts)


@dataclass(frozen=True)
class Sitting:
    """The sections that are read and the tasks that are done in one sitting."""

    number: int
    sections: tuple[Section, ...]

    @property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(task for section in self.sections for part in section.on_path for task in part.tasks)

    @property
    def reading(self) -> int:
        return round(sum(section.minutes for section in self.sections))

    @property
    def doing(self) -> int:
        return sum(task.minutes for task in self.tasks)

    @property
    def minutes(self) -> int:
        return self.reading + self.doing

    @property
    def name(self) -> str:
        return ("First", "Second", "Third", "Fourth")[min(self.number, 4) - 1] + " sitting"


@dataclass(frozen=True)
class Path:
    """The path through a chapter: its sections of level 2, in order."""

    sections: tuple[Section, ...]
    marks: int  # number of sitting marks in the text

    @property
    def sittings(self) -> tuple[Sitting, ...]:
        """The sittings in order; none in a chapter without marks."""
        on_path = [section for section in self.sections if not section.deeper]
        return tuple(
            Sitting(number, tuple(section for section in on_path if section.sitting == number))
            for number in range(1, self.marks + 1)
        )

    @property
    def deeper(self) -> list[Section]:
        """Sections off the path; of nested ones, the outer."""
        return [
            part
            for section in self.sections
            for part in ([section] if section.deeper else section.inner)
            if part.deeper
        ]

    @property
    def core_words(self) -> int:
        return sum(part.words for section in self.sections for part in section.on_path)

    @property
    def minutes(self) -> int:
        return sum(sitting.minutes for sitting in self.sittings)


def path_of(page: str) -> Path:
    """The path through a chapter of the book, by the name of its page: ``"attention"``."""
    return read((ROOT / "book" / f"{page}.md").read_text(encoding="utf-8"))


def task_of(task: str) -> Task:
    """What the notebook's source says about ``"attention.softmax"``; raises `KeyError` where it has no such task."""
    return tasks_of(task.partition(".")[0])[task]


def tasks_of(unit: str) -> dict[str, Task]:
    """The tasks of a unit by id, in the order of its notebook; none where there is no such unit."""
    if unit not in BY_NAME:
        return {}
    text = (ROOT / "solutions" / "notebooks" / f"{unit}.md").read_text(encoding="utf-8")
    return {
        f"{unit}.{found['name']}": Task(
            f"{unit}.{found['name']}",
            int(found["number"]),
            " ".join(found["goal"].split()),
            found["difficulty"],
            int(found["minutes"]),
        )
        for found in _TASK.finditer(text)
    }


def in_words(minutes: int) -> str:
    """``"50 minutes"``, ``"2 h 5 min"``."""
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{rest} minutes"
    return f"{hours} h" + (f" {rest} min" if rest else "")


# --- reading a chapter ----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def read(text: str) -> Path:
    """The path that the text of a chapter marks."""
    top: list[Section] = []
    opening = current = Section("", "", 1, 1)
    anchor, marks = "", 0
    tokens = iter(_tokens(text))
    for token in tokens:
        if token.type == "myst_target":
            anchor = token.content
        elif token.type == "heading_open":
            title = next(tokens).content
            current = _begun(top, int(token.tag[1]), title, anchor, marks) if token.tag != "h1" else opening
            anchor = ""
        elif _directive(token)[0] == "sitting":
            marks += 1
        elif _directive(token)[0] == "deeper":
            current.deeper = True
        else:
            _count(current, token)
    if top:  # text before the first section counts with that section
        top[0].words, top[0].seconds = top[0].words + opening.words, top[0].seconds + opening.seconds
    return Path(tuple(top), marks)


def _begun(top: list[Section], level: int, title: str, anchor: str, marks: int) -> Section:
    """A new section at its heading. Sections before the first mark belong to the first sitting."""
    made = Section(title.replace("`", ""), anchor, level, max(1, marks))
    if level == 2:
        top.append(made)
    elif top:
        made.deeper = top[-1].deeper
        top[-1].inner.append(made)
    return made


@lru_cache(maxsize=1)
def _parser():
    wanted = {"amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath", "html_image"}
    return create_md_parser(MdParserConfig(enable_extensions=wanted), RendererHTML)


def _tokens(text: str) -> list[Token]:
    return _parser().parse(text)


def _directive(token: Token) -> tuple[str, str]:
    """Name and argument of a directive; empty for anything else."""
    found = _DIRECTIVE.match(token.info) if token.type in ("fence", "colon_fence") else None
    return (found[1], found[2].strip()) if found else ("", "")


def _count(section: Section, token: Token) -> None:
    """Add the words and seconds of one token to a section."""
    name, argument = _directive(token)
    if token.type == "inline":
        section.words += sum(_words(token.children or ()))
        section.seconds += SECONDS["question"] * bool(re.match(r"\*\*\d+\.\*\*", token.content))
    elif token.type.startswith(("math_block", "amsmath")):
        section.seconds += SECONDS["formula"]
    elif name == "code-cell":
        section.seconds += _seconds_of_cell(token.content)
    elif name == "task":
        section.tasks += [task for task in [tasks_of(argument.partition(".")[0]).get(argument)] if task]
    elif name in READ:
        for inner in _tokens(_without_options(token.content)):
            _count(section, inner)
        section.seconds += SECONDS.get({"figure": "picture", "model-drawing": "picture"}.get(name, name), 0)
    elif name == "by-hand":
        section.seconds += SECONDS["by-hand"]
    elif token.type in ("fence", "code_block") and not name:
        section.seconds += SECONDS["code"] * _lines(token.content)


def _words(tokens: Iterable[Token]) -> Iterator[int]:
    for token in tokens:
        if token.type == "math_inline":
            yield WORDS_OF_FORMULA
        elif token.type in ("text", "code_inline", "myst_role"):
            yield len(_WORD.findall(token.content))
        elif token.children:  # the description of a picture
            yield from _words(token.children)


def _seconds_of_cell(content: str) -> float:
    """A folded cell is not read, but the picture that it draws is looked at."""
    picture = SECONDS["picture"] if re.search(r"^ +alt:", content, re.MULTILINE) else 0
    tags = re.search(r"^:?tags: *\[(.*)\]", content, re.MULTILINE)
    if tags and FOLDING_TAGS & {tag.strip() for tag in tags[1].split(",")}:
        return picture
    return picture + SECONDS["code"] * _lines(_without_options(content))


def _without_options(content: str) -> str:
    """The content of a directive after its options."""
    return re.sub(r"\A(---\n.*?^---\n|(:[\w-]+:[^\n]*\n)+)", "", content, flags=re.MULTILINE | re.DOTALL)


def _lines(code: str) -> int:
    return sum(bool(line.strip()) for line in code.splitlines())


def _report(page: str) -> str:
    """Minutes, words and tasks of each section of a chapter, for its author."""
    path = path_of(page)
    rows = [
        f"{section.minutes:6.1f} min {section.words:5} words  "
        f"{'deeper' if section.deeper else f'sitting {section.sitting}':9}  {section.title}"
        + "".join(f"  + {task.name} {task.minutes} min" for part in section.on_path for task in part.tasks)
        for section in path.sections
    ]
    rows += [
        f"{sitting.name}: {sitting.reading} + {sitting.doing} minutes, of {LONGEST_SITTING}"
        for sitting in path.sittings
    ]
    return "\n".join([*rows, f"Core: {path.core_words} words, of {MOST_CORE_WORDS}"])


if __name__ == "__main__":
    print("\n\n".join(map(_report, sys.argv[1:])))
