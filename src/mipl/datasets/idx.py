"""The idx format of MNIST and its relatives, plain or gzip-compressed."""

import gzip
import math
import struct
import zlib
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from mipl.errors import BadFile
from mipl.files import existing_file

_GZIP = b"\x1f\x8b"
_BYTES = 0x08  # The type code of unsigned bytes.
_MOST = 1 << 28  # No file of this family comes near.


def read_idx(path: Path, ndim: int) -> npt.NDArray[np.uint8]:
    """Read an idx file of unsigned bytes with ``ndim`` axes.

    Never takes more memory than the header asks for, and refuses a header that asks
    for an absurd amount, or for more or less than the file holds.
    """
    with existing_file(path).open("rb") as plain:
        zipped = plain.read(2) == _GZIP
    try:
        if zipped:
            with gzip.open(path) as unzipped:
                return _read(unzipped, path, ndim)
        with path.open("rb") as plain:
            return _read(plain, path, ndim)
    except (OSError, EOFError, zlib.error) as error:
        raise BadFile(f"{path} is damaged: {str(error)[:80]}; get it again.") from error


def _read(
    handle: IO[bytes] | gzip.GzipFile, path: Path, ndim: int
) -> npt.NDArray[np.uint8]:
    header = handle.read(4 + 4 * ndim)
    if header[:4] != bytes([0, 0, _BYTES, ndim]) or len(header) < 4 + 4 * ndim:
        raise BadFile(
            f"{path} is no idx file of unsigned bytes with {ndim} axes; get it again."
        )
    shape = struct.unpack(f">{ndim}I", header[4:])
    size = math.prod(shape)
    if size > _MOST:
        raise BadFile(
            f"{path} claims {size:,} values of shape {shape}; at most {_MOST:,} are "
            "read: the header is damaged."
        )
    content = handle.read(size + 1)
    if len(content) != size:
        more = "more" if len(content) > size else f"only {len(content):,}"
        raise BadFile(
            f"{path} should hold {size:,} values after its header and holds {more}; "
            "get it again."
        )
    return np.frombuffer(content, np.uint8).reshape(shape)
