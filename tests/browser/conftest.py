"""The built book on a local server, Chromium to read it with, and a Jupyter server of a test's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from visiting import HTML, PAGES, ROOT

sys.path.insert(0, str(ROOT / "book"))
import build
import serving

# No other host is found. (Refusing requests one by one would turn off the browser's cache.)
ONLY_HERE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
SCREENSHOTS = ROOT / "_build" / "screenshots"
# JupyterLab as a test needs it: every cell in the page, whether it is on the screen or not, and no news from outside.
LAB_SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site. A build that is under way comes to its end first."""
    with build.alone(shared=True):
        pass
    missing = [page for page in PAGES if not (HTML / f"{page}.html").is_file()]
    if missing:
        pytest.fail(f"The book is not built ({missing[0]}.html is missing): run `make book`.", pytrace=False)
    return HTML


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Address of a local server of the site."""
    with serving.serve(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, from the system. Not for longer than a file: as long as it is there, an event loop is running."""
    executable = serving.chromium()
    if executable is None:
        pytest.fail("Chromium is missing: run `apt-get install chromium`.", pytrace=False)
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        pytest.fail("Playwright is missing: run `pip install playwright`.", pytrace=False)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", ONLY_HERE])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], str]]:
    """Starts JupyterLab on a folder and gives its address; settings, history and kernels' files stay in the test."""
    servers: list[subprocess.Popen[bytes]] = []

    def start(folder: Path) -> str:
        own = tmp_path_factory.mktemp("jupyter")
        for name, settings in LAB_SETTINGS.items():
            file = own / "lab" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(settings))
        variables = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        options = {
            "ServerApp.root_dir": folder,
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": 0,
            "IdentityProvider.token": "",
            "ServerApp.disable_check_xsrf": True,
            "LabApp.user_settings_dir": own / "lab",
            "LabApp.workspaces_dir": own / "workspaces",
        }
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        environment = os.environ | {name: str(own / name.lower()) for name in variables}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        with (own / "log.txt").open("wb") as log:
            servers.append(
                subprocess.Popen(
                    command + [f"--{name}={value}" for name, value in options.items()],
                    cwd=folder,  # nbgrader takes its configuration from here
                    env=environment,
                    stdout=log,
                    stderr=log,
                )
            )
        return _address(own, servers[-1])

    yield start
    for server in servers:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()


def _address(own: Path, server: subprocess.Popen[bytes]) -> str:
    """Where the server answers, once it does."""
    for _ in range(600):
        for file in own.glob("jupyter_runtime_dir/jpserver-*.json"):
            try:
                address = json.loads(file.read_text())["url"].rstrip("/")
                urllib.request.urlopen(f"{address}/api", timeout=5).close()
            except (OSError, json.JSONDecodeError):  # not written to the end yet
                break
            return address
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError(f"JupyterLab did not start: {(own / 'log.txt').read_text()[-2000:]}")


@pytest.fixture
def screenshot() -> Callable[[Any, str], None]:
    """Saves what a page shows under ``_build/screenshots``, from where ``make screenshot`` takes it for the book."""

    def take(page: Any, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(SCREENSHOTS / f"{name}.png"))

    return take
