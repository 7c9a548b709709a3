"""Uploads: files that a person gives, streamed into a folder of the workspace.

A draft is a folder of such files with an id; an import reads it, and what is read there
goes through the same fence as any file of unknown origin.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from secrets import token_hex
from time import time

from mipl.errors import MiplError, counted
from mipl.files import CALLS, atomic_path, inside, make_folder
from mipl.io.arrays.zip_file import unpack
from mipl.page.workspace import Workspace, is_id, safe_name

_MOST_FILES = 20_000
_DEEPEST = 6  # Folders of a name that are kept.
_FREE = 256 << 20  # Bytes of the disk that are left free.
_KEPT = 7 * 24 * 3600.0  # Seconds after which a draft that led to nothing goes.


class Uploads:
    """The drafts of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @property
    def folder(self) -> Path:
        """Where the drafts are."""
        return make_folder(self.workspace.own / "uploads")

    def begin(self) -> str:
        """Return the id of a new draft."""
        self._clear()
        id = token_hex(16)
        make_folder(self.folder / id)
        return id

    def draft(self, id: str) -> Path:
        """Return the folder of a draft."""
        if not is_id(id) or not (self.folder / id).is_dir():
            raise MiplError(
                "there is no such upload in the workspace; it was removed: begin anew."
            )
        return self.folder / id

    def files(self, id: str) -> list[str]:
        """Return the names of the files of a draft, by the way to them."""
        root = self.draft(id)
        found = (path for path in root.rglob("*") if path.is_file())
        return sorted(path.relative_to(root).as_posix() for path in found)

    async def take(self, id: str, name: str, pieces: AsyncIterator[bytes]) -> str:
        """Write what comes in pieces to a file of a draft, whole or not at all.

        Returns the name that the file has here.
        """
        root = self.draft(id)
        if sum(1 for _ in root.rglob("*")) >= _MOST_FILES:
            raise MiplError(
                f"more than {counted(_MOST_FILES, 'file')} at once are not taken; put "
                "them into a ZIP file, or into the workspace."
            )
        kept = kept_name(name)
        path = inside(root, kept)
        make_folder(path.parent)
        with atomic_path(path) as place, CALLS.open(place) as handle:
            since = 0
            async for piece in pieces:
                since += len(piece)
                if since > (1 << 24):
                    since = 0
                    self._check_room()
                handle.write(piece)
        return kept

    def unpack(self, id: str) -> list[str]:
        """Unpack the ZIP files of a draft, each into a folder of its name."""
        root, names = self.draft(id), []
        for path in sorted(root.iterdir()):
            if path.suffix.lower() == ".zip" and path.is_file():
                self._check_room()
                place = make_folder(root / f"{path.stem}.part")
                try:
                    names += unpack(path, place)
                    place.rename(root / path.stem)
                    path.unlink()
                except BaseException:
                    shutil.rmtree(place, ignore_errors=True)
                    raise
        return names

    def remove(self, id: str) -> None:
        """Remove a draft with its files."""
        shutil.rmtree(self.draft(id))

    def _check_room(self) -> None:
        if shutil.disk_usage(self.folder).free < _FREE:
            raise MiplError(
                f"the disk of {self.workspace.folder} is nearly full; make room first."
            )

    def _clear(self) -> None:
        """Remove drafts that led to nothing."""
        for path in self.folder.iterdir():
            kept = path / "kept"  # Pictures that a data set shows come from here.
            old = time() - path.stat().st_mtime > _KEPT
            if is_id(path.name) and old and not kept.exists():
                shutil.rmtree(path, ignore_errors=True)


def kept_name(name: str) -> str:
    r"""Return the name, and the folders before it, that a file of a browser gets.

    Examples
    --------
    >>> kept_name("slides/a 1.npy"), kept_name("../../etc/passwd"), kept_name("C:\\x")
    ('slides/a-1.npy', 'etc/passwd', 'C/x')
    """
    parts = name.replace("\\", "/").split("/")
    kept = [safe_name(one) for one in parts if one.strip(". ")]
    return "/".join(kept[-_DEEPEST:]) or "data"


def source_of(draft: Path) -> Path:
    """Return what of a draft is to be read: its only file or folder, or all of it.

    A folder in a folder, as ZIP files have it, is gone into.
    """
    place = draft
    while place.is_dir():
        found = [path for path in place.iterdir() if path.name != "kept"]
        found = [path for path in found if not path.name.startswith((".", "__MACOSX"))]
        if len(found) != 1:
            break
        place = found[0]
    return place
