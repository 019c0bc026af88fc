"""Run the cells of pages side by side, one page on each core, while Sphinx reads the pages that have run.

myst-nb would run a page when Sphinx reads it, one after the other. It takes from its cache (jupyter-cache) what is
there, so pages are run here first and their outputs put there. A run is in the cache as soon as it has ended: a build
that fails or is interrupted loses none. The cache keeps with each run the fingerprint of the repository's files that
the page used (`dependencies`); a run with another fingerprint does not count.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

import kernels
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.nb_to_tokens import nb_node_to_dict
from myst_nb.core.read import create_nb_reader
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
WRITING = threading.Lock()  # one thread at a time writes into the cache
Failure = dict[str, Any]  # how the cells of a page failed, in the form in which myst-nb records it


@dataclass
class Page:
    """A page with code, as the cache knows it."""

    name: str
    file: Path
    notebook: NotebookNode
    timeout: int
    fingerprint: str

    @cached_property
    def length(self) -> int:
        """How much code it has."""
        return sum(len(cell.source) for cell in self.notebook.cells if cell.cell_type == "code")

    def is_in(self, cache: JupyterCacheAbstract) -> bool:
        """Whether the cache has the outputs of these cells, made with the files as they are now."""
        try:
            bundle = cache.get_cache_bundle(cache.match_cache_notebook(self.notebook).pk)
        except KeyError:
            return False
        return bundle.record.data.get("fingerprint") == self.fingerprint

    def run(self, cache: JupyterCacheAbstract) -> Failure | None:
        """Run the cells and keep their outputs in the cache, unless one failed."""
        _say(f"{self.name}: executing")
        try:
            run = single_nb_execution(
                self.notebook, cwd=str(self.file.parent), allow_errors=False, timeout=self.timeout
            )
            error, report = run.err, run.exc_string
        except Exception as exception:  # the kernel died, or did not start
            error, report = exception, traceback.format_exc()
        if error is not None:
            _say(f"{self.name}: failed")
            return {"succeeded": False, "error": type(error).__name__, "traceback": report}
        data = {"execution_seconds": run.time, "fingerprint": self.fingerprint}
        with WRITING:
            bundle = CacheBundleIn(self.notebook, str(self.file), data=data)
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        _say(f"{self.name}: executed in {run.time:.1f} s")
        return None


class Runs:
    """The runs of one build."""

    def __init__(self) -> None:
        self._started: dict[str, Future[Failure | None]] = {}
        self._failed: dict[str, Failure] = {}

    def start(self, app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
        """Sphinx event ``env-before-read-docs``: start the pages whose outputs the cache does not have.

        Sphinx reads them last, in the order in which they start.
        """
        cache = get_cache(app.config.nb_execution_cache_path or Path(app.outdir).parent / ".jupyter_cache")
        stale = [page for name in names if (page := _page(env, name)) and not page.is_in(cache)]
        if not stale:
            return
        # The longest code first: no core shall wait at the end for a page that takes long.
        stale.sort(key=lambda page: -page.length)
        order = {page.name: number for number, page in enumerate(stale)}
        names.sort(key=lambda name: order.get(name, -1))
        LOGGER.info("pages to execute: %d", len(stale))
        if len(stale) > 1:  # for a single page it would save nothing
            kernels.fork_kernels()
        pool = ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0)))
        _end_kernels_when_interrupted(pool)
        self._started = {page.name: pool.submit(page.run, cache) for page in stale}

    def wait(self, app: Sphinx, name: str, source: list[str]) -> None:
        """Sphinx event ``source-read``: wait until the page has run. If it failed, the build ends, after all runs."""
        if name in self._started and self._started[name].result() is not None:
            self._failed = {name: failure for name, run in self._started.items() if (failure := run.result())}
            raise ExtensionError(f"Cells failed in {' and '.join(self._failed)}.")

    def record(self, app: Sphinx, exception: Exception | None) -> None:
        """Sphinx event ``build-finished``: write how the cells of all pages ran, for book/build.py to read."""
        metadata = getattr(app.env, "nb_metadata", {}) if hasattr(app, "env") else {}
        pages = {page: data["exec_data"] for page, data in metadata.items() if data.get("exec_data")}
        file = Path(app.outdir).parent / ".book" / "execution.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(pages | self._failed, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _say(text: str) -> None:
    """Log a line from a thread. It begins with a line break, for Sphinx may be in the middle of a line of its own."""
    LOGGER.info("\n%s", text)


def _page(env: BuildEnvironment, name: str) -> Page | None:
    """The page as myst-nb will read it; None if it has no code."""
    file = Path(env.doc2path(name))
    text = file.read_text(encoding="utf-8")
    reader = create_nb_reader(str(file), env.myst_config, env.mystnb_config, text)  # type: ignore[attr-defined]
    if reader is None:
        return None
    notebook = reader.read(text)
    config = env.mystnb_config.copy(**nb_node_to_dict(notebook.metadata.get("mystnb", {})))  # type: ignore[attr-defined]
    page = Page(name, file, notebook, config.execution_timeout, env.workbook_fingerprints[name])  # type: ignore[attr-defined]
    return page if page.length else None


def _end_kernels_when_interrupted(pool: ThreadPoolExecutor) -> None:
    """Let Ctrl-C end what runs: Python waits for its threads, and these for their kernels."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        pool.shutdown(wait=False, cancel_futures=True)
        kernels.kill_all()
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
