"""The answer of a fenced child: a stream of frames, each checked before it is taken.

A frame is a length (4 bytes), a JSON header, and the bytes its shape and type announce.
The reading side trusts nothing: unknown kinds and types, long headers, and sizes above
the allowance are a breach.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

DTYPES = frozenset("b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split())
ARRAY, TEXT, SHAPE, OTHER, REFUSED, END = (
    "array",  # Numbers.
    "text",  # UTF-8 bytes.
    "shape",  # Only the shape: of a cell array, whose cells follow, or of rows on disk.
    "other",  # Something that is not read; its text says what it is.
    "refused",  # The sentence that says what is wrong.
    "end",
)
_KINDS = frozenset((ARRAY, TEXT, SHAPE, OTHER, REFUSED, END))
FRAME_BYTES = 256  # What a frame counts beyond its numbers: tiny arrays cost as well.
_LENGTH = struct.Struct("<I")
_LONGEST_HEADER = 4096
_MOST_AXES = 8


class Refused(Exception):
    """What is wrong with a file, as the end of a sentence about it."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One part of an answer."""

    kind: str
    name: str = ""
    shape: tuple[int, ...] = ()
    dtype: str = "u1"
    array: Array | None = None
    text: str = ""

    @classmethod
    def of_array(cls, name: str, array: Array) -> Frame:
        """Frame an array of one of the known types."""
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        return cls(ARRAY, name, array.shape, array.dtype.str[1:], array)

    @classmethod
    def of_text(cls, name: str, text: str, kind: str = TEXT) -> Frame:
        """Frame a text, which travels as bytes."""
        raw = np.frombuffer(text.encode(), np.uint8)
        return cls(kind, name, raw.shape, "u1", raw, text)

    @property
    def has_bytes(self) -> bool:
        """Whether the numbers follow the header."""
        return self.kind not in (SHAPE, END)

    @property
    def nbytes(self) -> int:
        """Number of bytes that the shape and the type announce."""
        return math.prod(self.shape) * int(self.dtype[1:])


def write_frame(out: BinaryIO, frame: Frame) -> None:
    """Write a frame to the pipe."""
    header = json.dumps([frame.kind, frame.name, frame.dtype, frame.shape]).encode()
    out.write(_LENGTH.pack(len(header)) + header)
    if frame.has_bytes and frame.array is not None:
        out.write(frame.array.reshape(-1).view(np.uint8).data)


def read_frame(fill: Callable[[memoryview], None], allowance: int) -> Frame:
    """Read a frame; ``fill`` fills a buffer, and at most ``allowance`` bytes are taken.

    Anything but a well-formed frame within the allowance is ``Refused``.
    """
    prefix = bytearray(_LENGTH.size)
    fill(memoryview(prefix))
    (length,) = _LENGTH.unpack(prefix)
    if length > _LONGEST_HEADER:
        raise Refused(f"the reader's answer has a header of {length} bytes")
    header = bytearray(length)
    fill(memoryview(header))
    frame = _parsed(bytes(header))
    if not frame.has_bytes:
        return frame
    if frame.nbytes > allowance:
        raise Refused(
            f"it holds more than the {allowance:,} bytes that max_bytes allows"
        )
    array = np.empty(frame.shape, frame.dtype)
    if frame.nbytes:
        fill(array.reshape(-1).view(np.uint8).data)
    if frame.kind == ARRAY:
        return Frame(ARRAY, frame.name, frame.shape, frame.dtype, array)
    text = array.tobytes().decode("utf-8", "replace")
    return Frame(frame.kind, frame.name, frame.shape, frame.dtype, array, text)


def _parsed(header: bytes) -> Frame:
    try:
        kind, name, dtype, shape = json.loads(header)
    except (ValueError, TypeError, RecursionError):
        raise Refused("the reader's answer is garbled") from None
    good = (
        all(isinstance(text, str) for text in (kind, name, dtype))
        and kind in _KINDS
        and dtype in DTYPES
        and isinstance(shape, list)
        and len(shape) <= _MOST_AXES
        and all(isinstance(side, int) and side >= 0 for side in shape)
        and math.prod(max(side, 1) for side in shape) < 2**59
    )
    if not good:
        raise Refused("the reader's answer is garbled")
    return Frame(kind, name, tuple(shape), dtype)


@dataclass
class Budget:
    """How many bytes a child may still hand over; asked before memory is taken."""

    left: int

    def take(self, nbytes: int, what: str) -> None:
        """Count these bytes, or refuse the file."""
        self.check(nbytes, what)
        self.left -= nbytes

    def check(self, nbytes: int, what: str) -> None:
        """Refuse the file if it claims more than what is left."""
        if nbytes > self.left:
            raise Refused(
                f"{what} claims {nbytes:,} bytes, more than the {self.left:,} that "
                "max_bytes allows for a file of this size"
            )
