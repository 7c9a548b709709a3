"""A Gaussian process seen through a few inducing points, in closed form.

Everything is whitened: u = L e with K_zz = L L^T and e ~ N(0, I) before any data. The
precision of e is the identity and more, so that no covariance can fail to be positive
definite, however alike the inducing points are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve, cholesky, solve_triangular

from mipl.nn.kernel_ridge import gaussian_kernel

Floats = npt.NDArray[np.float64]


class SparsePrior:
    """Prior of a process with kernel ``variance * exp(-||x - x'||^2 / (2 length^2))``.

    Parameters
    ----------
    points : (M, d)
        The inducing points.
    length, variance : float
    jitter : float
        Added to the diagonal of K_zz, relative to the variance; where K_zz is not
        positive definite with it, ten times as much, and so on.

    Examples
    --------
    >>> prior = SparsePrior(np.array([[0.0]]), length=1.0, variance=2.0, jitter=0.0)
    >>> v, unseen = prior.project(np.array([[0.0], [9.0]]))
    >>> unseen.round(3).tolist()
    [0.0, 2.0]
    """

    def __init__(
        self, points: Floats, length: float, variance: float, jitter: float
    ) -> None:
        self.points, self.length, self.variance = points, length, variance
        self._centre = points.mean(axis=0)  # Near zero, distances are most precise.
        self.root = _root(self._between(points), jitter * variance)  # (M, M)

    def project(self, x: Floats) -> tuple[Floats, Floats]:
        """Return v = L^-1 K_zx, (M, n), and the variance it leaves unseen, (n,).

        Given e, the process at x has mean v^T e and the unseen variance.
        """
        v = solve_triangular(self.root, self._between(x), lower=True)
        return v, np.maximum(self.variance - np.square(v).sum(axis=0), 0.0)

    def weights(self, v: Floats) -> Floats:
        """Return K_zz^-1 K_zx of projections, (M, n)."""
        found: Floats = solve_triangular(self.root, v, lower=True, trans="T")
        return found

    def posterior(
        self, precision: Floats, linear: Floats, jitter: float = 0.0
    ) -> InducingPosterior:
        """Return q(e) of the log likelihood linear^T e - e^T precision e / 2.

        ``jitter`` is added to the diagonal of the precision of u, as published
        programs do; here nothing needs it.
        """
        total = np.eye(len(linear)) + precision + jitter * self.root.T @ self.root
        root = cholesky(total, lower=True)
        return InducingPosterior(cho_solve((root, True), linear), root)

    def values(self, q: InducingPosterior) -> tuple[Floats, Floats]:
        """Return mean, (M,), and covariance, (M, M), of u at the inducing points."""
        spread = self.root @ cho_solve((q.root, True), self.root.T)
        return self.root @ q.mean, spread

    def _between(self, x: Floats) -> Floats:
        points, x = self.points - self._centre, x - self._centre
        return self.variance * gaussian_kernel(points, x, self.length)  # (M, n)


@dataclass(frozen=True, eq=False)
class InducingPosterior:
    """The posterior q(e): its mean, and the Cholesky factor of its precision."""

    mean: Floats  # (M,)
    root: Floats  # (M, M)

    def means(self, v: Floats) -> Floats:
        """Return the mean of v^T e, (n,)."""
        return v.T @ self.mean

    def variances(self, v: Floats) -> Floats:
        """Return the variance of v^T e, (n,)."""
        # By the inverse, because n is large: a product is faster than a solution.
        inverse = solve_triangular(self.root, np.eye(len(v)), lower=True)
        found: Floats = np.square(inverse @ v).sum(axis=0)
        return found

    def kl(self) -> float:
        """Return the divergence of q from the prior."""
        inverse = cho_solve((self.root, True), np.eye(len(self.mean)))
        logs = 2 * np.log(self.root.diagonal()).sum()
        squares = self.mean @ self.mean
        return float(np.trace(inverse) + squares - len(self.mean) + logs) / 2


def _root(covariance: Floats, jitter: float) -> Floats:
    least = np.finfo(np.float64).eps * covariance[0, 0]
    one = np.eye(len(covariance))
    while True:
        try:
            root: Floats = cholesky(covariance + jitter * one, lower=True)
            return root
        except np.linalg.LinAlgError:
            jitter = max(10 * jitter, least)
