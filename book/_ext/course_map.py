"""The map of the course on a page of the book: drawn from the registry while the book is built.

Complete units are links, and say how many tasks they have. The map is drawn twice, for wide and for narrow
screens; ``custom.css`` shows one.
"""

from __future__ import annotations

import posixpath

import sittings

from autograder.course.registry import UNITS, Unit
from autograder.reports.course_map import NARROW, WIDE, Box, in_stages, picture


def course_map(page: str) -> str:
    """HTML of the map for a page of the book (its name without ``.html``: links are relative to it)."""
    boxes = [_box(unit, page) for unit in UNITS]
    in_stages(boxes)
    pictures = "".join(picture(boxes, layout) for layout in (WIDE, NARROW))
    return f'<figure class="course-map">{pictures}</figure>'


def _box(unit: Unit, page: str) -> Box:
    if not unit.complete:
        return Box(unit, "planned", "planned")
    tasks = ", ".join(filter(None, (f"{len(unit.names)} tasks", sittings.minutes_of(unit.name))))
    return Box(unit, "ready", tasks, posixpath.relpath(f"book/{unit.name}.html", posixpath.dirname(page)))
