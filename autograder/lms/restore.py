"""Putting a submitted notebook back into the form in which nbgrader can grade it, without losing anything.

nbgrader finds cells by metadata, which editors drop, copy and change. Here cells are recognised by metadata
first, and otherwise by their content. The gradebook's type, points and locked text of a cell always
replace those of the submission. Everything a learner wrote stays in the notebook, in the learner's order.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import nbformat
from nbformat import NotebookNode

from autograder.lms.grade_ids import grade_id
from autograder.lms.marks import BY_LEARNER
from autograder.submissions import demonstrations, notebooks
from autograder.submissions.syntax import MAX_SEARCHED, defined_names
from autograder.submissions.text import clean

_FENCE = re.compile(r"^\s*```[^\n]*\n(.*?)\n?```\s*$", re.DOTALL)
MAX_CELL = 1_000_000  # characters: the grader runs no longer ones (`wire.MAX_TEXT`, whose module needs torch)
MAX_CODE = MAX_SEARCHED  # characters of all code cells: they are searched for each task
MAX_TEXT = 300_000  # characters of all other cells, without the pictures in them: rendering costs far more than reading
MAX_PICTURES = 50_000_000  # characters, of all pictures pasted into texts
MAX_METADATA = 10_000  # characters of one cell's
_MAX_DEPTH = 50  # of metadata; nbgrader copies notebooks by recursion, several calls for each level
PICTURE = re.compile(r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/=]+")  # as Colab writes it into the text
_WORD = re.compile(r"\S")
_CELL_ID = re.compile(r"^[a-zA-Z0-9-_]{1,64}$")


@dataclass(frozen=True)
class Wanted:
    """A cell in the gradebook: a check (locked, with points), a solution, or an answer (solution with points)."""

    name: str
    cell_type: str
    source: str
    checksum: str | None = None
    locked: bool = False
    points: float | None = None
    solution: bool = False
    task: str = ""  # what a check grades

    @property
    def is_check(self) -> bool:
        return self.points is not None and not self.solution

    @property
    def is_answer(self) -> bool:
        """An answer in words, graded by hand."""
        return self.points is not None and self.solution and self.cell_type == "markdown"

    def cell(self, source: str) -> NotebookNode:
        """A cell with this text and the metadata that nbgrader needs."""
        about = {
            "schema_version": 3,
            "grade_id": self.name,
            "grade": self.points is not None,
            "solution": self.solution,
            "locked": self.locked,
            "task": False,
            "cell_type": self.cell_type,
            "checksum": self.checksum,
        }
        if self.points is not None:
            about["points"] = self.points
        return new_cell(self.cell_type, source, {"nbgrader": about})


@dataclass
class Rebuilt:
    """The cells of the rebuilt notebook, and sentences for the learner on what was corrected."""

    cells: list[NotebookNode] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


# --- reading -----------------------------------------------------------------------------------------


def read_cells(data: bytes, name: str) -> list[NotebookNode]:
    """The cells of a notebook of any format version, without outputs; raises `UnreadableSubmission`.

    Text that is too large to be recognised, coloured and rendered outside the sandbox is cut, with a notice.
    """
    notebooks.read_notebook(data, name)  # explains in one sentence what is wrong with it
    cells = notebooks.cells_of(json.loads(notebooks.decode(data))) or []
    read = [_read_cell(cell) for cell in cells if isinstance(cell, dict)]
    _make_ids_unique(read)
    _cut(read)
    return read


def _read_cell(cell: dict) -> NotebookNode:
    kind = cell.get("cell_type")
    source = notebooks.source_text(cell)
    if kind == "heading":  # notebook format 3
        level = cell.get("level")
        kind, source = "markdown", f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {source}"
    metadata = cell.get("metadata")
    metadata = dict(metadata) if isinstance(metadata, dict) and _is_small(metadata) else {}
    if not isinstance(metadata.get("nbgrader"), dict):
        metadata.pop("nbgrader", None)
    made = new_cell(kind if kind in ("code", "markdown") else "raw", _encodable(source), metadata)
    if made.cell_type != "code" and _are_attachments(cell.get("attachments")):
        made["attachments"] = nbformat.from_dict(cell["attachments"])
    rename_cell(made)
    if isinstance(cell.get("id"), str) and _CELL_ID.match(cell["id"]):
        made["id"] = cell["id"]
    return made


def _cut(cells: Iterable[NotebookNode]) -> None:
    """Replace code and cut text beyond the limits of the notebook; earlier cells are kept."""
    code, text, pictures = MAX_CODE, MAX_TEXT, MAX_PICTURES
    for cell in cells:
        whole = cell.source
        if cell.cell_type == "code":
            if len(whole) > min(code, MAX_CELL):
                most = f"at most {MAX_CELL:,} in a cell, and {MAX_CODE:,} in all, are run"
                cell["source"] = f"# Here were {len(whole):,} characters, of which {most}: see the file handed in."
            code -= len(cell.source)
            continue
        words = len(PICTURE.sub("", whole))
        attached = len(json.dumps(cell.get("attachments")))
        if words > text or len(whole) - words + attached > pictures:
            cell.pop("attachments", None)
            cell["source"] = (
                f"{PICTURE.sub('', whole)[:text]}\n\n*The rest of this text is too long: see the file handed in.*"
            )
            words, attached, whole = len(cell.source), 0, cell.source
        text, pictures = max(0, text - words), pictures - (len(whole) - words + attached)


def _is_small(value: object) -> bool:
    return _is_shallow(value) and len(json.dumps(value)) <= MAX_METADATA


def _is_shallow(value: object, levels: int = _MAX_DEPTH) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_shallow(part, levels - 1) for part in parts)


def _encodable(text: str) -> str:
    """The text without lone surrogates, which JSON can hold but no file."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _are_attachments(value: object) -> bool:
    """Pictures pasted into a text: file name -> media type -> text."""
    return isinstance(value, dict) and all(
        isinstance(bundle, dict) and all(isinstance(data, str) for data in bundle.values()) for bundle in value.values()
    )


