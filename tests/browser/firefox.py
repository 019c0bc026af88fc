"""The system's Firefox, driven over WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/).

Firefox speaks this protocol itself: JSON over a WebSocket. Playwright drives only a Firefox of its own, which it has to
download, and Debian has no geckodriver.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import websocket

# What Firefox logs of a request whose page was left before the answer had come: NS_BINDING_ABORTED for a font, and a
# sentence of its own where a service worker was answering (it prefetches the page that `rel="next"` names). What a
# worker gets wrong is told in other words: which promise was rejected, which response was no answer.
LEFT_BEHIND = (f"status={0x804B0002}", "A ServiceWorker intercepted the request and encountered an unexpected error.")
START_SECONDS = 60
ANSWER_SECONDS = 120
KEYS = {"Control": "\ue009", "Enter": "\ue007", "ArrowUp": "\ue013"}  # as WebDriver writes them
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


class Firefox:
    """One tab. ``complaints`` holds the errors and warnings of its pages."""

    def __init__(self, program: str, profile: Path) -> None:
        self.complaints: list[str] = []
        self._ids = itertools.count(1)
        self._log = profile / "firefox.log"
        command = [program, "--headless", "--profile", str(profile), "--remote-debugging-port", "0"]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            # Firefox refuses a connection from a page, which the header `Origin` would announce.
            address = f"{self._address()}/session"
            self._socket = websocket.create_connection(address, timeout=ANSWER_SECONDS, suppress_origin=True)
            self.call("session.new", capabilities={})
            self.call("session.subscribe", events=["log.entryAdded"])
            self._tab = self.call("browsingContext.getTree")["contexts"][0]["context"]
        except BaseException:
            self._process.kill()
            raise

    def _address(self) -> str:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if found := LISTENING.search(self._log.read_text(errors="replace")):
                return found[1]
            time.sleep(0.1)
        raise AssertionError(f"Firefox does not answer: {self._log.read_text(errors='replace')[-2000:]}")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of one command; raises `AssertionError` with Firefox's message when it fails."""
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("method") == "log.entryAdded" and message["params"]["level"] in ("error", "warn"):
                self._complained(message["params"]["text"])
            if message.get("id") == number:
                assert message["type"] == "success", f"{method}: {message['message']}"
                return message["result"]

    def _complained(self, text: str) -> None:
        if not any(left in text for left in LEFT_BEHIND):
            self.complaints.append(text)

    def open(self, address: str) -> None:
        """Go to a page, until it and its pictures are there.

        Firefox answers sooner on a busy machine: while the page is still being read, though it is asked to wait.
        """
        self.ask("window.isLeft = true")
        self.call("browsingContext.navigate", context=self._tab, url=address, wait="complete")
        self.wait("!window.isLeft && document.readyState === 'complete'", ANSWER_SECONDS)

    def screen(self, width: int, height: int) -> None:
        self.call("browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height})

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page, which JSON can hold; of a promise, what it comes to."""
        done = self.call(
            "script.evaluate",
            expression=f"Promise.resolve({expression}).then(JSON.stringify)",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert done["type"] == "success", done["exceptionDetails"]["text"]
        return json.loads(done["result"].get("value", "null"))

    def wait(self, condition: str, seconds: float = 20) -> None:
        """Until an expression in the page is true."""
        deadline = time.monotonic() + seconds
        while not self.ask(f"Boolean({condition})"):
            assert time.monotonic() < deadline, f"never true: {condition}"
            time.sleep(0.05)

    def press(self, *keys: str) -> None:
        """Press keys, each while those before it are held, and let go of all."""
        named = [KEYS.get(key, key) for key in keys]
        down = [{"type": "keyDown", "value": key} for key in named]
        up = [{"type": "keyUp", "value": key} for key in reversed(named)]
        self._act([{"type": "key", "id": "keyboard", "actions": down + up}])

    def type(self, text: str) -> None:
        for letter in text:
            self.press(letter)

    def click(self, selector: str) -> None:
        """A real click in the middle of the first visible element of a selector."""
        x, y = self.ask(
            f"""(() => {{ const found = [...document.querySelectorAll({json.dumps(selector)})];
            const element = found.find((one) => one.getClientRects().length) ?? found[0];
            element.scrollIntoView({{ block: "center", behavior: "instant" }});
            const box = element.getBoundingClientRect();
            return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]; }})()"""
        )
        # Firefox refuses a click before it has painted the page.
        self.ask("new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted(1))))")
        button = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act([{"type": "pointer", "id": "mouse", "actions": [{"type": "pointerMove", "x": x, "y": y}, *button]}])

    def _act(self, actions: list[dict[str, Any]]) -> None:
        self.call("input.performActions", context=self._tab, actions=actions)

    def close(self) -> None:
        try:
            self.call("browser.close")
            self._process.wait(20)
        except Exception:  # a browser that hangs
            self._process.kill()
            self._process.wait()
