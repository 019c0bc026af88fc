"""Recorded experiments: their small form runs, and what the chapters say of them holds."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from autograder.course.addresses import ROOT

FOLDER = ROOT / "book" / "experiments"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if path.stem != "record")


def load(path):
    """The script as a module; `record` and the book's modules are importable as when it is run."""
    sys.path.insert(0, str(FOLDER))
    try:
        import record  # noqa: F401  (puts the book's folders on the path)

        spec = importlib.util.spec_from_file_location(f"experiment_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(FOLDER))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_reduced_form_supports_the_claims(path):
    module = load(path)
    claims = module.claims(module.run(reduced=True))
    assert claims
    assert [claim for claim, holds in claims.items() if not holds] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_recorded_result_supports_the_claims(path):
    document = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert document["command"] == f"python book/experiments/{path.name}"
    assert {"what", "date", "seconds", "device", "versions", "results"} <= document.keys()
    script = load(path)
    seconds = document.get("cpu_seconds", document["seconds"])  # older records have no processor time
    assert seconds <= getattr(script, "AT_MOST_SECONDS", 600)
    claims = script.claims(document["results"])
    assert [claim for claim, holds in claims.items() if not holds] == []