def _make_ids_unique(cells: Iterable[NotebookNode]) -> None:
    seen: set[str] = set()
    for number, cell in enumerate(cells):
        if cell["id"] in seen:
            cell["id"] = f"copy-{number}"
        seen.add(cell["id"])


def new_cell(cell_type: str, source: str, metadata: dict | None = None) -> NotebookNode:
    """A code, markdown or raw cell. (nbformat's functions validate each one, which takes as long as grading.)"""
    of_code: dict = {"execution_count": None, "outputs": []} if cell_type == "code" else {}
    return nbformat.from_dict(
        {"id": "new", "cell_type": cell_type, "metadata": metadata or {}, "source": source, **of_code}
    )


# --- recognising -------------------------------------------------------------------------------------


def rebuild(cells: Sequence[NotebookNode], wanted: Sequence[Wanted], released: Sequence[NotebookNode] = ()) -> Rebuilt:
    """The submission with every wanted cell in it exactly once.

    ``released``: the notebook that learners got, if it is at hand; it tells the course's own text from a learner's.
    """
    found = _recognise(cells, wanted, released)
    by_index = {index: item for item, index in found.items()}
    result = Rebuilt()
    if not any(name_of(cell) for cell in cells) and found:
        result.notes.append(
            "The notebook had lost the marks by which nbgrader finds its cells (some editors drop them). "
            "The cells were recognised by what is in them, and nothing is lost."
        )
    for index, cell in enumerate(cells):
        item = by_index.get(index)
        if item is None:
            if not _is_copy_of_a_check(cell, wanted):
                result.cells.append(_plain(cell))
        elif item.is_answer:
            result.cells.append(_answer(item, cell))
        elif item.locked or item.is_check:
            _add_locked(result, item, cell)
        else:
            _add_solution(result, item, cell, cells)
    _join_answers_typed_below(result, wanted, released)
    for item in wanted:
        if item.points is not None and item not in found:
            _insert_missing(result, item)
    own = {tuple(_stripped(text)) for text in [item.source for item in wanted] + [cell.source for cell in released]}
    for number, cell in enumerate(result.cells):
        cell["id"] = f"cell-{number}"
        if cell.cell_type == "markdown" and tuple(_stripped(cell.source)) not in own:
            cell.metadata[BY_LEARNER] = True
        elif cell.cell_type == "raw":
            cell.metadata["raw_mimetype"] = "text/plain"  # without one, nbconvert makes it a part of its page
    return result


