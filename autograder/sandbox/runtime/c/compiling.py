"""Compiling C code, without the parts that do not compile."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from .prototypes import PROTOTYPES, SIGNATURES
from .reading import Piece, pieces_of

C_CODE = "__c_code__"  # the name under which a namespace keeps its `CCode`
COMPILE_SECONDS = 60.0
MAX_C = 400_000  # characters
NOT_VISIBLE = 3  # the exit code of a program whose C kernel only its own file can call
RACE = 100  # the exit code, plus the number of the array, of a program two of whose threads write the same entry
MAX_ATTEMPTS = 12  # compilations, each without one more piece that does not compile
_FLAGS = [
    *("-std=gnu11", "-gdwarf-4", "-g1", "-O1", "-Wall", "-Wextra", "-Werror=implicit-function-declaration"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-ffp-contract=off"),
    "-Dmain=main_of_the_learner",
]
# Without optimisation every local variable has memory of its own, which the calling program can fill beforehand.
_PLAIN_FLAGS = ["-std=gnu11", "-O0", "-w", "-fgnu89-inline", "-ffp-contract=off", "-Dmain=main_of_the_learner"]
# What two threads are tried on: loops that OpenMP shares out evenly, without anything at which threads wait.
_CLAUSE = r"(?:collapse|private|firstprivate|shared|default|if|num_threads|schedule)\s*\((?!dynamic|guided|runtime)"
_SHARED_OUT = re.compile(rf"(?:parallel\s+for(?:\s+simd)?|simd)(?:[\s,]*{_CLAUSE}[^)]*\))*\s*")
_FAST = "-fuse-ld=gold"  # half of the time that building such a small program takes is its linker's
_AS_JSON = "-fdiagnostics-format=json"  # gcc 9 to 15. Later ones and clang have SARIF, in forms that still change.
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:allocator_may_return_null=1:symbolize=0:exitcode=66",
    "UBSAN_OPTIONS": "print_stacktrace=0:exitcode=66",
    "OMP_NUM_THREADS": "1",  # scores must not depend on chance
    "LC_ALL": "C",
    "PATH": os.defpath,
}


class NoCompiler(Exception):
    """This machine has no C compiler."""


@lru_cache(maxsize=None)
def compiler() -> tuple[str, ...]:
    """The C compiler with the flags that it knows, the best first; raises `NoCompiler`."""
    program = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if program is None:
        raise NoCompiler(
            "There is no C compiler here: install one, for example with 'sudo apt-get install gcc' "
            "('xcode-select --install' on a Mac), and run this again."
        )
    with tempfile.TemporaryDirectory() as folder:
        known = ["-fopenmp", _AS_JSON]
        for flags in ([*known, _FAST], known, ["-fopenmp"], [_AS_JSON], []):
            command = [program, *flags, "-x", "c", "-", "-o", os.path.join(folder, "trial")]
            done = subprocess.run(command, input=b"int main(void) { return 0; }", capture_output=True, check=False)
            if done.returncode == 0:
                return program, *flags
    reason = (done.stderr.decode(errors="replace").strip().splitlines() or ["it gave no reason"])[-1]
    raise NoCompiler(f"The C compiler {program} does not work here: {reason}")


def _linker() -> tuple[str, ...]:
    return (_FAST,) if _FAST in compiler() else ()


@dataclass
class CCode:
    """All C code of a notebook or file, and the program made of it."""

    texts: dict[str, tuple[str, str]] = field(default_factory=dict)  # by key, in their order: what it is called, code
    initialised: bool = False  # whether it is known to read no uninitialised memory
    _pieces: list[Piece] | None = None  # pieces of the current code, once it has been read
    _program: Program | None = None  # made from the pieces on first use

    def add(self, label: str, text: str, append: bool = False, key: str = "") -> None:
        """Store code of a cell or file of this name, in place of its earlier code (or after it).

        ``key`` tells cells apart that change their names.
        """
        _, before = self.texts.pop(key or label, ("", ""))
        self.texts[key or label] = label, (before if append else "") + text[:MAX_C].removeprefix("\ufeff")
        self._pieces = self._program = None

    def functions(self) -> dict[str, Piece]:
        """The piece that defines each function; of several definitions, the last one."""
        return {piece.function: piece for piece in self._read() if piece.function}

    def head(self) -> str:
        """The code outside the C kernels: includes, macros, types and helpers."""
        return "\n".join(piece.text for piece in self._read() if piece.function not in SIGNATURES)

    def _read(self) -> list[Piece]:
        if self._pieces is None:
            pieces = _in_use([piece for label, text in self.texts.values() for piece in pieces_of(text, label)])
            last = {piece.function: piece for piece in pieces if piece.function}
            # A helper that is defined again leaves a declaration where it stood first, for what comes in between.
            self._pieces = [
                piece if not piece.function or last[piece.function] is piece else _declared(piece)
                for piece in pieces
                if piece.function not in SIGNATURES or last[piece.function] is piece
            ]
        return self._pieces

    def source(self) -> str:
        """All code as one file, with `#line` directives that give each line's origin."""
        return _source(self._read())

    def program(self) -> Program:
        """The compiled program, made anew when the code has changed.

        Cells may have been reordered: if their order does not compile, those without C kernels are put first.
        """
        if self._program is None:
            pieces = self._read()
            with_kernels = {piece.label for piece in pieces if piece.function in SIGNATURES}
            moved = sorted(pieces, key=lambda piece: piece.label in with_kernels)
            self._program = Program(pieces)
            if self._program.faults and moved != pieces:
                self._program = min(self._program, Program(moved), key=lambda program: program.faults)
        return self._program


