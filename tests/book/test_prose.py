"""`make lint` finds each kind of fault in each kind of text, and says where it stands."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from autograder.course.addresses import ROOT

UNITS = ROOT / "autograder" / "units"
LONG = " ".join(["It", *(f"is{number}" for number in range(39)), "long."])  # 41 words
# What is planted, and a part of what has to be said about it.
FAULTS = {
    "Whoever reads this is a learner.": "'Whoever': write",
    LONG: "A sentence of 41 words",
    "The QXZ of this model is 3.": "'QXZ' is explained nowhere",
    "The mask is is boolean.": "'is is': something is repeated",
}
NO_FAULTS = "The QXZ (quick explanation zone) is `is is`, $is is$ and [right](https://example.org/whoever)."


def paragraphs(sentence: str) -> str:
    return f"\n\n{sentence}\n"


def answer(sentence: str) -> str:
    return f"\n```{{dropdown}} Answer\n**(a)** Right.\n(b) is wrong. {sentence}\n```\n"


def code(sentence: str) -> str:
    return f"\n```{{code-cell}} ipython3\n# {sentence}\n```\n"


def literal(sentence: str) -> str:
    return f'\nPLANTED = dict(why="It is true. " "{sentence}")\n'


def comment(sentence: str) -> str:
    return f"\n/* matmul_forward: planted\n * why: It is true.\n * {sentence}\n * section: none\n */\n"


# Copies of texts of every kind, and the ways in which a sentence can stand in them.
TEXTS = {
    ROOT / "book" / "masks.md": (paragraphs, answer),
    ROOT / "solutions" / "notebooks" / "masks.md": (paragraphs,),
    UNITS / "masks" / "hints.py": (literal,),
    UNITS / "masks" / "mistakes.py": (literal,),
    UNITS / "gpt2_forward" / "mistakes.c": (comment,),
}


def test_planted_faults_are_reported_with_file_and_line(tmp_path: Path) -> None:
    expected = set()
    for number, (original, ways) in enumerate(TEXTS.items()):
        copy = tmp_path / f"{number}-{original.name}"
        shutil.copy(original, copy)
        with copy.open("a", encoding="utf-8") as file:
            for way in ways:
                for sentence, said in FAULTS.items():
                    planted = way(sentence)
                    file.write(planted)
                    file.flush()
                    lines = copy.read_text(encoding="utf-8").splitlines()
                    last = max(line for line, text in enumerate(lines, 1) if sentence in text)
                    expected.add((str(copy), last, said))
            if original.suffix == ".md":
                file.write("".join(map(code, FAULTS)) + paragraphs(NO_FAULTS.replace("QXZ", "QXY")))
    command = [sys.executable, str(ROOT / ".ci" / "prose.py"), *sorted({copy for copy, *_ in expected})]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (1, "")
    found = set()
    for line in done.stdout.splitlines():
        place, _, message = line.partition(": ")
        said = next((said for said in FAULTS.values() if message.startswith(said)), message)
        found.add((place.rpartition(":")[0], int(place.rpartition(":")[2]), said))
    assert found == expected
