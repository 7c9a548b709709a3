"""Kernel ridge regression with a bias, factored once for many targets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve
from sklearn.metrics.pairwise import euclidean_distances

Floats = npt.NDArray[np.float64]

_ROWS = 512


def gaussian_kernel(x: Floats, rows: Floats, bandwidth: float) -> Floats:
    """Return exp(-||x - row||^2 / (2 bandwidth^2)).

    Examples
    --------
    >>> gaussian_kernel(np.zeros((1, 1)), np.array([[0.0], [2.0]]), 1.0).round(3)
    array([[1.   , 0.135]])
    """
    squares: Floats = euclidean_distances(x, rows, squared=True)
    return _exponential(squares, bandwidth)


class KernelRidge:
    """Regression f = K alpha + b with least ||targets - f||^2 + gamma ||f||_H^2.

    The bandwidth of the kernel is the mean distance of two rows (1 where all rows are
    equal). One m x m matrix is held, the Cholesky factor of K + gamma I.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> alpha, bias = KernelRidge(x, gamma=1e-6).solve(x)
    >>> k = gaussian_kernel(x, x, 4 / 3)
    >>> (k @ alpha + bias).round(3).ravel().tolist()
    [0.0, 1.0, 2.0]
    """

    def __init__(self, rows: Floats, gamma: float) -> None:
        squares = euclidean_distances(rows, squared=True)
        self.bandwidth = _mean_distance(squares) or 1.0
        kernel = _exponential(squares, self.bandwidth)
        kernel[np.diag_indices(len(rows))] += gamma
        # Symmetric: its transpose has the order of memory that LAPACK overwrites.
        self._factor = cho_factor(kernel.T, overwrite_a=True, check_finite=False)
        self._of_ones = self._solve(np.ones((len(rows), 1)))  # (m, 1)

    def solve(self, targets: Floats) -> tuple[Floats, Floats]:
        """Return coefficients alpha, (m, k), and biases, (k,).

        The fitted values are targets - gamma alpha, and the least value is gamma times
        the sum of alpha (targets - bias).
        """
        alpha = self._solve(targets)
        bias = alpha.sum(axis=0) / self._of_ones.sum()
        return alpha - self._of_ones * bias, bias

    def _solve(self, targets: Floats) -> Floats:
        solved: Floats = cho_solve(self._factor, targets, check_finite=False)
        return solved


def _exponential(squares: Floats, bandwidth: float) -> Floats:
    squares /= -2 * bandwidth**2
    return np.exp(squares, out=squares)


def _mean_distance(squares: Floats) -> float:
    m = len(squares)
    blocks = (squares[first : first + _ROWS] for first in range(0, m, _ROWS))
    total = sum(float(np.sqrt(block).sum()) for block in blocks)
    return total / max(m * (m - 1), 1)
