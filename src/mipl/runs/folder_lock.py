"""One writer for the folder of a run: a lock beside it that ends with its process."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from mipl.errors import MiplError

_LONGEST = 200
_MOMENT = 0.02  # Seconds between two looks at a lock that is waited for.
_HOLDER = re.compile(r"process (\d{1,9}) on (\S+) since ")


@contextmanager
def writing_alone(folder: str | Path, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock of a folder; refuse where another holds it, after this patience.

    The system lets go of it when the process ends, however that is: a lock file that a
    killed process has left behind holds nobody up. Where there are no such locks, on
    some network file systems, it is told by the process that the file names.

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
    with _held(path, folder, monotonic() + patience) as handle:
        handle.truncate(0)
        since = datetime.now().astimezone().isoformat(" ", "minutes")
        handle.write(f"process {os.getpid()} on {socket.gethostname()} since {since}")
        handle.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


@contextmanager
def _held(path: Path, folder: Path, until: float) -> Iterator[IO[str]]:
    """Open the file and lock it; one that its holder has just removed is made anew."""
    while True:
        with path.open("a+", encoding="utf-8") as handle:
            try:
                _lock(handle, folder)
            except MiplError:
                if monotonic() >= until:
                    raise
                sleep(_MOMENT)
                continue
            with suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), os.fstat(handle.fileno())):
                    yield handle
                    return


def _lock(handle: IO[str], folder: Path) -> None:
    handle.seek(0)
    who = handle.read(_LONGEST)
    refusal = MiplError(
        f"{folder} is being written by {who or 'another process'}; wait until it is "
        "done, or give another folder."
    )
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 - not on every system

        flock(handle, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        raise refusal from None
    except (ImportError, OSError):
        if _lives(who):
            raise MiplError(
                f"{str(refusal)[:-1]}; if that process is gone, remove {handle.name}."
            ) from None


def _lives(who: str) -> bool:
    """Tell whether the process that a lock file names may still be at work.

    Examples
    --------
    >>> _lives(""), _lives(f"process {os.getpid()} on {socket.gethostname()} since ...")
    (False, True)
    """
    named = _HOLDER.match(who)
    if named is None:
        return False  # Nobody, or nobody yet.
    if named[2] != socket.gethostname():
        return True
    try:
        os.kill(int(named[1]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # It is somebody else's.
    return True
