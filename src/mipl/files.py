"""Atomic writes, bounded reads, hashes and safe names."""

import hashlib
import os
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from secrets import token_hex
from typing import IO, TypeVar

from mipl.errors import BadFile, MiplError
from mipl.swap import swap

_CHUNK = 1 << 20
_LONGEST_NAME = 1024
_TRIES = 10
_Read = TypeVar("_Read")


class FileCalls:
    """The system calls a safe write is made of; tests replace them to fail."""

    def open(self, path: Path) -> IO[bytes]:
        """Open a new file for writing."""
        return path.open("wb")

    def write(self, handle: IO[bytes], data: bytes) -> None:
        """Write all of the data."""
        handle.write(data)

    def fsync(self, path: Path) -> None:
        """Force a file's bytes to the disk."""
        with path.open("rb+") as handle:
            os.fsync(handle.fileno())

    def replace(self, source: Path, target: Path) -> None:
        """Rename over the target in one step."""
        source.replace(target)

    def swap(self, first: Path, second: Path) -> bool:
        """Exchange two names in one step; False where the system cannot."""
        return swap(first, second)

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

    A reader sees the old file or the new one, never a mixture. Whatever fails is
    raised, and the temporary file is removed. A link is written through.
    """
    with write_errors(path):
        target = writeable(Path(path))
        if target.is_dir():
            raise MiplError(f"cannot write {path}: it is a folder; give a file name.")
    one = _Unnamed(path, beside(target, token_hex(8)), target, calls)
    waiting = _WAITING.get()
    try:
        with write_errors(path):
            yield one.temporary
            calls.fsync(one.temporary)
        if waiting is None:
            one.give_name()
        else:
            waiting.append(one)
    finally:
        if waiting is None or one not in waiting:
            one.remove()


@contextmanager
def together() -> Iterator[None]:
    """Give the files that are written inside their names at the end, or none of them.

    Each is a document of its own: who is killed between two of the last renames leaves
    some new and some old. Files that mean nothing without each other need a record.
    """
    waiting: list[_Unnamed] = []
    token = _WAITING.set(waiting)
    try:
        yield
        for one in waiting:
            one.give_name()
    finally:
        _WAITING.reset(token)
        for one in waiting:
            one.remove()


@dataclass(frozen=True)
class _Unnamed:
    """A file that is written whole and has a temporary name yet."""

    path: str | Path
    temporary: Path
    target: Path
    calls: FileCalls

    def give_name(self) -> None:
        with write_errors(self.path):
            self.calls.replace(self.temporary, self.target)
            self.calls.fsync_dir(self.target.parent)

    def remove(self) -> None:
        with suppress(OSError):  # It has its name, or the failure is being raised.
            self.temporary.unlink()


# What waits for its name, inside ``together``.
_WAITING: ContextVar[list[_Unnamed] | None] = ContextVar("waiting", default=None)


def beside(target: Path, token: str) -> Path:
    """Return the name of a temporary file, or folder, of a target in its folder."""
    # The hash of the name tells whose temporary file this is, however long the name.
    own = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]
    return target.with_name(f".mipl-{own}-{token}.tmp")


def clear_temporaries(path: str | Path) -> None:
    """Remove what killed processes have left of their writes of this path."""
    with write_errors(path):
        pattern = beside(writeable(Path(path)), "*")
        for left in pattern.parent.glob(pattern.name):
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)


@contextmanager
def write_errors(path: str | Path) -> Iterator[None]:
    """Tell in a sentence why a write failed."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise MiplError(
            f"cannot write {path}: {reason}; make room or choose another place."
        ) from error


def writeable(path: Path) -> Path:
    """Return where the file really lies; refuse what a file cannot replace."""
    if "\0" in str(path):
        raise MiplError(f"cannot write {path}: a name cannot hold a zero byte.")
    if not path.parent.is_dir():
        raise MiplError(
            f"cannot write {path}: the folder {path.parent} does not exist; create it."
        )
    if path.exists() and not path.is_file() and not path.is_dir():
        # Renaming over a device such as /dev/null would replace it for everybody.
        raise MiplError(f"cannot write {path}: it is a device; give a file name.")
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise MiplError(f"cannot write {path}: its links go in a circle.") from None


def write_bytes(path: str | Path, data: bytes, calls: FileCalls = CALLS) -> None:
    """Write a whole file atomically."""
    with atomic_path(path, calls) as temporary:
        with calls.open(temporary) as handle:
            calls.write(handle, data)


