"""What a page keeps back until it is asked for: solutions, answers, traps, questions by hand.

Directives
    ``{solution} attention.softmax``: the reference solution of a task.
    ``{traps}``: what goes wrong, to be opened after a first try. Notebooks have the same (`autograder.lms.release`).
    ``{challenge} TITLE``: a problem off the path; in it ``{answer}``, which may hold a proof.
    ``{answer}`` or ``{answer} TITLE``: the answer to a question of the text, such as the one of a debugging story.
    ``{by-hand} attention.three-weights``: a question that takes an answer (`autograder.course.by_hand`).
    ``{diagnosed} attention.softmax softmax-over-queries``: a wrong answer of the catalogue, and its feedback.

A code cell with ``tags: [solution]`` holds lines that solve a task: they are folded like ``hide-input``, and say so;
with ``hide-cell`` as well, so is its output.
On paper and in the e-book, all that has the class ``held-back`` stands at the end of the chapter (``printing.py``).
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from autograder.course import by_hand
from autograder.course.catalogue import in_c, mistakes
from autograder.course.registry import BY_NAME

ROOT = Path(__file__).resolve().parents[2]
HELD_BACK = "held-back"
TRAPS = "Where it can go wrong: open after your first try"
ANSWER = "Show the answer (write yours first)"
LINES_THAT_SOLVE = "Show these lines: they solve a task, so try it first"
PYTHON = """```{{literalinclude}} /solutions/{unit}.py
:language: python
:pyobject: {name}
```"""
C = """```{{literalinclude}} /solutions/c/{unit}.c
:language: c
:start-at: void {name}(
:end-at: END SOLUTION
```"""


class Folding(SphinxDirective):
    """Makes folds of Markdown."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def fold(self, title: str, text: str, *classes: str) -> list[nodes.Node]:
        frame = ":" * 12  # longer than any in the text
        wanted = " ".join(classes)
        markup = f"{frame}{{dropdown}} {title}\n:class-container: {wanted}\n\n{text}\n{frame}\n"
        return self.parse_text_to_nodes(markup)


class Solution(Folding):
    """The reference solution of a task, which a learner opens."""

    required_arguments, optional_arguments = 1, 0
    has_content = False

    def run(self) -> list[nodes.Node]:
        unit, _, name = self.arguments[0].partition(".")
        if unit not in BY_NAME or name not in BY_NAME[unit].names:
            raise self.error(f"There is no task called {self.arguments[0]!r}.")
        source = C if in_c(self.arguments[0]) else PYTHON
        title = f"Show the solution of `{name}` (try the task first)"
        return self.fold(title, source.format(unit=unit, name=name), HELD_BACK, "solution")


class Traps(Folding):
    """What goes wrong."""

    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        return self.fold(TRAPS, "\n".join(self.content), HELD_BACK, "traps")


class Answer(Folding):
    """An answer, below its question."""

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        title = self.arguments[0] if self.arguments else ANSWER
        return self.fold(title, "\n".join(self.content), HELD_BACK, "answer")


class Challenge(Folding):
    """A problem off the path."""

    required_arguments, optional_arguments = 1, 0

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        box = nodes.container(classes=["challenge"])
        title, _ = self.state.inline_text(self.arguments[0], self.lineno)
        box += nodes.paragraph("", "Challenge: ", *title, classes=["challenge-title"])
        self.state.nested_parse(self.content, self.content_offset, box)
        if not any(HELD_BACK in str(part.get("container_classes", "")) for part in box.findall(nodes.container)):
            raise self.error("A challenge needs its {answer}.")
        return [box]


class ByHand(Folding):
    """A question that takes an answer. Without JavaScript, its hint and its solution open by themselves."""

    required_arguments, optional_arguments = 1, 0
    has_content = False

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        try:
            asked = by_hand.question(name)
        except by_hand.UnknownQuestion as error:
            raise self.error(str(error)) from None
        self.env.note_dependency(str(ROOT / "autograder" / "units" / name.partition(".")[0] / "by_hand.py"))
        box = ByHandNode("", ids=[f"by-hand-{name}"], answer=by_hand.parts(asked.answer), tolerance=asked.tolerance)
        box += nodes.paragraph("", "By hand", classes=["by-hand-title"])
        box += self.parse_text_to_nodes(asked.ask)
        box += self.fold("A hint", asked.hint, HELD_BACK, "by-hand-hint")
        box += self.fold("Show the solution", f"**{asked.answer}.** {asked.because}", HELD_BACK, "by-hand-solution")
        return [box]


class Diagnosed(Folding):
    """A known mistake as a learner writes it; opened, what the grader says of it."""

    required_arguments, optional_arguments = 2, 0
    has_content = False

    def run(self) -> list[nodes.Node]:
        task, name = self.arguments
        unit = task.partition(".")[0]
        found = [entry for entry in mistakes(unit) if (entry.task, entry.name) == (task, name)]
        if not found:
            raise self.error(f"There is no mistake {name!r} of {task!r}.")
        self.env.note_dependency(str(ROOT / "autograder" / "units" / unit / "mistakes.py"))
        code = nodes.literal_block(found[0].source, found[0].source, language="python")
        said = f"**`{name}`.** {found[0].hint}\n\nRead on: {{section}}`{unit}#{found[0].section}`."
        return [code, *self.fold(f'`check("{task}")`: what does the grader say?', said, HELD_BACK, "diagnosed")]


class ByHandNode(nodes.General, nodes.Element):
    """A question with what ``by-hand.js`` needs to judge an answer."""


def visit_by_hand(translator, node: ByHandNode) -> None:
    data = translator.attval(json.dumps({"answer": node["answer"], "tolerance": node["tolerance"]}))
    translator.body.append(f'<div class="by-hand" id="{node["ids"][0]}" data-by-hand="{data}">\n')


def depart_by_hand(translator, node: ByHandNode) -> None:
    translator.body.append("</div>\n")


def pass_by(translator, node: ByHandNode) -> None:
    """In other kinds of output a question is shown as its content alone."""


class FoldSolvingCells(SphinxTransform):
    """Folds the code of cells with the tag ``solution``, before MyST-NB makes folds of what is to be hidden."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        for cell in self.document.findall(nodes.container):
            if "tag_solution" in cell["classes"]:
                cell["hide_mode"] = cell.get("hide_mode", "input")  # with `hide-cell`, its output too
                cell["prompt_show"], cell["prompt_hide"] = LINES_THAT_SOLVE, "Hide these lines"


def setup(app: Sphinx) -> None:
    app.add_directive("solution", Solution)
    app.add_directive("traps", Traps)
    app.add_directive("answer", Answer)
    app.add_directive("challenge", Challenge)
    app.add_directive("by-hand", ByHand)
    app.add_directive("diagnosed", Diagnosed)
    html, other = (visit_by_hand, depart_by_hand), (pass_by, pass_by)
    app.add_node(ByHandNode, html=html, epub=html, latex=other, text=other, man=other, texinfo=other)
    app.add_transform(FoldSolvingCells)
    app.add_js_file("by-hand.js", loading_method="defer")
