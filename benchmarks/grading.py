"""How fast submissions of `attention` are graded, here and elsewhere: ``python benchmarks/grading.py``.

One run on one machine: ``autograder grade``, ``nbgrader autograde`` with this project's preprocessor, ``nbgrader
autograde`` as it comes, and ``otter run``. The last two get plain assert tests, as many as this project has checks,
and fewer submissions, since they take seconds for each: what one costs is scaled to all. Their start is left out
(for nbgrader the difference of two runs is taken), ours is counted. Medians are taken over repetitions.

The class leaves the catch-it task unwritten: a test of the learner's own meets some thirty implementations, each in a
process of its own, and the other systems have nothing like it. What it adds is measured by itself.

Also measured: the memory of all processes together, whether time is linear in submissions, and ``check`` in a
notebook. The result goes to ``book/measurements/grading.json``.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import random
import site
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import nbformat
import psutil
from nbformat import NotebookNode
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from autograder.course.catalogue import alternatives, complete_source, mistakes  # noqa: E402
from autograder.course.registry import find_unit, is_catch  # noqa: E402
from autograder.judging.runner import load_checks  # noqa: E402
from autograder.lms import release  # noqa: E402
from autograder.lms.grade_ids import task_of  # noqa: E402
from autograder.lms.sample_class import fill, is_check, solved, to_file  # noqa: E402
from benchmarks.machine import processor  # noqa: E402

UNIT = "attention"
OUTPUT = ROOT / "book" / "measurements" / "grading.json"
MEMORY_COUNTS = (50, 200, 400)
MEMORY_LIMIT_MB = 1500

# One assert test for each task; the plain courses repeat it as often as this project has checks.
PLAIN_TESTS = {
    "softmax": "x = torch.randn(4, 5)\nassert torch.allclose(softmax(x), torch.softmax(x, -1), atol=1e-5)",
    "attention_scores": "q, k = torch.randn(2, 4, 8), torch.randn(2, 5, 8)\n"
    "assert torch.allclose(attention_scores(q, k), q @ k.transpose(-2, -1) / 8**0.5, atol=1e-5)",
    "scaled_dot_product_attention": "q, k, v = torch.randn(3, 2, 5, 8)\n"
    "expected = torch.nn.functional.scaled_dot_product_attention(q, k, v)\n"
    "assert torch.allclose(scaled_dot_product_attention(q, k, v)[0], expected, atol=1e-5)",
    "SelfAttention": "m, x = SelfAttention(8), torch.randn(2, 5, 8)\n"
    "expected = torch.nn.functional.scaled_dot_product_attention(m.w_q(x), m.w_k(x), m.w_v(x))\n"
    "assert torch.allclose(m(x)[0], expected, atol=1e-5)",
    "CrossAttention": "m, x, y = CrossAttention(8), torch.randn(2, 5, 8), torch.randn(2, 6, 8)\n"
    "expected = torch.nn.functional.scaled_dot_product_attention(m.w_q(x), m.w_k(y), m.w_v(y))\n"
    "assert torch.allclose(m(x, y)[0], expected, atol=1e-5)",
}


def plain_tests(name: str) -> list[str]:
    """The assert tests of a task, as many as it has checks here; a task that is new has one that asks for its name."""
    return [PLAIN_TESTS.get(name, f"assert callable({name})")] * sum(
        check.task == f"{UNIT}.{name}" for check in load_checks(UNIT)
    )


# --- submissions -------------------------------------------------------------------------------------------


def written() -> dict[str, str]:
    """The reference solution of each task but the catch-it task."""
    return {name: source for name, source in solved(UNIT).items() if not is_catch(f"{UNIT}.{name}")}


def answers(count: int) -> Iterator[dict[str, str]]:
    """What a class writes: for each task a right answer in some style, a mistake, or nothing, drawn anew for each
    learner. Two learners share most of their mistakes and styles with others, but hardly ever all of them."""
    draw = random.Random(2017)
    plain = written()
    right = {name: [entry for entry in alternatives(UNIT) if entry.task == f"{UNIT}.{name}"] for name in plain}
    wrong = {name: [entry for entry in mistakes(UNIT) if entry.task == f"{UNIT}.{name}"] for name in plain}
    for _ in range(count):
        answer = {}
        for name, reference in plain.items():
            kind = draw.choices(("plain", "right", "wrong", "nothing"), (40, 30, 25, 5))[0]
            entries = right[name] if kind == "right" else wrong[name]
            if kind != "nothing":
                answer[name] = reference if kind == "plain" else complete_source(draw.choice(entries))
        yield answer


def write_submissions(folder: Path, released: NotebookNode, count: int) -> None:
    """``<folder>/student-000/attention/attention.ipynb`` and so on; the first one has answered everything right."""
    write_class(folder, released, [written(), *answers(count - 1)])


def write_class(folder: Path, released: NotebookNode, class_answers: Iterable[dict[str, str]]) -> None:
    for number, sources in enumerate(class_answers):
        path = folder / f"student-{number:03d}" / UNIT / f"{UNIT}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(to_file(fill(released, sources)))


def stock_source() -> NotebookNode:
    """The exercise with plain assert tests, and nothing of this project in it."""
    notebook = release.source_notebook(find_unit(UNIT))
    notebook.cells = [cell for cell in notebook.cells if "autograder" not in cell.source and "hint(" not in cell.source]
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        if is_check(cell):
            cell.source = "\n".join(plain_tests(task_of(about["grade_id"]).partition(".")[2]))
    return notebook


# --- measuring ---------------------------------------------------------------------------------------------


class Failed(RuntimeError):
    """A measured command failed."""


def nothing(pid: int) -> None:
    """Watches no process."""


def timed(command: Iterable[object], cwd: Path, watch: Callable[[int], None] = nothing, **environment: str) -> float:
    """Seconds that a command took."""
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            [str(part) for part in command], cwd=cwd, stdout=log, stderr=log, env={**os.environ, **environment}
        )
        watch(process.pid)
        if process.wait():
            log.seek(0)
            raise Failed(f"{' '.join(map(str, command))}\n{log.read()[-2000:]}")
    return time.perf_counter() - started


class Memory:
    """The peak of the memory that a process and all below it hold, shared pages counted once (PSS)."""

    def __init__(self) -> None:
        self.peak_mb = 0.0

    def watch(self, pid: int) -> None:
        threading.Thread(target=self._run, args=(pid,), daemon=True).start()

    def _run(self, pid: int) -> None:
        while True:
            try:
                top = psutil.Process(pid)
                below = top.children(recursive=True)
            except psutil.NoSuchProcess:
                return
            self.peak_mb = max(self.peak_mb, sum(map(_megabytes, [top, *below])))
            time.sleep(0.2)


def _megabytes(process: psutil.Process) -> float:
    try:
        return process.memory_full_info().pss / 2**20
    except psutil.Error:
        return 0.0


def grade_command(folder: Path) -> list[object]:
    return [sys.executable, "-m", "autograder", "grade", folder, "--json", folder.parent / "report.json"]


def measure_grade(folder: Path, watch: Callable[[int], None] = nothing) -> float:
    return timed(grade_command(folder), ROOT, watch, AUTOGRADER_STATE=str(folder.parent / "state.json"))


def nbgrader(course: Path, *arguments: str) -> list[object]:
    return [sys.executable, "-m", "nbgrader", *arguments, f"--CourseDirectory.root={course}"]


def measure_ours_in_nbgrader(course: Path, count: int, repeat: int) -> list[float]:
    release.generate(course, [UNIT])
    released = nbformat.read(course / "release" / UNIT / f"{UNIT}.ipynb", as_version=4)
    write_submissions(course / "submitted", released, count)
    return [timed(nbgrader(course, "autograde", UNIT, "--force"), ROOT) / count for _ in range(repeat)]


def measure_stock_nbgrader(course: Path, count: int, repeat: int) -> list[float]:
    """Seconds that each submission after the first one adds."""
    path = course / "source" / UNIT / f"{UNIT}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(to_file(stock_source()))
    with release.scripts_on_path():
        timed(nbgrader(course, "generate_assignment", UNIT), course)
    released = nbformat.read(course / "release" / UNIT / f"{UNIT}.ipynb", as_version=4)
    write_submissions(course / "submitted", released, count)
    measured = []
    for _ in range(repeat):
        one = timed(nbgrader(course, "autograde", UNIT, "--force", "--student=student-000"), course)
        every = timed(nbgrader(course, "autograde", UNIT, "--force"), course)
        measured.append((every - one) / (count - 1))
    return measured


class NoOtter(RuntimeError):
    """otter-grader cannot be installed; the text says why."""


def otter_environment(folder: Path) -> Path:
    """A virtual environment with otter-grader that sees all that is installed here; returns its ``bin``."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    own = subprocess.check_output([python, "-c", "import site; print(site.getsitepackages()[0])"], text=True).strip()
    (Path(own) / "parent.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    installed = subprocess.check_output([sys.executable, "-m", "pip", "freeze", "--exclude-editable"], text=True)
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(line for line in installed.splitlines() if "==" in line), encoding="utf-8")
    install = [python, "-m", "pip", "install", "--quiet", "--constraint", constraints, "otter-grader>=5"]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoOtter((done.stderr.strip().splitlines() or ["pip failed"])[-1])
    return folder / "bin"


