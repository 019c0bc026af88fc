"""References to chapters in the texts of the course, and that nobody types a number in their place."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch

import pytest
import yaml

from autograder.course import catalogue, headings, references
from autograder.course.addresses import ROOT
from autograder.course.references import Reference, UnknownReference, expand
from autograder.course.registry import BY_NAME, COMPLETE, UNITS
from autograder.judging.runner import load_checks

ATTENTION, MASKS = BY_NAME["attention"].number, BY_NAME["masks"].number


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{chapter}`attention`", f"chapter {ATTENTION}"),
        ("{Chapter}`masks` has the reason.", f"Chapter {MASKS} has the reason."),
        ("({unit}`masks`)", f"(unit {MASKS})"),
        ("{chapter}`attention`'s and {chapter}`masks`", f"chapter {ATTENTION}'s and chapter {MASKS}"),
        ("{chapter}`attention#stable-softmax`", f"chapter {ATTENTION}"),
        ("{section}`attention#rows-are-queries`", f"chapter {ATTENTION}, 'Rows are queries'"),
        (
            "({Section}`attention#rows-are-queries` and {heading}`attention#shapes`.)",
            f"(Chapter {ATTENTION}, 'Rows are queries' and '{headings.heading('attention', 'shapes')}'.)",
        ),
        ("see {chapter}`heads`", "see the chapter 'What heads learn'"),
        ("{Chapter}`heads`", "The chapter 'What heads learn'"),
        ("{section}`heads#heads-quiz`", "the chapter 'What heads learn', 'Quiz'"),
        ("`{x}`, {y}, {cite}`vaswani2017attention`", "`{x}`, {y}, {cite}`vaswani2017attention`"),
    ],
)
def test_a_reference_says_number_and_heading(text: str, says: str) -> None:
    assert expand(text) == says


def test_a_reference_becomes_a_link_where_there_are_links() -> None:
    def write(reference: Reference) -> str:
        return f"<{reference.page} {reference.anchor} {reference.words}>"

    assert expand("See {section}`masks#rows-with-nothing`.", write, quote='"') == (
        f'See <masks rows-with-nothing chapter {MASKS}, "{headings.heading("masks", "rows-with-nothing")}">.'
    )
    assert expand("{chapter}`masks#rows-with-nothing`", write) == f"<masks rows-with-nothing chapter {MASKS}>"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "{chapter}`atention`",
            "{chapter}`atention`: there is no chapter called 'atention'; did you mean 'attention'?",
        ),
        ("{Chapter}`heads#no-such`", "there is no section of heads called 'no-such'"),
        ("{section}`masks#row-with-nothing`", "did you mean 'rows-with-nothing'?"),
        ("{section}`masks`", "{section}`masks` needs a section"),
        ("{heading}`masks`", "{heading}`masks` needs a section"),
        ("{unit}`heads`", "there is no unit called 'heads'"),
        ("{section}`planned#beginning`", "there is no chapter called 'planned'"),
    ],
)
def test_a_reference_to_nothing_says_so(text: str, complaint: str) -> None:
    with pytest.raises(UnknownReference, match=re.escape(complaint)):
        expand(text)


def test_numbers_follow_the_order_of_the_units(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setitem(references.BY_NAME, "masks", replace(BY_NAME["masks"], number=99))
    assert expand("{section}`masks#rows-with-nothing`").startswith("chapter 99, ")


def test_what_learners_read_is_written_out() -> None:
    mistake = catalogue.Mistake("masks.padding_mask", "x", "", "See {chapter}`masks`.", "{Chapter}`masks`.")
    assert (mistake.why, mistake.hint) == (f"See chapter {MASKS}.", f"Chapter {MASKS}.")
    assert f"chapter {ATTENTION} " in " ".join(catalogue.hints("babygpt.Head"))
    markup = re.compile(r"\{[a-z]+\}`", re.IGNORECASE)
    for unit in COMPLETE:
        mistakes = catalogue.mistakes(unit.name)
        texts = [text for mistake in mistakes for text in (mistake.why, mistake.hint)]
        texts += [hint for task in unit.task_ids for hint in catalogue.hints(task)]
        texts += [check.title for check in load_checks(unit.name)]
        assert not [text for text in texts if markup.search(text)]


def test_the_book_has_the_chapters_in_the_order_of_the_units() -> None:
    chapters = headings.chapters()
    assert [page for page in chapters if page in BY_NAME] == [unit.name for unit in UNITS if unit.complete]
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    assert {file.removeprefix("book/") for file in files} & BY_NAME.keys() == set(chapters) & BY_NAME.keys()


# --- nobody types a number ------------------------------------------------------------------------------------------

NUMBER = (
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty(?:-\w+)?|thirty)"
)
MANY = (  # from ten on: "the prose of two chapters" is no count of the course's
    r"(?:[1-9]\d+|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty(?:-\w+)?"
    r"|thirty|a dozen)"
)
GAP = r"[\s\"'#*/]+"  # between two words of a text, which may stand on two lines, also of a comment or of strings
TYPED = re.compile(
    rf"\b(?:chapters?|units?|exercises?){GAP}{NUMBER}\b(?![\w.]*\w)"
    rf"|\b{MANY}\s+(?:\w+\s+)?(?:chapters|units|notebooks|exercises|tasks)\b"
    rf"|\ball {NUMBER} (?:of them )?(?:chapters|units)\b"
    rf"|\b(?:chapters|units|course)\b[^.\n]{{0,20}}\b(?:has|have) {MANY}\b(?! (?:minutes|seconds|weeks))",
    re.IGNORECASE,
)

EXCEPT = {
    "exercises/*": "generated: the numbers were written out when the notebooks were released",
    "tests/course/test_references.py": "this file: what is looked for stands in it",
    "CHANGELOG.md": "tells what was so at a time",
    "book/experiments/gpt2_model.json": "a page of text that a model was judged on, and its weights",
    "tests/lms/attention_with_dots.json": "a notebook as an earlier release wrote it",
}


def tracked_texts() -> dict[str, str]:
    """Every text file of the repository that git knows, by its path."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    texts = {}
    for name in filter(None, listed):
        try:
            texts[name] = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue  # a picture; a file that was deleted
    return texts


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only git knows which files belong to the repository")
def test_nobody_types_the_number_of_a_chapter_or_how_many_there_are() -> None:
    texts = tracked_texts()
    assert len(texts) > 200
    found = [
        f"{name}:{text[: typed.start()].count(chr(10)) + 1}: {' '.join(typed[0].split())}"
        for name, text in texts.items()
        if not any(fnmatch(name, pattern) for pattern in EXCEPT)
        for typed in TYPED.finditer(text)
    ]
    assert found == [], "write a reference (autograder/course/references.py), or name the chapter by its subject"
