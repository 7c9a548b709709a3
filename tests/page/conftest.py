"""A server in a process of its own, and a browser before it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
LONG = 180_000  # Milliseconds until a busy machine has drawn a screen.
AXE = Path(sys.prefix) / "axe/node_modules/axe-core/axe.min.js"


def absent(what: str) -> None:
    missing = pytest.fail if os.environ.get("MIPL_REQUIRE_ALL") else pytest.skip
    missing(f"this test needs {what}, which is not here; make test installs it.")


class PageServer:
    """``mipl ui`` on a workspace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        words = ["ui", str(folder), "--port", "0", "--no-open"]
        self.output = folder.parent / f"{folder.name}.{time.monotonic_ns()}.txt"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mipl.cli.main", *words],
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        end = time.monotonic() + LONG / 1000
        while not self.links():
            assert self.process.poll() is None, self.told()
            assert time.monotonic() < end, self.told()
            time.sleep(0.05)

    def told(self) -> str:
        return self.output.read_text()

    def links(self) -> list[str]:
        return re.findall(r"http://\S+/enter\?key=[\w-]{43}(?=\s)", self.told())

    @property
    def address(self) -> str:
        return self.links()[-1].partition("/enter")[0]

    def end(self, how: int = signal.SIGINT) -> None:
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def serve() -> Iterator:
    """Start servers on workspaces; they end with the test."""
    begun: list[PageServer] = []

    def start(folder: Path) -> PageServer:
        begun.append(PageServer(folder))
        return begun[-1]

    yield start
    for one in begun:
        one.end()


@pytest.fixture(scope="session")
def chromium():
    """A browser; skip where there is none, fail where all is required."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        absent("Chromium")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - optional

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Visitor:
    """A person at a browser, who notes what no page of ours may do."""

    def __init__(self, browser, server: PageServer, **how) -> None:
        told = {"viewport": {"width": 1280, "height": 860}, **how}
        self.server = server
        self.context = browser.new_context(**told)
        self.context.set_default_timeout(LONG)
        self.context.set_default_navigation_timeout(LONG)
        self.outside: list[str] = []
        self.faults: list[str] = []
        self.context.on("request", self._asked)
        self.page = self.tab()
        self.page.goto(server.links()[-1])
        self.page.wait_for_selector(".h1")

    def tab(self):
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", lambda dialog: self.faults.append(dialog.message))
        page.on(
            "console",
            lambda told: (
                self.faults.append(told.text)
                if told.type == "error" and "Failed to load resource" not in told.text
                else None
            ),
        )
        return page

    def _asked(self, request) -> None:
        ours = (self.server.address, "data:", "blob:")
        if not request.url.startswith(ours):
            self.outside.append(request.url)

    def go(self, path: str, shows: str, page=None) -> None:
        page = page or self.page
        page.goto(self.server.address + path)
        page.wait_for_selector(shows)

    def press(self, words: str) -> None:
        self.page.locator(".button", has_text=words).first.click()

    def sees(self, words: str) -> None:
        self.page.get_by_text(words).first.wait_for()

    def leave(self) -> None:
        """Close the browser; nothing was asked elsewhere, and nothing has failed."""
        self.context.close()
        assert self.outside == []
        assert self.faults == []


@pytest.fixture
def visit(chromium, serve) -> Iterator:
    """Visit a workspace: start a server on it and open its link."""
    here: list[Visitor] = []

    def come(folder: Path, server: PageServer | None = None, **how) -> Visitor:
        here.append(Visitor(chromium, server or serve(folder), **how))
        return here[-1]

    yield come
    for one in here:
        one.context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The program that judges contrast and names."""
    if not AXE.is_file():
        absent("axe-core")
    return AXE.read_text("utf-8")
