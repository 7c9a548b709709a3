"""Workspace: the folder that a page shows; what lies in it is called by ids.

An id is made of the place in the folder, so that links stay good. From an id no path
is made: what lies in the folder is looked through for it.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path

from mipl.errors import MiplError
from mipl.files import make_folder
from mipl.plain_text import plain, shortened
from mipl.runs.run_files import MODEL, RUN, checkpoint_path

DATA, RUNS, REVIEWS = "data", "runs", "reviews"
OWN = ".mipl"  # What the page itself keeps: jobs, uploads.
NATIVE = ".bags.h5"
_DEPTH = 2  # Folders below the workspace that are looked through.
_MOST = 10_000  # Things of a folder that are looked at.
_ID = re.compile("[0-9a-f]{32}")
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Place:
    """A data set, a run, or a file or folder of the workspace.

    Attributes
    ----------
    id : str
        32 hexadecimal digits.
    name : str
        As it is shown: letters that steer are replaced.
    path : Path
        Absolute.
    within : str
        The path from the workspace, which runs and commands are given.
    changed : float
        Seconds since 1970.
    """

    id: str
    name: str
    path: Path
    within: str
    changed: float

    @property
    def when(self) -> str:
        """The day and the minute of the last change, in UTC."""
        return f"{datetime.fromtimestamp(self.changed, UTC):%Y-%m-%d %H:%M}"


def is_id(text: str) -> bool:
    """Tell whether a text has the form of an id.

    Examples
    --------
    >>> is_id("0" * 32), is_id("../etc"), is_id("A" * 32)
    (True, False, False)
    """
    return _ID.fullmatch(text) is not None


def id_of(text: str) -> str:
    """Return the id of a place in the workspace.

    Examples
    --------
    >>> is_id(id_of("data/trees.bags.h5"))
    True
    """
    return sha256(os.fsencode(text)).hexdigest()[:32]


class Workspace:
    """The folder of a page; it is made where it is absent.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "trees.bags.h5").write_bytes(b"")
    ...     work = Workspace(folder)
    ...     [one] = work.datasets()
    ...     one.name, work.dataset(one.id) == one, work.runs()
    ('trees', True, [])
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = make_folder(folder).resolve()

    @property
    def own(self) -> Path:
        """The folder that the page keeps for itself."""
        return make_folder(self.folder / OWN)

    def datasets(self) -> list[Place]:
        """Return the data sets, those changed last first."""
        return self._sorted(p for p in self._all() if p.name.endswith(NATIVE))

    def runs(self) -> list[Place]:
        """Return the finished runs, those changed last first."""
        return self._sorted(p for p in self._all() if _is_run(p))

    def others(self) -> list[Place]:
        """Return what may be imported: files and folders that are none of ours."""
        found = []
        for path in self._listed(self.folder):
            known = path.name in (DATA, RUNS, REVIEWS) or path.name.endswith(NATIVE)
            if not known and not _is_run(path) and not _beside(path):
                found.append(path)
        return self._sorted(found)

    def dataset(self, id: str) -> Place:
        """Return the data set of an id."""
        return _found(self.datasets(), id, "data set")

    def run(self, id: str) -> Place:
        """Return the finished run of an id."""
        return _found(self.runs(), id, "run")

    def other(self, id: str) -> Place:
        """Return the file or folder of an id."""
        return _found(self.others(), id, "file")

    def place(self, path: Path) -> Place:
        """Return what lies at a path of the workspace."""
        within = path.relative_to(self.folder).as_posix()
        name = path.name.removesuffix(NATIVE) if path.is_file() else path.name
        changed = path.stat().st_mtime
        return Place(id_of(within), shown(name), path, within, changed)

    def new_dataset(self, name: str) -> Path:
        """Return where a new data set of this name goes; nothing lies there."""
        return self._free(DATA, name, NATIVE)

    def new_run(self, name: str) -> Path:
        """Return where a new run of this name goes; nothing lies there."""
        return self._free(RUNS, name, "")

    def _free(self, kind: str, name: str, suffix: str) -> Path:
        folder = make_folder(self.folder / kind)
        stem = safe_name(name)
        for number in range(1, _MOST):
            more = "" if number == 1 else f"-{number}"
            path = folder / f"{stem}{more}{suffix}"
            if not path.exists() and not checkpoint_path(path).exists():
                return path
        raise MiplError(f"{folder} has too many things called {stem}; remove some.")

    def _all(self) -> Iterator[Path]:
        """Give what lies in the workspace and a little below; runs are not entered."""
        waiting = [(self.folder, 0)]
        while waiting:
            folder, depth = waiting.pop()
            for path in self._listed(folder):
                yield path
                if depth < _DEPTH and path.is_dir() and not _is_run(path):
                    waiting.append((path, depth + 1))

    def _listed(self, folder: Path) -> list[Path]:
        """Return what a folder holds; hidden things and links that leave are not."""
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in islice(entries, _MOST)]
        except OSError:
            return []
        paths = [folder / name for name in sorted(names) if not name.startswith(".")]
        return [p for p in paths if not p.is_symlink() or self._holds(p)]

    def _holds(self, path: Path) -> bool:
        try:
            return path.resolve(strict=True).is_relative_to(self.folder)
        except (OSError, RuntimeError):
            return False

    def _sorted(self, paths: Iterator[Path] | list[Path]) -> list[Place]:
        found = []
        for path in paths:
            try:
                found.append(self.place(path))
            except OSError:  # It has gone in this moment.
                continue
        return sorted(found, key=lambda one: (-one.changed, one.within))


def _is_run(path: Path) -> bool:
    return (path / RUN).is_file() and (path / MODEL).is_dir()


def _beside(path: Path) -> bool:
    """Tell whether a file belongs to a run or to a results store."""
    return path.name.endswith((".checkpoint", ".db", ".db-wal", ".db-shm", ".part"))


def _found(places: list[Place], id: str, kind: str) -> Place:
    for one in places:
        if one.id == id:
            return one
    raise MiplError(
        f"there is no such {kind} in the workspace; it was moved, renamed or removed."
    )


def shown(text: object) -> str:
    """Return text of unknown origin as a page shows it: no steering, not too long."""
    return shortened(plain(text), 200)


def safe_name(name: str) -> str:
    """Return a name that every system takes for a file.

    Examples
    --------
    >>> safe_name("Häuser & Bäume.csv"), safe_name("../.."), safe_name("CON")
    ('Häuser-Bäume.csv', 'data', 'CON-')
    """
    normal = unicodedata.normalize("NFKC", name)
    kept = "".join(c if c.isalnum() or c in "._-" else " " for c in normal)
    stem = "-".join(kept.split()).strip(".-_ ")
    while len(stem.encode()) > _LONGEST_NAME:
        stem = stem[:-1]
    stem = stem.strip(".-_ ") or "data"
    reserved = re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", stem)
    return f"{stem}-" if reserved else stem
