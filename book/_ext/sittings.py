"""The path through a chapter on its page: what is read and done in each sitting, and what is off the path.

Directives
    ``{sitting}``: here a sitting begins, at the end of the section before it. The first one shows the whole path.
    ``{deeper}``: below a heading: this section is off the path.
    ``{task} attention.softmax``: the box of a task, at the end of the section that teaches it.

Role
    ``{task}`attention.softmax` ``: a link to that box.

Headings say how many minutes they take, or that they go deeper; so does the outline beside the page. All of it comes
from `autograder.course.chapter_path`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from autograder.course import addresses, chapter_path, headings
from autograder.course.registry import BY_NAME

LOGGER = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parents[2]
DEEPER = "Going deeper"


class Mark(nodes.Inline, nodes.Element):
    """A word beside a heading, in ``words``. No text: links to the section and the search do not repeat it."""


class Deeper(nodes.Element):
    """Stands where ``{deeper}`` is written until the heading above it is marked."""


class SittingDirective(SphinxDirective):
    """The chapter's path, or the line between two sittings."""

    def run(self) -> list[nodes.Node]:
        chapter = chapter_path.read(Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf-8"))
        self.env.note_dependency(str(_narrative(self.env.docname.rpartition("/")[2])))
        number = self.env.temp_data["sittings"] = self.env.temp_data.get("sittings", 0) + 1
        if number == 1:
            return [_path_box(chapter, self.env.docname)]
        sitting = chapter.sittings[number - 1]
        line = nodes.paragraph(classes=["sitting-begins"])
        line += nodes.strong("", sitting.name)
        line += nodes.Text(f": {_time(sitting)}. A good place for a break.")
        return [line]


def _path_box(chapter: chapter_path.Path, page: str) -> nodes.container:
    box = nodes.container(classes=["chapter-path"])
    minutes = " and ".join(str(sitting.minutes) for sitting in chapter.sittings)
    count = {1: "one sitting", 2: "two sittings"}[len(chapter.sittings)]
    total = f" ({chapter_path.in_words(chapter.minutes)} in all)" if len(chapter.sittings) > 1 else ""
    title = f"Your path: {count} of about {minutes} minutes{total}"
    box += nodes.paragraph("", title, classes=["chapter-path-title"])
    items = nodes.bullet_list()
    for sitting in chapter.sittings:
        item = nodes.paragraph()
        item += [nodes.strong("", sitting.name), nodes.Text(f", {_time(sitting)}: ")]
        item += _listed([_to_section(section, page) for section in sitting.sections if section.anchor])
        if sitting.tasks:
            item += [nodes.Text(". You write "), *_listed([_to_task(task, page) for task in sitting.tasks])]
        item += nodes.Text(".")
        items += nodes.list_item("", item)
    if chapter.deeper:
        item = nodes.paragraph("", "", nodes.strong("", DEEPER), nodes.Text(", off the path: "))
        item += [*_listed([_to_section(section, page) for section in chapter.deeper]), nodes.Text(".")]
        items += nodes.list_item("", item)
    box += items
    return box


def _time(sitting: chapter_path.Sitting) -> str:
    return f"{sitting.reading} minutes of reading and {sitting.doing} of tasks"


def _listed(links: Sequence[nodes.Node]) -> list[nodes.Node]:
    return [part for place, link in enumerate(links) for part in ([nodes.Text(" · ")] if place else []) + [link]]


def _to_section(section: chapter_path.Section, page: str) -> nodes.Node:
    return _link(section.anchor, nodes.inline("", section.title), page)


def _to_task(task: chapter_path.Task, page: str) -> nodes.Node:
    return _link(label(task.id), nodes.literal("", task.name), page)


def _link(target: str, shown: nodes.Node, page: str) -> addnodes.pending_xref:
    link = addnodes.pending_xref(
        "", refdomain="std", reftype="ref", reftarget=target, refdoc=page, refexplicit=True, refwarn=True
    )
    link += shown
    return link


def label(task: str) -> str:
    """The name of the link to a task's box; its anchor is the task's id."""
    return f"task {task}".lower()


class DeeperDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [Deeper()]


class TaskDirective(SphinxDirective):
    """What is to be done now: goal, minutes, and where the notebook has the task."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        unit = name.partition(".")[0]
        self.env.note_dependency(str(_narrative(unit)))
        self.env.note_dependency(str(ROOT / "_config.yml"))
        task = chapter_path.tasks_of(unit).get(name)
        if task is None:
            raise self.error(f"The source of the notebook of {unit!r} has no task {name!r}.")
        box = nodes.container(classes=["task-box"], ids=[name])
        title = nodes.paragraph("", f"Now do task {task.number}: ", classes=["task-title"])
        title += [nodes.literal("", task.name), Mark(words=f"{task.minutes} min · difficulty {task.difficulty}")]
        box += title
        goal, _ = self.state.inline_text(task.goal, self.lineno)
        box += nodes.paragraph("", "", *goal)
        if BY_NAME[unit].complete:
            box += self._buttons(unit, task)
        self.env.get_domain("std").note_hyperlink_target(  # type: ignore[attr-defined]
            label(name), self.env.docname, name, f"task {task.number}"
        )
        return [box]

    def _buttons(self, unit: str, task: chapter_path.Task) -> nodes.paragraph:
        notebook = f"exercises/{unit}/{unit}.ipynb"
        buttons = nodes.paragraph(classes=["exercise-links"])
        colab = addresses.launch_urls(notebook)["Colab"] + f"#scrollTo={task.cell}"
        where = f"{addresses.repository_url()}/blob/{addresses.repository_branch()}/{notebook}"
        buttons += [
            nodes.reference("", "Open this task in Colab", refuri=colab, internal=False),
            nodes.Text(" "),
            addnodes.download_reference("", "Download", reftarget=f"/{notebook}", refdoc=self.env.docname),
            nodes.Text(" "),
            nodes.reference("", "View on GitHub", refuri=where, internal=False),
        ]
        return buttons


class TaskRole(SphinxRole):
    """A link that reads "task 1"."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        task = chapter_path.tasks_of(self.text.partition(".")[0]).get(self.text)
        if task is None:
            LOGGER.warning("There is no task called %r.", self.text, location=self.get_location())
            return [nodes.Text(self.text)], []
        return [_link(label(self.text), nodes.inline("", f"task\u00a0{task.number}"), self.env.docname)], []


class MarkHeadings(SphinxTransform):
    """Writes beside each heading how long its section takes, or that it goes deeper."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        for mark in list(self.document.findall(Deeper)):
            section = mark.parent
            section.remove(mark)
            if not isinstance(section, nodes.section):
                LOGGER.warning("{deeper} stands below the heading of the section that it marks.", location=section)
                continue
            section["classes"].append("deeper")
            section[0] += Mark(words=DEEPER)
        if self.env.temp_data.get("sittings"):
            self._minutes()

    def _minutes(self) -> None:
        chapter = chapter_path.read(Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf-8"))
        found = [part for part in self.document.findall(nodes.section) if _level(part) == 2]
        for section, seen in zip(chapter.sections, found, strict=True):
            if not section.deeper:
                seen[0] += Mark(words=f"{max(1, round(section.minutes))} min")


def _level(section: nodes.section) -> int:
    above, level = section.parent, 1
    while isinstance(above, nodes.section):
        above, level = above.parent, level + 1
    return level


def _narrative(unit: str) -> Path:
    return ROOT / "solutions" / "notebooks" / f"{unit}.md"


def visit_mark(translator: Any, node: Mark) -> None:
    kind = " deeper-mark" if node["words"] == DEEPER else ""
    translator.body.append(" " + mark(translator.encode(node["words"]), kind))


def mark(words: str, kind: str = "") -> str:
    """HTML of small words beside a heading or a link."""
    return f'<span class="path-mark{kind}">{words}</span>'


def pass_by(translator: Any, node: nodes.Node) -> None:
    """Nothing to write here."""


def minutes_of(unit: str) -> str:
    """For the map: ``"80 + 40 min"``, the sittings of a unit's chapter; nothing for a chapter without a path."""
    if not (ROOT / "book" / f"{unit}.md").is_file():
        return ""
    times = " + ".join(str(sitting.minutes) for sitting in chapter_path.path_of(unit).sittings)
    return f"{times} min" if times else ""


def time_of(page: str) -> str:
    """Beside a link to a chapter: ``"2 h 24 min"``, or the time to read it where nothing is written. Else nothing."""
    if page not in headings.chapters():
        return ""
    path = chapter_path.path_of(page)
    return chapter_path.in_words(path.minutes or round(sum(section.minutes for section in path.sections)))


def setup(app: Sphinx) -> None:
    html, other = (visit_mark, pass_by), (pass_by, pass_by)
    app.add_node(Mark, html=html, epub=html, latex=other, text=other, man=other, texinfo=other)
    app.add_directive("sitting", SittingDirective)
    app.add_directive("deeper", DeeperDirective)
    app.add_directive("task", TaskDirective)
    app.add_role("task", TaskRole())
    app.add_transform(MarkHeadings)
