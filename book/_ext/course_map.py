"""The map of the course: the drawing of ``drawing.py`` on a page of the book, whole on the map, small in each chapter.

On the map every unit is a link that also says what waits there. In a chapter the parts of the chapters before it are
solid, its own is lit, and the later ones are pale.
"""

from __future__ import annotations

import posixpath
from html import escape

import drawing
import sittings
from sphinx.application import Sphinx

from autograder.course.registry import BY_NAME, STAGES, UNITS, Unit

PLACES = {name: place for place, (name, _) in enumerate(STAGES, start=1)}  # a stage's class and colour
MODEL = (
    "Two columns, read from below. Left, the encoder: source ids, embedding, then N layers of self-attention and "
    "feed-forward network, each behind a norm and inside a shortcut. Right, the decoder: target ids, embedding, then N "
    "layers of masked self-attention, cross-attention and feed-forward network, and above them the probabilities of "
    "the next token. An arrow leads from the memory, the encoder's output, to the cross-attention."
)
STATES = {"before": "built before", "now": "this chapter", "later": "comes later"}


def course_map(page: str) -> str:
    """HTML of the map for a page of the book (its name without ``.html``: links are relative to it)."""
    label = "The Transformer that the course builds. Each part is a link to its chapter."

    def wrap(unit: Unit, shapes: str) -> str:
        kind = "ready" if unit.complete else "planned"
        tasks = [f"{len(unit.names)} tasks", sittings.minutes_of(unit.name)] if unit.complete else ["planned"]
        words = f"{_words(unit)} ({', '.join(filter(None, tasks))})"
        return _part(unit, page, kind, words, shapes, link=unit.complete)

    pictures = "".join(drawing.draw(layout, UNITS, wrap, label) for layout in (drawing.WIDE, drawing.NARROW))
    stages = "".join(f'<li class="stage-{place}">{escape(name)}</li>' for name, place in PLACES.items())
    return (
        f'<figure class="course-drawing drawing">{pictures}'
        f'<figcaption><ul class="drawing-stages">{stages}</ul></figcaption></figure>'
    )


def model_drawing(page: str) -> str:
    """HTML of the model alone, with the shapes of what goes from part to part."""

    def wrap(unit: Unit, shapes: str) -> str:
        return _part(unit, page, "ready" if unit.complete else "planned", _words(unit), shapes, link=unit.complete)

    pictures = "".join(drawing.draw_model(layout, UNITS, wrap, MODEL) for layout in (drawing.WIDE, drawing.NARROW))
    return f'<figure class="model-drawing drawing">{pictures}</figure>'


def chapter_drawing(page: str, here: Unit) -> str:
    """HTML of the small drawing at the top of a chapter."""
    before = [unit for unit in UNITS if unit.number < here.number]
    label = f"Where this chapter is in the Transformer that the course builds: {_words(here)}."

    def wrap(unit: Unit, shapes: str) -> str:
        state = "now" if unit is here else "before" if unit in before else "later"
        words = f"{_words(unit)} ({STATES[state]})"
        return _part(unit, page, state, words, shapes, link=unit.complete)

    return (
        f'<figure class="chapter-drawing drawing only-on-screen">{drawing.draw(drawing.SMALL, UNITS, wrap, label)}'
        f"<figcaption>{_caption(here, page)}</figcaption></figure>"
    )


def _caption(here: Unit, page: str) -> str:
    whole = posixpath.relpath("book/map.html", posixpath.dirname(page))
    name = drawing.NAMES.get(here.name, here.title)
    lines = [
        f'<span class="drawing-here">{here.number} · {escape(name)}</span>',
        '<span class="drawing-key">Solid: built. Lit: this chapter. Dashed: to come.</span>',
        f'<a href="{whole}">The whole map</a>',
    ]
    return "".join(lines)


def _words(unit: Unit) -> str:
    return f"Unit {unit.number}: {unit.title}"


def _part(unit: Unit, page: str, state: str, words: str, shapes: str, link: bool) -> str:
    classes = f"unit stage-{PLACES[unit.stage]} {state}"
    title = f"<title>{escape(words)}</title>"
    if not link:
        return f'<g class="{classes}">{title}{shapes}</g>'
    address = posixpath.relpath(f"book/{unit.name}.html", posixpath.dirname(page))
    current = ' aria-current="page"' if state == "now" else ""
    return f'<a class="{classes}" href="{escape(address)}" aria-label="{escape(words)}"{current}>{title}{shapes}</a>'


def draw_in_chapter(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Sphinx event ``html-page-context``: the small drawing below the heading of every unit's chapter."""
    unit = BY_NAME.get(posixpath.basename(page))
    if unit is None or app.builder.format != "html" or "body" not in context:
        return
    context["body"] = context["body"].replace("</h1>", f"</h1>\n{chapter_drawing(page, unit)}", 1)


def setup(app: Sphinx) -> None:
    app.add_css_file("drawing.css")
    app.add_js_file("drawing.js", loading_method="defer")
    app.connect("html-page-context", draw_in_chapter, priority=900)
