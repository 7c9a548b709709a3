"""MATLAB version 7.3 files, which are HDF5 with MATLAB's own names and attributes.

Arrays lie transposed, a cell array is an array of references into the group ``#refs#``,
and a sparse array is a group with its columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mipl.fenced.frames import FRAME_BYTES, OTHER, SHAPE, Array, Budget, Frame, Refused
from mipl.fenced.hdf5_library import h5py
from mipl.fenced.hdf5_safe import attribute, member, numbers, open_hdf5, sound
from mipl.fenced.sparse import dense

_NUMERIC = frozenset(
    "double single logical int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()
)


def read_mat73(file: int, budget: Budget, wanted: Sequence[str]) -> Iterator[Frame]:
    """Give the wanted variables, and the names of the others."""
    with open_hdf5(file) as top:
        for name in top:
            if name.startswith("#"):  # MATLAB's own groups.
                continue
            item = member(top, name)
            if name in wanted:
                yield from _content(top, item, name, budget)
            else:
                kind = attribute(item, "MATLAB_class")
                yield Frame.of_text(name, str(kind or "unknown"), OTHER)


def _content(top: h5py.File, item: Any, name: str, budget: Budget) -> Iterator[Frame]:
    if attribute(item, "MATLAB_class") == "cell":
        yield from _cells(top, item, name, budget)
    else:
        yield _plain(item, name, budget)


def _cells(top: h5py.File, item: Any, name: str, budget: Budget) -> Iterator[Frame]:
    item = sound(item, name)
    if item.dtype != h5py.ref_dtype or item.ndim != 2:
        raise Refused(f"its variable {name!r} is no cell array of two dimensions")
    budget.check(item.size * FRAME_BYTES, f"cell array {name!r}")
    yield Frame(SHAPE, name, item.shape[::-1])
    first_column = item.shape[1]
    seen = set()
    # HDF5 lists the last MATLAB dimension first: this is column order.
    for i, reference in enumerate(item[()].ravel()):
        if not reference:
            raise Refused(f"its cell array {name!r} refers to nothing")
        cell = top[reference]
        seen.add(h5py.h5o.get_info(cell.id).addr)
        # A changed reference points to a neighbour; labels may be shared, bags not.
        if i < first_column and len(seen) <= i:
            raise Refused(f"its cell array {name!r} holds the same bag twice")
        yield _plain(cell, name, budget)


def _plain(item: Any, name: str, budget: Budget) -> Frame:
    """Frame one array: numbers, sparse numbers or a line of text."""
    kind = attribute(item, "MATLAB_class")
    if isinstance(item, h5py.Group) and "MATLAB_sparse" in item.attrs:
        return Frame.of_array(name, _sparse(item, name, budget))
    if kind != "char" and kind not in _NUMERIC:
        raise Refused(
            f"its variable {name!r} holds a {kind} where numbers or text belong"
        )
    array = numbers(item, name, budget)
    if attribute(item, "MATLAB_empty"):
        # An empty array stores its shape instead of numbers.
        shape = tuple(int(side) for side in array.ravel())
        if not 2 <= len(shape) <= 8 or min(shape) != 0:
            raise Refused(f"its variable {name!r} has a damaged empty array")
        array = np.zeros(shape[::-1])
    elif kind != "char" and array.ndim < 2:
        raise Refused(f"its variable {name!r} holds an array without two dimensions")
    if kind == "char":
        return Frame.of_text(name, _text(array))
    return Frame.of_array(name, array.T)


def _text(array: Array) -> str:
    if array.dtype.kind != "u":
        raise Refused("it holds text that is not stored as characters")
    return array.ravel().astype("<u2").tobytes().decode("utf-16-le", "replace")


def _sparse(group: h5py.Group, name: str, budget: Budget) -> Array:
    parts = [
        numbers(member(group, part), f"{name}/{part}", budget)
        for part in ("ir", "jc", "data")
        if part in group
    ]
    rows = int(attribute(group, "MATLAB_sparse"))
    if len(parts) == 1:  # Without any number only the column starts are stored.
        parts = [np.zeros(0, np.int64), parts[0], np.zeros(0)]
    if len(parts) != 3 or any(part.ndim != 1 for part in parts) or rows < 0:
        raise Refused(f"its sparse array {name!r} is not whole")
    row, starts, values = parts
    return dense(row, starts, values, (rows, len(starts) - 1), budget)