def measure_otter(folder: Path, stock_course: Path, count: int) -> tuple[list[float], str]:
    """Seconds of ``otter run`` on single submissions, and otter's version."""
    programs = otter_environment(folder / "venv")
    tests = folder / "tests"
    tests.mkdir(parents=True)
    for name in find_unit(UNIT).names:
        cases = [
            {"code": ">>> " + test.replace("\n", "\n>>> "), "hidden": False, "locked": False}
            for test in plain_tests(name)
        ]
        suite = {"cases": cases, "scored": True, "setup": "", "teardown": "", "type": "doctest"}
        test = {"name": name, "points": len(cases), "suites": [suite]}
        (tests / f"{name}.py").write_text(f"OK_FORMAT = True\n\ntest = {test!r}\n", encoding="utf-8")
    path = {"PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"}
    otter = programs / "otter"
    archive = folder / "autograder.zip"
    timed([otter, "generate", "-t", tests, "-o", archive, "--no-config", "--no-environment"], folder, **path)
    measured = []
    for number in range(count):
        notebook = nbformat.read(
            stock_course / "submitted" / f"student-{number:03d}" / UNIT / f"{UNIT}.ipynb", as_version=4
        )
        notebook.cells = [cell for cell in notebook.cells if not is_check(cell)]
        (folder / "submission.ipynb").write_bytes(to_file(notebook))
        run = [otter, "run", "-a", archive, "-o", folder, "--no-logo", "submission.ipynb"]
        measured.append(timed(run, folder, **path))
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        if number == 0 and not sum(test.get("score", 0) for test in results["tests"]):
            raise Failed(f"otter gave a right answer no points: {json.dumps(results)[:500]}")
    version = subprocess.check_output(
        [programs / "python", "-c", "import importlib.metadata as m; print(m.version('otter-grader'))"], text=True
    )
    return measured, version.strip()


