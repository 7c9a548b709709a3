"""Exact regression on many rows: conjugate gradients on their whole covariance."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import torch
from torch import Tensor

from mipl.errors import Diverged
from mipl.nn.gp.classwise import ClasswiseGP, RegressionSummary
from mipl.nn.gp.regression import SparseRegression

_ROWS = 1024  # Of the covariance, computed at once.
_PRECISION = 0.01  # Length of the residual that is good enough, of the first.
_MOST = 500  # Iterations.
_GIGABYTE = 1e9


class ConjugateRegression:
    """Exact posterior means of rows too many for the root of their covariance.

    The classes share the covariance K and differ in their noise, so that one product of
    K with a matrix (N, C) is an iteration of all of them::

        (K + diag(noise_c)) w_c = y_c - mean_c,   f_c(x) = mean_c + k(x, X) w_c

    Inducing points precondition it: they stand for K by few rows V, and the inverse of
    V^T V + diag(noise_c) is cheap. K is float32, which is enough beside the noise.

    Parameters
    ----------
    gp : ClasswiseGP
    x : (N, d)
    variances : (N, C)
    points : (M, d)
        What preconditions, and what variances are seen through.
    memory : float
        Gigabytes that K may take, 4 N^2 / 10^9; where it would take more, each
        iteration computes it anew, some rows at a time.
    """

    @torch.no_grad()
    def __init__(
        self,
        gp: ClasswiseGP,
        x: Tensor,
        variances: Tensor,
        points: Tensor,
        memory: float,
    ) -> None:
        self.gp = gp
        self.points = x
        self.noise = (variances + gp.noise).float()  # (N, C)
        self.sparse = SparseRegression(gp, x, variances, points)
        self.iterations = 0
        self._float = copy.deepcopy(gp).float()
        self._rows = x.float()
        self._kept: Tensor | None = None
        if 4 * len(x) ** 2 <= memory * _GIGABYTE:
            self._kept = torch.empty(len(x), len(x), device=x.device)
            for first, block in self._blocks():
                self._kept[first : first + len(block)] = block

    @torch.no_grad()
    def summary(self, targets: Tensor) -> RegressionSummary:
        """Return what predictions need; variances are those of the inducing points."""
        weights, precision = self._weights(targets), self.sparse.precision()
        return RegressionSummary.of(self.points, weights, precision, self.sparse.points)

    def _weights(self, targets: Tensor) -> Tensor:
        """Return w of all classes, (C, N)."""
        residual = (targets - self.gp.constants).float()  # (N, C)
        enough = _PRECISION * residual.norm(dim=0)
        w = torch.zeros_like(residual)
        z = self._preconditioned(residual)
        direction, fall = z, (residual * z).sum(dim=0)
        for self.iterations in range(1, _MOST + 1):
            image = self._product(direction) + self.noise * direction
            step = fall / (direction * image).sum(dim=0)
            w += step * direction
            residual -= step * image
            if bool((residual.norm(dim=0) <= enough).all()):
                return w.T.double()
            z = self._preconditioned(residual)
            last, fall = fall, (residual * z).sum(dim=0)
            direction = z + fall / last * direction
        raise Diverged(
            f"the regression on {len(w)} instances has not converged after {_MOST} "
            "iterations; give more inducing points, or scale the features."
        )

    def _preconditioned(self, residual: Tensor) -> Tensor:
        return self.sparse.solve(residual.T.double()).T.float()

    def _product(self, right: Tensor) -> Tensor:
        """Return K times a matrix, (N, C)."""
        if self._kept is not None:
            return self._kept @ right
        return torch.cat([block @ right for _, block in self._blocks()])

    def _blocks(self) -> Iterator[tuple[int, Tensor]]:
        """Give K some rows at a time, each with the number of its first."""
        for first in range(0, len(self._rows), _ROWS):
            rows = self._rows[first : first + _ROWS]
            yield first, self._float.between(rows, self._rows)
