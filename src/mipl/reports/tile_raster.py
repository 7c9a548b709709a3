"""Tiles with a weight each, as one picture: quick for hundreds of thousands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_MOST = 1200  # Cells along the longer side; more are not seen.


@dataclass(frozen=True, eq=False)
class TileRaster:
    """Cells of equal size over the tiles of a slide.

    Attributes
    ----------
    rows, columns : (n,) first and past-the-last cell of each tile, pairs
    shape : (h, w)
    extent : (left, right, bottom, top), as matplotlib has it
    """

    rows: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
    columns: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
    shape: tuple[int, int]
    extent: tuple[float, float, float, float]

    @classmethod
    def of(cls, boxes: Floats, most: int = _MOST) -> TileRaster:
        """Lay cells over boxes x0, y0, x1, y1; a cell is a tile, or some of them."""
        low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
        sides = boxes[:, 2:] - boxes[:, :2]
        cell = max(float(np.median(sides)), float((high - low).max()) / most, 1e-9)
        width, height = np.maximum(np.ceil((high - low) / cell - 1e-9).astype(int), 1)
        first = np.floor((boxes[:, :2] - low) / cell + 1e-9).astype(np.int64)
        last = np.ceil((boxes[:, 2:] - low) / cell - 1e-9).astype(np.int64)
        last = np.maximum(last, first + 1).clip(max=(width, height))
        first = np.minimum(first, last - 1)
        left, top = low
        return cls(
            (first[:, 1], last[:, 1]),
            (first[:, 0], last[:, 0]),
            (int(height), int(width)),
            (left, left + width * cell, top + height * cell, top),
        )

    def mean(self, weight: Floats) -> Floats:
        """Return for each cell the mean weight of the tiles on it, NaN where none is.

        Examples
        --------
        >>> boxes = np.array([[0.0, 0, 2, 1], [1.0, 0, 3, 1], [4.0, 0, 5, 1]])
        >>> TileRaster.of(boxes).mean(np.array([0.2, 0.4, 1.0])).round(2).tolist()
        [[0.2, 0.3, 0.4, nan, 1.0]]
        """
        count = self._sums(np.ones(len(self.rows[0])))
        total = self._sums(weight)
        covered = count > 0.5
        mean = np.full(self.shape, np.nan)
        np.divide(total, count, out=mean, where=covered)
        return mean

    def _sums(self, weight: Floats) -> Floats:
        """Add up rectangles by their corners, then by running sums."""
        height, width = self.shape
        steps = np.zeros((height + 1, width + 1))
        for rows, up in zip(self.rows, (1, -1), strict=True):
            for columns, right in zip(self.columns, (1, -1), strict=True):
                np.add.at(steps, (rows, columns), up * right * weight)
        return steps.cumsum(axis=0).cumsum(axis=1)[:height, :width]
