"""nbgrader's exchange with accounts of their own, as the page on JupyterHub sets it up: who gets, and who reads, what.

The test makes the accounts, so it runs as root: `sudo -E python -m pytest tests/lms/test_exchange.py`. Each part of it
runs as one of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pwd
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

pytest.importorskip("nbgrader")

from courses import FULL, UNIT
from jupyter_core.application import NoStart
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderApp
from sandboxed import needs_jail

from autograder.course.addresses import ROOT
from autograder.lms import release
from autograder.lms.sample_class import fill, solved, to_file

COURSE = "transformers"
PAGE = (ROOT / "book" / "jupyterhub.md").read_text(encoding="utf-8")
CLONE_NEWNS = 0x20000  # of Linux: a process gets mounts of its own

pytestmark = [
    needs_jail,
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("useradd"),
        reason="accounts can only be made as root, with useradd",
    ),
]


def configuration(file: str, **instead: str) -> str:
    """A configuration file as the page gives it, with other paths in place of the page's."""
    found = re.search(rf"```python\n( *# {re.escape(file)}\n.*?)^ *```", PAGE, re.DOTALL | re.MULTILINE)
    assert found, f"the page has no configuration {file}"
    text = textwrap.dedent(found[1])
    for path, other in instead.items():
        assert path in text
        text = text.replace(path, other)
    return text


class Machine:
    """Accounts with homes that nobody else reads, and the exchange."""

    def __init__(self, base: Path):
        self.base = base
        self.exchange = base / "exchange"
        self.exchange.mkdir()
        self.exchange.chmod(0o777)
        self.system = base / "jupyter"
        self.system.mkdir()
        self.accounts: dict[str, str] = {}

    def add(self, role: str) -> Path:
        """Make an account; returns its home."""
        account = f"twb-{role}-{os.getpid()}"
        command = ["useradd", "--create-home", "--base-dir", self.base, "-K", "HOME_MODE=0700", account]
        subprocess.run(command, check=True, capture_output=True)
        self.accounts[role] = account
        return self.base / account

    def remove(self) -> None:
        for account in self.accounts.values():
            subprocess.run(["userdel", "--remove", account], check=False, capture_output=True)

    def give(self, role: str, *paths: Path) -> None:
        subprocess.run(["chown", "-R", f"{self.accounts[role]}:", *paths], check=True)

    def run(self, role: str, act: Callable[..., Any], *arguments: Any, where: Path | None = None) -> tuple[Any, str]:
        """What a function returns that runs as somebody, in a home or a folder, and what it printed.

        It runs in a fork of this process, which has imported nbgrader already.
        """
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as returned:
            child = os.fork()
            if child == 0:
                try:
                    os.dup2(said.fileno(), 1)
                    os.dup2(said.fileno(), 2)
                    sys.stdout = sys.stderr = os.fdopen(2, "w", buffering=1)
                    self._become(role, where)
                    returned.write(json.dumps(act(*arguments)).encode())
                    returned.flush()
                    os._exit(0)
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(1)
            _, status = os.waitpid(child, 0)
            said.seek(0)
            text = said.read().decode()
            assert status == 0, text
            returned.seek(0)
            return json.load(returned), text

    def _become(self, role: str, where: Path | None) -> None:
        make_reachable()
        user = pwd.getpwnam(self.accounts[role])
        os.initgroups(user.pw_name, user.pw_gid)
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
        os.umask(0o022)
        os.chdir(where or user.pw_dir)
        path = os.pathsep.join([str(Path(sys.prefix) / "bin"), os.environ["PATH"]])
        os.environ.clear()
        os.environ.update(HOME=user.pw_dir, USER=user.pw_name, LOGNAME=user.pw_name, PATH=path, LANG="C.UTF-8")
        os.environ.update(PYTHONPATH=str(ROOT), OMP_NUM_THREADS="1", JUPYTER_CONFIG_PATH=str(self.system))

    def nbgrader(self, role: str, *commands: str, where: Path | None = None) -> str:
        """Run commands of nbgrader as somebody; returns what they said."""
        return "".join(self.run(role, nbgrader, command, where=where)[1] for command in commands)

    def look(self, role: str, *paths: Path) -> set[str]:
        """What somebody can do with these paths."""
        return set(self.run(role, lambda: [look(path) for path in paths])[0])


def nbgrader(command: str) -> None:
    app = NbGraderApp.instance()
    app.initialize(command.split())
    with contextlib.suppress(NoStart):  # which says that the part of the program that the command names has run
        app.start()


def look(path: Path) -> str:
    """Whether one can read a file, or list a folder, and write into it."""
    found = []
    for act in (
        lambda: list(path.iterdir()) if path.is_dir() else path.read_bytes(),
        lambda: (path / "new").write_text("") if path.is_dir() else path.open("ab").close(),
    ):
        try:
            act()
            found.append("yes")
        except PermissionError:
            found.append("no")
    return "read: {}, write: {}".format(*found)


