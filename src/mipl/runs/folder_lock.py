"""One writer for the folder of a run: a lock beside it that ends with its process."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO

from mipl.errors import MiplError

_LONGEST = 200


@contextmanager
def writing_alone(folder: str | Path) -> Iterator[None]:
    """Hold the lock of a folder; refuse at once where another process does.

    The system lets go of it when the process ends, however that is: a lock file that a
    killed process has left behind holds nobody up.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place, writing_alone(f"{place}/run"):
    ...     with writing_alone(f"{place}/run"):
    ...         pass
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: ... is being written by process ...
    """
    folder = Path(folder).absolute()
    path = folder.with_name(f".{folder.name}.lock")
    with _held(path, folder) as handle:
        handle.truncate(0)
        since = datetime.now().astimezone().isoformat(" ", "minutes")
        handle.write(f"process {os.getpid()} on {socket.gethostname()} since {since}")
        handle.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


@contextmanager
def _held(path: Path, folder: Path) -> Iterator[IO[str]]:
    """Open the file and lock it; one that its holder has just removed is made anew."""
    while True:
        with path.open("a+", encoding="utf-8") as handle:
            _lock(handle, folder)
            with suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), os.fstat(handle.fileno())):
                    yield handle
                    return


def _lock(handle: IO[str], folder: Path) -> None:
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        handle.seek(0)
        who = handle.read(_LONGEST) or "another process"
        raise MiplError(
            f"{folder} is being written by {who}; wait until it is done, or give "
            "another folder."
        ) from None
    except OSError:
        return  # Some network file systems know no locks.
