"""Zip archives that nobody vouches for: opened and unpacked within bounds."""

from __future__ import annotations

import errno
import io
import shutil
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mipl.errors import BadFile, MiplError
from mipl.files import existing_file, inside
from mipl.io.size_claims import refuse_absurd

_MOST_MEMBERS = 1000
_MOST_AT_ONCE = 1 << 20
_ENCRYPTED = 0x1
_CANNOT_WRITE = (errno.EACCES, errno.EDQUOT, errno.ENOSPC, errno.EPERM, errno.EROFS)


class _Bounded(io.FileIO):
    """A file that gives at most 1 MiB at once: zipfile trusts claimed sizes."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MOST_AT_ONCE:
            raise BadFile(f"{self.name} claims a list of {size:,} bytes of members.")
        return super().read(size) or b""


@contextmanager
def opened(path: str | Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive whose members can all be read honestly, or raise ``BadFile``.

    Number, packing and claimed sizes of the members are checked before any is read;
    whatever zipfile and zlib raise inside the block becomes one sentence.
    """
    path = existing_file(path)
    try:
        with _Bounded(path) as handle, zipfile.ZipFile(handle) as archive:
            _check(path, archive.infolist())
            yield archive
    except MiplError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _CANNOT_WRITE:
            raise MiplError(f"cannot unpack {path}: {error.strerror}.") from error
        raise BadFile(
            f"{path} is damaged or no zip archive: {str(error)[:200]}."
        ) from error


def unpack(path: str | Path, folder: Path) -> list[str]:
    """Unpack an archive into an existing folder; return the names of its files.

    A name that leaves the folder, a link, or two names that some systems take for one
    are refused before anything is written.
    """
    with opened(path) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        targets = [_target(folder, member) for member in files]
        folded = {str(target).casefold() for target in targets}
        if len(folded) < len(targets):
            raise BadFile(f"{path} holds two files of the same name; get it again.")
        for member, target in zip(files, targets, strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, target.open("xb") as copy:
                shutil.copyfileobj(source, copy, _MOST_AT_ONCE)
    return [member.filename for member in files]


def _check(path: Path, members: list[zipfile.ZipInfo]) -> None:
    if not 1 <= len(members) <= _MOST_MEMBERS:
        raise BadFile(
            f"{path} holds {len(members):,} members; 1 to {_MOST_MEMBERS:,} are read."
        )
    for member in members:
        plain = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if member.flag_bits & _ENCRYPTED or not plain:
            raise BadFile(
                f"member {member.filename[:80]!r} of {path} is encrypted or packed by "
                "an unusual method; store or deflate it."
            )
    refuse_absurd(path, sum(member.file_size for member in members))


def _target(folder: Path, member: zipfile.ZipInfo) -> Path:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise BadFile(
            f"{member.filename[:80]!r} is a link or a device; only plain files are "
            "unpacked."
        )
    return inside(folder, member.filename)
