"""What looks at the built book from outside: a browser, and a local server that sends what a static host sends.

That is compressed text, and headers to cache it.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import io
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMPRESSED = {".html", ".js", ".css", ".svg", ".json", ".txt", ".inv"}


def chromium() -> str | None:
    """The program of Chromium, or of Chrome, that this system has."""
    found = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    return next(filter(None, found), None)


def size_as_sent(name: str, body: bytes) -> int:
    """Bytes of a file's body on the wire."""
    return len(gzip.compress(body, 6)) if Path(name).suffix in COMPRESSED else len(body)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of one folder; says nothing."""

    protocol_version = "HTTP/1.1"

    def send_head(self) -> io.BytesIO | None:
        file = Path(self.translate_path(self.path))
        if file.is_dir():
            file /= "index.html"
        found = file.is_file()
        if not found:
            file = Path(self.directory) / "404.html"
            if not file.is_file():
                self.send_error(404)
                return None
        body = file.read_bytes()
        compressed = file.suffix in COMPRESSED and "gzip" in self.headers.get("Accept-Encoding", "")
        if compressed:
            body = _compressed(file, file.stat().st_mtime_ns)
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    """Says nothing of a browser that closes a connection without reading all, as one does that has been closed."""

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@functools.lru_cache(maxsize=None)
def _compressed(file: Path, _changed: int) -> bytes:
    return gzip.compress(file.read_bytes(), 6)


@contextmanager
def serve(folder: Path, port: int = 0) -> Iterator[str]:
    """Serve a folder; gives the server's address."""
    server = Server(("127.0.0.1", port), functools.partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
