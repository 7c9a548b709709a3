"""Folders that are replaced as a whole: a reader finds the old one or the new one."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from mipl.errors import MiplError
from mipl.files import CALLS, FileCalls, beside, steadily, write_errors, writeable

_Read = TypeVar("_Read")


@contextmanager
def atomic_folder(
    path: str | Path, files: Iterable[str], calls: FileCalls = CALLS
) -> Iterator[Path]:
    """Give a temporary folder beside ``path`` that becomes ``path`` on success.

    An earlier folder is replaced if it holds none but these files. Where the system can
    exchange two names that is one step; elsewhere the earlier folder lies aside between
    two renames, and readers open ``standing(path)``.
    """
    with write_errors(path):
        target = writeable(Path(path))
    temporary = beside(target, token_hex(8))
    try:
        with write_errors(path):
            _check_replaceable(path, target, set(files))
            temporary.mkdir()
            yield temporary
            _force_to_disk(temporary, calls)
            _put_in_place(temporary, target, calls)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def standing(path: str | Path) -> Path:
    """Return where the whole folder is: at its path, or aside while it is replaced."""
    path = Path(path)
    if os.path.exists(path) or "\0" in str(path):  # noqa: PTH110 - takes any name
        return path
    aside = _aside(path)
    return aside if os.path.isdir(aside) else path  # noqa: PTH112


def read_whole(path: str | Path, read: Callable[[Path], _Read]) -> _Read:
    """Read a folder that may be replaced meanwhile, all of it from one writing."""

    def identity() -> object:
        try:
            return standing(path).stat().st_ino
        except (OSError, ValueError):
            return None

    return steadily(lambda: read(standing(path)), identity, path)


def _aside(path: Path) -> Path:
    real = Path(os.path.realpath(path))  # Unlike Path.resolve it takes any link.
    return real.with_name(f".{real.name}.previous")


def _force_to_disk(folder: Path, calls: FileCalls) -> None:
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            _force_to_disk(entry, calls)
        else:
            calls.fsync(entry)
    calls.fsync_dir(folder)


def _put_in_place(new: Path, target: Path, calls: FileCalls) -> None:
    aside = _aside(target)
    if not target.exists():
        calls.replace(new, target)
    elif not calls.swap(new, target):
        shutil.rmtree(aside, ignore_errors=True)  # Left there by a killed process.
        calls.replace(target, aside)
        try:
            calls.replace(new, target)
        except OSError:
            aside.replace(target)
            raise
    calls.fsync_dir(target.parent)
    shutil.rmtree(aside, ignore_errors=True)


def _check_replaceable(path: str | Path, target: Path, files: set[str]) -> None:
    if target.is_file():
        raise MiplError(f"cannot write {path}: it is a file; give a folder's name.")
    if target == Path.cwd():
        raise MiplError(f"cannot write {path}: it is in use; give another folder.")
    held = {entry.name for entry in target.iterdir()} if target.exists() else set()
    others = held - files
    if others:
        raise MiplError(
            f"cannot write {path}: the folder holds other files ({min(others)}); "
            "give a new name."
        )
