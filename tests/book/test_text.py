"""What the book's own directives and transforms make of a text, with small pages, and rules for the real ones."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from pybtex.database import parse_file

from autograder import cli
from autograder.course.addresses import ROOT
from autograder.course.registry import BY_NAME, COMPLETE, STAGES, UNITS

BOOK = ROOT / "book"
CONF = """
import sys
sys.path[:0] = [{extension!r}, {root!r}]
extensions = ["myst_parser", "sphinx_design", "small_book"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
suppress_warnings = ["toc", "myst"]
"""
SETUP = """
import chapter_references, folds, glossary_links, quizzes, sittings
def setup(app):
    folds.setup(app)
    sittings.setup(app)
    chapter_references.setup(app)
    app.add_transform(quizzes.QuizTransform)
    app.add_directive("quiz-score", quizzes.QuizScore)
    glossary_links.setup_links(app)
"""
Build = Callable[..., tuple[dict[str, BeautifulSoup], str]]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Builds pages of Markdown with the book's quizzes, glossary and references; returns them, and the warnings."""

    def run(**pages: str) -> tuple[dict[str, BeautifulSoup], str]:
        (tmp_path / "conf.py").write_text(CONF.format(extension=str(BOOK / "_ext"), root=str(ROOT)))
        (tmp_path / "small_book.py").write_text(SETUP)
        (tmp_path / "index.md").write_text("# Index\n")
        for name, text in pages.items():
            page = tmp_path / "book" / f"{name}.md"
            page.parent.mkdir(exist_ok=True)
            page.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "sphinx", "-q", "-E", str(tmp_path), str(tmp_path / "html")]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        html = {name: (tmp_path / "html" / "book" / f"{name}.html").read_text(encoding="utf-8") for name in pages}
        return {name: BeautifulSoup(text, "html.parser") for name, text in html.items()}, done.stderr

    return run


QUIZ = """# Page

(page-quiz)=
## Quiz

**1.** What is $1 + 1$?

- (a) one
- (b) two
- (c) `three`
- (d) four

```{dropdown} Answer
**(b)** Count. See (a) as well.
(a) counts `1`. (c) and (d): too many, as $x$. Or not.
```
"""


def test_the_sentences_of_an_answer_belong_to_the_choices(build: Build) -> None:
    pages, warnings = build(page=QUIZ)
    assert "Quiz:" not in warnings
    question = pages["page"].select_one(".quiz-question")
    assert question is not None
    assert "quiz-right-b" in question["class"]
    assert len(question.select("ul.quiz-choices > li")) == 4
    why = {
        letter: "".join(part.get_text() for part in question.select(f"details.quiz-answer .quiz-why-{letter}")).strip()
        for letter in "abcd"
    }
    assert why["b"] == "(b) Count. See (a) as well."
    assert why["a"] == "(a) counts 1."
    assert why["c"] == why["d"]
    assert why["c"].startswith("(c) and (d): too many")
    assert why["c"].endswith("Or not.")


SPOILED = {
    "no-choices": (r"- \(.\).*\n", "", "needs a list of choices"),
    "another-dropdown": ("Answer\n", "Solution\n", "needs a list of choices"),
    "no-right-choice": (r"\*\*\(b\)\*\*", "(b)", "begins with the letter"),
    "a-right-choice-that-is-none": (r"\*\*\(b\)\*\*", "**(e)**", "begins with the letter"),
    "a-letter-twice": (r"- \(c\)", "- (b)", "the choices of a question"),
}


def test_a_quiz_of_another_form_is_a_warning(build: Build) -> None:
    pages = {name: re.sub(wrong, instead, QUIZ) for name, (wrong, instead, _) in SPOILED.items()}
    warnings = build(**pages)[1].splitlines()
    for name, (*_, complaint) in SPOILED.items():
        assert [line for line in warnings if f"{name}.md" in line and complaint in line], (name, warnings)


def test_a_score_without_a_number_or_without_two_ways_is_a_warning(build: Build) -> None:
    score = "# Page\n\n```{quiz-score} 8\n- 8 or more: here.\n- Fewer: there.\n```\n"
    wrong = {"number": score.replace("} 8", "} eight"), "ways": score.replace("- Fewer: there.\n", "")}
    pages, warnings = build(right=score, **wrong)
    assert len(pages["right"].select(".quiz-score.quiz-enough-8 li")) == 2
    found = [line for line in warnings.splitlines() if "a score needs the number" in line]
    assert [name for name in ("right", *wrong) if any(f"{name}.md" in line for line in found)] == list(wrong)


