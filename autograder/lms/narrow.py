"""Feedback pages on a phone: nbgrader lays its pages out for a wide screen."""

from __future__ import annotations

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

CSS = """
@media (max-width: 700px) {
  body .container, body #notebook-container { width: auto; padding: 0 4px; }
  body div.prompt { display: none; }
  body div.cell, body div.input, body div.output_area { display: block; }
  body div.inner_cell, body div.output_subarea, body div.text_cell_render { max-width: 100%; }
  body pre, body .rendered_html table, body .MathJax_Display, body mjx-container { overflow-x: auto; max-width: 100%; }
  body .rendered_html table { display: block; }
  body img, body svg { max-width: 100%; height: auto; }
  body h4, body li, body p, body a, body :not(pre) > code { overflow-wrap: anywhere; }
  body div.nbgrader_cell .panel-heading { height: auto; overflow: hidden; }
}
"""


class FitNarrowScreens(NbGraderPreprocessor):
    """The last of nbgrader's steps for a feedback page: only code and tables scroll sideways."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        resources["inlining"]["css"].append(CSS)
        return nb, resources
