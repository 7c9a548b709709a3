"""Atomic writes, bounded reads, hashes and safe names."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from mipl.errors import BadFile, MiplError

_CHUNK = 1 << 20


class FileCalls:
    """The five system calls a safe write is made of; tests replace them to fail."""

    def open(self, path: Path) -> IO[bytes]:
        """Open a new file for writing."""
        return path.open("wb")

    def write(self, handle: IO[bytes], data: bytes) -> None:
        """Write all of the data."""
        handle.write(data)

    def fsync(self, path: Path) -> None:
        """Force a file's bytes to the disk."""
        with path.open("rb") as handle:
            os.fsync(handle.fileno())

    def replace(self, source: Path, target: Path) -> None:
        """Rename over the target in one step."""
        source.replace(target)

    def fsync_dir(self, folder: Path) -> None:
        """Force a folder's entries to the disk, where the system can."""
        if os.name == "posix":
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


CALLS = FileCalls()


@contextmanager
def atomic_path(path: str | Path, calls: FileCalls = CALLS) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that becomes ``path`` on success.

    A reader sees the old file or the new one, never a mixture; on any failure the
    temporary file is removed, the old file stays, and the error is raised.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise MiplError(
            f"cannot write {path}: the folder {path.parent} does not exist; create it."
        )
    if path.is_dir():
        raise MiplError(f"cannot write {path}: it is a folder; give a file name.")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        calls.fsync(temporary)
        calls.replace(temporary, path)
        calls.fsync_dir(path.parent)
    except PermissionError as error:
        raise MiplError(
            f"cannot write {path}: permission denied; choose another place."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: str | Path, data: bytes, calls: FileCalls = CALLS) -> None:
    """Write a whole file atomically."""
    with atomic_path(path, calls) as temporary:
        with calls.open(temporary) as handle:
            calls.write(handle, data)


def write_text(path: str | Path, text: str) -> None:
    """Write a whole UTF-8 text file atomically."""
    write_bytes(path, text.encode())


def read_bounded(path: str | Path, limit: int) -> bytes:
    """Read a file of at most ``limit`` bytes."""
    path = existing(path)
    size = path.stat().st_size
    if size > limit:
        raise BadFile(f"{path} has {size:,} bytes; at most {limit:,} are read here.")
    return path.read_bytes()


def existing(path: str | Path) -> Path:
    """Return the path if there is something at it."""
    path = Path(path)
    if not path.exists():
        raise MiplError(f"{path} does not exist; check the name.")
    return path


def sha256(path: str | Path) -> str:
    """Return the hex sha256 of a file, read in pieces."""
    return _hash(Path(path), hashlib.sha256())


def git_blob_id(path: str | Path) -> str:
    """Return the id git gives to this content, to verify published files."""
    path = Path(path)
    header = f"blob {path.stat().st_size}\0".encode()
    return _hash(path, hashlib.sha1(header, usedforsecurity=False))


def inside(root: str | Path, name: str) -> Path:
    """Join a name from outside to ``root``; refuse any that would leave it.

    Examples
    --------
    >>> inside("/data", "a/b.csv").as_posix()
    '/data/a/b.csv'
    >>> inside("/data", "../b.csv")
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: the name '../b.csv' leaves its folder; ...
    """
    windows = PureWindowsPath(name)
    bad = (
        not name
        or "\0" in name
        or len(name) > 1024
        or PurePosixPath(name).is_absolute()
        or windows.is_absolute()
        or bool(windows.drive)
        or ".." in PurePosixPath(name.replace("\\", "/")).parts
    )
    root = Path(root)
    if not bad:
        path = root / name
        # A link inside the folder may still point out of it.
        bad = not path.resolve().is_relative_to(root.resolve())
    if bad:
        raise MiplError(
            f"the name {name[:80]!r} leaves its folder; "
            "give a relative name without '..'."
        )
    return path


def _hash(path: Path, digest: "hashlib._Hash") -> str:
    with path.open("rb") as handle:
        while piece := handle.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()