WITHOUT_A_UNIT = [
    *("heads", "induction-heads", "long-trainings", "real-language", "long-context", "outlook", "fast-kernels"),
    "gpt2-program",
]


def chapters() -> list[str]:
    return [*(unit.name for unit in COMPLETE), *WITHOUT_A_UNIT]


@pytest.mark.parametrize("name", chapters())
def test_every_chapter_has_a_quiz(name: str) -> None:
    text = (BOOK / f"{name}.md").read_text(encoding="utf-8")
    target = name.replace("_", "-")
    quiz = re.search(rf"^\({target}-quiz\)=\n## Quiz$(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert quiz is not None, f"book/{name}.md has no section Quiz with the target {target}-quiz"
    assert len(re.findall(r"^\*\*\d\.\*\*", quiz[1], re.MULTILINE)) >= 5


GLOSSARY = """# Glossary

:::{glossary}
softmax
  One.
head
  Two.
attention map
map
  Three.
:::
"""


def links(page: BeautifulSoup) -> list[tuple[str, str]]:
    """Text and target of each link into the glossary."""
    return [(link.get_text(), link["href"]) for link in page.select('a[href*="#term-"]:not(.headerlink)')]


LINKED = {
    "first": (
        "The `softmax` and $softmax$. **Softmaxes** are two. A softmax again, and an attention map.",
        ["Softmaxes", "attention map"],
    ),
    "parts": (
        "A log-softmax, a softmaxer, [softmax](https://example.org).\n\n- maps\n\n| softmax |\n|---|\n| map |",
        ["maps"],
    ),
    "twice": ("An attention map, then another attention map.", ["attention map"]),  # and no "map"
    "role": ("A softmax and a {term}`softmax`.", ["softmax"]),
    "plain": ("A head.", []),
    "multihead": ("A head.", ["head"]),  # a word of many meanings
}


def test_the_first_use_of_a_word_is_linked_and_no_other(build: Build) -> None:
    pages, _ = build(glossary=GLOSSARY, **{name: f"# Softmax\n\n{text}\n" for name, (text, _) in LINKED.items()})
    assert links(pages["glossary"]) == []
    for name, (_, words) in LINKED.items():
        targets = [f"glossary.html#term-{re.sub('e?s$', '', word.lower()).replace(' ', '-')}" for word in words]
        assert links(pages[name]) == list(zip(words, targets)), name


def glossary_words() -> set[str]:
    text = (BOOK / "glossary.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^:::\{glossary\}\n(.*?)^:::$", text, re.MULTILINE | re.DOTALL)
    return {line for block in blocks for line in block.splitlines() if re.match(r"[^\s:]", line)}


def test_rules_for_words_name_words_and_pages_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BOOK / "_ext"))
    import glossary_links

    assert {*glossary_links.ONLY_ON, *glossary_links.ALSO} <= glossary_words()
    pages = {page for names in glossary_links.ONLY_ON.values() for page in names.split()}
    assert {page for page in pages if not (BOOK / f"{page}.md").is_file()} == set()


UNKNOWN = re.compile(
    r"\b(?:sources|documents)\b[^.]{0,20}\b(?:this )?course\b|[Oo]ne of the (?:sources|documents)|course's sources"
)


@pytest.mark.parametrize("page", sorted(BOOK.glob("*.md")), ids=lambda page: page.stem)
def test_no_page_speaks_of_texts_that_its_reader_does_not_have(page: Path) -> None:
    assert UNKNOWN.findall(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", sorted(BOOK.glob("*.md")), ids=lambda page: page.stem)
def test_solutions_stand_in_folds(page: Path) -> None:
    """As the instructors' guide says. What a learner need not write may stand open."""
    text = page.read_text(encoding="utf-8")
    folded = re.sub(r"^(`{4,}|:{4,})\{dropdown\}.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    included = r"\{literalinclude\} \.\./solutions/(?:c/)?(\w+)\.\w+\n(?::.*\n)*?:(?:pyobject|start-at): (.*)"
    tasks = {unit.name: unit.names for unit in COMPLETE}
    for unit, line in re.findall(included, folded):
        assert not set(line.split()) & set(tasks.get(unit, ())), line


def test_every_picture_of_the_formgrader_has_its_caption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BOOK / "_ext"))
    import collected

    assert {picture.stem for picture in (BOOK / "static").glob("formgrader-*")} == set(collected.CAPTIONS)


