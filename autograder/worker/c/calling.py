"""Calling a kernel in a process of its own, and saying in a sentence what went wrong there."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch

from .compiling import C_CODE, ENVIRONMENT, CCode, Program
from .prototypes import SIGNATURES, Parameter
from .reading import Piece

CALL_SECONDS = 5.0
_TYPES = {"float*": torch.float32, "int*": torch.int32}


class CompileError(Exception):
    """The code does not compile; the text says where and why."""


class BadMemoryAccess(Exception):
    """The kernel reads or writes where it must not."""


class Undefined(Exception):
    """The kernel does something that C does not define."""


class Hang(Exception):
    """The kernel does not come back."""


class Ended(Exception):
    """The kernel ended the program."""


def call_kernel(namespace: dict, name: str, arguments: Sequence[Any]) -> list[Any]:
    """Call a kernel; the tensors among its arguments as it left them (``None`` for NULL).

    Float arrays are float32 tensors of any shape, id arrays int32. Raises `KeyError` when there is no such function,
    `NotImplementedError` for one that is empty still, and else one of the classes above.
    """
    code = namespace.get(C_CODE)
    if not isinstance(code, CCode) or name not in code.functions():
        raise KeyError(name)
    piece = code.functions()[name]
    if piece.is_stub:
        raise NotImplementedError(name)
    parameters = SIGNATURES[name]
    if wrong := _wrong_signature(piece, parameters):
        raise CompileError(wrong)
    program = code.program()
    if name in program.errors or program.problem:
        raise CompileError(program.errors.get(name, program.problem))
    data = struct.pack("=q", list(SIGNATURES).index(name)) + b"".join(map(_packed, parameters, arguments))
    return _Call(program, piece, parameters, arguments).run(data)


def _wrong_signature(piece: Piece, parameters: Sequence[Parameter]) -> str:
    """What is wrong with the types of a definition's parameters; nothing where they cannot be told."""
    known = {parameter.type for signature in SIGNATURES.values() for parameter in signature} | {"double", "size_t"}
    given = [parameter.type for parameter in piece.parameters]
    if len(given) == len(parameters) and not set(given) <= known | {kind + "*" for kind in known}:
        return ""
    if given == [parameter.type for parameter in parameters]:
        return ""
    wanted = ", ".join(
        f"{parameter.type.replace('*', ' *')}{'' if parameter.is_array else ' '}{parameter.name}"
        for parameter in parameters
    )
    return f"`{piece.function}` (line {piece.line} of {piece.label}) must take ({wanted})."


def _packed(parameter: Parameter, value: Any) -> bytes:
    if not parameter.is_array:
        return struct.pack("=d", value) if parameter.type == "float" else struct.pack("=q", value)
    if value is None:
        return struct.pack("=q", -1)
    data = value.to(_TYPES[parameter.type]).contiguous().numpy().tobytes()
    return struct.pack("=q", len(data)) + data


