"""What this book adds to MyST: links that derive from the settings, the course map, and an honest cache.

Directives
    ``{exercise-links} UNIT``: the buttons that open, download and show a unit's notebook, or a notebook beside it.
    ``{course-map}``: the Transformer that the course builds, each part a link (``course_map.py``, ``drawing.py``).
    ``{model-drawing}``: the encoder-decoder of that drawing alone, with the shapes of what goes through it.
    ``{start-links}``: the buttons of the front page.
    ``{playground} NAME``: an interactive figure with a still version (``playgrounds.py``).
    ``{sitting}``, ``{deeper}``, ``{task} TASK``: the path through a chapter (``sittings.py``).
    ``{solution} TASK``, ``{traps}``, ``{answer}``, ``{challenge} TITLE``, ``{by-hand} NAME``: what is kept back
    (``folds.py``).
    ``{side-note}``: a note beside the text; ``\\phonebreak`` in a formula: a new line, on phones only (``asides.py``).
    ``{course-table}``: a card for each unit, with links to its chapter, notebook and sections.
    ``{quiz-score} NUMBER``: how many questions of the page were right, and what follows (``quizzes.py``).
    ``{repo-code} LANGUAGE``: a code block in which ``REPOSITORY_URL`` and ``REPOSITORY_NAME`` are filled in.

Roles
    ``{repo}`path` `` or ``{repo}`text <path>` ``: a link to a file or folder of the repository.
    ``{chapter}`unit` ``, ``{section}`unit#anchor` `` and their like: links by number (``chapter_references.py``).
"""

from __future__ import annotations

import posixpath
import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole, SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT, Path(__file__).parent):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

import asides  # noqa: E402
import bibliography  # noqa: E402
import chapter_numbers  # noqa: E402
import chapter_references  # noqa: E402
import collected  # noqa: E402
import course_map  # noqa: E402
import course_table  # noqa: E402
import dependencies  # noqa: E402
import execution  # noqa: E402
import folds  # noqa: E402
import formulas  # noqa: E402
import glossary_links  # noqa: E402
import metadata  # noqa: E402
import narrow_code  # noqa: E402
import not_found  # noqa: E402
import offline  # noqa: E402
import pictures  # noqa: E402
import playgrounds  # noqa: E402
import powers  # noqa: E402
import quizzes  # noqa: E402
import search_index  # noqa: E402
import search_summaries  # noqa: E402
import sidebar  # noqa: E402
import sittings  # noqa: E402
import slim  # noqa: E402
import titled_links  # noqa: E402

from autograder.course import addresses  # noqa: E402
from autograder.course.registry import BY_NAME, COMPANIONS  # noqa: E402

LOGGER = logging.getLogger(__name__)


def repository_file_url(path: str) -> str:
    """Address of a file or folder of the repository, at the configured branch."""
    kind = "tree" if (ROOT / path).is_dir() else "blob"
    return f"{addresses.repository_url()}/{kind}/{addresses.repository_branch()}/{path}"


def course_files() -> list[Path]:
    """The files that say which units there are, what they are called, and how long their chapters take."""
    patterns = ("autograder/units/*/__init__.py", "book/*.md", "solutions/notebooks/*.md")
    found = [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]
    return [ROOT / "autograder" / "course" / "registry.py", *found]


class ExerciseLinks(SphinxDirective):
    """Buttons for the notebook of a unit, or for one beside it in which nothing is graded."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        unit = BY_NAME.get(self.arguments[0])
        if unit is not None and not unit.complete:  # a chapter that is being written can be looked at
            return [nodes.paragraph("", "The notebook of this chapter is not released yet.")]
        name = self.arguments[0]
        path = f"exercises/{COMPANIONS.get(name, name)}/{name}.ipynb"
        if not (ROOT / path).is_file():
            LOGGER.warning("%s does not exist: run `make exercises`.", path, location=self.get_location())
            return []
        self.env.note_dependency(str(ROOT / "_config.yml"))
        download = addnodes.download_reference(
            "", "Download for JupyterLab", reftarget=f"/{path}", refdoc=self.env.docname
        )
        places = addresses.launch_urls(path).items()
        buttons = (
            *(_external(f"Open in {place}", address) for place, address in places),
            download,
            _external("View on GitHub", repository_file_url(path)),
        )
        paragraph = nodes.paragraph(classes=["exercise-links"])
        for button in buttons:
            paragraph += [button, nodes.Text(" ")]
        return [paragraph]


def _external(text: str, address: str) -> nodes.reference:
    return nodes.reference("", text, refuri=address, internal=False)


def add_launch_buttons(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Sphinx event ``html-page-context``: a menu in the header of every chapter, to its exercise or to its own text."""
    unit = posixpath.basename(page)
    exercise, chapter = f"exercises/{unit}/{unit}.ipynb", f"{page}.md"
    if "header_buttons" not in context or not (ROOT / chapter).is_file():
        return
    if (ROOT / exercise).is_file():
        links = {f"Exercise in {place}": address for place, address in addresses.launch_urls(exercise).items()}
    else:  # a text, which Colab cannot open
        places = addresses.launch_urls(chapter)
        links = {f"This page in {place}": places[place] for place in ("Binder", "VS Code")}
    buttons = [
        {"type": "link", "url": address, "text": text, "tooltip": text, "icon": "fas fa-rocket"}
        for text, address in links.items()
    ]
    group = {
        "type": "group",
        "buttons": buttons,
        "icon": "fas fa-rocket",
        "label": "launch-buttons",
        "tooltip": "Launch",
    }
    context["header_buttons"].insert(0, group)


