"""Checks what people read in the project: chapters, notebooks, and the hints and explanations of tasks.

``python .ci/prose.py [FILE ...]``; without files, all of `TEXTS`. Each fault is a line ``file:line: fault`` of the
standard output; the exit status is 1 if there are any. proselint runs the checks: those of its own that
``.ci/prose.yml`` names, and four of ours, for words that the course avoids, sentences that are too long, abbreviations
that nothing explains, and repeated words. The book's own parser reads the Markdown, so that code, formulas and
addresses are left out. In a Python file every literal that ends like a sentence is read as Markdown; in C, the
explanations of a catalogue.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import yaml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from proselint.checks import __register__ as proselint_checks
from proselint.config import Config
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, CheckResult, types
from proselint.registry.checks.engine import Fancy
from proselint.tools import LintFile

ROOT = Path(__file__).resolve().parent.parent
RULES = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text(encoding="utf-8"))
TEXTS = (
    *("README.md", "book/*.md", "solutions/notebooks/*.md", "autograder/units/*/mistakes.c"),
    *(f"autograder/units/*/{name}.py" for name in ("hints", "mistakes", "by_hand", "catches")),
)
GLOSSARY = ROOT / "book" / "glossary.md"
BETWEEN_BLOCKS = "\n¶\n"  # so that no fault reaches across two of them
SOLUTION_MARKS = ("BEGIN SOLUTION", "END SOLUTION")
INSTEAD = "□"  # stands for code, a formula or a reference: one word of a sentence, and no word of English
DIRECTIVE = re.compile(r"\{([\w-]+)\}")
OPTIONS = re.compile(r"\A(?:[ \t]*:[\w-]+:.*\n?)+")
EXTENSIONS = (
    "amsmath",
    "attrs_block",
    "attrs_inline",
    "colon_fence",
    "deflist",
    "dollarmath",
    "html_image",
    "tasklist",
)
MARKDOWN = create_md_parser(MdParserConfig(enable_extensions=set(EXTENSIONS)), RendererHTML)
SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9□]|\([a-d]\))")
WORD = re.compile(r"[\w□]")
REPEATED = r"(?<![\w'-])([A-Za-z]+(?:\s+\w+){0,3})(?:\s+\1)+(?![\w'-])"
ABBREVIATION = re.compile(r"(?<![\w'+-])[A-Z]{2,6}(?=s?(?![\w'’]))")


class Block(NamedTuple):
    """A paragraph, a list item, a cell of a table: text without markup, and the line of its file where it begins."""

    line: int
    text: str


# ---------------------------------------------------------------------------------------------------------------------
# What is prose


def blocks_of(path: Path) -> Iterator[Block]:
    text = path.read_text(encoding="utf-8")
    read = {".md": of_markdown, ".py": of_python, ".c": of_c}[path.suffix]
    return read(text)


def of_markdown(text: str, first: int = 1) -> Iterator[Block]:
    """The blocks of a text whose first line has the number ``first``; those of directives that hold prose as well."""
    for token in MARKDOWN.parse(text):
        if token.map is None:
            continue
        line = first + token.map[0]
        if token.type == "inline":
            yield Block(line, plain(token))
        elif token.type in ("fence", "colon_fence"):
            yield from of_directive(token, line)


def of_directive(token: Token, line: int) -> Iterator[Block]:
    name = DIRECTIVE.match(token.info.strip())
    if name is None or name[1] in RULES["code directives"]:
        return
    body = token.content
    options = OPTIONS.match(body)
    if options:
        body = "\n" * options[0].count("\n") + body[options.end() :]
    if name[1] == "glossary":  # a term, and its meaning indented below it
        body = re.sub(r"^\S.*", "", body, flags=re.MULTILINE)
        body = re.sub(r"^  ", "", body, flags=re.MULTILINE)
    yield from of_markdown(body, line + 1)


def plain(token: Token) -> str:
    """The text of an inline token. Line breaks stay, so that a fault has the line on which it stands."""
    return "".join(map(_plain, SyntaxTreeNode([token]).children[0].children)) if token.children else ""


def _plain(node: SyntaxTreeNode) -> str:
    if node.type in ("text", "text_special"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return "\n"
    if node.type in ("em", "strong", "s", "link", "span"):
        return "".join(map(_plain, node.children)) or INSTEAD
    return "" if node.type in ("html_inline", "footnote_ref", "image") else INSTEAD


def of_python(text: str) -> Iterator[Block]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_prose(node.value):
            # A docstring has its lines in the file; adjacent literals are one text, found by their first line.
            lines = node.end_lineno - node.lineno if node.end_lineno else 0
            own = node.value.count("\n") == lines
            for block in of_markdown(node.value):
                yield Block(node.lineno + (block.line - 1 if own else 0), block.text if own else one_line(block.text))


def is_prose(literal: str) -> bool:
    return " " in literal and re.search(r"(?<!\.\.)[.?!][\"')*]*\s*\Z", literal) is not None


def of_c(text: str) -> Iterator[Block]:
    """The explanations of a catalogue: in each comment, ``why: ...`` and ``hint: ...``."""
    for entry in re.finditer(r"^ \* (?:why|hint): (.*(?:\n \* (?!\w+: ).*)*)", text, re.MULTILINE):
        line = text.count("\n", 0, entry.start()) + 1
        yield from of_markdown(re.sub(r"\n \* ?", "\n", entry[1]), line)


def one_line(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------------------------------------------------------------
# Our own checks. Each gets the blocks of a file, with an empty line between two of them.


def long_sentences(text: str, check: Check) -> Iterator[CheckResult]:
    ends = sorted(match.end() for pattern in (BETWEEN_BLOCKS, SENTENCE) for match in re.finditer(pattern, text))
    for start, end in zip([0, *ends], [*ends, len(text)]):
        words = sum(1 for word in text[start:end].split() if WORD.search(word))
        if words > RULES["longest sentence"]:
            yield CheckResult(check.path, check.message.format(words), (start, end), None)


def unexplained(text: str, check: Check) -> Iterator[CheckResult]:
    """Abbreviations that neither the rules nor the glossary explain, nor the file: ``AER (...)`` or ``... (AER)``."""
    for match in ABBREVIATION.finditer(text):
        short = match[0]
        beside = re.search(rf"\b{short}s? \(|\({short}s?\)|\b{short}, ", text)
        if short not in KNOWN and beside is None:
            yield CheckResult(check.path, check.message.format(short), match.span(), None)


def known() -> set[str]:
    terms = " ".join(re.findall(r"^\w[^.]*$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE))
    return {*chain.from_iterable(RULES["abbreviations that need no explanation"]), *ABBREVIATION.findall(terms)}


KNOWN = known()
AVOIDED = tuple(
    Check(
        types.PreferredForms({f"(?:{wrong})": instead}),
        Fancy(),
        "course.words",
        "'{1}': write {0} (.ci/prose.yml has the course's words).",
    )
    for wrong, instead in RULES["avoided words"].items()
)
OWN = (
    *AVOIDED,
    Check(long_sentences, path="course.sentences", message="A sentence of {} words: make two of it, or a list."),
    Check(unexplained, path="course.abbreviations", message="'{}' is explained nowhere: write it out once beside it."),
    Check(
        types.ExistenceSimple(REPEATED, tuple(RULES["repeated on purpose"])),
        Fancy(),
        "course.repeated",
        "'{}': something is repeated.",
    ),
)


# ---------------------------------------------------------------------------------------------------------------------


def faults(path: Path) -> Iterator[tuple[int, str]]:
    """Line and description of each fault of a file."""
    blocks = [block for block in blocks_of(path) if block.text.strip() and block.text not in SOLUTION_MARKS]
    lines = [0]  # for each line of the text that is checked, that of the file; proselint begins it with an empty line
    for block in blocks:
        lines += [block.line + more for more in range(block.text.count("\n") + 1)] + [0]
    if blocks:
        checked = LintFile(str(path), BETWEEN_BLOCKS.join(block.text for block in blocks))
        checks = {"course": True, **dict.fromkeys(RULES["proselint"], True)}
        for found in checked.lint(Config(max_errors=10_000, checks=checks)):
            start, end = found.check_result.span
            part = checked.content[start:end]
            before = checked.content[: end - len(part.lstrip())]
            yield lines[before.count("\n")], one_line(found.check_result.message)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="Markdown, Python or C; all texts if there is none")
    files = parser.parse_args().files or sorted(path for pattern in TEXTS for path in ROOT.glob(pattern))
    CheckRegistry().register_many((*OWN, *proselint_checks))
    found = 0
    for path in files:
        for line, message in faults(path):
            shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            print(f"{shown}:{line}: {message}")
            found += 1
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
