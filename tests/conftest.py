"""What all tests share: programs, data sets, and a web server that misbehaves."""

import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mipl.datasets import load_dataset
from mipl.errors import MissingData
from mipl.methods.catalogue.registered import forget, registered

# What a shell starts in the background is born deaf to Ctrl-C, and so are its children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def program() -> Callable[[str], Path]:
    """Find a program of the system; skip without it, fail where all is required."""

    def find(name: str) -> Path:
        found = shutil.which(name)
        if found is None:
            absent = pytest.fail if os.environ.get("MIPL_REQUIRE_ALL") else pytest.skip
            absent(f"this test needs the program {name}, which is not on this system.")
        return Path(found)

    return find


@pytest.fixture
def own_methods_forgotten() -> Iterator[None]:
    """Leave no method registered that was not before."""
    before = {row.id for row in registered()}
    yield
    for row in registered():
        if row.id not in before:
            forget(row.id)


@pytest.fixture
def loaded():
    """Load a data set, or skip where its raw files are absent."""

    def load(name, *arguments, **options):
        try:
            return load_dataset(name, *arguments, **options)
        except MissingData as missing:
            pytest.skip(str(missing))

    return load


@dataclass
class Site:
    """What the server holds, how it behaves, and what it was asked for."""

    files: dict[str, bytes] = field(default_factory=dict)
    etag: str | None = '"v1"'
    modified: str | None = None
    ranges: bool = True
    tell_length: bool = True
    cut_after: list[int] = field(default_factory=list)  # One per request, then whole.
    failures: list[int] = field(default_factory=list)  # Status codes, then well.
    redirect: str | None = None
    wrong_range: bool = False
    asked: list[dict[str, str | None]] = field(default_factory=list)
    url: str = ""


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def log_message(self, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        site = self.site
        wanted, validator = self.headers["Range"], self.headers["If-Range"]
        site.asked.append({"range": wanted, "if-range": validator})
        if site.failures:
            return self.send_error(site.failures.pop(0))
        if site.redirect:
            self.send_response(302)
            self.send_header("Location", site.redirect)
            return self.end_headers()
        content = site.files.get(self.path)
        if content is None:
            return self.send_error(404)
        same = validator is None or validator in (site.etag, site.modified)
        if wanted and site.ranges and same:
            return self._part(content, int(wanted.removeprefix("bytes=").rstrip("-")))
        self.send_response(200)
        self._body(content)

    def _part(self, content: bytes, start: int) -> None:
        if start >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        told = start + 1 if self.site.wrong_range else start
        self.send_response(206)
        self.send_header(
            "Content-Range", f"bytes {told}-{len(content) - 1}/{len(content)}"
        )
        self._body(content[start:])

    def _body(self, content: bytes) -> None:
        if self.site.tell_length:
            self.send_header("Content-Length", str(len(content)))
        if self.site.etag:
            self.send_header("ETag", self.site.etag)
        if self.site.modified:
            self.send_header("Last-Modified", self.site.modified)
        self.end_headers()
        if self.site.cut_after:
            content = content[: self.site.cut_after.pop(0)]
        self.wfile.write(content)


@pytest.fixture
def site(monkeypatch) -> Iterator[Site]:
    """Run a server on a free local port; tests put files into it and misguide it."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    site = Site()
    handler = type("Handler", (_Handler,), {"site": site})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield site
    server.shutdown()
    server.server_close()
