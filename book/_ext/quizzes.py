"""Quizzes: questions of the chapters become questions that can be answered on the page.

A chapter writes a quiz as plain text: under a heading with the target ``<name>-quiz``, each question is a paragraph
that begins with its number in bold, a list of choices ``(a)`` to ``(e)``, and a dropdown with the answer. The answer
begins with the right choice in bold, and has a sentence for every wrong one that begins with its letter.

Here each question gets a frame, and the answer's sentences the classes of the choices that they speak about.
``static/quiz.js`` makes buttons of the choices and shows these sentences; without JavaScript the page stays as written,
a list and an answer that opens. What does not have this form is a warning, and stops the build. That every choice has
its sentence is left to ``tests/browser/test_reading.py``.

``{quiz-score} NUMBER`` counts the questions of its page that were right at the first try. Its content is a list of two
items: what follows from that number or more, and what follows from fewer. Once all questions are answered, the page
keeps the item that applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import folds
from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

LOGGER = logging.getLogger(__name__)
CHOICE = re.compile(r"\(([a-e])\)\s")
RIGHT = re.compile(r"\(([a-e])\)\.?$")
LETTER = r"\([a-e]\)"
HEADING = rf"{LETTER}(?:(?:, | and |, and | or ){LETTER})*(?=[\s:,.])"  # "(b)", or "(a), (c) and (d)"
ABOUT = re.compile(rf"(?:^|(?<=[.!?:;,\"”)]\s))(?:{HEADING})")  # where a sentence or a clause begins


class QuizTransform(SphinxTransform):
    """Finds the questions of a page once it has been read."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        for section in self.document.findall(nodes.section):
            if any(name.endswith("-quiz") for name in section["ids"]):
                for question in list(_questions(section)):
                    _frame(section, *question)


class QuizScore(SphinxDirective):
    """The score of the quiz of a page, and what follows from it; without JavaScript a list."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        box = nodes.container(classes=["quiz-score", f"quiz-enough-{self.arguments[0]}"])
        self.set_source_info(box)
        self.state.nested_parse(self.content, self.content_offset, box)
        advice = box.children[0] if len(box.children) == 1 else None
        if not self.arguments[0].isdigit() or not isinstance(advice, nodes.bullet_list) or len(advice.children) != 2:
            _warn(box, "a score needs the number that is enough, and a list of two: for so many, and for fewer")
        return [box]


Question = tuple[nodes.Element, nodes.Element, nodes.Element]


def _questions(section: nodes.section) -> Iterator[Question]:
    children = [child for child in section.children if not isinstance(child, nodes.target)]
    for index, child in enumerate(children):
        if not _is_number(child):
            continue
        parts = children[index : index + 3]
        if len(parts) == 3 and isinstance(parts[1], nodes.bullet_list) and _is_answer(parts[2]):
            yield tuple(parts)
        else:
            _warn(child, "a question needs a list of choices and a dropdown called Answer")


def _is_number(node: nodes.Node) -> bool:
    first = next((part for part in node.children if part.astext()), None) if isinstance(node, nodes.paragraph) else None
    return isinstance(first, nodes.strong) and re.match(r"\d+\.", first.astext()) is not None


def _is_answer(node: nodes.Node) -> bool:
    is_dropdown = isinstance(node, nodes.container) and node.get("design_component") == "dropdown"
    return is_dropdown and bool(node.children) and node.children[0].astext() == "Answer"


def _frame(section: nodes.section, asked: nodes.Element, choices: nodes.Element, answer: nodes.Element) -> None:
    letters = [match[1] if (match := CHOICE.match(item.astext())) else "" for item in choices.children]
    if letters != list("abcde"[: len(letters)]) or len(letters) < 3:
        _warn(asked, f"the choices of a question are (a), (b), (c) and so on, not {letters}")
        return
    right = _mark(answer)
    if right not in letters:
        _warn(asked, "the answer begins with the letter of the right choice in bold")
        return
    choices["classes"].append("quiz-choices")
    answer["container_classes"] = [*answer.get("container_classes", []), "quiz-answer", folds.HELD_BACK]
    frame = nodes.container(classes=["quiz-question", f"quiz-right-{right}"])
    section.insert(section.index(asked), frame)
    for part in (asked, choices, answer):
        section.remove(part)
        frame += part


def _mark(answer: nodes.Element) -> str:
    """Wrap the sentences about each choice; returns the right choice."""
    right = about = ""
    for paragraph in [child for child in answer.children if isinstance(child, nodes.paragraph)]:
        wrapped: list[nodes.Node] = []
        for node in _pieces(paragraph):
            if not right and isinstance(node, nodes.strong) and (match := RIGHT.match(node.astext())):
                right = about = match[1]
            elif isinstance(node, nodes.Text) and (match := re.match(HEADING, node.astext())):
                about = "".join(re.findall(r"\(([a-e])\)", match[0]))
                wrapped.append(nodes.inline(classes=_classes(about)))
            if not wrapped or wrapped[-1]["classes"] != _classes(about):
                wrapped.append(nodes.inline(classes=_classes(about)))
            wrapped[-1] += node
        paragraph.children = []
        paragraph.extend(wrapped)
    return right


def _classes(about: str) -> list[str]:
    return ["quiz-why", *(f"quiz-why-{letter}" for letter in about)]


def _pieces(paragraph: nodes.paragraph) -> Iterator[nodes.Node]:
    """The children of a paragraph, text cut where a sentence about a choice begins."""
    before = ""
    for child in paragraph.children:
        if isinstance(child, nodes.Text):
            # A sentence may also begin at the start of this piece, after one that ends in code or a formula.
            text = before[-2:] + child.astext()
            cuts = [match.start() - len(before[-2:]) for match in ABOUT.finditer(text)]
            cuts = [0, *(cut for cut in cuts if cut > 0), len(child.astext())]
            yield from (nodes.Text(child.astext()[start:end]) for start, end in zip(cuts, cuts[1:]) if start < end)
        else:
            yield child
        before += child.astext()


def _warn(node: nodes.Node, problem: str) -> None:
    LOGGER.warning("Quiz: %s.", problem, location=node)
