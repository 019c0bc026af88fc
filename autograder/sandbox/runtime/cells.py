"""Executing a submission's cells, one by one, as a notebook would, but never waiting for input and with bounded output.

A top-level statement that fails does not stop the others: later statements are run, and unparsable ones are left
out. Magics and shell lines are understood and do nothing, except those that run code (``%time``, ``%%capture`` and the
like) or make a file (``%%writefile``). ``input()`` answers with an empty line, plots are drawn on no screen, output is
kept up to a limit.
"""

from __future__ import annotations
import __future__

import ast
import asyncio
import builtins
import contextlib
import importlib.abc
import importlib.machinery
import inspect
import io
import linecache
import os
import re
import sys
import traceback
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from .blame import blamed
from .requests import steady

MAX_OUTPUT = 10_000
MAX_ERRORS = 3  # errors that are reported for one cell
MAX_BROKEN = 100  # parts of one cell that cannot be parsed; one with more is not run
_FUTURE_FLAGS = __future__.annotations.compiler_flag
_RUN_BODY = {"time", "timeit", "capture", "prun", "python", "python3", "pypy"}
_RUN_LINE = {"time", "timeit", "prun"}
# Of all magics that run code; `-r` is followed by a number in %timeit, and by none in %prun.
_OPTIONS = re.compile(r"(?:(?:-(?:[nrpl]\s*\d+|[sTD]\s*\S+|[A-Za-z]+)|--[\w-]*)(?:\s+|$))*")
_PROMPT = re.compile(r"In \[\d*\]:")  # of a pasted session; Python reads what follows as an annotation


@dataclass(frozen=True)
class CellResult:
    """What a cell printed (shortened) and the errors of its statements, if any."""

    output: str = ""
    error: str = ""


class BoundedOutput(io.TextIOBase):
    """Standard output that keeps the beginning and counts the rest."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._kept = 0
        self.dropped = 0

    def write(self, text: str) -> int:
        room = MAX_OUTPUT - self._kept
        self._parts.append(text[:room])
        self._kept += min(len(text), room)
        self.dropped += max(0, len(text) - room)
        return len(text)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def text(self) -> str:
        note = f"\n[{self.dropped} more characters were left out]" if self.dropped else ""
        return "".join(self._parts) + note

    getvalue = text  # the name in `io.StringIO`


class QuietShell:
    """Stands in for IPython's shell: most magics and all shell commands are skipped."""

    def __init__(self, runner: CellRunner):
        self._runner = runner
        self.user_ns = runner.namespace

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> None:
        words = [word for word in line.split() if not word.startswith("-")]
        file = next((word for word in words if word.endswith(".c")), "")
        if magic_name == "c" or (magic_name == "writefile" and file):
            self._runner.add_c(cell, file, append="-a" in line.split())
        elif magic_name in ("writefile", "file") and words:
            _write(words[0], cell, append="-a" in line.split())
        elif magic_name in _RUN_BODY:
            if magic_name == "timeit":
                self._runner.run_source(_without_options(line), "<line of %%timeit>")
            with self._captured(words[:1]) if magic_name == "capture" else contextlib.nullcontext():
                self._runner.run_body(cell, sys._getframe(1))
        else:
            print(f"[%%{magic_name} is skipped when grading]")

    @contextlib.contextmanager
    def _captured(self, names: Sequence[str]) -> Iterator[None]:
        from IPython.utils.capture import CapturedIO  # imported here, since few notebooks need it

        output = BoundedOutput()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            yield
        self.user_ns.update(dict.fromkeys(names, CapturedIO(output, None)))  # type: ignore[arg-type]

    def run_line_magic(self, magic_name: str, line: str, *_: Any, **__: Any) -> Any:
        if magic_name in _RUN_LINE:
            value = self._runner.value_of(_without_options(line), magic_name, sys._getframe(1).f_locals)
            return value if magic_name == "time" else None
        if magic_name == "run":
            self._runner.run_file(_without_options(line))
        return None

    def system(self, *_: Any, **__: Any) -> None:
        print("[shell commands are skipped when grading]")

    def getoutput(self, *_: Any, **__: Any) -> list[str]:
        return []

    def __getattr__(self, name: str) -> Any:
        return _accept_anything


def _accept_anything(*_: Any, **__: Any) -> None:
    """Stands in for other functions that a notebook may call; it does nothing."""


