"""The server that forks one limited child for each file; started by the caller.

Python and NumPy are loaded once, then every file costs one fork. The caller hands over
the open file and the pipe for the answer as descriptors, never a name. The server
forks, waits until the caller says that it is done (or is gone), ends the child, and
reports how it ended. It holds no state between files: what a file breaks dies with its
child.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import sys
from typing import Any

from mipl.fenced.frames import END, REFUSED, Budget, Frame, Refused, write_frame
from mipl.fenced.protocol import READY, STATUS, receive_order
from mipl.fenced.tasks import TASKS

_OPEN_FILES = 64


def main(descriptor: int) -> None:
    """Serve requests that arrive on this socket until it is closed."""
    # Ending is the caller's business: it closes the socket.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=descriptor)
    control.sendall(READY)
    while request := receive_order(control):
        order, descriptors = request
        pid = os.fork()
        if pid == 0:
            control.close()
            _answer(order, *descriptors)
            os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)
        control.recv(1)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        control.sendall(STATUS.pack(status))


def _answer(order: dict[str, Any], file: int, pipe: int) -> None:
    """Run the task in this child and write its frames; every failure is a sentence."""
    _limit(order["memory"], order["cpu"])
    with os.fdopen(pipe, "wb") as out:
        try:
            task = TASKS[order["task"]]
            for frame in task(file, Budget(order["total"]), **order["options"]):
                write_frame(out, frame)
            write_frame(out, Frame(END))
        except BaseException as error:
            write_frame(out, Frame.of_text("", _sentence(error, order), REFUSED))


def _limit(memory: int, cpu: int) -> None:
    """Fence this process: address space, processor time, no files written, no core."""
    limits = {
        resource.RLIMIT_AS: _address_space() + memory,
        resource.RLIMIT_CPU: cpu + 1,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
    }
    for which, most in limits.items():
        _, hard = resource.getrlimit(which)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        # Past the soft limit of time comes a signal that can be told from others.
        soft = most - 1 if which == resource.RLIMIT_CPU else most
        try:
            resource.setrlimit(which, (soft, most))
        except (ValueError, OSError):  # Some systems know no limit of this kind.
            continue


def _address_space() -> int:
    """Bytes that this process has mapped already."""
    try:
        with open("/proc/self/statm", encoding="ascii") as handle:  # noqa: PTH123
            return int(handle.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 30


def _sentence(error: BaseException, order: dict[str, Any]) -> str:
    if isinstance(error, Refused):
        return str(error)
    if isinstance(error, MemoryError):
        return (
            f"reading it needs more than {order['memory']:,} bytes of memory, which is "
            "not allowed for a file of this size"
        )
    return f"it is damaged ({type(error).__name__}: {str(error)[:200]})"


if __name__ == "__main__":
    main(int(sys.argv[1]))
