"""Instances as pictures: sheets of a hundred, so that thousands can be looked through.

Instances that are pictures are shown as such; of others the numbers are shown as a
strip of grey, one row each, in which what is alike looks alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.bags import Bags
from mipl.errors import MiplError
from mipl.page.png import Bytes, grey, png

PER_SHEET = 100
ACROSS = 10  # Instances in a row of a sheet.
TILE = 64  # Pixels of the side of an instance on a sheet.
_GROUND = 120  # Grey between the instances of a sheet.
_STRIP = (64, 96)  # Rows and columns of a strip, at most.


def are_pictures(shape: tuple[int, ...] | None) -> bool:
    """Tell whether instances of a shape are pictures.

    Examples
    --------
    >>> [are_pictures(one) for one in ((1, 28, 28), (8, 8), (32, 32, 3), (4,), None)]
    [True, True, True, False, False]
    """
    return _layout(shape) is not None


def _layout(shape: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return height, width and channels; None of what is no picture."""
    if shape is None or len(shape) not in (2, 3) or min(shape) < 1:
        return None
    if len(shape) == 2:
        return (*shape, 1)
    if shape[0] in (1, 3):
        return (shape[1], shape[2], shape[0])
    return shape if shape[2] in (1, 3) else None


def as_pictures(rows: npt.NDArray[Any], shape: tuple[int, ...]) -> Bytes:
    """Return instances (n, d) as (n, h, w, c) bytes, all on one scale.

    Examples
    --------
    >>> as_pictures(np.array([[0.0, 1.0, 1.0, 0.0]]), (1, 2, 2))[0, :, :, 0].tolist()
    [[0, 255], [255, 0]]
    """
    layout = _layout(shape)
    if layout is None:
        raise MiplError(f"instances of shape {shape} are no pictures.")
    pixels = rows.reshape(len(rows), *shape)
    if len(shape) == 3 and shape[0] in (1, 3):
        pixels = pixels.transpose(0, 2, 3, 1)
    return grey(pixels.reshape(len(rows), *layout))


def sheets_of(size: int) -> int:
    """Return how many sheets a bag of this many instances has.

    Examples
    --------
    >>> sheets_of(1), sheets_of(100), sheets_of(101)
    (1, 1, 2)
    """
    return -(-size // PER_SHEET)


def sheet(bags: Bags, bag: int, number: int) -> bytes:
    """Return a PNG of up to a hundred instances of a bag, ten in a row."""
    one = _bag(bags, bag)
    first = number * PER_SHEET
    size = int(one.sizes[0])
    if not 0 <= first < size:
        raise MiplError(f"the bag has {sheets_of(size)} sheets; got {number}.")
    rows = one.rows(slice(first, min(first + PER_SHEET, size)))
    if one.instance_shape is None or not are_pictures(one.instance_shape):
        raise MiplError("the instances of this bag are no pictures.")
    pictures = as_pictures(rows, one.instance_shape)
    n, height, width, channels = pictures.shape
    step = max(
        1, -(-max(height, width) // (TILE - 4))
    )  # Large pictures are thinned out.
    pictures = pictures[:, ::step, ::step]
    factor = max(1, (TILE - 4) // max(pictures.shape[1:3]))
    pictures = pictures.repeat(factor, axis=1).repeat(factor, axis=2)
    down = -(-n // ACROSS)
    canvas = np.full((down * TILE, ACROSS * TILE, channels), _GROUND, np.uint8)
    high, wide = pictures.shape[1:3]
    top, left = (TILE - high) // 2, (TILE - wide) // 2
    for place, pixels in enumerate(pictures):
        y, x = divmod(place, ACROSS)
        y, x = y * TILE + top, x * TILE + left
        canvas[y : y + high, x : x + wide] = pixels
    return png(canvas)


def thumbnail(bags: Bags, bag: int, most: int = 8) -> bytes:
    """Return a small PNG of a bag: its first pictures, or its numbers as a strip."""
    one = _bag(bags, bag)
    size = int(one.sizes[0])
    shape = one.instance_shape
    if shape is not None and are_pictures(shape):
        pictures = as_pictures(one.rows(slice(0, min(most, size))), shape)
        gap = np.full_like(pictures[0][:, :1], 128)
        row = np.concatenate([p for one in pictures for p in (one, gap)], axis=1)
        step = max(1, row.shape[0] // TILE)
        return png(np.ascontiguousarray(row[::step, ::step]))
    wanted = np.unique(np.linspace(0, size - 1, min(size, _STRIP[0])).astype(np.int64))
    rows = np.concatenate([one.rows(slice(int(i), int(i) + 1)) for i in wanted])
    columns = np.linspace(0, rows.shape[1] - 1, min(rows.shape[1], _STRIP[1]))
    return png(grey(rows[:, columns.astype(np.int64)])[:, :, None])


def _bag(bags: Bags, bag: int) -> Bags:
    if not 0 <= bag < len(bags):
        raise MiplError(f"there are {len(bags):,} bags; got {bag}.")
    return bags[bag : bag + 1]