def write_text(path: str | Path, text: str) -> None:
    """Write a whole UTF-8 text file atomically."""
    write_bytes(path, text.encode())


def append_bytes(path: str | Path, data: bytes) -> None:
    """Add to the end of a file; when this returns, the bytes are on the disk.

    Where the system refuses a part of them, the file is as long as it was before. Who
    is killed meanwhile may leave a part: readers must know a whole piece from one.
    Whoever else writes the file must be kept away by a lock.
    """
    target, new = writeable(Path(path)), not Path(path).exists()
    with write_errors(path), target.open("ab") as handle:
        before = handle.tell()
        try:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        except OSError:
            with suppress(OSError):
                os.ftruncate(handle.fileno(), before)
            raise
    if new:
        with write_errors(path):
            CALLS.fsync_dir(target.parent)


def make_folder(path: str | Path) -> Path:
    """Return the folder at a path, made where it is absent."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise MiplError(f"cannot make the folder {path}: {reason}.") from error
    return Path(path)


def read_bounded(path: str | Path, limit: int) -> bytes:
    """Read a file of at most ``limit`` bytes."""
    path = existing_file(path)
    try:
        with path.open("rb") as handle:
            size = os.fstat(handle.fileno()).st_size
            # Python takes the memory that a read asks for before it reads.
            data = b"" if size > limit else handle.read(size + 1)
            if len(data) > size:  # It grows, or says nothing of its size.
                data += handle.read(limit + 1 - len(data))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadFile(f"cannot read {path}: {reason}.") from error
    if (found := max(size, len(data))) > limit:
        raise BadFile(f"{path} has {found:,} bytes; at most {limit:,} are read here.")
    return data


def steadily(
    read: Callable[[], _Read], state: Callable[[], object], what: str | Path
) -> _Read:
    """Read until the state is the same before and after: all of it belongs together."""
    for _ in range(_TRIES):
        before = state()
        try:
            found = read()
        except (MiplError, OSError):
            if state() == before:
                raise
        else:
            if state() == before:
                return found
    raise BadFile(f"{what} was changed while it was read; read it again.")


def stamp(path: Path) -> tuple[int, ...] | None:
    """Return what tells one writing of a file from another; None where it is absent."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def existing(path: str | Path) -> Path:
    """Return the path if there is something at it."""
    path = Path(path)
    try:
        there = path.exists()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise MiplError(f"{path} cannot be looked for: {reason}.") from error
    if not there:
        raise MiplError(f"{path} does not exist; check the name.")
    return path


def existing_file(path: str | Path) -> Path:
    """Return the path if there is a file at it; a pipe could make us wait for ever."""
    path = existing(path)
    if not path.is_file():
        raise MiplError(f"{path} is not a file; check the name.")
    return path


def holds_file(path: str | Path) -> bool:
    """Tell whether there is a file at a path, whatever text the path is made of."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # Too long for any file, or with a zero byte.
        return False


def sha256(path: str | Path) -> str:
    """Return the hex sha256 of a file, read in pieces."""
    return _hash(existing_file(path), hashlib.sha256())


def git_blob_id(path: str | Path) -> str:
    """Return the id git gives to this content, to verify published files."""
    path = existing_file(path)
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
    path = Path(root) / name
    if _leaves(name) or not _below(path, Path(root)):
        raise MiplError(
            f"the name {name[:80]!r} leaves its folder; "
            "give a relative name without '..'."
        )
    return path


def _leaves(name: str) -> bool:
    """Tell whether a name points out of its folder, here or on another system."""
    # Some systems fold wide and leader dots to plain ones.
    plain = unicodedata.normalize("NFKC", name).replace("\\", "/")
    windows = PureWindowsPath(plain)
    parts = PurePosixPath(plain).parts
    return (
        not parts
        or len(name) > _LONGEST_NAME
        or any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name)
        or bool(windows.root or windows.drive)
        # Windows strips dots and spaces, so that '.. ' is '..'.
        or any(not part.strip(". ") for part in parts)
    )


def _below(path: Path, root: Path) -> bool:
    """Tell whether a path stays below the root when its links are followed."""
    try:
        real, root = path.resolve(), root.resolve()
    except (OSError, RuntimeError):
        return False
    return real != root and real.is_relative_to(root)


def _hash(path: Path, digest: "hashlib._Hash") -> str:
    with path.open("rb") as handle:
        while piece := handle.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()
