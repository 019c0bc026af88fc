"""The text of the small language models: clean, in the public domain, and made by a script that can be run again."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys

import pytest

from solutions.data import jargon, make_jargon

ARTICLES = {
    "00-database-info": "00-database-info\n    This is the front matter, long enough for an entry of its own.\n",
    "buffer": (
        "buffer\n /buhf'r/, n.\n\n    1. n. [from {Unix}] A piece of “memory” that waits — see {bit\n    bucket}"
        " and {\n    core}. It is spelled naïvely.\n\n    2. v. To wait (/way't/) a while.\n\n"
        "    a     b     c\n    1     2     3\n\n"
        "    x = {y; z}\n\n"
    ),
    "class": "class\n n.\n\n    An assembler of titled classes, which passes a Japanese cocktail to the assistant.\n\n",
    "short": "short\n n.\n\n    See {buffer}.\n\n",
    "rude": "rude\n n.\n\n    A long and otherwise harmless sentence about programs that says Bullshit to them.\n\n",
}
DIGITS = make_jargon.LETTERS


def in_base_64(number):
    return (in_base_64(number // 64) if number >= 64 else "") + DIGITS[number % 64]


@pytest.fixture
def package(tmp_path):
    """A small dictionary in the form of Debian's package; one article has a second name."""
    text, index = b"", []
    for name, article in ARTICLES.items():
        span = f"{in_base_64(len(text))}\t{in_base_64(len(article.encode()))}"
        index += [f"{name}\t{span}"] + [f"buffers\t{span}"] * (name == "buffer")
        text += article.encode()
    (tmp_path / "jargon.dict.dz").write_bytes(gzip.compress(text))
    (tmp_path / "jargon.index").write_text("\n".join(index) + "\n", encoding="utf-8")
    return tmp_path


def test_the_script_makes_plain_lines(package, monkeypatch, capsys):
    out = package / "jargon.txt.gz"
    monkeypatch.setattr(make_jargon, "OUT", out)
    monkeypatch.setattr(sys, "argv", ["make_jargon.py", str(package)])
    make_jargon.main()
    assert gzip.decompress(out.read_bytes()).decode("ascii").splitlines() == [
        'buffer: A piece of "memory" that waits - see bit bucket and core. It is spelled naively. To wait a while.',
        "class: An assembler of titled classes, which passes a Japanese cocktail to the assistant.",
    ]
    first = out.read_bytes()
    make_jargon.main()
    assert out.read_bytes() == first, "the same package gives the same bytes"
    assert "4 entries, 3 of them without coarse words, 2 with sentences" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["nowhere"], ["a", "b"]])
def test_without_a_package_it_says_how_to_call_it(arguments):
    command = [sys.executable, make_jargon.__file__, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 1
    assert done.stderr.startswith("Usage: python solutions/data/make_jargon.py FOLDER")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "word", ["Fuck", "bullshit", "an ass", "screwed", "pornographic", "sexist", "dumbass", "retarded"]
)
def test_coarse_words_are_known_in_all_their_forms(word):
    assert make_jargon.coarse(f"This is {word}, they say.")


@pytest.mark.parametrize("word", ["class", "assembler", "title", "Japanese", "cocktail", "Dickens", "arsenal", "shell"])
def test_harmless_words_are_not_taken_for_coarse_ones(word):
    assert not make_jargon.coarse(f"This is {word}, they say.")


def test_the_text_has_no_coarse_word_and_is_plain():
    text = jargon()
    lines = text.splitlines()
    assert [line for line in lines if make_jargon.coarse(line)] == []
    assert text.isascii()
    assert text.endswith(".\n") or re.search(r"[.!?][\"')]*\n$", text)
    assert len(set(text)) < 80
    assert not re.search(r"[{}\[\]\t<>]|00-database|://", text)
    assert all(re.match(r"[^:]+: ?\S", line) for line in lines)
    assert len(lines) > 1500
    assert len(text) > 800_000


def test_the_file_is_small_and_says_where_it_comes_from():
    folder = make_jargon.OUT.parent
    assert make_jargon.OUT.stat().st_size < 1_000_000
    note = (folder / "README.md").read_text(encoding="utf-8")
    assert "public domain" in note
    assert "4.4.7" in note
    assert "dict-jargon" in note