def _without_options(line: str) -> str:
    return line[_OPTIONS.match(line).end() :]  # type: ignore[union-attr]


def _write(path: str, text: str, append: bool = False) -> None:
    """Write a file, from which a later cell may import."""
    path = os.path.expanduser(path.strip("'\""))
    if folder := os.path.dirname(path):
        os.makedirs(folder, exist_ok=True)  # the folder may come from a skipped shell command
    with open(path, "a" if append else "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    importlib.invalidate_caches()  # as for `_notice_new_modules`, in whatever folder


def _notice_new_modules() -> None:
    """Let imports search the working folder again: its time stamp is too coarse to show a file that is just written."""
    if finder := sys.path_importer_cache.get(os.getcwd()):
        finder.invalidate_caches()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Statement:
    """A top-level statement: compiled, or with the error that prevents it."""

    file: str
    code: types.CodeType | None = None
    node: ast.stmt | None = None
    error: BaseException | None = None

    @property
    def awaits(self) -> bool:
        return self.code is not None and bool(self.code.co_flags & inspect.CO_COROUTINE)

    def binds(self) -> set[str]:
        """The names that it binds."""
        found = set()
        for node in ast.walk(self.node) if self.node else ():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.alias):
                found.add((node.asname or node.name).partition(".")[0])
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.add(node.name)
        return found


@dataclass
class Failures:
    """What went wrong in one cell."""

    statements: list[Statement] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    more: int = 0
    lost: set[str] = field(default_factory=set)  # names that a failed statement would have given a value
    rest: bool = False  # whether statements have been run after a failed one

    def add(self, statement: Statement, error: BaseException, rest: bool) -> None:
        self.statements.append(statement)
        self.rest |= rest
        follows = isinstance(error, NameError) and getattr(error, "name", None) in self.lost
        self.lost |= statement.binds()
        if follows:
            return  # it only lacks what an earlier statement should have defined
        if len(self.told) < MAX_ERRORS:
            self.told.append(_describe(error, statement))
        else:
            self.more += 1

    def __str__(self) -> str:
        told = sorted(self.told, key=lambda text: text.startswith("NotImplementedError"))  # a stub says least
        if self.more:
            told.append(f"{self.more} more statements failed")
        if self.rest:
            told.append("the rest of the cell was run")
        return "; ".join(told)


