"""Calling a C kernel in a process of its own, and saying in a sentence what went wrong there."""

from __future__ import annotations

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

from .compiling import C_CODE, ENVIRONMENT, NOT_VISIBLE, CCode, Program
from .prototypes import SIGNATURES, Parameter
from .reading import Piece

CALL_SECONDS = 5.0
MAX_SAID = 100_000  # bytes that are read of what a kernel prints as an error
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
    """The C kernel does not come back."""


class Ended(KernelFailure):
    """The C kernel ended the program."""


def call_kernel(namespace: dict, name: str, arguments: Sequence[Any]) -> list[Any]:
    """Call a C kernel; the arrays among its arguments as it left them (``None`` for NULL).

    Float arrays are float32 tensors of any shape, id arrays int32. Raises `KeyError` when there is no such function,
    `NotImplementedError` for one that is still empty, and otherwise a `KernelFailure`.
    """
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
    call = _Call(program, name, [_Argument(*pair) for pair in zip(SIGNATURES[name], arguments)])
    return call.run()


def _demand_signature(piece: Piece) -> None:
    """Raises `CompileError` for wrong types of parameters; types of the learner's own making cannot be told."""
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
        data = self.value.to(_TYPES[self.parameter.type]).contiguous().numpy().tobytes()
        return struct.pack("=q", len(data)) + data


@dataclass(frozen=True)
class _Call:
    program: Program
    name: str
    arguments: Sequence[_Argument]

    @property
    def arrays(self) -> list[_Argument]:
        return [argument for argument in self.arguments if argument.parameter.is_array]

    def run(self) -> list[Any]:
        data = struct.pack("=q", list(SIGNATURES).index(self.name))
        data += b"".join(argument.packed() for argument in self.arguments)
        with tempfile.TemporaryFile() as said:
            try:
                done = subprocess.run(
                    [self.program.path],
                    input=data,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    timeout=CALL_SECONDS,
                    env=ENVIRONMENT,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise Hang(f"`{self.name}` did not come back within {CALL_SECONDS:g} seconds.") from None
            said.seek(0)
            stderr = said.read(MAX_SAID).decode(errors="replace")
        start = 8 * len(self.arrays)
        if done.returncode == 0 and done.stdout.endswith(b"done"):
            return self._results(done.stdout[start:-4])
        if done.returncode == NOT_VISIBLE and not done.stdout:
            raise CompileError(f"`{self.name}` cannot be called: begin it with `void`, without `static` or `inline`.")
        addresses = struct.unpack_from(f"={len(self.arrays)}Q", done.stdout) if len(done.stdout) >= start else ()
        raise self._failure(done.returncode, stderr, addresses)

    def _results(self, data: bytes) -> list[Any]:
        """The arrays in what the calling program wrote."""
        found: list[Any] = []
        offset = 0
        for argument in self.arrays:
            if argument.value is None:
                found.append(None)
                continue
            size = 4 * argument.value.numel()
            part = bytearray(data[offset : offset + size])
            if len(part) != size:
                raise Ended(f"`{self.name}` spoiled the program that called it.")
            dtype = _TYPES[argument.parameter.type]
            tensor = torch.frombuffer(part, dtype=dtype) if size else torch.empty(0, dtype=dtype)
            found.append(tensor.reshape(argument.value.shape))
            offset += size
        return found

    def _failure(self, code: int, stderr: str, addresses: Sequence[int]) -> KernelFailure:
        """What the sanitizers, or the end of the process, have said."""
        undefined = re.search(r"^(.+?):(\d+):\d+: runtime error: (.*)$", stderr, re.MULTILINE)
        if undefined:
            label, line, text = undefined.groups()
            where = f"line {line} of {os.path.basename(label)}"
            if "null pointer" in text:
                return BadMemoryAccess(self._through_null("writes" if "store" in text else "reads"), where)
            return UndefinedBehaviour(f"`{self.name}`: {text}.", where)
        report = re.search(r"AddressSanitizer: ([\w-]+)", stderr)
        if report:
            return BadMemoryAccess(self._access(report.group(1), stderr, addresses), self._line(stderr))
        if code < 0:
            return Ended(f"`{self.name}` was ended by signal {-code}.")
        return Ended(f"`{self.name}` ended the program (exit code {code}): a C kernel returns; it never calls exit().")

    def _access(self, kind: str, stderr: str, addresses: Sequence[int]) -> str:
        """One sentence for a report of AddressSanitizer."""
        verb = f"`{self.name}` {'writes' if 'WRITE of size' in stderr else 'reads'}"
        region = re.search(
            r"located (\d+) bytes (to the right of|to the left of|after|before) \d+-byte region \[0x([0-9a-f]+),",
            stderr,
        )
        if region and int(region.group(3), 16) in addresses:
            array = self.arrays[list(addresses).index(int(region.group(3), 16))]
            after = region.group(2) in ("to the right of", "after")
            distance = int(region.group(1)) // 4 + after  # bytes between the access and the array
            beyond = "past the end" if after else "before the beginning"
            entry = "the first entry" if distance == 1 else f"entry {distance}"
            size = array.value.numel()
            held = f"{size} entr{'y' if size == 1 else 'ies'}"
            return f"{verb} {entry} {beyond} of `{array.parameter.name}`, which has {held}."
        if kind == "SEGV" and re.search(r"address 0x0000000000[0-9a-f]{2}\b|zero page", stderr):
            return self._through_null(verb.split()[-1])
        if kind == "SEGV":
            return f"{verb} far outside of every array."
        return f"{verb} memory that it may not: {kind.replace('-', ' ')}."

    def _through_null(self, verb: str) -> str:
        absent = [array.parameter.name for array in self.arrays if array.value is None]
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
