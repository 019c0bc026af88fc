"""Every chapter is a path of two sittings, a task stands where it is taught, and no page gives its answers away."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterator

import pytest

from autograder.course import chapter_path
from autograder.course.addresses import ROOT
from autograder.course.catalogue import c_solution, is_c
from autograder.course.registry import BY_NAME, COMPLETE
from autograder.course.source import kernels_of
from autograder.lms.release import BEGIN, C_BEGIN, C_END, END, SolutionModule

SITTINGS = {"warmup": 1}  # all others have two
PATHS = pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)


def chapter(name: str) -> str:
    return (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")


@PATHS
def test_a_chapter_is_two_sittings_of_at_most_ninety_minutes(unit) -> None:
    path = chapter_path.path_of(unit.name)
    assert len(path.sittings) == SITTINGS.get(unit.name, chapter_path.SITTINGS)
    for sitting in path.sittings:
        assert sitting.sections
        assert sitting.minutes <= chapter_path.LONGEST_SITTING, f"the {sitting.name}: {sitting.minutes} minutes"
    assert path.core_words <= chapter_path.MOST_CORE_WORDS


@PATHS
def test_every_task_has_its_box_once_and_on_the_path(unit) -> None:
    boxes = re.findall(r"^`{3,}\{task\} (\S+)$", chapter(unit.name), re.MULTILINE)
    assert sorted(boxes) == sorted(unit.task_ids)
    done = [task.id for sitting in chapter_path.path_of(unit.name).sittings for task in sitting.tasks]
    assert done == boxes


@PATHS
def test_every_task_has_its_solution_folded_away(unit) -> None:
    shown = re.findall(r"^`{3,}\{solution\} (\S+)$", chapter(unit.name), re.MULTILINE)
    assert sorted(shown) == sorted(unit.task_ids)


@PATHS
def test_the_numbers_of_the_boxes_rise(unit) -> None:
    """They count the tasks of the notebook: it has the order in which the chapter teaches them."""
    numbers = [task.number for sitting in chapter_path.path_of(unit.name).sittings for task in sitting.tasks]
    assert numbers == list(range(1, len(unit.task_ids) + 1))


@PATHS
def test_a_chapter_has_a_debugging_story_and_two_challenges(unit) -> None:
    text = chapter(unit.name)
    story = re.search(r"^\([\w-]+-debugging\)=\n## .*?(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert story is not None
    assert "{answer}" in story[0]
    assert len(re.findall(r"^`{3,}\{challenge\} ", text, re.MULTILINE)) >= 2


@PATHS
def test_what_goes_wrong_is_off_the_path(unit) -> None:
    """Learners should meet their own mistake in the diagnosis before they read a list of all mistakes."""
    deeper = {section.anchor for section in chapter_path.path_of(unit.name).deeper}
    assert f"{unit.name.replace('_', '-')}-pitfalls" in deeper


@PATHS
def test_the_keys_of_a_quiz_are_balanced(unit) -> None:
    quiz = chapter(unit.name).partition("-quiz)=\n")[2].partition("\n## Exercise")[0]
    keys = re.findall(r"^```\{dropdown\} Answer\n\*\*\(([a-e])\)", quiz, re.MULTILINE)
    counts = [keys.count(letter) for letter in "abcd"]
    assert max(counts) - min(counts) <= 1, dict(zip("abcd", counts))


# --- no line that solves a task ---------------------------------------------------------------------------------

FOLDED = ("dropdown", "solution", "answer", "traps", "challenge")
FENCE = re.compile(r"^(`{3,}|:{3,})(?:\{([\w-]+)\})?[^\n`]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
KEPT = {*keyword.kwlist, "nn"}
LETTERS_OF_A_LINE = 16  # a shorter line, such as `weights @ v`, is a formula
# Lines that solve nothing: the head of a loop over elements, a plain call of one function, a seed.
COMMON = re.compile(r"for\(.*|\w+\([\w·,=]*\)|Generator\(\)\.manual_seed\(·\)|for·in·\.parameters\(\):")


def visible_code(text: str) -> Iterator[str]:
    """The code that a reader sees: cells, blocks and what stands in backticks; nothing that is folded."""
    for fence in FENCE.finditer(text):
        name, content = fence[2] or "", fence[3]
        tags = re.search(r"^:?tags: *\[(.*)\]", content, re.MULTILINE)
        hidden = tags and chapter_path.FOLDING_TAGS & {tag.strip() for tag in tags[1].split(",")}
        if name in chapter_path.READ:
            yield from visible_code(content)
        elif name not in FOLDED and not hidden:
            yield content
    yield from re.findall(r"(?<!`)`([^`\n]+)`(?!`)", FENCE.sub("", text))


def normal(line: str) -> str:
    """A line of Python without its names: ``x / x.sum(dim, keepdim=True)`` is ``·/·.sum(·,keepdim=True)``.

    Attributes, keywords, functions and named arguments stay; numbers are names too. A result's name and ``return`` go.
    """
    line = re.sub(r"#.*$|^\s*(?:return\b|\w+\s*=(?!=))|\b(?:torch|math|F)\.", "", line).strip()
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(line).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return ""
    parts: list[str] = []
    for token, after in zip(tokens, tokens[1:]):
        free = token.type == tokenize.NUMBER or (token.type == tokenize.NAME and token.string not in KEPT)
        parts.append("·" if free and parts[-1:] != ["."] and after.string not in ("(", "=") else token.string.strip())
    return re.sub(r"(?<=[(\[,:=])-·", "·", "".join(parts))


def normal_c(line: str) -> str:
    """A line of C without spaces and comments."""
    return re.sub(r"\s|//.*$|/\*.*?\*/", "", line)


def normal_lines(text: str, language: str = "python") -> list[str]:
    """The visible lines of a page, normalised."""
    made = normal_c if language == "c" else normal
    return [made(line) for code in visible_code(text) for line in code.splitlines()]


def solving_lines(task: str) -> set[str]:
    """The lines that a learner writes in a task, normalised, without those that anybody writes."""
    unit, _, name = task.partition(".")
    source = kernels_of(c_solution(unit))[name] if is_c(unit) else SolutionModule(unit).source(name)
    begin, end = (C_BEGIN, C_END) if is_c(unit) else (BEGIN, END)
    bodies = re.findall(rf"{re.escape(begin)}\n(.*?){re.escape(end)}", source, re.DOTALL)
    made = normal_c if is_c(unit) else normal
    lines = {made(line) for body in bodies for line in body.splitlines()}
    return {line for line in lines if len(line.replace("·", "")) >= LETTERS_OF_A_LINE and not COMMON.fullmatch(line)}


@pytest.mark.parametrize("task", [task for unit in COMPLETE for task in unit.task_ids if ".test_" not in task])
def test_no_line_that_solves_a_task_is_visible(task: str) -> None:
    unit = BY_NAME[task.partition(".")[0]]
    shown = "\n".join(normal_lines(chapter(unit.name), unit.language))
    assert [line for line in solving_lines(task) if line in shown] == []


def test_lines_that_solve_a_task_are_found() -> None:
    """They are found under other names, in a cell, in a block and in backticks, but not in a fold."""
    line = "p = e / e.sum(-1, keepdim=True)"
    assert normal(line) in solving_lines("attention.softmax")
    assert normal(line) in normal_lines(f"so `{line}` it is")
    for before in ("```{code-cell} ipython3\n", "```python\n", "````{note}\n```python\n"):
        after = "```\n````\n" if "note" in before else "```\n"
        assert normal(line) in normal_lines(f"{before}{line}\n{after}")
    for before in ("```{code-cell} ipython3\n:tags: [solution]\n\n", "```{answer}\n"):
        assert not list(visible_code(f"{before}{line}\n```\n"))
    assert "mean+=inp[c];" in normal_lines("```c\n  mean += inp[c];  // sum\n```\n", "c")