class CellRunner:
    """A namespace in which cells are executed."""

    def __init__(self) -> None:
        self._module = types.ModuleType("__main__")
        self._module.__dict__["__builtins__"] = builtins
        self.namespace = self._module.__dict__
        self._transform = TransformerManager().transform_cell
        self._cell = 0
        self._failures = Failures()
        self._failed: dict[int, list[Statement]] = {}  # of each cell
        self._compiled_ahead: dict[tuple[str, str], list[Statement]] = {}
        self._future = 0  # `from __future__ import …` holds for the cells after it as well

    def prepare(self) -> None:
        """Make this process look like a notebook's kernel to the code that is about to run."""
        sys.modules["__main__"] = self._module
        sys.path.insert(0, "")  # files beside the notebook; the runtime has imported its own modules already
        shell = QuietShell(self)
        for name, value in {
            "get_ipython": lambda: shell,
            "display": lambda *values, **_: print(*values),
            "input": lambda prompt="": "",
        }.items():
            setattr(builtins, name, value)
        sys.modules.update(_stand_ins())

    def add_course(self, sources: Mapping[str, str]) -> None:
        """Let cells import the course's code for earlier units: texts by module of `solutions`."""
        course = CourseCode(sources)
        sys.meta_path.insert(0, course)
        sys.modules[EARLIER] = course.earlier
        vars(sys.modules["autograder"])["earlier"] = course.earlier

    def add_modules(self, modules: Mapping[str, str]) -> None:
        """Put the modules that lay beside the notebook into a place from which cells can import: texts by name."""
        for name, text in modules.items():
            _write(f"{name}.py", text)

    def run(self, index: int, source: str) -> CellResult:
        """Execute one cell. Its errors are reported, not raised.

        If a cell runs again, only its statements that failed are executed: the names that they lack may now exist.
        """
        self._cell, self._failures = index, Failures()
        failed = self._failed.pop(index, None)
        output = BoundedOutput()
        stdout, stderr = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = output
        try:
            _notice_new_modules()
            if failed:
                self._execute(failed)
            else:
                self.run_source(source, f"<cell {index}>")
        except BaseException as error:  # what cannot be split into statements
            self._failures.add(Statement(f"<cell {index}>", error=error), error, rest=False)
        finally:
            sys.stdout, sys.stderr = stdout, stderr
        if self._failures.statements:
            self._failed[index] = self._failures.statements
        return CellResult(output.text(), str(self._failures))

    def add_c(self, text: str, file: str, append: bool) -> None:
        """Keep the C code of a cell, or of the file that it is written to; it is compiled when it is first called."""
        from . import c  # where there is no C code, nothing of it is needed

        code = self.namespace.setdefault(c.C_CODE, c.CCode())
        # The line of the magic is a line of the cell, but not of the file.
        code.add(file or f"cell {self._cell}", text if file else "\n" + text, append)

    def run_source(self, source: str, file: str) -> None:
        """Execute the statements of a cell, or of a file of another name."""
        self._execute(self._compiled_ahead.pop((source, file), []) or self._statements(source, file))

    def compile_ahead(self, index: int, source: str) -> None:
        """Compile a cell that forks of this process are going to run."""
        file = f"<cell {index}>"
        with contextlib.suppress(Exception):  # `run` will say what is wrong with it
            self._compiled_ahead[source, file] = self._statements(source, file)

    def _statements(self, source: str, file: str) -> list[Statement]:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
        start = len(source) - len(source.lstrip())
        start = source.rfind("\n", 0, start) + 1  # IPython drops empty lines before the code; line numbers need them
        text = "\n" * source.count("\n", 0, start) + self._as_python(source[start:], file)
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        return [self._compiled(part, file) for part in self._parts(text, file)]

    def _as_python(self, source: str, file: str) -> str:
        """A cell without IPython's own syntax. Most have none, and parsing shows that in a fifth of the time."""
        if not _PROMPT.match(source):
            with contextlib.suppress(Exception):
                self._parse(source, file)
                return source if source.endswith("\n") else source + "\n"
        return self._transform(source)

    def run_body(self, body: str, caller: types.FrameType) -> None:
        """Execute what stands below a magic, as lines of the cell that holds the magic."""
        self.run_source("\n" * caller.f_lineno + body, caller.f_code.co_filename)

    def run_file(self, path: str) -> None:
        """Execute a Python file that lies beside the notebook."""
        path = path.strip().strip("'\"")
        if not path.endswith(".py") or not os.path.isfile(path):
            raise FileNotFoundError(f"%run finds no Python file {path!r} beside the notebook")
        with open(path, encoding="utf-8", errors="replace") as file:
            self.run_source(file.read(), f"<{path}>")

    def value_of(self, source: str, magic: str, names: Mapping[str, Any]) -> Any:
        """The value of a line magic's code, which sees the names where the magic stands; ``None`` for a statement."""
        file = f"<line of %{magic}>"
        *statements, last = self._parse(self._transform(source), file) or [ast.Pass(lineno=1, col_offset=0)]
        value = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
        for node in statements if value else [*statements, last]:
            exec(self._compile(ast.Module([node], []), file), self.namespace, names)
        return eval(self._compile(value, file, "eval"), self.namespace, names) if value else None

    def _parse(self, text: str, file: str) -> list[ast.stmt]:
        return self._compile(text, file, only_parse=True).body

    def _compile(self, code: Any, file: str, mode: str = "exec", only_parse: bool = False) -> Any:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | self._future | (ast.PyCF_ONLY_AST if only_parse else 0)
        return compile(code, file, mode, flags=flags, dont_inherit=True)

    def _parts(self, text: str, file: str) -> list[ast.stmt | SyntaxError]:
        """The top-level statements, and in place of each part that cannot be parsed the error."""
        lines, errors = text.split("\n"), list[SyntaxError]()
        while len(errors) < MAX_BROKEN:
            try:
                parts: list[Any] = [*self._parse("\n".join(lines), file), *errors]
                return sorted(parts, key=lambda part: part.lineno or 0) if errors else parts
            except SyntaxError as error:
                errors.append(error)
                broken = blamed(lines, error)
                if not any(lines[broken]):
                    break
                lines[broken] = [""] * len(lines[broken])
        return [*errors]

    def _compiled(self, part: ast.stmt | SyntaxError, file: str) -> Statement:
        if isinstance(part, SyntaxError):
            return Statement(file, error=part)
        try:
            code = self._compile(ast.Module([part], []), file)
        except SyntaxError as error:  # `return` outside of a function, for one
            return Statement(file, node=part, error=error)
        self._future |= code.co_flags & _FUTURE_FLAGS
        return Statement(file, code, part)

    def _execute(self, statements: Sequence[Statement]) -> None:
        running = self._execute_each(statements)
        if any(statement.awaits for statement in statements):
            asyncio.run(running)
        else:
            with contextlib.suppress(StopIteration):
                running.send(None)

    async def _execute_each(self, statements: Sequence[Statement]) -> None:
        for left, statement in zip(reversed(range(len(statements))), statements):
            try:
                if statement.error:
                    raise statement.error
                result = eval(statement.code, self.namespace)  # type: ignore[arg-type]
                if statement.awaits:
                    await result
            except BaseException as error:
                self._failures.add(statement, error, rest=left > 0)


