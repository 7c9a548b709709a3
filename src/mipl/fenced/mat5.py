"""A strict reader of MATLAB version 5 files: numbers, text, sparse and cell arrays.

Every element must fill its enclosing element exactly and hold exactly as many numbers
as its dimensions say; anything else is refused, so that a damaged file cannot load as
arrays of other shapes. Numbers keep the type they are stored in, which MATLAB chooses
as small as their values allow.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mipl.fenced.byte_sources import ByteSource, Inflated, Plain
from mipl.fenced.frames import FRAME_BYTES, OTHER, SHAPE, Array, Budget, Frame, Refused
from mipl.fenced.sparse import dense

_HEADER = 128
_NUMBERS = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4",
    7: "f4", 9: "f8", 12: "i8", 13: "u8",
}  # fmt: skip
_INT32, _UINT32, _MATRIX, _COMPRESSED = 5, 6, 14, 15
_NAME_TYPES = (1, 2, 16)
_ENCODINGS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16"}
_CELL, _CHAR, _SPARSE = 1, 4, 5
# Class number -> the largest type its numbers may be stored in.
_NUMERIC = {
    6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2",
    12: "i4", 13: "u4", 14: "i8", 15: "u8",
}  # fmt: skip
_NAMES = {2: "struct", 3: "object", 16: "function", 17: "opaque"}
_COMPLEX, _LOGICAL = 0x0800, 0x0200
_MOST_AXES = 8


@dataclass(frozen=True)
class _Head:
    """What comes before the content of a matrix."""

    kind: int
    complex: bool
    logical: bool
    shape: tuple[int, ...]
    name: str
    end: int

    @property
    def count(self) -> int:
        return math.prod(self.shape)


def read_mat5(file: int, budget: Budget, wanted: Sequence[str]) -> Iterator[Frame]:
    """Give the wanted variables, and the names of the others."""
    size = os.fstat(file).st_size
    order = "<" if os.pread(file, 2, 126) == b"IM" else ">"
    top = Plain(file, _HEADER, size)
    while top.position < size:
        kind, nbytes = _Reader(top, order, budget).tag()
        if nbytes > size - top.position:
            raise Refused("it is truncated")
        end = top.position + nbytes
        source: ByteSource = top
        if kind == _COMPRESSED:
            source = Inflated(file, top.position, end)
            kind, nbytes = _Reader(source, order, budget).tag()
        if kind != _MATRIX:
            raise Refused(f"it is damaged (an element of type {kind} at the top)")
        reader = _Reader(source, order, budget)
        head = reader.head(nbytes)
        if head.name in wanted:
            yield from reader.content(head, head.name)
            source.finish()
        else:
            yield Frame.of_text(head.name, _class_name(head.kind), OTHER)
        top = Plain(file, end, size)


def _class_name(kind: int) -> str:
    return {_CELL: "cell", _CHAR: "char", _SPARSE: "sparse"}.get(
        kind, _NAMES.get(kind, "numeric" if kind in _NUMERIC else "unknown")
    )


class _Reader:
    """Reads elements from a source, one after another."""

    def __init__(self, source: ByteSource, order: str, budget: Budget) -> None:
        self.source = source
        self.order = order
        self.budget = budget
        self.small = b""

    def words(self, raw: bytes, dtype: str) -> list[int]:
        return [int(word) for word in np.frombuffer(raw, self.order + dtype)]

    def tag(self) -> tuple[int, int]:
        """Read the type and length of an element; up to 4 bytes may sit in the tag."""
        raw = self.source.take(8)
        first, second = self.words(raw, "u4")
        self.small = b""
        if first >> 16:
            nbytes = first >> 16
            if nbytes > 4:
                raise Refused("it is damaged (a small element of more than 4 bytes)")
            self.small = raw[4 : 4 + nbytes]
            return first & 0xFFFF, nbytes
        return first, second

    def element(self, end: int, kinds: Sequence[int], what: str) -> tuple[int, bytes]:
        """Read a whole element of one of these types that ends before ``end``."""
        kind, nbytes = self.tag()
        if kind not in kinds:
            raise Refused(f"it is damaged ({what} of type {kind})")
        if self.small:
            return kind, self.small
        padded = nbytes + -nbytes % 8
        if padded > end - self.source.position:
            raise Refused(f"it is damaged ({what} reaches past its matrix)")
        self.budget.check(padded, what)
        return kind, self.source.take(padded)[:nbytes]

    def head(self, nbytes: int) -> _Head:
        """Read flags, dimensions and name of a matrix of this many bytes."""
        end = self.source.position + nbytes
        if nbytes == 0:  # MATLAB's short form of an empty array.
            return _Head(6, False, False, (0, 0), "", end)
        _, raw = self.element(end, (_UINT32,), "array flags")
        if len(raw) != 8:
            raise Refused("it is damaged (array flags of another length)")
        flags = self.words(raw, "u4")[0]
        kind = flags & 0xFF
        shape: tuple[int, ...] = ()
        if kind != 17:  # An opaque object has no dimensions.
            _, raw = self.element(end, (_INT32, _UINT32), "dimensions")
            shape = tuple(self.words(raw, "i4")) if len(raw) % 4 == 0 else ()
            if not 2 <= len(shape) <= _MOST_AXES or min(shape) < 0:
                raise Refused(f"it is damaged (dimensions {shape})")
        _, raw = self.element(end, _NAME_TYPES, "name")
        name = raw.decode("utf-8", "replace")
        return _Head(
            kind, bool(flags & _COMPLEX), bool(flags & _LOGICAL), shape, name, end
        )

    def content(self, head: _Head, name: str, inside: bool = False) -> Iterator[Frame]:
        """Give the frames of a matrix whose head was read."""
        if head.kind == _CELL and not inside:
            yield from self.cells(head, name)
        elif head.kind in _NUMERIC:
            yield Frame.of_array(name, self.numbers(head))
        elif head.kind == _SPARSE:
            yield Frame.of_array(name, self.sparse(head))
        elif head.kind == _CHAR:
            yield Frame.of_text(name, self.text(head))
        else:
            raise Refused(
                f"its variable {name!r} holds a {_class_name(head.kind)} where numbers "
                "or text belong"
            )
        if self.source.position != head.end:
            raise Refused("it is damaged (a matrix longer than its content)")

    def cells(self, head: _Head, name: str) -> Iterator[Frame]:
        # Each cell takes at least its tag.
        if head.count * 8 > head.end - self.source.position:
            raise Refused(f"it is damaged (a cell array of shape {head.shape})")
        self.budget.check(head.count * FRAME_BYTES, "a cell array")
        yield Frame(SHAPE, name, head.shape)
        for _ in range(head.count):
            kind, nbytes = self.tag()
            if kind != _MATRIX or nbytes > head.end - self.source.position:
                raise Refused("it is damaged (a cell that is no matrix)")
            yield from self.content(self.head(nbytes), name, inside=True)

    def numbers(self, head: _Head) -> Array:
        if head.complex:
            raise Refused("it holds complex numbers; numbers must be real")
        if head.count == 0 and self.source.position == head.end:
            return np.zeros(head.shape)
        values = self.values(head.end, head.kind)
        if len(values) != head.count:
            raise Refused(
                f"it is damaged (an array of shape {head.shape} with {len(values)} "
                "numbers)"
            )
        return values.reshape(head.shape[::-1]).T

    def values(self, end: int, kind: int) -> Array:
        """Read the numbers of a class; they may be stored smaller, never larger."""
        stored, raw = self.element(end, tuple(_NUMBERS), "numbers")
        dtype = np.dtype(self.order + _NUMBERS[stored])
        most = np.dtype(_NUMERIC[kind])
        if dtype.itemsize > most.itemsize or (dtype.kind == "f" and most.kind != "f"):
            raise Refused(f"it is damaged (numbers stored as {dtype.name})")
        if len(raw) % dtype.itemsize:
            raise Refused("it is damaged (a broken number)")
        self.budget.take(len(raw), "an array")
        return np.frombuffer(raw, dtype)

    def sparse(self, head: _Head) -> Array:
        if head.complex or len(head.shape) != 2:
            raise Refused("it holds a sparse array that is not a real matrix")
        rows, columns = head.shape
        row = self.integers(head.end, "row numbers")
        starts = self.integers(head.end, "column starts")
        if head.logical:
            # MATLAB calls truth values doubles and writes single bytes.
            _, raw = self.element(head.end, tuple(_NUMBERS), "truth values")
            single = len(raw) < 8 * len(row)
            values = np.frombuffer(raw, np.uint8 if single else self.order + "f8")
        else:
            values = self.values(head.end, 6)
        return dense(row, starts, values, (rows, columns), self.budget)

    def integers(self, end: int, what: str) -> Array:
        _, raw = self.element(end, (_INT32, _UINT32), what)
        if len(raw) % 4:
            raise Refused(f"it is damaged ({what})")
        return np.frombuffer(raw, self.order + "i4")

    def text(self, head: _Head) -> str:
        if head.count == 0 and self.source.position == head.end:
            return ""
        kind, raw = self.element(head.end, tuple(_ENCODINGS), "text")
        if len(head.shape) != 2 or head.shape[0] > 1:
            raise Refused("it holds text of several rows; one row is read")
        self.budget.take(len(raw), "a text")
        encoding = _ENCODINGS[kind]
        if encoding == "utf-16":
            encoding += "-le" if self.order == "<" else "-be"
        return raw.decode(encoding, "replace")