REFERENCES = parse_file(str(BOOK / "references.bib")).entries


@pytest.mark.parametrize("key", REFERENCES)
def test_a_reference_can_be_found(key: str) -> None:
    fields = REFERENCES[key].fields
    arxiv = fields.get("eprint") if fields.get("archiveprefix", "").lower() == "arxiv" else None
    doi, address = fields.get("doi"), fields.get("url")
    assert doi or arxiv or address, f"{key} has neither a DOI nor an arXiv number nor an address"
    assert doi is None or re.fullmatch(r"10\.\d{4,9}/\S+", doi), f"{key}: {doi} is no DOI"
    assert arxiv is None or re.fullmatch(r"\d{4}\.\d{4,5}|[a-z-]+/\d{7}", arxiv), f"{key}: {arxiv} is no arXiv number"
    assert address is None or address.startswith("https://"), f"{key}: {address} is no https address"


def test_the_map_names_every_unit_and_every_chapter_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BOOK / "_ext"))
    import course_table
    from docutils import nodes

    made = course_table.cards("book/map")
    titles = [title.astext() for part in made for title in part.findall(nodes.paragraph)]
    for unit in UNITS:
        assert sum(f"{unit.number} · {unit.title}" in title for title in titles) == 1
    assert course_table.chapters_without_a_unit() == [f"book/{page}" for page in WITHOUT_A_UNIT]


def test_the_map_says_what_every_stage_is_for() -> None:
    pieces = (BOOK / "map.md").read_text(encoding="utf-8").partition("(build-pieces)=")[2]
    assert re.findall(r"^- \*(.+?)\*: ", pieces, re.MULTILINE) == [name for name, _ in STAGES]


REFERRING = """# Page

{Chapter}`attention` has it, as has {chapter}`masks#rows-with-nothing`'s cell. See {section}`attention#why-scale`,
{chapter}`heads` and {unit}`masks`.
"""


def test_references_to_chapters_are_links_with_number_and_heading(build: Build) -> None:
    attention, masks = BY_NAME["attention"].number, BY_NAME["masks"].number
    pages, warnings = build(
        page=REFERRING,
        attention="# Attention\n\n(why-scale)=\n## A heading\n",
        masks="# Masks\n\n(rows-with-nothing)=\n## Rows\n",
        heads="# Heads\n",
    )
    assert [line for line in warnings.splitlines() if "toctree" not in line] == []
    typed = str.maketrans("\u00a0‘’", " ''")
    found = [
        (link.get_text().translate(typed), link["href"])
        for link in pages["page"].select("section a.reference.internal")
    ]
    assert found == [
        (f"Chapter {attention}", "attention.html"),
        (f"chapter {masks}", "masks.html#rows-with-nothing"),
        (f"chapter {attention}, 'Why divide by the square root of d_k?'", "attention.html#why-scale"),
        ("the chapter 'What heads learn'", "heads.html"),
        (f"unit {masks}", "masks.html"),
    ]


def test_a_reference_to_nothing_is_a_warning(build: Build) -> None:
    """A name that the course lacks, or a page or section that the book lacks, is a warning, which stops the build."""
    _, warnings = build(
        one="# One\n\n{chapter}`atention`\n",
        two="# Two\n\n{chapter}`masks`\n",
        three="# Three\n\n{unit}`masks#shapes`\n",
    )
    assert re.search(r"one\.md:3: WARNING: \{chapter\}`atention`: there is no chapter called 'atention'", warnings)
    assert re.search(r"two\.md:3: WARNING: unknown document: '/book/masks'", warnings)
    assert re.search(r"three\.md:3: WARNING: \{unit\}`masks#shapes`: there is no section of masks", warnings)


