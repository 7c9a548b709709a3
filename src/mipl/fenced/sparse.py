"""Sparse matrices in MATLAB's form, compressed columns, filled in."""

from __future__ import annotations

import math

import numpy as np

from mipl.fenced.frames import Array, Budget, Refused


def dense(
    row: Array, starts: Array, values: Array, shape: tuple[int, int], budget: Budget
) -> Array:
    """Fill in a matrix from its compressed columns."""
    starts = starts.astype(np.int64)
    counts = starts[1:] - starts[:-1]
    if len(starts) != shape[1] + 1 or starts[0] != 0 or (counts < 0).any():
        raise Refused("it is damaged (the columns of a sparse array)")
    used = int(starts[-1])
    if used > min(len(row), len(values)):
        raise Refused("it is damaged (a sparse array with too few numbers)")
    row = row[:used].astype(np.int64)
    if used and not 0 <= row.min() <= row.max() < shape[0]:
        raise Refused("it is damaged (a row outside a sparse array)")
    budget.take(math.prod(shape) * values.itemsize, "a sparse array")
    matrix = np.zeros(shape, values.dtype)
    matrix[row, np.repeat(np.arange(shape[1]), counts)] = values[:used]
    return matrix
