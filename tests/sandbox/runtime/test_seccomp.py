"""The system-call filter, run here as the kernel runs it, for both processors."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from autograder.sandbox.runtime import seccomp

ALLOWED, KILLED = "allowed", "killed"
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
PROCESSORS = list(seccomp.COLUMNS)


def verdict(processor: str, number: int, *arguments: int, architecture: int | None = None) -> str | int:
    """What the filter says to a call: `ALLOWED`, `KILLED`, or the number of an error."""
    column = seccomp.COLUMNS[processor]
    if architecture is None:
        architecture = seccomp._ARCHITECTURES[column]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = list(struct.iter_unpack("HBBI", seccomp.program(column)))
    value, position = 0, 0
    while True:
        code, then, otherwise, operand = steps[position]
        position += 1
        if code == 0x20:  # load a word
            (value,) = struct.unpack_from("=I", data, operand)
        elif code == 0x06:  # return
            return {0x7FFF0000: ALLOWED, 0x80000000: KILLED}.get(operand, operand & 0xFFFF)
        else:  # jump: equal, at least, any bit
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
            position += then if holds else otherwise


@pytest.mark.parametrize("processor", PROCESSORS)
def test_what_is_listed_is_forbidden(processor):
    for name, numbers in seccomp.FORBIDDEN.items():
        number = numbers[seccomp.COLUMNS[processor]]
        assert number is None or verdict(processor, number) == errno.EPERM, name


@pytest.mark.parametrize("processor", PROCESSORS)
def test_mounts_and_priorities_have_no_other_way(processor):
    """Siblings of what is listed, by the numbers that they share on all processors, or by their own."""
    column = seccomp.COLUMNS[processor]
    mounts = {"fsconfig": 431, "fspick": 433, "statmount": 457, "listmount": 458}
    assert [verdict(processor, number) for number in mounts.values()] == [errno.EPERM] * 4
    assert verdict(processor, (142, 118)[column]) == errno.EPERM  # sched_setparam


@pytest.mark.parametrize("processor", PROCESSORS)
def test_what_is_newer_than_the_filter_does_not_exist(processor):
    newer = [seccomp.NEWEST + 1, 467, 470, 512, 547, 0x40000000, 0x40000001, 2**32 - 1]  # some are x32's
    assert {verdict(processor, number) for number in newer} == {errno.ENOSYS}
    assert verdict(processor, seccomp.NEWEST) == ALLOWED


@pytest.mark.parametrize("processor", PROCESSORS)
def test_ordinary_calls_are_allowed(processor):
    ordinary = {"read": (0, 63), "futex": (202, 98), "execve": (59, 221), "getrandom": (318, 278), "prctl": (157, 167)}
    for name, numbers in ordinary.items():
        assert verdict(processor, numbers[seccomp.COLUMNS[processor]]) == ALLOWED, name
    for number in (436, 439, 449):  # close_range, faccessat2, futex_waitv
        assert verdict(processor, number) == ALLOWED


@pytest.mark.parametrize("processor", PROCESSORS)
def test_arguments_decide(processor):
    column = seccomp.COLUMNS[processor]

    def said(numbers: tuple[int, int], *arguments: int) -> str | int:
        return verdict(processor, numbers[column], *arguments)

    assert said(seccomp.CLONE, 17) == ALLOWED
    for flag in seccomp.NAMESPACES.values():
        assert said(seccomp.CLONE, flag | 17) == errno.EPERM
    for call in (seccomp._SOCKET, seccomp._SOCKETPAIR):
        assert said(call, 1, 1) == ALLOWED
        assert [said(call, family, 1) for family in (2, 10, 16, 30, 40)] == [errno.ENETUNREACH] * 5  # …, TIPC, vsock
    assert [said(seccomp._SETSOCKOPT, 3, 1, option) for option in (7, 32)] == [0, 0]  # send buffers: nothing is done
    assert [said(seccomp._SETSOCKOPT, 3, 1, option) for option in (2, 8, 33)] == [ALLOWED] * 3
    shared, private, anonymous = 0x01, 0x02, 0x20
    assert said(seccomp._MMAP, 0, 4096, 3, shared | anonymous) == errno.EPERM
    assert said(seccomp._MMAP, 0, 4096, 3, private | anonymous) == ALLOWED
    assert said(seccomp._MMAP, 0, 4096, 3, shared) == ALLOWED  # of a file
    assert verdict(processor, 435) == errno.ENOSYS  # clone3


def test_another_calling_convention_ends_the_process():
    assert verdict("x86_64", 0, architecture=0x40000003) == KILLED  # i386


@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_numbers_are_the_kernels(processor):
    if not HEADERS[processor].exists():
        pytest.skip("the kernel's headers are not installed")
    text = HEADERS[processor].read_text(encoding="utf-8")
    known = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", text)}
    names = {name: numbers[seccomp.COLUMNS[processor]] for name, numbers in seccomp.FORBIDDEN.items()}
    extra = {
        "clone": seccomp.CLONE,
        "socket": seccomp._SOCKET,
        "socketpair": seccomp._SOCKETPAIR,
        "mmap": seccomp._MMAP,
    }
    names |= {name: numbers[seccomp.COLUMNS[processor]] for name, numbers in extra.items()}
    compared = {name: number for name, number in names.items() if name in known}
    assert len(compared) > 40
    assert compared == {name: known[name] for name in compared}
    assert all(number is None or number > max(known.values()) for name, number in names.items() if name not in known)
