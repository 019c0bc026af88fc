"""Calling a C kernel in a process of its own, and saying in a sentence what went wrong there."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .compiling import C_CODE, ENVIRONMENT, NOT_VISIBLE, RACE, CCode, Program
from .prototypes import SIGNATURES, Parameter
from .reading import Piece

CALL_SECONDS = 5.0
MAX_SAID = 100_000  # bytes of a kernel's output that are read
FIRST_LINES, FIRST_CHARACTERS = 20, 2000  # limits of a kernel's output that is shown
FILLINGS = (0x00, 0x7F)  # with these, sums, maxima, conditions and indices differ: as floats they are 0 and 3.4e38
_TYPES = {"float*": torch.float32, "int*": torch.int32}


class KernelFailure(Exception):
    """A C kernel that could not be called, or did not return. ``c_line``: the learner's line, where it is known."""

    def __init__(self, text: str, line: str = ""):
        super().__init__(text)
        self.c_line = line


class CompileError(KernelFailure):
    """The code does not compile; the text says where and why."""


class BadMemoryAccess(KernelFailure):
    """The C kernel reads or writes where it must not."""


class UndefinedBehaviour(KernelFailure):
    """The C kernel does something that C does not define."""


class Hang(KernelFailure):
    """The C kernel does not return in time."""


class Ended(KernelFailure):
    """The C kernel ended the program."""


class UninitialisedRead(KernelFailure):
    """The C kernel reads memory that nothing has been written to."""


class Race(KernelFailure):
    """Two threads of the C kernel write to the same memory, so its result depends on which of them comes first."""


def call_kernel(namespace: dict, name: str, arguments: Sequence[Any]) -> list[Any]:
    """Call a C kernel once: see `call_kernels`."""
    return call_kernels(namespace, name, [arguments])[0]