# The theme settles its colours at the end of a page, and without a theme no style of ours counts: the page would be
# painted once in another font, and light for those who read in the dark.
SETTLE_THEME = """{
  const page = document.documentElement.dataset;
  if (page.theme === "auto") page.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}"""


class StartLinks(SphinxDirective):
    """Where a learner begins, where somebody who knows PyTorch begins, and where teachers read on."""

    def run(self) -> list[nodes.Node]:
        to = {"Start the course": "warmup", "Skip to text and tokens": "tokens", "I teach": "instructors"}
        links = nodes.paragraph(classes=["exercise-links", "start-links"])
        links += [course_table.link_to("doc", f"/book/{page}", text, self.env.docname) for text, page in to.items()]
        return [links]


class CourseMap(SphinxDirective):
    """The Transformer that the course builds; each part is a link to its chapter."""

    def run(self) -> list[nodes.Node]:
        for file in course_files():
            self.env.note_dependency(str(file))
        return [nodes.raw("", course_map.course_map(self.env.docname), format="html")]


class ModelDrawing(SphinxDirective):
    """The encoder-decoder alone, with shapes."""

    def run(self) -> list[nodes.Node]:
        for file in course_files():
            self.env.note_dependency(str(file))
        return [nodes.raw("", course_map.model_drawing(self.env.docname), format="html")]


class CourseTable(SphinxDirective):
    """All units of the course, with links to everything that belongs to them."""

    def run(self) -> list[nodes.Node]:
        for file in (*course_files(), ROOT / "_toc.yml", ROOT / "_config.yml"):
            self.env.note_dependency(str(file))
        return course_table.cards(self.env.docname)


class RepoCode(SphinxDirective):
    """A code block with the repository's address in it."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(ROOT / "_config.yml"))
        url = addresses.repository_url()
        text = "\n".join(self.content).replace("REPOSITORY_URL", url).replace("REPOSITORY_NAME", url.rpartition("/")[2])
        return [nodes.literal_block(text, text, language=self.arguments[0])]


class RepoRole(ReferenceRole):
    """A link into the repository, checked against the working tree."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        path = self.target.strip("/")
        if not (ROOT / path).exists():
            LOGGER.warning("There is no %s in the repository.", path, location=self.get_location())
        self.env.note_dependency(str(ROOT / "_config.yml"))
        text = nodes.Text(self.title) if self.has_explicit_title else nodes.literal("", self.title)
        link = nodes.reference("", "", text, refuri=repository_file_url(path), internal=False)
        return [link], []


def forget_failed_build(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``: after a failure the next build reads every page again.

    Sphinx would otherwise skip the unchanged page that failed, and the second build would be green.
    """
    if exception is not None or app.statuscode:
        (Path(app.doctreedir) / "environment.pickle").unlink(missing_ok=True)


def finish_theme_options(app: Sphinx, config: Config) -> None:
    """Sphinx event ``config-inited``: options of the theme that Jupyter Book's ``_config.yml`` has no key for."""
    # The sidebar has a search field; without this the theme draws a header with a second one.
    config.html_theme_options |= {"navbar_persistent": [], "logo": {"text": config.html_title}}


def setup(app: Sphinx) -> dict[str, object]:
    # Jupyter Book sets this for sphinx_comments, which is left out: without a taker it would be a warning.
    app.add_config_value("comments_config", {}, "")
    app.add_directive("exercise-links", ExerciseLinks)
    app.add_directive("course-map", CourseMap)
    app.add_directive("model-drawing", ModelDrawing)
    app.add_directive("start-links", StartLinks)
    app.add_directive("course-table", CourseTable)
    asides.setup(app)
    collected.setup(app)
    course_map.setup(app)
    sittings.setup(app)
    folds.setup(app)
    app.add_directive("repo-code", RepoCode)
    app.add_role("repo", RepoRole())
    chapter_references.setup(app)
    narrow_code.setup(app)
    pictures.setup(app)
    playgrounds.setup(app)
    powers.setup(app)
    titled_links.setup(app)
    app.add_transform(quizzes.QuizTransform)
    app.add_directive("quiz-score", quizzes.QuizScore)
    app.add_js_file(None, body=SETTLE_THEME)
    app.add_js_file("quiz.js", loading_method="defer")
    app.add_js_file("reading.js", loading_method="defer")
    app.add_js_file("progress.js", loading_method="defer")
    app.add_js_file("offline.js", loading_method="defer")
    app.add_js_file("search.js", loading_method="defer")
    glossary_links.setup_links(app)
    bibliography.register()
    app.connect("config-inited", finish_theme_options, priority=100)  # before the theme reads them
    app.connect("html-page-context", add_launch_buttons, priority=900)  # after the theme has made its own
    app.connect("html-page-context", chapter_numbers.number_pages, priority=900)  # after the theme
    app.connect("html-page-context", sidebar.fold_list, priority=900)  # after the theme
    app.connect("html-collect-pages", chapter_numbers.number_results)
    app.connect("builder-inited", offline.copy_mathjax)
    app.connect("env-get-outdated", dependencies.stale_pages)
    runs = execution.Runs()
    app.connect("env-before-read-docs", runs.start)
    app.connect("source-read", runs.wait)
    app.connect("build-finished", runs.record)
    app.connect("build-finished", not_found.write_page)
    app.connect("env-updated", search_summaries.write_glossary)
    app.connect("build-finished", search_summaries.improve_summaries)
    app.connect("build-finished", formulas.draw_pages)
    app.connect("build-finished", search_index.write_script)
    app.connect("html-page-context", metadata.add_head, priority=950)
    app.connect("build-finished", slim.slim, priority=800)  # after the theme, which writes the colours of code then
    app.connect("build-finished", metadata.write_site_files, priority=900)  # last: it lists all files
    app.connect("build-finished", forget_failed_build)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