def commands(program: str) -> list[list[str]]:
    """The commands of a program that the pages for instructors show."""
    texts = [(BOOK / f"{page}.md").read_text(encoding="utf-8") for page in ("instructors", "how-grading-works")]
    blocks = [block for text in texts for block in re.findall(r"^```bash\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]
    whole = (line for block in blocks for line in re.sub(r"\\\n\s*", "", block).splitlines())
    return [shlex.split(line, comments=True)[1:] for line in whole if line.startswith(f"{program} ")]


def test_commands_of_the_grader_are_spelled_right() -> None:
    shown = commands("autograder")
    assert len(shown) >= 3
    for arguments in shown:
        cli._parser().parse_args(arguments)


def test_commands_of_nbgrader_exist() -> None:
    from nbgrader.apps import NbGraderApp
    from nbgrader.apps.dbapp import DbApp

    shown = commands("nbgrader")
    assert len(shown) >= 8
    for arguments in shown:
        app, name = (DbApp, arguments[1]) if arguments[0] == "db" else (NbGraderApp, arguments[0])
        assert name in app().subcommands, arguments


MATHS = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n]+)\$", re.DOTALL)
SIZES = ("B", "T", "T_q", "T_k", "d", "d_k", "d_v", r"d_{\text{head}}", "V")  # letters of one meaning in all chapters


def first_use(symbol: str) -> str:
    """The first section in the order of the chapters with this symbol in a formula, as ``chapter#section``."""
    letter = re.compile(rf"(?<![\\\w^{{]){re.escape(symbol)}(?![A-Za-z_])")
    for unit in UNITS:
        page = BOOK / f"{unit.name}.md"
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        for formula in MATHS.finditer(text):
            if letter.search(formula[1] or formula[2]):
                sections = re.findall(r"^\(([\w-]+)\)=$", text[: formula.start()], re.MULTILINE)
                return f"{unit.name}#{sections[-1] if sections else ''}"
    return "no section"


@pytest.mark.parametrize("symbol", SIZES)
def test_the_notation_names_the_section_that_uses_a_size_first(symbol: str) -> None:
    rows = (BOOK / "notation.md").read_text(encoding="utf-8").splitlines()
    row = next(row for row in rows if f"${symbol}$" in row.split(" | ")[0])
    assert re.findall(r"\{chapter\}`([^`]+)`", row)[0] == first_use(symbol)


PATH = """# Page

Some words.

## What you will be able to do

Read.

```{sitting}
```

(page-core)=
## Core

It is {task}`attention.softmax`.

```{task} attention.softmax
```

```{traps}
A trap.
```

```{sitting}
```

(page-more)=
## More

(page-aside)=
### Aside

```{deeper}
```

````{challenge} Prove it
Why?

```{answer}
Because.
```
````
"""


def test_a_page_shows_its_path_and_folds_what_it_keeps_back(build: Build) -> None:
    pages, warnings = build(page=PATH)
    page = pages["page"]
    assert [line for line in warnings.splitlines() if "toctree" not in line and "download" not in line] == []
    marks = {
        heading.contents[0].strip(): heading.select_one(".path-mark") for heading in page.select("section :is(h2, h3)")
    }
    said = {words: mark.get_text() if mark else "" for words, mark in marks.items()}
    assert said == {"What you will be able to do": "1 min", "Core": "1 min", "More": "1 min", "Aside": "Going deeper"}
    (path,) = page.select(".chapter-path")
    assert [link["href"] for link in path.select("a")] == [
        "#page-core",
        "#attention.softmax",
        "#page-more",
        "#page-aside",
    ]
    assert page.find(id="attention.softmax").select_one(".task-title").get_text().startswith("Now do task 1: softmax")
    assert page.find("a", string="task\u00a01")["href"] == "#attention.softmax"
    folds = {fold.find("summary").get_text(strip=True): fold for fold in page.select("details.held-back")}
    assert not any(fold.has_attr("open") for fold in folds.values())
    assert list(folds) == ["Where it can go wrong: open after your first try", "Show the answer (write yours first)"]


WRONG = {
    "task": ("```{task} attention.sofmax\n```", "has no task 'attention.sofmax'"),
    "role": ("{task}`attention.sofmax`", "There is no task called 'attention.sofmax'"),
    "solution": ("```{solution} attention.sofmax\n```", "There is no task called 'attention.sofmax'"),
    "by-hand": ("```{by-hand} attention.nothing\n```", "There is no question by hand called 'attention.nothing'"),
    "challenge": ("```{challenge} Prove it\nWhy?\n```", "A challenge needs its {answer}"),
}


def test_what_the_course_does_not_have_is_a_warning(build: Build) -> None:
    _, warnings = build(**{f"wrong_{kind}": f"# Page\n\n{text}\n" for kind, (text, _) in WRONG.items()})
    for kind, (_, complaint) in WRONG.items():
        found = [line for line in warnings.splitlines() if f"wrong_{kind}.md" in line]
        assert any(complaint in line for line in found), (kind, warnings)
