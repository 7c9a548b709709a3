"""Instances in memory as float16, brought to float32 as they are needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mipl.data.frozen import Array


@dataclass(frozen=True, eq=False)
class HalfRows:
    """Rows of half precision, which keep the protocol ``Rows`` as those of files do.

    Whoever makes them has checked that all are finite.

    Parameters
    ----------
    array : (N, d) float16

    Examples
    --------
    >>> rows = HalfRows(np.arange(6, dtype=np.float16).reshape(3, 2))
    >>> rows.select(np.array([0, 2]), np.array([1, 3]))[0:2].tolist()
    [[0.0, 1.0], [4.0, 5.0]]
    """

    array: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""
        return (self.array.shape[0], self.array.shape[1])

    @property
    def dtype(self) -> np.dtype[np.float16]:
        """Type of the numbers that are kept."""
        return np.dtype(np.float16)

    def __getitem__(self, rows: slice) -> Array:
        """Return a run of rows."""
        return self.array[rows]

    def select(self, starts: Array, stops: Array) -> HalfRows:
        """Return the rows of these runs, one after another; of one run, a view."""
        if len(starts) == 1:
            return HalfRows(self.array[int(starts[0]) : int(stops[0])])
        sizes = stops - starts
        before = np.cumsum(sizes) - sizes
        which = np.repeat(starts - before, sizes)
        which += np.arange(len(which))
        return HalfRows(self.array[which])
