"""A picture reduced to a few large pixels, for Row and SBN."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter1d

from mipl.images.pixels import Pixels

Reduced = npt.NDArray[np.float32]  # (size, size, 3)


def reduced(pixels: Pixels, size: int) -> Reduced:
    """Smooth a picture and average its areas to size x size, colours 0 to 255.

    The Gaussian's deviation is half a large pixel, 14 pixels for 224 -> 8. Smoothing
    and averaging are both linear along each axis, so one matrix per axis does both.

    Examples
    --------
    >>> reduced(np.full((224, 100, 3), 7, np.uint8), 8).round(3)[0, 0].tolist()
    [7.0, 7.0, 7.0]
    """
    down, across = _operator(pixels.shape[0], size), _operator(pixels.shape[1], size)
    narrow = np.tensordot(down, pixels.astype(np.float32), axes=1)  # (size, w, 3)
    return np.tensordot(across, narrow, axes=(1, 1)).swapaxes(0, 1)


@lru_cache(maxsize=64)
def _operator(side: int, size: int) -> npt.NDArray[np.float32]:
    """Return the (size, side) matrix that smooths and averages along one axis."""
    # Smoothing is a symmetric matrix, so the areas may be smoothed in place of pixels.
    operator: npt.NDArray[np.float64] = gaussian_filter1d(
        _areas(side, size), side / (2 * size), axis=1, mode="reflect"
    )
    return operator.astype(np.float32)


def _areas(side: int, size: int) -> npt.NDArray[np.float64]:
    """Return the share of each pixel in each of ``size`` equal stretches."""
    edges: npt.NDArray[np.float64] = np.linspace(0, side, size + 1)
    pixel = np.arange(side)
    ends = np.minimum(edges[1:, None], pixel + 1)
    starts = np.maximum(edges[:-1, None], pixel)
    shares: npt.NDArray[np.float64] = np.maximum(ends - starts, 0)  # (size, side)
    return shares * (size / side)
