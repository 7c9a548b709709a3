"""An .npz archive as a set of arrays: bounded to read, streamed to write."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile
from mipl.files import atomic_path
from mipl.io.arrays import npy, zip_file

# Python's own date of nothing, so that equal content gives equal files.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


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
    arrays: dict[str, Array] = {}
    with zip_file.opened(path) as archive:
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            if name == member.filename or name in arrays:
                raise BadFile(
                    f"{path} holds {name[:80]!r}, which is no .npy array or occurs "
                    "twice; save it with numpy.savez."
                )
            with archive.open(member) as stream:
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
