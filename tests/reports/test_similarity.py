"""Similar submissions: code that two people share and nothing explains is shown, with a warning; nothing else is."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from autograder.course.addresses import ROOT
from autograder.course.catalogue import alternatives
from autograder.reports import html, similarity
from autograder.submissions.discovery import discover

pytest.importorskip("copydetect")

UNIT = "attention"
UNUSUAL = '''
def softmax(x, dim=-1):
    """Mine."""
    top = torch.full_like(x.select(dim, 0), -1e30)
    for index in range(x.shape[dim]):
        top = torch.where(x.select(dim, index) > top, x.select(dim, index), top)
    total = torch.zeros_like(top)
    for index in range(x.shape[dim]):
        total = total + torch.exp(x.select(dim, index) - top)
    return torch.stack([torch.exp(part - top) / total for part in x.unbind(dim)], dim)
'''
RENAMED = """
# My own work.
def softmax(x, dim=-1):
    m = torch.full_like(
        x.select(dim, 0), -1e30)
    for j in range(x.shape[dim]):
        m = torch.where(x.select(dim, j) > m, x.select(dim, j), m)   # a maximum
    s = torch.zeros_like(m)
    for j in range(x.shape[dim]):
        s = s + torch.exp(x.select(dim, j) - m)
    return torch.stack([torch.exp(row - m) / s for row in x.unbind(dim)], dim)
"""
INDEPENDENT = """
def softmax(x, dim=-1):
    moved = x.movedim(dim, 0).flatten(1)
    columns = []
    while len(columns) < moved.shape[1]:
        column = moved[:, len(columns)]
        scaled = column.sub(column.max()).exp_()
        columns.append(scaled.div_(scaled.sum()))
    return torch.stack(columns, 1).view(x.movedim(dim, 0).shape).movedim(0, dim)
"""


def of_attention(name: str) -> str:
    text = (ROOT / "solutions" / f"{UNIT}.py").read_text(encoding="utf-8")
    return re.search(rf"^(?:def|class) {name}\b.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)[0]


@pytest.fixture
def klass(write, tmp_path):
    """Two share renamed code; one is independent; three answer as the reference does, or as the catalogue."""
    rest = of_attention("attention_scores") + of_attention("SelfAttention")
    style = next(entry.source for entry in alternatives(UNIT) if entry.task == f"{UNIT}.softmax")
    answers = {
        "ada": UNUSUAL + rest,
        "bob": RENAMED + rest.replace("scores", "s"),
        "cleo": INDEPENDENT + rest,
        "dan": of_attention("softmax") + rest,
        "eve": of_attention("softmax").replace("weights", "w") + rest,
        "finn": style + rest,
        "gil": style + rest,
    }
    for student, text in answers.items():
        write(f"class/{student}/{UNIT}.py", f"import torch\nfrom torch import nn\n\n{text}")
    write("class/hal/attention.ipynb", "{")
    return discover([tmp_path / "class"], UNIT)


def test_those_who_share_unusual_code_are_found_and_nobody_else(klass):
    (pair,) = similarity.similar(klass)
    assert (pair.one.student, pair.other.student) == ("ada", "bob")
    assert pair.share > 0.9
    (passage,) = pair.passages  # what both have of the reference is not shown
    for code, name in zip(passage.codes, ("total", "s = s + ")):
        assert "def softmax" in "".join(text for text, _ in code)
        assert name in "".join(text for text, shared in code if shared)


def test_the_page_warns_and_shows_code_as_text(klass, write):
    hostile = replace(klass[0], path=write("h/attention.py", UNUSUAL + "# </pre><script>alert(1)</script>"))
    page = similarity.similar_page([hostile, klass[1]])
    assert "Do not accuse anyone" in page
    assert "<h2>ada and bob</h2>" in page
    assert "<script" not in page
    assert page.count("<mark>") >= 2
    assert "No two submissions share unusual code." in similarity.similar_page(klass[2:])


def test_what_the_whole_class_writes_counts_for_nothing(klass, monkeypatch):
    monkeypatch.setattr(similarity, "COMMON", 3)
    many = [replace(klass[index % 2], student=f"s{index}") for index in range(4)]
    assert similarity.similar(many) == []


def test_the_class_report_links_to_it():
    assert '<a href="more/similar.html">' in html.class_page([], similar="more/similar.html")
    assert "similar" not in html.class_page([])
