"""Build the book: ``python book/build.py`` (``make book`` calls it).

Runs Jupyter Book with warnings as errors, then looks at what came out. Ends with exit status 1 and one
sentence per problem when anything is off. A page runs again only when its cells, or files of the
repository that they use, have changed (see ``_ext/dependencies.py``).
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tqdm import tqdm

BOOK = Path(__file__).resolve().parent
ROOT = BOOK.parent
BUILD = ROOT / "_build"
HTML = BUILD / "html"
LOG = BUILD / "book.log"
RUN = "import sys; from jupyter_book.cli.main import main; sys.exit(main())"
ARGUMENTS = ["build", str(ROOT), "-W", "-n", "--keep-going"]


class BookError(Exception):
    """Something that makes the book unfit to read, said in one sentence."""


def main() -> int:
    started = time.monotonic()
    try:
        require_jupyter_book()
        sys.path.insert(0, str(BOOK / "_ext"))
        import verify

        verify.require_sources(ROOT)
        with alone():
            built = run_build()
            problems = verify.execution_problems(ROOT)
            if not problems:
                problems = verify.site_problems(ROOT) if built else build_problems()
    except (BookError, FileNotFoundError) as error:
        problems = [str(error)]
    except KeyboardInterrupt:
        print("book: interrupted; pages that were executed need not run again", file=sys.stderr)
        return 130
    for problem in problems:
        print(f"book: {problem}", file=sys.stderr)
    if problems:
        return 1
    print(f"book: ready in {time.monotonic() - started:.0f} s, open {(HTML / 'index.html').relative_to(ROOT)}")
    return 0


@contextmanager
def alone(shared: bool = False) -> Iterator[None]:
    """One build at a time: wait until no other is under way. ``shared``: only to read what it made."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "book.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield


def require_jupyter_book() -> None:
    """Refuse a Jupyter Book that cannot read ``_config.yml``."""
    wanted = '"jupyter-book>=1.0.4.post1,<2"'
    try:
        found = version("jupyter-book")
    except PackageNotFoundError:
        raise BookError(f"Jupyter Book is not installed: run `pip install {wanted}`.") from None
    if found.partition(".")[0] != "1":
        raise BookError(f"Jupyter Book {found} cannot read _config.yml and _toc.yml: run `pip install {wanted}`.")


def run_build() -> bool:
    """Run Jupyter Book with its output in a log and its progress on the screen; True when it succeeded."""
    command = [sys.executable, "-c", RUN, *ARGUMENTS]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    bar = tqdm(disable=True)
    with LOG.open("w", encoding="utf-8") as log:
        try:
            for line in process.stdout:
                log.write(line)
                if match := re.match(r"pages to execute: (\d+)$", line):
                    bar = tqdm(total=int(match[1]), desc="executing", unit="page", leave=False, disable=None)
                for message in progress(line):
                    with bar.external_write_mode():
                        print(message, flush=True)
                    bar.update(bool(re.search(": (executed|failed)", message)))
            return process.wait() == 0
        except KeyboardInterrupt:
            end(process)
            raise
        finally:
            bar.close()


def end(process: subprocess.Popen[str]) -> None:
    """Let a build end that was interrupted as this process was; it ends what it runs."""
    try:
        process.wait(timeout=20)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()


def build_problems() -> list[str]:
    """The warnings and errors of a build that failed, from its log."""
    lines = [plain(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    found = [line for line in lines if re.search(r"\b(WARNING|ERROR|CRITICAL):|^\w*Error\b", line)]
    return found or [f"The build stopped; the end of {LOG.relative_to(ROOT)} says why."]


def environment() -> dict[str, str]:
    """The environment of the build and of the kernels that it starts."""
    paths = [str(ROOT), str(BOOK), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": "1",  # small tensors: more threads only disturb each other
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # else the kernel warns about frozen modules
        "AUTOGRADER_STATE": str(BUILD / ".book" / "progress.json"),  # a page that checks code is no learner
        "PYTHONUNBUFFERED": "1",
        "NO_COLOR": "1",
    }


def progress(line: str) -> Iterator[str]:
    """What to show of one line of Sphinx's output."""
    line = plain(line)
    if match := re.match(r"(reading|writing) (?:sources|output)\.\.\. \[ *(\d+)%\] (\S+)", line):
        yield f"  {match[2]:>3}% {match[1]} {match[3]}"
    elif match := re.match(r"(\S+): (executing|executed in [\d.]+ s|failed)$", line):
        yield f"       {match[1]}.md: {match[2]}"


def plain(line: str) -> str:
    """A line of output without colours, and with paths as seen from the repository."""
    return re.sub(r"\x1b\[[0-9;]*m", "", line).strip().replace(str(ROOT) + os.sep, "")


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit("This builds the whole book and takes no options: python book/build.py")
    sys.exit(main())