class Program:
    """Compiled C kernels. ``errors``: why a function was left out."""

    def __init__(self, pieces: Sequence[Piece]):
        self._folder = tempfile.TemporaryDirectory(prefix="kernels-", ignore_cleanup_errors=True)
        self.path = os.path.join(self._folder.name, "kernels")
        self.errors: dict[str, str] = {}
        self.warnings: list[str] = []
        self.problem = ""  # why there is no program at all
        self._kept: Sequence[Piece] = ()
        self._messages: list[Message] = []
        with open(os.path.join(self._folder.name, "call.o"), "wb") as file:
            file.write(_calling_object())
        for piece in pieces:
            if piece.open_braces:
                self.errors[piece.function] = (
                    f"line {piece.last_line} of {piece.label}: a brace is not closed before it"
                )
        kept = [piece for piece in pieces if not piece.open_braces]
        for _ in range(MAX_ATTEMPTS):
            messages = self._compile(kept)
            if messages is None:
                return
            bad = [piece for piece in kept if any(map(_is_about(piece), messages))]
            if not bad:
                break
            for piece in bad:
                first = next(filter(_is_about(piece), messages))
                self.errors[piece.function or f"line {piece.line} of {piece.label}"] = first.sentence
            kept = [piece for piece in kept if piece not in bad]
        self.problem = messages[0].sentence if messages else "The code does not compile."

    @property
    def faults(self) -> int:
        """How many functions are left out; without a program, a number that is larger than any such count."""
        return MAX_C if self.problem else len(self.errors)

    @cached_property
    def plain_path(self) -> str:
        """The same program without sanitizers; empty where it cannot be built so."""
        path = self.path + "-plain"
        # OpenMP writes to the stack before a loop begins: it is left out unless one of its functions is called.
        flags = ["-D_OPENMP=201511", "-fopenmp"] if "-fopenmp" in compiler() else ["-w"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            for flag in flags:
                command = [compiler()[0], flag, *_PLAIN_FLAGS, *_linker(), "learner.c", "call.o", "-o", path, "-lm"]
                if self._run(command).returncode == 0:
                    return path
        return ""

    @cached_property
    def two_threads_path(self) -> str:
        """The same program for two threads, one after the other; empty where it cannot be built so."""
        with open(os.path.join(self._folder.name, "two.o"), "wb") as file:
            file.write(_calling_object(two_threads=True))
        path = self.path + "-two"
        command = [compiler()[0], "-fopenmp", *_PLAIN_FLAGS, *_linker(), "learner.c", "two.o", "-o", path, "-lm"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            if "-fopenmp" in compiler() and self._run(command).returncode == 0:
                return path
        return ""

    def shares_out(self, function: str) -> bool:
        """Whether a function, its helpers included, shares out loops to threads, each as `_SHARED_OUT` allows."""
        others = SIGNATURES.keys() - {function}
        text = "\n".join(piece.text for piece in self._kept if piece.function and piece.function not in others)
        macros = [found for piece in self._kept for found in re.findall(r"#\s*define\s+(\w+)(.*\bomp\b.*)", piece.text)]
        text += "\n".join(body for name, body in macros if re.search(rf"\b{name}\b", text))
        pragmas = re.findall(r"(?:#\s*pragma\s+|_Pragma\s*\(\s*\")omp\s+([^\"\n]*)", text)
        waits = re.search(r"\bomp_(?!get_(?:num_threads|thread_num)\b)", text)
        return bool(pragmas) and all(map(_SHARED_OUT.fullmatch, pragmas)) and not waits

    def uninitialised_variable(self, function: str) -> tuple[str, str]:
        """What the compiler says is read before it is written in a function, its helpers included: name and line."""
        pieces = [piece for piece in self._kept if piece.function == function]
        pieces += [piece for piece in self._kept if piece.function and piece.function not in SIGNATURES]
        for is_about in map(_is_about, pieces):
            for message in filter(is_about, self._messages):
                if found := re.match(r"['\u2018](.+?)['\u2019] (?:is|may be) used uninitialized", message.text):
                    return found.group(1), f"line {message.line} of {message.label}"
        return "", ""

    def _run(self, command: list[str]) -> subprocess.CompletedProcess:
        """Run a command of the compiler in the program's folder."""
        return subprocess.run(
            command,
            cwd=self._folder.name,
            env={**ENVIRONMENT, "TMPDIR": self._folder.name},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMPILE_SECONDS,
            check=False,
        )

    def _compile(self, pieces: Sequence[Piece]) -> list[Message] | None:
        """Compile; returns what was wrong, or ``None``."""
        with open(os.path.join(self._folder.name, "learner.c"), "w", encoding="utf-8") as file:
            file.write(_source(pieces))
        try:
            done = self._run([*compiler(), *_FLAGS, "learner.c", "call.o", "-o", self.path, "-lm"])
        except subprocess.TimeoutExpired:
            return [Message("", 0, f"the compiler did not finish within {COMPILE_SECONDS:g} seconds")]
        said = done.stderr.decode(errors="replace")
        stubs = [_is_about(piece) for piece in pieces if piece.is_stub]  # its parameters are bound to be unused
        self._kept = pieces
        self._messages = [
            message for message in _said("warning", said) if not any(is_about(message) for is_about in stubs)
        ]
        self.warnings = [message.sentence for message in self._messages]
        return _errors(said) if done.returncode else None


def _declared(piece: Piece) -> Piece:
    return Piece(piece.label, piece.line, piece.declaration)


def _in_use(pieces: list[Piece]) -> list[Piece]:
    """All pieces but the functions that the preprocessor leaves out, between ``#if`` and ``#endif``."""
    depth, conditional = 0, []
    for piece in pieces:
        depth += piece.directive.startswith("if") - (piece.directive == "endif")
        if depth > 0 and piece.function:
            conditional.append(piece)
    if not conditional:
        return pieces
    marks = {id(piece): f"function_{index}_in_use" for index, piece in enumerate(conditional)}
    text = "".join(f"{marks.get(id(piece), '')}\n{piece.text}\n" for piece in pieces)
    try:
        command = [*compiler(), "-E", "-x", "c", "-"]
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=COMPILE_SECONDS, check=False)
    except (NoCompiler, subprocess.TimeoutExpired):
        return pieces
    left = done.stdout.decode(errors="replace")
    if done.returncode:
        return pieces  # compiling will say why
    return [piece for piece in pieces if marks.get(id(piece), "") in left]


def _source(pieces: Sequence[Piece]) -> str:
    """The text of some pieces, one after the other."""
    labels = (re.sub(r'["\\\n]', "_", piece.label) for piece in pieces)
    return "".join(f'#line {piece.line} "{label}"\n{piece.text}\n' for piece, label in zip(pieces, labels))


@dataclass(frozen=True)
class Message:
    """What the compiler says about a line."""

    label: str
    line: int
    text: str

    @property
    def sentence(self) -> str:
        where = f"line {self.line} of {self.label}: " if self.line else ""
        return f"{where}{self.text}"


def _is_about(piece: Piece) -> Callable[[Message], bool]:
    """Whether a message is about a line of this piece."""
    return lambda message: message.label == piece.label and piece.line <= message.line <= piece.last_line


def _said(kind: str, stderr: str) -> list[Message]:
    """The compiler's errors or warnings: its JSON, where it writes that, or else its text."""
    for line in stderr.splitlines():
        if line.startswith("[") and line.endswith("]"):
            with contextlib.suppress(ValueError):  # a linker's line, perhaps
                return [_message(entry) for entry in json.loads(line) if entry["kind"].removeprefix("fatal ") == kind]
    found = re.findall(rf"^(.+?):(\d+):(?:\d+:)? (?:fatal )?{kind}: (.*)$", stderr, re.MULTILINE)
    return [Message(os.path.basename(label), int(line), text.strip()) for label, line, text in found]


def _message(entry: dict) -> Message:
    """One diagnostic of gcc's JSON, in the form of its text output: the message, and the option that asks for it."""
    where: dict[str, Any] = entry["locations"][0]["caret"] if entry["locations"] else {"file": "", "line": 0}
    option = f" [{entry['option']}]" if "option" in entry else ""
    return Message(os.path.basename(where["file"]), where["line"], entry["message"] + option)


def _errors(stderr: str) -> list[Message]:
    """The errors of the compiler or the linker."""
    undefined = r"(?:^|: )([^:\n]+):(\d+): (?:error: )?undefined reference to [`'](\w+)'"
    unknown = [
        Message(os.path.basename(label.strip()), int(line), f"it uses `{name}`, which is defined nowhere")
        for label, line, name in re.findall(undefined, stderr, re.MULTILINE)
    ]
    found = unknown or _said("error", stderr)
    lines = stderr.strip().splitlines()
    return found or [Message("", 0, lines[-1] if lines else "the compiler gave no reason")]


@lru_cache(maxsize=None)
def _calling_object(two_threads: bool = False) -> bytes:
    """The calling program, compiled: the same for all learners, without sanitizers; raises `NoCompiler`."""
    with tempfile.TemporaryDirectory(prefix="calling-") as folder:
        source, target = os.path.join(folder, "call.c"), os.path.join(folder, "call.o")
        with open(source, "w") as file:
            file.write(_calling_program())
        flags = ("-std=gnu11", "-gdwarf-4", "-O1", "-fno-omit-frame-pointer")
        command = [compiler()[0], *flags, *["-DTWO_THREADS"] * two_threads, "-c", source, "-o", target]
        done = subprocess.run(command, env={**ENVIRONMENT, "TMPDIR": folder}, capture_output=True, check=False)
        if done.returncode:
            reason = _errors(done.stderr.decode(errors="replace"))[0].text
            raise NoCompiler(f"The C compiler {command[0]} does not work here, or the C library's headers: {reason}")
        with open(target, "rb") as file:
            return file.read()


def _calling_program() -> str:
    """C code that reads the number of a C kernel and the arguments of its calls, makes them, and writes arrays back."""
    weak = re.sub(r"\)\s*;", ") __attribute__((weak));", PROTOTYPES)
    cases = []
    for number, (name, parameters) in enumerate(SIGNATURES.items()):
        reads = {"float*": "array()", "int*": "array()", "int": "(int)whole()", "long": "(long)whole()"}
        arguments = [reads.get(parameter.type, "(float)real()") for parameter in parameters]
        lines = [
            f"        {parameter.type} a{i} = {read};" for i, (parameter, read) in enumerate(zip(parameters, arguments))
        ]
        given = ", ".join(f"a{i}" for i in range(len(parameters)))
        lines += ["        addresses();", "        fill_stack();", "        go_deeper();", f"        {name}({given});"]
        cases.append(
            f"    case {number}: {{\n        if (!{name}) return {NOT_VISIBLE};\n"
            + "\n".join(lines)
            + "\n        break;\n    }"
        )
    program = _CALLING.replace("PROTOTYPES", weak).replace("CASES", "\n".join(cases))
    return program.replace("RACE", str(RACE))


_CALLING = r"""
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#define HUGE_ARRAY (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
PROTOTYPES
static int result;
static int count;
static void *arrays[16];
static int64_t sizes[16];
static int filling; /* the byte that memory holds before anything is written to it; -1: whatever is there */

static void take(void *to, size_t size) {
    for (char *next = to; size > 0;) {
        ssize_t got = read(0, next, size);
        if (got <= 0) _exit(4);
        next += got;
        size -= (size_t)got;
    }
}
static void give(const void *from, size_t size) {
    for (const char *next = from; size > 0;) {
        ssize_t put = write(result, next, size);
        if (put <= 0) _exit(5);
        next += put;
        size -= (size_t)put;
    }
}
static int64_t whole(void) { int64_t value; take(&value, sizeof value); return value; }
static double real(void) { double value; take(&value, sizeof value); return value; }
static void *array(void) {
    int64_t size = whole();
    if (size < -1) { /* so many bytes below -1: zeros that take no memory until they are touched */
        void *huge = mmap(NULL, (size_t)(-1 - size), PROT_READ | PROT_WRITE, HUGE_ARRAY, -1, 0);
        if (huge == MAP_FAILED) _exit(6);
        sizes[count] = -1;
        return arrays[count++] = huge;
    }
    if (!arrays[count] || size != sizes[count]) { /* as in a training: arrays stay where they are */
        free(arrays[count]);
        arrays[count] = size < 0 ? NULL : malloc((size_t)size);
        if (size >= 0 && !arrays[count]) _exit(6);
    }
    if (size >= 0) take(arrays[count], (size_t)size);
    sizes[count] = size;
    return arrays[count++];
}
static void __attribute__((noinline)) fill_stack(void) {
    char below[1 << 20];
    if (filling < 0) return;
    memset(below, filling, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}
static void addresses(void) {
    for (int i = 0; i < count; i++) {
        uint64_t address = (uint64_t)(uintptr_t)arrays[i];
        give(&address, sizeof address);
    }
    fflush(NULL);
}
/* What is called after this has its variables where fill_stack has written, and not beside its return address. */
#define go_deeper() __asm__ volatile("" : : "r"(__builtin_alloca(512)) : "memory")
#ifdef TWO_THREADS
/* In place of OpenMP's own: a shared loop is run by two threads, one after the other. The program ends when both have
 * changed the same entry of an array, or the same of the variables that they share. These lie on the stack between the
 * loop's data and main. */
static int thread, threads = 1;
static char *end_of_stack;
int omp_get_num_threads(void) { return threads; }
int omp_get_thread_num(void) { return thread; }
static void *copy_of(const void *from, size_t size) {
    void *copy = malloc(size);
    if (!copy) _exit(6);
    return memcpy(copy, from, size);
}
static int both_changed(const void *before, const void *between, const void *after, size_t size) {
    const int32_t *x = before, *y = between, *z = after;
    for (size_t i = 0; i < size / 4; i++)
        if (x[i] != y[i] && y[i] != z[i]) return 1;
    return 0;
}
void GOMP_parallel(void (*body)(void *), void *data, unsigned wanted, unsigned flags) {
    (void)flags;
    if (threads > 1 || wanted == 1 || data == NULL) {
        int own = thread, all = threads;
        thread = 0, threads = 1;
        body(data);
        thread = own, threads = all;
        return;
    }
    void *before[16], *between[16];
    size_t size = (size_t)(end_of_stack - (char *)data);
    char *stack = copy_of(data, size);
    threads = 2;
    for (int i = 0; i < count; i++) before[i] = sizes[i] > 0 ? copy_of(arrays[i], (size_t)sizes[i]) : NULL;
    body(data);
    for (int i = 0; i < count; i++) between[i] = sizes[i] > 0 ? copy_of(arrays[i], (size_t)sizes[i]) : NULL;
    char *stack_between = copy_of(data, size);
    memcpy(data, stack, size);
    thread = 1;
    body(data);
    for (int i = 0; i < count; i++)
        if (sizes[i] > 0 && both_changed(before[i], between[i], arrays[i], (size_t)sizes[i])) _exit(RACE + i);
    for (size_t i = 0; i + 4 <= size; i += 4)
        if (memcmp(stack + i, stack_between + i, 4) && memcmp(stack + i, (char *)data + i, 4)) _exit(RACE + 16);
    thread = 0, threads = 1;
    for (int i = 0; i < count; i++) free(before[i]), free(between[i]);
    free(stack), free(stack_between);
}
#endif
int main(int many, char **words) {
    int64_t kernel = whole();
    filling = (int)whole();
#ifdef TWO_THREADS
    end_of_stack = __builtin_frame_address(0);
#endif
#ifdef M_PERTURB
    if (filling >= 0) mallopt(M_PERTURB, filling ^ 0xff);
#endif
    result = dup(1);
    if (many != 2 || dup2(atoi(words[1]), 1) != 1) _exit(7); /* what the kernel prints goes to that file */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    signal(SIGXFSZ, SIG_IGN);
    for (int64_t calls = whole(); calls > 0; calls--) {
        count = 0;
        switch (kernel) {
CASES
        default:
            return 4;
        }
        for (int i = 0; i < count; i++)
            if (sizes[i] > 0) give(arrays[i], (size_t)sizes[i]);
    }
    fflush(NULL);
    give("done", 4);
    _exit(0);
}
"""