def call_kernels(namespace: dict, name: str, calls: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Call a C kernel several times in one process; for each call the arrays as it left them (``None`` for NULL).

    Float arrays are float32 tensors of any shape, id arrays int32. An array of the same size as in the call before has
    the same memory, as in a training. The first lines that the C kernel prints are printed. Raises `KeyError` when
    there is no such function, `NotImplementedError` for one that is still empty, and otherwise a `KernelFailure`.
    """
    code, made = _prepared(namespace, name, calls)
    results = made.run()
    if not code.initialised:
        made.demand_initialised()
        made.demand_no_race()
    return results


@dataclass(frozen=True)
class Huge:
    """An array of this many zeros, which take no memory until they are touched; after a call it is ``None``."""

    entries: int


# Calls whose largest offset is 2^31 or more, of kernels that touch few entries of such an array.
_LARGE: dict[str, list] = {
    "encoder_forward": [
        torch.zeros(2, 1024), torch.tensor([0, 2**21]).int(), Huge(2**31 + 1024), torch.zeros(2, 1024), 1, 2, 1024,
    ],
    "encoder_backward": [
        Huge(2**31 + 1024), torch.zeros(2, 1024), torch.zeros(2, 1024), torch.tensor([0, 2**21]).int(), 1, 2, 1024,
    ],
    "crossentropy_forward": [torch.zeros(3), Huge(3 * 2**30), torch.zeros(3).int(), 1, 3, 2**30],
}  # fmt: skip


INT_OFFSET = (
    "this offset is an `int`, which ends at 2,147,483,647: a larger array needs `(size_t)` before the first factor. "
    "No check asks for it."
)


def line_of_overflow(namespace: dict, name: str) -> str:
    """Where a kernel computes an offset as an `int`, which is too small for a large array; empty if that is not known.

    It is not known for most kernels: on arrays of that size they would compute for minutes.
    """
    if name not in _LARGE:
        return ""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            _prepared(namespace, name, [_LARGE[name]])[1].run()
    except UndefinedBehaviour as error:
        return error.c_line if "overflow" in str(error) else ""
    except (KeyError, NotImplementedError, KernelFailure):
        return ""
    return ""


def _prepared(namespace: dict, name: str, calls: Sequence[Sequence[Any]]) -> tuple[CCode, _Calls]:
    """The code and the calls, once it is clear that they can be made."""
    code = namespace.get(C_CODE)
    piece = code.functions().get(name) if isinstance(code, CCode) else None
    if piece is None or not isinstance(code, CCode):
        raise KeyError(name)
    if piece.is_stub:
        raise NotImplementedError(name)
    if not piece.open_braces:
        _demand_signature(piece)
    program = code.program()
    if name in program.errors or program.problem:
        raise CompileError(program.errors.get(name, program.problem))
    arguments = [[_Argument(*pair) for pair in zip(SIGNATURES[name], call)] for call in calls]
    return code, _Calls(program, name, arguments)


def _demand_signature(piece: Piece) -> None:
    """Raises `CompileError` for wrong types of parameters; types that the learner defines are not compared."""
    wanted = SIGNATURES[piece.function]
    known = {parameter.type for signature in SIGNATURES.values() for parameter in signature} | {"double", "size_t"}
    given = [parameter.type for parameter in piece.parameters]
    own_types = not set(given) <= known | {kind + "*" for kind in known}
    if given == [parameter.type for parameter in wanted] or (own_types and len(given) == len(wanted)):
        return
    listed = ", ".join(
        f"{parameter.type.rstrip('*')} {'*' * parameter.is_array}{parameter.name}" for parameter in wanted
    )
    raise CompileError(f"`{piece.function}` must take ({listed}).", f"line {piece.line} of {piece.label}")


def _first_lines(text: str) -> str:
    """The beginning of what a kernel printed, which ends in a new line."""
    shown = "".join(text.splitlines(keepends=True)[:FIRST_LINES])[:FIRST_CHARACTERS]
    if len(shown) < len(text):
        shown = shown.rstrip("\n") + "\n… (there is more)"
    return shown if not shown or shown.endswith("\n") else shown + "\n"


@dataclass(frozen=True)
class _Argument:
    parameter: Parameter
    value: Any

    def packed(self) -> bytes:
        """The bytes that the calling program reads."""
        if not self.parameter.is_array:
            return struct.pack("=d" if self.parameter.type == "float" else "=q", self.value)
        if self.value is None:
            return struct.pack("=q", -1)
        if isinstance(self.value, Huge):
            return struct.pack("=q", -1 - 4 * self.value.entries)
        data = self.value.to(_TYPES[self.parameter.type]).contiguous().numpy().tobytes()
        return struct.pack("=q", len(data)) + data

    @property
    def size(self) -> int:
        """How many bytes of this argument come back."""
        return 4 * self.value.numel() if isinstance(self.value, torch.Tensor) else 0


@dataclass(frozen=True)
class _Run:
    """The outcome of a process."""

    code: int | None  # None: it did not end in time
    output: bytes  # for every call the addresses of its arrays, then the arrays; "done" at the end
    said: str
    printed: str

    @property
    def whole(self) -> bool:
        return self.code == 0 and self.output.endswith(b"done")


@dataclass(frozen=True)
class _Calls:
    program: Program
    name: str
    calls: Sequence[Sequence[_Argument]]

    def arrays(self, call: int) -> list[_Argument]:
        return [argument for argument in self.calls[call] if argument.parameter.is_array]

    def run(self) -> list[list[Any]]:
        run = self._process(self.program.path)
        print(_first_lines(run.printed), end="")
        if run.code is None:
            raise Hang(f"`{self.name}` did not come back within {CALL_SECONDS:g} seconds.")
        if run.code == NOT_VISIBLE and not run.output:
            raise CompileError(f"`{self.name}` cannot be called: begin it with `void`, without `static` or `inline`.")
        if not run.whole:
            raise self._failure(run)
        return self._results(run.output[:-4])

    def _process(self, program: str, filling: int = -1) -> _Run:
        """Make the calls in a process. ``filling``: the byte in its memory before anything is written to it."""
        data = struct.pack("=3q", list(SIGNATURES).index(self.name), filling, len(self.calls))
        data += b"".join(argument.packed() for call in self.calls for argument in call)
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as printed:
            code, output = None, b""
            with contextlib.suppress(subprocess.TimeoutExpired):
                done = subprocess.run(
                    [program, str(printed.fileno())],
                    input=data,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    pass_fds=[printed.fileno()],
                    timeout=CALL_SECONDS,
                    env=ENVIRONMENT,
                    check=False,
                )
                code, output = done.returncode, done.stdout
            texts = [(file.seek(0), file.read(MAX_SAID).decode(errors="replace"))[1] for file in (said, printed)]
        return _Run(code, output, *texts)

    def demand_initialised(self) -> None:
        """Raises `UninitialisedRead` if other contents of unwritten memory change a result.

        The sanitizers used here do not detect such reads; only clang has one that does.
        """
        if not self.program.plain_path:
            return
        runs = [self._process(self.program.plain_path, filling) for filling in FILLINGS]
        if any(run.code is None for run in runs):
            return
        numbers = [b"".join(self._parts(run.output)) if run.whole else None for run in runs]
        if numbers[0] != numbers[1]:
            variable, line = self.program.uninitialised_variable(self.name)
            where = f"{line}: `{variable}`" if variable else ""
            raise UninitialisedRead(f"`{self.name}` reads memory before anything has been written to it.", where)

    def demand_no_race(self) -> None:
        """Raises `Race` if two threads, run one after the other, change the same entry or variable.

        Other calls run in one thread, so that results do not depend on chance; there such code seems right.
        """
        if not self.program.shares_out(self.name) or not self.program.two_threads_path:
            return
        code = self._process(self.program.two_threads_path).code
        arrays = [parameter.name for parameter in SIGNATURES[self.name] if parameter.is_array]
        number = (code or 0) - RACE
        if 0 <= number < len(arrays):
            raise Race(
                f"Two threads of `{self.name}` write to the same entry of `{arrays[number]}`, so the result depends on "
                "chance. Share out a loop whose iterations write to different entries."
            )
        if number == 16:  # none of the arrays
            raise Race(
                f"Two threads of `{self.name}` write to the same variable, so the result depends on chance. Declare it "
                "inside the loop that is shared out."
            )

    def _parts(self, output: bytes) -> list[bytes]:
        """The arrays' bytes in a process's output, one array after the other: empty for NULL."""
        parts, offset = [], 0
        for call in range(len(self.calls)):
            arrays = self.arrays(call)
            offset += 8 * len(arrays)
            for array in arrays:
                parts.append(output[offset : offset + array.size])
                offset += array.size
        return parts

    def _results(self, output: bytes) -> list[list[Any]]:
        """The arrays of every call."""
        parts = iter(self._parts(output))
        return [[self._array(array, next(parts)) for array in self.arrays(call)] for call in range(len(self.calls))]

    def _array(self, array: _Argument, part: bytes) -> Any:
        if not isinstance(array.value, torch.Tensor):
            return None
        if len(part) != array.size:
            raise Ended(f"`{self.name}` spoiled the program that called it.")
        dtype = _TYPES[array.parameter.type]
        tensor = torch.frombuffer(bytearray(part), dtype=dtype) if part else torch.empty(0, dtype=dtype)
        return tensor.reshape(array.value.shape)

    def _addresses(self, output: bytes) -> list[tuple[int, ...]]:
        """For every call that was begun, where its arrays were."""
        found, offset = [], 0
        for call in range(len(self.calls)):
            arrays = self.arrays(call)
            if len(output) < offset + 8 * len(arrays):
                break
            found.append(struct.unpack_from(f"={len(arrays)}Q", output, offset))
            offset += 8 * len(arrays) + sum(array.size for array in arrays)
        return found

    def _failure(self, run: _Run) -> KernelFailure:
        """The failure that the sanitizers, or the exit of the process, report."""
        addresses = self._addresses(run.output)
        again = f" in call {len(addresses)} of one program" if len(addresses) > 1 else ""
        undefined = re.search(r"^(.+?):(\d+):\d+: runtime error: (.*)$", run.said, re.MULTILINE)
        if undefined:
            label, line, text = undefined.groups()
            where = f"line {line} of {os.path.basename(label)}"
            verb = "writes" if "store" in text else "reads"
            if "insufficient space" in text:
                return BadMemoryAccess(f"`{self.name}` {verb} past the end of an array of its own{again}.", where)
            if "null pointer" in text:
                return BadMemoryAccess(self._through_null(verb, len(addresses) - 1), where)
            return UndefinedBehaviour(f"`{self.name}`: {text}{again}.", where)
        report = re.search(r"AddressSanitizer: ([\w-]+)", run.said)
        if report:
            return BadMemoryAccess(
                self._access(report.group(1), run.said, addresses) + again + ".", self._line(run.said)
            )
        if run.code is not None and run.code < 0:
            return Ended(f"`{self.name}` was ended by signal {-run.code}{again}.")
        return Ended(
            f"`{self.name}` ended the program (exit code {run.code}){again}: a C kernel returns; it never calls exit()."
        )

    def _access(self, kind: str, said: str, addresses: Sequence[Sequence[int]]) -> str:
        """One sentence for a report of AddressSanitizer, without its full stop."""
        writes = "WRITE of size" in said or "caused by a WRITE" in said
        verb = f"`{self.name}` {'writes' if writes else 'reads'}"
        region = re.search(
            r"located (\d+) bytes (to the right of|to the left of|after|before|inside of) (\d+)-byte region "
            r"\[0x([0-9a-f]+),",
            said,
        )
        if region:
            return f"{verb} {self._place(kind, region, addresses)}"
        if kind == "SEGV" and re.search(r"address 0x0000000000[0-9a-f]{2}\b|zero page", said):
            return self._through_null(verb.split()[-1], len(addresses) - 1).rstrip(".")
        if kind == "SEGV":
            return f"{verb} far outside of every array"
        return f"{verb} memory that it may not: {kind.replace('-', ' ')}"

    def _place(self, kind: str, region: re.Match, addresses: Sequence[Sequence[int]]) -> str:
        """The position of an access relative to an array, or to memory of the C kernel's own."""
        distance, side, size, start = int(region[1]), region[2], int(region[3]), int(region[4], 16)
        known = [start in found for found in addresses]
        if kind == "heap-use-after-free":
            return "an array of an earlier call" if any(known) else "memory that it has freed"
        after = side in ("to the right of", "after")
        beyond = "past the end" if after else "before the beginning"
        if not known or not known[-1]:
            of_a_call = " of an array of an earlier call" if any(known) else f" of {size} bytes that it allocated"
            return beyond + of_a_call
        array = self.arrays(len(addresses) - 1)[list(addresses[-1]).index(start)]
        number = distance // 4 + after  # bytes between the access and the array
        entry = "the first entry" if number == 1 else f"entry {number}"
        count = array.value.numel()
        held = f"{count} entr{'y' if count == 1 else 'ies'}"
        return f"{entry} {beyond} of `{array.parameter.name}`, which has {held}"

    def _through_null(self, verb: str, call: int) -> str:
        absent = [array.parameter.name for array in self.arrays(call) if array.value is None]
        return f"`{self.name}` {verb} through a NULL pointer" + (f": `{absent[0]}` is NULL here." if absent else ".")

    def _line(self, stderr: str) -> str:
        """The learner's line in the first frame of a report that has one."""
        frames = re.findall(r"#\d+ 0x[0-9a-f]+ .*?\((\S+)\+0x([0-9a-f]+)\)", stderr)
        offsets = [offset for path, offset in frames[:12] if path.endswith(("/kernels", "/exe"))]
        if not offsets or shutil.which("addr2line") is None:
            return ""
        # All but the first are addresses to which a call returns: the call is just before.
        numbers = [hex(int(offset, 16) - (index > 0)) for index, offset in enumerate(offsets)]
        command = ["addr2line", "-e", self.program.path, *numbers]
        for line in subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines():
            file, _, number = line.partition(" (")[0].rpartition(":")
            if number.isdigit() and os.path.basename(file) not in ("call.c", "??"):
                return f"line {number} of {os.path.basename(file)}"
        return ""