def make_reachable() -> None:
    """Let others than root execute this Python where it lies in root's home.

    This process gets mounts of its own. In these, a layer above such a folder has other rights; the folder keeps its
    own.
    """
    needed = (Path(os.path.realpath(sys.executable)), Path(sys.prefix), Path(sys.base_prefix), ROOT)
    closed = sorted({folder for path in needed for folder in path.parents if not folder.stat().st_mode & stat.S_IXOTH})
    if not closed:
        return
    script = ["mount --make-rprivate /", "mount -t tmpfs none /mnt"]
    for number, folder in enumerate(closed):
        if not set(closed).intersection(folder.parents):
            layer, name = f"/mnt/{number}", shlex.quote(str(folder))
            script.append(f"mkdir -p {layer}/upper {layer}/work")
            options = f"lowerdir={name},upperdir={layer}/upper,workdir={layer}/work"
            script.append(f"mount -t overlay none -o {options} {name}")
    script.append(f"chmod o+x {shlex.join(map(str, closed))}")
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "This process cannot have mounts of its own.")
    subprocess.run(["sh", "-ec", "\n".join(script)], check=True)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    base = Path(tempfile.mkdtemp(prefix="exchange-", dir="/var/tmp"))  # pytest's folders are closed to others
    base.chmod(0o755)
    made = Machine(base)
    try:
        yield made
    finally:
        made.remove()
        shutil.rmtree(base)


def test_a_class_of_two_on_one_machine(machine):
    instructor, ada, bob = map(machine.add, ("instructor", "ada", "bob"))
    names = machine.accounts

    # The two files of the page, and a released unit.
    course = instructor / COURSE
    everybody = configuration("/etc/jupyter/nbgrader_config.py", **{"/srv/nbgrader/exchange": str(machine.exchange)})
    (machine.system / "nbgrader_config.py").write_text(everybody)
    (instructor / ".jupyter").mkdir()
    own = configuration("/home/instructor/.jupyter/nbgrader_config.py", **{"/home/instructor": str(instructor)})
    (instructor / ".jupyter" / "nbgrader_config.py").write_text(own)
    release.main(["--course", str(course), UNIT])
    machine.give("instructor", instructor)
    machine.nbgrader("instructor", f"release_assignment {UNIT}", where=course)

    # A student fetches, writes, and submits. Another one submits under the first one's name, later.
    machine.nbgrader("ada", f"fetch_assignment {UNIT}")
    notebook = ada / UNIT / f"{UNIT}.ipynb"
    notebook.write_bytes(to_file(fill(nbformat.read(notebook, as_version=4), solved(UNIT))))
    machine.nbgrader("ada", f"submit {UNIT}")
    machine.nbgrader("bob", f"fetch_assignment {UNIT}", f"submit {UNIT}", f"submit {UNIT} --student={names['ada']}")

    said = machine.nbgrader(
        "instructor",
        f"collect {UNIT}",
        f"autograde {UNIT} --create",
        f"generate_feedback {UNIT}",
        f"release_feedback {UNIT}",
        where=course,
    )
    assert "without a sandbox" not in said
    points = scores(course, names)
    assert points["ada"] == sum(FULL.values())  # her own, although the other one came later
    assert points["bob"] == 0

    # Nobody reads the other's work, in the exchange or at home, or what only the instructor should have.
    inbound, feedback = (machine.exchange / COURSE / name for name in ("inbound", "feedback"))
    (hers,) = [path for path in inbound.iterdir() if path.owner() == names["ada"]]
    private = [ada, notebook, ada / ".local" / "share" / "jupyter" / "nbgrader_cache", course, course / "gradebook.db"]
    assert machine.look("bob", *private) == {"read: no, write: no"}
    assert machine.look("ada", course / "source" / UNIT / f"{UNIT}.ipynb") == {"read: no, write: no"}
    assert machine.look("bob", inbound) == {"read: no, write: yes"}
    assert len(hers.name.rpartition("+")[2]) >= 12  # the names protect what is in it: they cannot be guessed
    assert machine.look("bob", feedback) == {"read: no, write: no"}
    released = machine.exchange / COURSE / "outbound" / UNIT
    assert machine.look("bob", released, released / f"{UNIT}.ipynb") == {"read: yes, write: no"}

    # Feedback is fetched by whom it is for.
    machine.nbgrader("ada", f"fetch_feedback {UNIT}")
    (page,) = (ada / UNIT / "feedback").rglob(f"{UNIT}.html")
    assert "attention.softmax" in page.read_text(encoding="utf-8")
    machine.nbgrader("bob", f"fetch_feedback {UNIT}")
    pages = list((bob / UNIT / "feedback").rglob("*.html"))
    assert pages
    assert page.read_bytes() not in [path.read_bytes() for path in pages]


def scores(course: Path, names: dict[str, str]) -> dict[str, float]:
    with Gradebook(f"sqlite:///{course}/gradebook.db", COURSE) as gradebook:
        return {role: gradebook.find_submission(UNIT, names[role]).score for role in ("ada", "bob")}