def name_of(cell: NotebookNode) -> str:
    """The grade id that a cell's metadata gives it, if any."""
    name = cell.metadata.get("nbgrader", {}).get("grade_id")
    return name if isinstance(name, str) else ""


def rename_cell(cell: NotebookNode) -> bool:
    """Give a cell of an earlier release today's grade id; returns whether the id changed."""
    name = name_of(cell)
    if name == grade_id(name):
        return False
    cell.metadata["nbgrader"]["grade_id"] = grade_id(name)
    return True


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal except for white space at the ends of lines."""
    # A learner's text is compared with every cell of the course: splitting it each time would cost minutes.
    return one == other or (_first_line(one) == _first_line(other) and _stripped(one) == _stripped(other))


def _first_line(text: str) -> str:
    """The beginning of the first line that is not empty."""
    start = _WORD.search(text)
    return text[start.start() : start.start() + 100].splitlines()[0].rstrip() if start else ""


def _stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _recognise(
    cells: Sequence[NotebookNode], wanted: Sequence[Wanted], released: Sequence[NotebookNode]
) -> dict[Wanted, int]:
    """Match the cells of the submission to the wanted ones, by metadata first, then by content, and no cell twice."""
    found: dict[Wanted, int] = {}
    for by_metadata in (True, False):
        for item in wanted:
            free = [index for index in range(len(cells)) if index not in found.values()]
            if item not in found:
                if by_metadata:
                    named = [index for index in free if name_of(cells[index]) == item.name]
                    named = named or [index for index in free if cells[index]["id"] == item.name]
                    index = _best_marked(item, named, cells)
                else:
                    index = _by_content(item, free, cells, released)
                if index is not None:
                    found[item] = index
    return found


def _best_marked(item: Wanted, candidates: list[int], cells: Sequence[NotebookNode]) -> int | None:
    """Among cells that claim to be the same one (cells get copied and split), the one that looks most like it."""
    if item.is_answer:
        better = [index for index in candidates if not same_text(cells[index].source, item.source)]
        return next(iter(better or candidates), None)
    if item.locked or item.is_check:
        better = [index for index in candidates if same_text(cells[index].source, item.source)]
        return next(iter(better or candidates), None)
    names = defined_names(item.source)
    better = [index for index in candidates if names & defined_names(cells[index].source)]
    # If the text of a solution cell was moved, look for the cell that holds it now.
    return better[-1] if better else candidates[0] if len(candidates) == 1 else None


def _by_content(
    item: Wanted, candidates: list[int], cells: Sequence[NotebookNode], released: Sequence[NotebookNode]
) -> int | None:
    equal = [index for index in candidates if same_text(cells[index].source, item.source)]
    if equal:
        return equal[0]
    if item.is_answer:
        return _answer_by_position(item, candidates, cells, released)
    if item.is_check:
        call = re.compile(rf"""^[ \t]*check\(\s*["']{re.escape(item.task)}["']""", re.MULTILINE)
        return next((index for index in candidates if call.search(cells[index].source)), None)
    names = defined_names(item.source) if item.solution else set()
    defining = [index for index in candidates if names & defined_names(cells[index].source)]
    code = [index for index in defining if cells[index].cell_type == "code"]
    return (code or defining)[-1] if defining else None


def _answer_by_position(
    item: Wanted, candidates: list[int], cells: Sequence[NotebookNode], released: Sequence[NotebookNode]
) -> int | None:
    """A written answer without its mark: the text under the same heading, after the same cell, or the last one."""
    own = [index for index in candidates if _is_own_text(cells[index], released)]
    first_line = item.source.strip().partition("\n")[0].strip()
    same_start = [index for index in own if first_line and cells[index].source.strip().startswith(first_line)]
    if same_start:
        return same_start[0]
    before = _cell_before(item, released)
    same = [index for index, cell in enumerate(cells) if before is not None and same_text(cell.source, before.source)]
    after = [index for index in own if same and index > same[-1]]
    return next(iter(after or own[-1:]), None)


def _cell_before(item: Wanted, released: Sequence[NotebookNode]) -> NotebookNode | None:
    for before, cell in itertools.pairwise(released):
        if name_of(cell) == item.name:
            return before
    return None


def _is_own_text(cell: NotebookNode, released: Sequence[NotebookNode]) -> bool:
    """Whether a learner wrote this text."""
    if cell.cell_type != "markdown" or not cell.source.strip():
        return False
    return not any(same_text(cell.source, other.source) for other in released)


def _is_copy_of_a_check(cell: NotebookNode, wanted: Sequence[Wanted]) -> bool:
    return any(item.is_check and same_text(cell.source, item.source) for item in wanted)


# --- putting together --------------------------------------------------------------------------------


def _plain(cell: NotebookNode) -> NotebookNode:
    """A cell that nobody grades: of its metadata only the mark of an unchanged demonstration is kept."""
    shown = demonstrations.is_unchanged(cell.metadata, cell.source)
    made = new_cell(cell.cell_type, cell.source, demonstrations.mark(cell.source) if shown else {})
    if "attachments" in cell:
        made["attachments"] = cell["attachments"]
    return made


def _answer(item: Wanted, cell: NotebookNode) -> NotebookNode:
    # An untouched answer must keep every byte: nbgrader recognises it by its checksum, and gives no points.
    made = item.cell(item.source if same_text(cell.source, item.source) else cell.source)
    if "attachments" in cell:
        made["attachments"] = cell["attachments"]
    return made


def _add_locked(result: Rebuilt, item: Wanted, cell: NotebookNode) -> None:
    """The cell as it was released. The learner's version is kept before it, and runs like any other cell."""
    if not same_text(cell.source, item.source) and cell.source.strip():
        result.cells.append(new_cell(cell.cell_type, cell.source))
        result.notes.append(
            f"You had changed the cell `{item.name}`. For grading, the original was put back; your version stands "
            "before it and was run as well. Put code of your own into a new cell."
        )
    elif cell.cell_type != item.cell_type:
        result.notes.append(f"The cell `{item.name}` had become a {cell.cell_type} cell; it was put back as it was.")
    result.cells.append(item.cell(item.source))


def _add_solution(result: Rebuilt, item: Wanted, cell: NotebookNode, cells: Sequence[NotebookNode]) -> None:
    if cell.cell_type == item.cell_type:
        result.cells.append(item.cell(cell.source))
        return
    names = defined_names(item.source)
    if any(other.cell_type == "code" and names & defined_names(other.source) for other in cells):
        result.cells.append(_plain(cell))  # the answer is in another cell; this one is a note or an old version
        return
    result.cells.append(item.cell(_unfenced(cell.source)))
    what = ", ".join(f"`{name}`" for name in sorted(names)) or f"`{item.name}`"
    result.notes.append(
        f"The cell with {what} had become a text (Markdown) cell, which does not run. It was run as code nevertheless: "
        "change its type back to code in your notebook."
    )


def _unfenced(source: str) -> str:
    """Code that stands between ``` lines."""
    match = _FENCE.match(source)
    return match[1] if match else source


def _join_answers_typed_below(result: Rebuilt, wanted: Sequence[Wanted], released: Sequence[NotebookNode]) -> None:
    """An answer in a new cell right below an untouched question belongs to the question."""
    for item in wanted:
        index = next((i for i, cell in enumerate(result.cells) if item.is_answer and name_of(cell) == item.name), None)
        if index is None or not released or result.cells[index].source != item.source:
            continue
        below = index + 1
        while (
            below < len(result.cells)
            and not name_of(result.cells[below])
            and _is_own_text(result.cells[below], released)
        ):
            below += 1
        own = result.cells[index + 1 : below]
        if own:
            joined = item.cell("\n\n".join(cell.source for cell in [result.cells[index], *own]))
            attachments = {name: data for cell in own for name, data in cell.get("attachments", {}).items()}
            if attachments:
                joined["attachments"] = nbformat.from_dict(attachments)
            result.cells[index:below] = [joined]


def _insert_missing(result: Rebuilt, item: Wanted) -> None:
    """A check goes after the code that it checks, anything else to the end."""
    position = len(result.cells)
    if item.is_check:
        name = item.task.partition(".")[2]
        code = [index for index, cell in enumerate(result.cells) if cell.cell_type == "code"]
        defining = [index for index in code if name in defined_names(result.cells[index].source)]
        position = defining[-1] + 1 if defining else position
    result.cells.insert(position, item.cell(item.source))
    result.notes.append(f"The cell `{item.name}` was missing; it was put back.")


def as_text(text: str) -> str:
    """What a learner's code printed, safe to store and to show."""
    return _encodable(clean(text))