def _describe(error: BaseException, statement: Statement) -> str:
    frames = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == statement.file]
    line = frames[-1] if frames else None
    if isinstance(error, SyntaxError) and error.filename == statement.file:
        line = error.lineno
    where = f" in line {line}" if line else ""
    if line and not statement.file.startswith("<cell "):
        where += f" of {statement.file.strip('<>')}"
    return f"{type(error).__name__}{where}: {steady(_text(error, statement.node))}"[:500]


def _text(error: BaseException, node: ast.stmt | None) -> str:
    try:
        if isinstance(error, ModuleNotFoundError) and error.name:
            return _not_installed(_module(node, error.name))
        return (error.msg or "") if isinstance(error, SyntaxError) else str(error)
    except Exception:  # the learner's own exception class may be broken
        return ""


def _not_installed(name: str) -> str:
    own = "" if "." in name else " (a module of your own is found when its file is handed in beside the notebook)"
    return f"`{name}` is not installed where submissions are graded{own}"


def _module(node: ast.stmt | None, missing: str) -> str:
    """A missing module as the learner wrote it: ``google.colab``, where Python's message names only ``google``."""
    wanted = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    if isinstance(node, ast.ImportFrom) and node.module:
        wanted = [node.module]
    return next((name for name in wanted if f"{name}.".startswith(f"{missing}.")), missing)


EARLIER = "autograder.earlier"


class CourseCode(importlib.abc.Loader, importlib.abc.MetaPathFinder):
    """Finds modules of the course's solutions among texts, and no other module of them."""

    def __init__(self, sources: Mapping[str, str]):
        self._sources = {f"solutions.{name}": text for name, text in sources.items()}
        self.earlier = types.ModuleType(EARLIER)
        vars(self.earlier)["__getattr__"] = self._of_earlier_unit

    def find_spec(self, name: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self) if name in self._sources else None

    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        exec(compile(self._sources[name], f"<{name}>", "exec", dont_inherit=True), vars(module))

    def _of_earlier_unit(self, name: str) -> Any:
        """What a notebook imports from `autograder.earlier`, which is the course's own code here."""
        if name.startswith("__"):
            raise AttributeError(name)
        defined = re.compile(rf"^(?:def|class) {re.escape(name)}\b", re.MULTILINE)
        for module, text in self._sources.items():
            if defined.search(text):
                return getattr(importlib.import_module(module), name)
        raise ImportError(f"no earlier unit has a task {name!r}")


# The ids that every unit shares (a test holds them to those of the solutions).
SPECIAL_IDS = {"PAD": 0, "UNK": 1, "BOS": 2, "EOS": 3}


_FRONT_DOOR = (
    *("by_hand", "certificate", "check", "differences", "hint", "progress"),
    *("run_kernel", "write_earlier_kernels", "write_kernels"),
)


def _stand_ins() -> dict[str, types.ModuleType]:
    """Stand-ins for the project's packages, as far as learner code needs them.

    Check cells run like any other cell, and must neither grade anything here nor fail.
    """
    autograder, solutions = types.ModuleType("autograder"), types.ModuleType("solutions")
    vars(autograder).update(dict.fromkeys(_FRONT_DOOR, _accept_anything))
    vars(autograder)["when_ready"] = lambda: contextlib.suppress(Exception)  # code that uses kernels finds none here
    vars(solutions).update(SPECIAL_IDS, __path__=[])
    return {"autograder": autograder, "solutions": solutions}
