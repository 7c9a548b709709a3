"""An .npz archive as a set of arrays: bounded to read, streamed to write."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Array
from mipl.errors import BadFile, MiplError
from mipl.files import atomic_path, existing
from mipl.formats import npy
from mipl.formats.claims import refuse_absurd

_MOST_MEMBERS = 1000
_MOST_AT_ONCE = 1 << 20
_ENCRYPTED = 0x1
# Python's own date of nothing, so that equal content gives equal files.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


class _Bounded(io.FileIO):
    """A file that gives at most 1 MiB at once: zipfile trusts claimed sizes."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MOST_AT_ONCE:
            raise BadFile(f"{self.name} claims a list of {size:,} bytes of members.")
        return super().read(size) or b""


def is_archive_of_arrays(path: Path) -> bool:
    """Tell by content whether a file is a zip archive that begins with an array."""
    with path.open("rb") as handle:
        start = handle.read(30)
        if start[:4] != b"PK\x03\x04":
            return False
        return handle.read(int.from_bytes(start[26:28], "little")).endswith(b".npy")


def read_arrays(path: str | Path) -> dict[str, Array]:
    """Read all arrays of an .npz file that nobody vouches for.

    Member sizes, headers and inflation are checked before memory is taken, and the
    archive's checksums while it is read. Pickled objects are refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_arrays(Path(folder, "a.npz"), {"x": np.arange(3)})
    ...     read_arrays(Path(folder, "a.npz"))["x"].tolist()
    [0, 1, 2]
    """
    path = existing(path)
    with _told(path), _Bounded(path) as handle, zipfile.ZipFile(handle) as archive:
        members = archive.infolist()
        _check_members(path, members)
        arrays = {}
        for member in members:
            with archive.open(member) as stream:
                name = member.filename.removesuffix(".npy")
                what = f"member {name[:80]!r} of {path}"
                arrays[name] = npy.read_array(stream, member.file_size, what)
    return arrays


def write_arrays(
    path: Path, arrays: Mapping[str, Array | tuple[Any, tuple[int, ...], Iterable[Any]]]
) -> None:
    """Write an .npz file atomically.

    An entry may be an array, or ``(dtype, shape, pieces)`` for one that is given in
    pieces because it does not fit into memory.
    """
    with atomic_path(path) as temporary:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
            for name, entry in arrays.items():
                if isinstance(entry, np.ndarray):
                    entry = (entry.dtype, entry.shape, [entry])
                dtype, shape, pieces = entry
                member = zipfile.ZipInfo(f"{name}.npy", _NO_DATE)
                with archive.open(member, "w", force_zip64=True) as stream:
                    npy.write_header(stream, dtype, shape)
                    for piece in pieces:
                        stream.write(np.ascontiguousarray(piece).tobytes())


def _check_members(path: Path, members: list[zipfile.ZipInfo]) -> None:
    names = [member.filename for member in members]
    if not members or len(members) > _MOST_MEMBERS or len(set(names)) < len(names):
        raise BadFile(
            f"{path} holds {len(members):,} members, {len(set(names)):,} of them of "
            f"different names; 1 to {_MOST_MEMBERS:,} arrays are read."
        )
    for member in members:
        if not member.filename.endswith(".npy"):
            raise BadFile(
                f"{path} holds {member.filename[:80]!r}, which is no .npy array; "
                "save it with numpy.savez."
            )
        plain = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if member.flag_bits & _ENCRYPTED or not plain:
            raise BadFile(
                f"member {member.filename[:80]!r} of {path} is encrypted or packed by "
                "an unusual method; save it with numpy.savez."
            )
    refuse_absurd(path, sum(member.file_size for member in members))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn whatever zipfile and zlib raise on damaged files into one sentence."""
    try:
        yield
    except MiplError:
        raise
    except Exception as error:
        raise BadFile(
            f"{path} is damaged or no .npz archive: {str(error)[:200]}."
        ) from error