@dataclass(frozen=True)
class _Call:
    program: Program
    piece: Piece
    parameters: Sequence[Parameter]
    arguments: Sequence[Any]

    def run(self, data: bytes) -> list[Any]:
        try:
            done = subprocess.run(
                [self.program.path],
                input=data,
                capture_output=True,
                timeout=CALL_SECONDS,
                env=ENVIRONMENT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Hang(f"`{self.name}` did not come back within {CALL_SECONDS:g} seconds.") from None
        arrays = [(p, a) for p, a in zip(self.parameters, self.arguments) if p.is_array]
        places = struct.unpack_from(f"={len(arrays)}Q", done.stdout) if len(done.stdout) >= 8 * len(arrays) else ()
        if done.returncode == 0 and done.stdout.endswith(b"done"):
            return self._results(arrays, done.stdout[8 * len(arrays) : -4])
        self._explain(done.returncode, done.stderr.decode(errors="replace"), arrays, places)

    @property
    def name(self) -> str:
        return self.piece.function

    def _results(self, arrays: list, data: bytes) -> list[Any]:
        found: list[Any] = []
        offset = 0
        for parameter, value in arrays:
            if value is None:
                found.append(None)
                continue
            size = 4 * value.numel()
            part = bytearray(data[offset : offset + size])
            offset += size
            if len(part) != size:
                raise Ended(f"`{self.name}` spoiled the program that called it.")
            tensor = torch.frombuffer(part, dtype=_TYPES[parameter.type]) if size else torch.empty(0)
            found.append(tensor.reshape(value.shape))
        return found

    def _explain(self, code: int, stderr: str, arrays: list, places: Sequence[int]) -> NoReturn:
        """Raise the exception that says what the sanitizers, or the end of the process, have said."""
        undefined = re.search(r"^(.+?):(\d+):\d+: runtime error: (.*)$", stderr, re.MULTILINE)
        if undefined:
            label, line, text = undefined.groups()
            raise Undefined(f"`{self.name}`, line {line} of {os.path.basename(label)}: {text}.")
        report = re.search(r"AddressSanitizer: ([\w-]+)", stderr)
        where = self._where(stderr)
        if report:
            raise BadMemoryAccess(self._memory(report.group(1), stderr, where, arrays, places))
        if code < 0:
            raise BadMemoryAccess(f"`{self.name}`{where} was ended by signal {-code}.")
        raise Ended(f"`{self.name}` ended the program (exit code {code}): a kernel returns, it never calls exit().")

    def _memory(self, kind: str, stderr: str, where: str, arrays: list, places: Sequence[int]) -> str:
        access = "writes" if "WRITE of size" in stderr else "reads"
        region = re.search(
            r"located (\d+) bytes (to the right of|to the left of|after|before|inside of) (\d+)-byte region "
            r"\[0x([0-9a-f]+),",
            stderr,
        )
        if kind == "SEGV" and re.search(r"address 0x0000000000[0-9a-f]{2}\b|zero page", stderr):
            absent = [parameter.name for parameter, value in arrays if value is None]
            hint = f": `{absent[0]}` is NULL here" if absent else ""
            return f"`{self.name}`{where} {access} through a NULL pointer{hint}."
        if region and int(region.group(4), 16) in places:
            parameter, value = arrays[list(places).index(int(region.group(4), 16))]
            distance, side = int(region.group(1)) // 4 + 1, region.group(2)
            beyond = "past the end" if side in ("to the right of", "after") else "before the beginning"
            far = "the first entry" if distance == 1 else f"{distance} entries"
            has = f"which has {value.numel()} entries"
            return f"`{self.name}`{where} {access} {far} {beyond} of `{parameter.name}`, {has}."
        if kind == "SEGV":
            return f"`{self.name}`{where} {access} far outside of every array."
        said = kind.replace("-", " ")
        return f"`{self.name}`{where} {access} memory that it may not: {said}."

    def _where(self, stderr: str) -> str:
        """The learner's line in the first frame that has one."""
        frames = re.findall(r"#\d+ 0x[0-9a-f]+ .*?\((\S+)\+0x([0-9a-f]+)\)", stderr)
        if not frames or shutil.which("addr2line") is None:
            return ""
        offsets = [offset for path, offset in frames[:12] if path.endswith(("/kernels", "/exe"))][:6]
        # All but the first are addresses to which a call returns: the call is just before.
        numbers = [hex(int(offset, 16) - (index > 0)) for index, offset in enumerate(offsets)]
        done = subprocess.run(
            ["addr2line", "-e", self.program.path, *numbers], capture_output=True, text=True, check=False
        )
        for line in done.stdout.splitlines():
            file, _, number = line.partition(" (")[0].rpartition(":")
            if os.path.basename(file) not in ("call.c", "??") and number.isdigit():
                return f" (line {number} of {os.path.basename(file)})"
        return ""
