"""What you will build: a card for each unit, with links to everything that belongs to it, made from the registry.

Chapters that have no unit stand where ``_toc.yml`` has them.
"""

from __future__ import annotations

from collections.abc import Iterator

import sittings
from docutils import nodes
from sphinx import addnodes

from autograder.course import addresses, headings
from autograder.course.registry import BY_NAME, STAGES, UNITS, Unit

SECTIONS = {"quiz": "Quiz", "pitfalls": "Known mistakes", "exercise": "Exercise", "papers": "Papers"}


def cards(page: str) -> list[nodes.Node]:
    """For each stage its name and the cards of its units; then the chapters without a unit."""
    made: list[nodes.Node] = []
    for name, _ in STAGES:
        made.append(nodes.rubric("", name))
        made.append(_grid(_card(unit, page) for unit in UNITS if unit.stage == name))
    made.append(nodes.rubric("", "Between the units"))
    made.append(_grid(_bare_card(chapter, page) for chapter in chapters_without_a_unit()))
    return made


def chapters_without_a_unit() -> list[str]:
    """For example ``book/heads``."""
    return [f"book/{page}" for page in headings.chapters() if page not in BY_NAME]


def _grid(cards: Iterator[nodes.Node]) -> nodes.container:
    grid = nodes.container(classes=["course-cards"])
    grid += list(cards)
    return grid


def _card(unit: Unit, page: str) -> nodes.container:
    card = nodes.container(classes=["course-card", "ready" if unit.complete else "planned"])
    name = f"{unit.number} · {unit.title}"
    heading = nodes.paragraph(classes=["course-card-title"])
    heading += link_to("doc", f"/book/{unit.name}", name, page) if unit.complete else nodes.Text(f"{name} (planned)")
    card += heading
    tasks = nodes.paragraph("", "You write: ")
    for place, task in enumerate(unit.names):
        tasks += [nodes.Text(", " if place else ""), nodes.literal("", task)]
    if minutes := sittings.minutes_of(unit.name):
        tasks += nodes.Text(f". It takes {minutes}.")
    card += tasks
    if unit.complete:
        card += _links(unit, page)
    return card


def _bare_card(chapter: str, page: str) -> nodes.container:
    card = nodes.container(classes=["course-card", "ready"])
    heading = nodes.paragraph(classes=["course-card-title"])
    heading += link_to("doc", f"/{chapter}", "", page)
    links = nodes.paragraph("", "To read: no exercise. ")
    links += link_to("ref", f"{chapter.rpartition('/')[2]}-quiz", "Quiz", page)
    card += [heading, links]
    return card


def _links(unit: Unit, page: str) -> nodes.paragraph:
    notebook = f"exercises/{unit.name}/{unit.name}.ipynb"
    links = nodes.paragraph(classes=["course-card-links"])
    links += link_to("doc", f"/book/{unit.name}", "Chapter", page)
    for section, text in SECTIONS.items():
        links += [nodes.Text(" · "), link_to("ref", f"{unit.name.replace('_', '-')}-{section}", text, page)]
    links += nodes.Text(" · ")
    links += addnodes.download_reference("", "Notebook", reftarget=f"/{notebook}", refdoc=page)
    links += [
        nodes.Text(" · "),
        nodes.reference("", "Colab", refuri=addresses.launch_urls(notebook)["Colab"], internal=False),
    ]
    return links


def link_to(kind: str, target: str, text: str, page: str) -> addnodes.pending_xref:
    """A link to a page or a section, resolved (or complained about) by Sphinx; without a text, the title."""
    link = addnodes.pending_xref(
        "", refdomain="std", reftype=kind, reftarget=target, refdoc=page, refexplicit=bool(text), refwarn=True
    )
    link += nodes.inline("", text, classes=["std", f"std-{kind}"])
    return link