CHECK_SCRIPT = """
import json, sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for source in json.loads(sys.stdin.read()):
    shell.run_cell(source)
shell.run_cell("from autograder import check")
seconds = []
for _ in range(int(sys.argv[1])):
    started = time.perf_counter()
    report = eval(f"check({sys.argv[2]!r})", shell.user_ns)
    seconds.append(time.perf_counter() - started)
unwritten = set() if "." in sys.argv[2] else {"not_attempted"}
assert {task.status for task in report.tasks} <= {"passed"} | unwritten, report
sys.__stdout__.write("\\n" + json.dumps(seconds) + "\\n")
"""


def measure_check(repeat: int, what: str, answer: dict[str, str]) -> list[float]:
    """Seconds of ``check(what)`` on a right answer in a notebook, the first call included."""
    cells = ["import math\nimport torch\nfrom torch import nn", *answer.values()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", CHECK_SCRIPT, str(repeat), what],
        input=json.dumps(cells),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return json.loads(done.stdout.strip().splitlines()[-1])


def measure_catch_it(folder: Path, exercise: NotebookNode, count: int) -> dict[str, float]:
    """Seconds that a written test adds to a submission in ``grade``, and that its check takes in a notebook."""
    write_class(folder / "without" / "class", exercise, [written()] * count)
    write_class(folder / "with" / "class", exercise, [solved(UNIT)] * count)
    without, with_test = (measure_grade(folder / name / "class") for name in ("without", "with"))
    (task,) = (task for task in find_unit(UNIT).task_ids if is_catch(task))
    first, *later = measure_check(6, task, solved(UNIT))
    return rounded(
        {"grade": (with_test - without) / count, "check_first": first, "check_median": statistics.median(later)}
    )


# --- the run -----------------------------------------------------------------------------------------------


def measure(options: argparse.Namespace, folder: Path, say: Callable[[str], None]) -> dict:
    """Everything; see the module's text."""
    os.environ["AUTOGRADER_STATE"] = str(folder / "state.json")
    exercise = nbformat.read(ROOT / "exercises" / UNIT / f"{UNIT}.ipynb", as_version=4)
    seconds: dict[str, list[float]] = {}
    notes: list[str] = []

    say(f"autograder grade: {options.count} submissions, {options.repeat} times")
    write_submissions(folder / "grade" / "class", exercise, options.count)
    seconds["grade"] = [measure_grade(folder / "grade" / "class") / options.count for _ in range(options.repeat)]

    say(f"nbgrader as it comes: {options.stock} submissions, {options.repeat} times")
    seconds["nbgrader_stock"] = measure_stock_nbgrader(folder / "stock", options.stock, options.repeat)

    say(f"nbgrader with our preprocessor: {options.count} submissions, {options.repeat} times")
    seconds["nbgrader_ours"] = measure_ours_in_nbgrader(folder / "ours", options.count, options.repeat)

    versions = {name: importlib.metadata.version(name) for name in ("torch", "numpy", "nbgrader", "nbconvert")}
    say(f"otter run: {options.otter} submissions")
    try:
        if options.otter:
            seconds["otter_run"], versions["otter-grader"] = measure_otter(
                folder / "otter", folder / "stock", options.otter
            )
    except (NoOtter, Failed) as error:
        notes.append(f"otter run is left out: {str(error).splitlines()[-1]}")
        say(notes[-1])

    say("check in a notebook")
    first, *later = measure_check(12, UNIT, written())
    say("catch-it task: 20 submissions with it and 20 without")
    catch_it = measure_catch_it(folder / "catch-it", exercise, 20)

    memory, linear = {}, {}
    for count in options.memory:
        say(f"memory: {count} submissions")
        write_submissions(folder / f"memory-{count}" / "class", exercise, count)
        peak = Memory()
        linear[count] = measure_grade(folder / f"memory-{count}" / "class", peak.watch)
        memory[count] = peak.peak_mb

    medians = {name: statistics.median(values) for name, values in seconds.items()}
    ratios = {
        "grade_to_stock_nbgrader": medians["nbgrader_stock"] / medians["grade"],
        "nbgrader_ours_to_stock_nbgrader": medians["nbgrader_stock"] / medians["nbgrader_ours"],
    }
    if "otter_run" in medians:
        ratios["grade_to_otter_run"] = medians["otter_run"] / medians["grade"]
    return {
        "what": f"Grading submissions of {UNIT}: seconds for each, on one machine in one run.",
        "command": f"python benchmarks/grading.py --count {options.count} --repeat {options.repeat}"
        f" --stock {options.stock} --otter {options.otter} --memory {' '.join(map(str, options.memory))}",
        "date": datetime.date.today().isoformat(),
        "device": device(),
        "other_load": round(options.load, 2),  # processes that wanted a processor before the run began
        "versions": {"python": platform.python_version(), **versions},
        "submissions": options.count,
        "seconds_per_submission": rounded(medians),
        "all_seconds_per_submission": {name: [round(value, 4) for value in values] for name, values in seconds.items()},
        "submissions_per_minute": {name: round(60 / value, 1) for name, value in medians.items()},
        "ratios": rounded(ratios),
        "check_seconds": rounded({"first": first, "median": statistics.median(later)}),
        "catch_it_seconds": catch_it,
        "memory_mb": {str(count): round(value) for count, value in memory.items()},
        "grade_seconds_by_submissions": {str(count): round(value, 2) for count, value in linear.items()},
        "seconds_for_one_more_submission": one_more(linear),
        "notes": [
            f"nbgrader as it comes was measured on {options.stock} submissions, and otter run on {options.otter}; "
            "what one submission costs is scaled to all.",
            *notes,
        ],
    }


def rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


def one_more(linear: dict[int, float]) -> list[float]:
    """The slope between each two sizes: equal slopes mean linear time."""
    points = sorted(linear.items())
    return [round((b[1] - a[1]) / (b[0] - a[0]), 4) for a, b in zip(points, points[1:])]


def device() -> str:
    """Processor and number of cores."""
    return f"{os.cpu_count()} cores, {processor()}"


def targets(result: dict) -> list[tuple[str, str, str, bool]]:
    """What was promised: name, target, value, and whether it is met."""
    ratios, check = result["ratios"], result["check_seconds"]["median"]
    rows = [
        ("grade against stock nbgrader", "≥ 45×", ratios["grade_to_stock_nbgrader"], "×", True, 45.0),
        ("nbgrader with ours against stock", "≥ 6×", ratios["nbgrader_ours_to_stock_nbgrader"], "×", True, 6.0),
        ('check("attention"), median', "< 0.3 s", check, " s", False, 0.3),
        ("check of a catch-it task, median", "< 1 s", result["catch_it_seconds"]["check_median"], " s", False, 1.0),
    ]
    for count, megabytes in result["memory_mb"].items():
        rows.append((f"memory, {count} submissions", "< 1500 MB", megabytes, " MB", False, MEMORY_LIMIT_MB))
    slopes = result["seconds_for_one_more_submission"]
    if len(slopes) > 1:
        rows.append(("one more submission, late against early", "< 1.5×", slopes[-1] / slopes[0], "×", False, 1.5))
    return [
        (name, target, f"{value:.3g}{unit}" if value < 1000 else f"{value:.0f}{unit}", (value >= limit) == at_least)
        for name, target, value, unit, at_least, limit in rows
    ]


def show(result: dict, console: Console) -> None:
    """The result as tables."""
    names = {
        "grade": "autograder grade",
        "nbgrader_ours": "nbgrader autograde, our preprocessor",
        "nbgrader_stock": "nbgrader autograde, as it comes",
        "otter_run": "otter run",
    }
    table = Table(title=f"{result['submissions']} submissions of {UNIT} ({result['device']})")
    for column in ("", "seconds each", "a minute", "against stock nbgrader"):
        table.add_column(column, justify="right" if column else "left")
    stock = result["seconds_per_submission"]["nbgrader_stock"]
    for key, value in sorted(result["seconds_per_submission"].items(), key=lambda item: item[1]):
        table.add_row(names[key], f"{value:.3f}", f"{60 / value:.0f}", f"{stock / value:.1f}×")
    console.print(table)
    promised = Table(title="Targets")
    for column in ("", "target", "measured", "met"):
        promised.add_column(column)
    for name, target, value, met in targets(result):
        promised.add_row(name, target, value, "yes" if met else "no")
    console.print(promised)
    for note in result["notes"]:
        console.print(note)
    if result["other_load"] > 0.5:
        console.print(f"Other work was running ({result['other_load']} processes wanted a processor): run it again.")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure how fast submissions are graded.")
    parser.add_argument("--count", type=int, default=200, help="submissions")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions, of which the median counts")
    parser.add_argument("--stock", type=int, default=6, help="submissions for nbgrader as it comes (at least 2)")
    parser.add_argument("--otter", type=int, default=3, help="submissions for otter run; 0 leaves it out")
    parser.add_argument("--memory", type=int, nargs="*", default=MEMORY_COUNTS, help="submissions for memory and time")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args(arguments)
    options.load = os.getloadavg()[0]
    console = Console()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        result = measure(options, Path(folder), lambda text: console.print(f"[dim]{text} …[/dim]"))
    show(result, console)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
