"""Boxes on a picture: x0, y0, x1, y1 in pixels, row by row."""

import numpy as np
import numpy.typing as npt

from mipl.data.frozen import Array

Boxes = npt.NDArray[np.float32]  # (n, 4)


def boxes(tops: Array, lefts: Array, height: float, width: float) -> Boxes:
    """Return the boxes of one size at every top and left, row by row.

    Examples
    --------
    >>> boxes([0], [0, 2], 3, 2).tolist()
    [[0.0, 0.0, 2.0, 3.0], [2.0, 0.0, 4.0, 3.0]]
    """
    y, x = (a.ravel() for a in np.meshgrid(tops, lefts, indexing="ij"))
    return np.stack([x, y, x + width, y + height], axis=1).astype(np.float32)


def tiles(height: int, width: int, grid: int) -> tuple[Array, Array, int, int]:
    """Cut the centre of a picture into grid x grid equal tiles of whole pixels.

    Returns the tops, the lefts, and the height and width of a tile.

    Examples
    --------
    >>> tops, _, height, _ = tiles(224, 224, 5)
    >>> tops.tolist(), height
    ([2, 46, 90, 134, 178], 44)
    """
    h, w = height // grid, width // grid
    steps = np.arange(grid)
    return (
        (height - h * grid) // 2 + h * steps,
        (width - w * grid) // 2 + w * steps,
        h,
        w,
    )
