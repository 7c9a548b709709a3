"""The caller's end of the processes that read files, and a pool of them."""

from __future__ import annotations

import atexit
import fcntl
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mipl.errors import MiplError
from mipl.fenced.frames import (
    END,
    FRAME_BYTES,
    REFUSED,
    Frame,
    Refused,
    read_frame,
)
from mipl.fenced.protocol import DONE, READY, STATUS, receive, send_order

_START_SECONDS = 60.0
_END_SECONDS = 5.0
_PIPE_BYTES = 1 << 20
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")


class Server:
    """A running server process and the socket to it."""

    def __init__(self, module: str = "mipl.fenced.server") -> None:
        if not hasattr(socket, "send_fds"):
            raise MiplError("this file is read in a child process, which needs POSIX.")
        self.control, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(number)],
                pass_fds=(number,),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                cwd="/",
                start_new_session=True,
            )
        self.control.settimeout(_START_SECONDS)
        if self._receive(len(READY)) != READY:
            self.close()
            raise MiplError(
                "the process that reads files could not be started; "
                f"check that {sys.executable} -m {module} runs."
            )

    def frames(self, file: int, order: dict[str, Any], wall: int) -> Iterator[Frame]:
        """Send an order and give the frames of the answer, at most ``total`` bytes."""
        ours, theirs = _wide_pipe()
        answer = _Answer(ours, time.monotonic() + wall)
        try:
            try:
                send_order(self.control, order, file, theirs)
            finally:
                os.close(theirs)
            yield from _frames(answer, order["total"])
            return
        except TimeoutError:
            raise Refused(f"reading it took more than {wall} seconds") from None
        except (EOFError, ConnectionError):
            pass  # How the child ended is told below.
        finally:
            answer.close()
            status = self._end()
        raise Refused(_death(status))

    def _end(self) -> int | None:
        """Let the server end the child; return how it had ended."""
        try:
            self.control.sendall(DONE)
        except ConnectionError:
            return None
        raw = self._receive(STATUS.size)
        return STATUS.unpack(raw)[0] if len(raw) == STATUS.size else None

    def _receive(self, length: int) -> bytes:
        try:
            return receive(self.control, length)
        except (TimeoutError, ConnectionError):
            return b""

    @property
    def alive(self) -> bool:
        """Whether it can take a file."""
        return self.process.poll() is None

    def close(self) -> None:
        """End the server, which leaves when its socket is closed."""
        self.control.close()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class _Answer:
    """The reading end of the pipe, with a deadline."""

    def __init__(self, pipe: int, deadline: float) -> None:
        self.pipe = pipe
        self.deadline = deadline
        self.ready = selectors.DefaultSelector()
        self.ready.register(pipe, selectors.EVENT_READ)
        os.set_blocking(pipe, False)

    def fill(self, buffer: memoryview) -> None:
        """Fill the buffer, or raise EOFError or TimeoutError."""
        while len(buffer):
            try:
                n = os.readv(self.pipe, [buffer])
            except BlockingIOError:
                left = self.deadline - time.monotonic()
                if left <= 0 or not self.ready.select(left):
                    raise TimeoutError from None
                continue
            if n == 0:
                raise EOFError
            buffer = buffer[n:]

    def close(self) -> None:
        """Close the pipe."""
        self.ready.close()
        os.close(self.pipe)


def _wide_pipe() -> tuple[int, int]:
    """Return a pipe; a wide one, where the system can, saves changes of process."""
    ours, theirs = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return ours, theirs


def _frames(answer: _Answer, total: int) -> Iterator[Frame]:
    """Give the frames up to the end, counting their bytes before they are taken."""
    while (frame := read_frame(answer.fill, total)).kind != END:
        if frame.kind == REFUSED:
            text = "".join(c if c.isprintable() else "?" for c in frame.text[:500])
            raise Refused(text)
        total -= FRAME_BYTES + (frame.nbytes if frame.has_bytes else 0)
        if total < 0:
            raise Refused("it holds more arrays than max_bytes allows")
        yield frame


def _death(status: int | None) -> str:
    """Say how a child ended that gave no whole answer."""
    if status is None or not os.WIFSIGNALED(status):
        return "the process that read it ended early"
    name = signal.Signals(os.WTERMSIG(status)).name
    if name == "SIGXCPU":
        return "reading it took too long; it is damaged or much too large"
    return f"it is damaged: reading it crashed the child process ({name})"


def _environment() -> dict[str, str]:
    """Return a minimal environment in which the same modules are found."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(str(Path(p).absolute()) for p in sys.path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",  # The server forks, so it has one thread.
        "OMP_NUM_THREADS": "1",
    }


# Servers that wait for a file, by process: a fork does not inherit the use of them.
_IDLE: dict[int, list[Server]] = {}


@contextmanager
def lend() -> Iterator[Server]:
    """Lend a server that nobody else uses at the time."""
    idle = _IDLE.setdefault(os.getpid(), [])
    server = None
    while server is None and idle:
        server = idle.pop()
        if not server.alive:
            server.close()
            server = None
    server = server or Server()
    try:
        yield server
    finally:
        if server.alive:
            idle.append(server)
        else:
            server.close()


@atexit.register
def close_all() -> None:
    """End the servers of this process that wait for a file."""
    for server in _IDLE.pop(os.getpid(), []):
        server.close()
