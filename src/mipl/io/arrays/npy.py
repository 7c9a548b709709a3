"""The .npy form, read without trust: sizes are checked before memory is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format

from mipl.data.frozen import Array
from mipl.errors import BadFile

MAGIC = b"\x93NUMPY"
_LONGEST_HEADER = 1 << 16
_CHUNK = 1 << 18
_LAST_CODE_POINT = 0x10FFFF

# Numbers and text only: no pickled objects, no records, no dates.
_DESCR = re.compile(
    r"'descr'\s*:\s*'([<>|=]?(?:b1|[iu][1248]|f[248]|U[1-9][0-9]{0,6}))'"
)
_ORDER = re.compile(r"'fortran_order'\s*:\s*(True|False)")
_SHAPE = re.compile(r"'shape'\s*:\s*\(((?:\d{1,18}\s*(?:,\s*|(?=\))))*)\)")


@dataclass(frozen=True)
class Header:
    """What the first bytes of a .npy file claim."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool

    @property
    def n_bytes(self) -> int:
        """Bytes of the array, as a Python integer that cannot overflow."""
        return prod(self.shape) * self.dtype.itemsize


def read_array(stream: IO[bytes], size: int, what: str) -> Array:
    """Read one array from a stream of ``size`` bytes in the .npy form.

    Parameters
    ----------
    stream : binary file
        Stands at the first byte of the .npy content.
    size : int
        Length of that content; the header must claim exactly the rest of it.
    what : str
        How messages call the content.

    Examples
    --------
    >>> from io import BytesIO
    >>> buffer = BytesIO()
    >>> np.save(buffer, np.arange(3))
    >>> _ = buffer.seek(0)
    >>> read_array(buffer, len(buffer.getvalue()), "a file").tolist()
    [0, 1, 2]
    """
    header, used = _read_header(stream, what)
    if header.n_bytes != size - used:
        raise BadFile(
            f"{what} claims {header.n_bytes:,} bytes of numbers and holds "
            f"{max(size - used, 0):,}; it is cut off or damaged."
        )
    try:
        content = np.empty(header.n_bytes, np.uint8)
    except MemoryError:
        raise BadFile(
            f"{what} needs {header.n_bytes:,} bytes of memory, more than there is."
        ) from None
    _fill(stream, content.data, what)
    flat = _checked(content.view(header.dtype), what)
    return flat.reshape(header.shape, order="F" if header.fortran else "C")


def write_header(stream: IO[bytes], dtype: Any, shape: tuple[int, ...]) -> None:
    """Write the header of a C-ordered array whose bytes follow."""
    descr = npy_format.dtype_to_descr(np.dtype(dtype))
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    npy_format.write_array_header_1_0(stream, header)


def _read_header(stream: IO[bytes], what: str) -> tuple[Header, int]:
    start = stream.read(8)
    if len(start) < 8 or start[:6] != MAGIC or start[6] not in (1, 2, 3):
        raise BadFile(f"{what} is not in NumPy's .npy form; save it with numpy.save.")
    width = 2 if start[6] == 1 else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > _LONGEST_HEADER:
        raise BadFile(f"{what} claims a header of {length:,} bytes; it is damaged.")
    text = stream.read(length).decode("latin-1")
    found = [pattern.findall(text) for pattern in (_DESCR, _ORDER, _SHAPE)]
    if any(len(matches) != 1 for matches in found):
        raise BadFile(
            f"{what} must hold plain numbers or text; its header says {text[:60]!r}."
        )
    descr, order, shape = (matches[0] for matches in found)
    sides = tuple(int(side) for side in shape.split(",") if side.strip())
    return Header(np.dtype(descr), sides, order == "True"), 8 + width + length


def _fill(stream: IO[bytes], room: memoryview, what: str) -> None:
    filled = 0
    while filled < len(room):
        piece = stream.read(min(_CHUNK, len(room) - filled))
        if not piece:
            raise BadFile(f"{what} ends after {filled:,} of {len(room):,} bytes.")
        room[filled : filled + len(piece)] = piece
        filled += len(piece)
    # An archive compares its checksum when the end has been seen.
    if stream.read(1):
        raise BadFile(f"{what} goes on after its last number; it is damaged.")


def _checked(array: Array, what: str) -> Array:
    """Refuse bytes that are no text, and make every truth value 0 or 1."""
    if array.dtype.kind == "U":
        points = array.view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        surrogate = (points >= 0xD800) & (points <= 0xDFFF)
        if ((points > _LAST_CODE_POINT) | surrogate).any():
            raise BadFile(f"{what} holds text that is not Unicode; it is damaged.")
    if array.dtype.kind == "b":
        return np.not_equal(array.view(np.uint8), 0)
    return array.astype(array.dtype.newbyteorder("="), copy=False)
