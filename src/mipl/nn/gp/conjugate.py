"""Exact regression on many rows: conjugate gradients on their whole covariance."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from mipl.errors import Diverged
from mipl.nn.gp.classwise import ClasswiseGP
from mipl.nn.gp.observations import Observations
from mipl.nn.gp.regression import SparseRegression
from mipl.nn.gp.summary import RegressionSummary

_ROWS = 1024  # Of a tile of the covariance.
_PRECISION = 0.01  # Length of the residual that is good enough, of the first.
_MOST = 500  # Iterations.
_GIGABYTE = 1e9


class ConjugateRegression:
    """Exact posterior means of rows too many for the root of their covariance.

    The classes share the covariance K and differ in their noise, so that one product of
    a matrix (C, N) with K is an iteration of all of them::

        (K + diag(noise_c)) w_c = y_c - mean_c,   f_c(x) = mean_c + k(x, X) w_c

    Inducing points precondition it: they stand for K by few rows V, and the inverse of
    V^T V + diag(noise_c) is cheap. K is float32, which is enough beside the noise, and
    consists of tiles, of which the half below the diagonal does.

    Parameters
    ----------
    gp : ClasswiseGP
    seen : Observations
    points : (M, d)
        What preconditions, and what variances are seen through.
    memory : float
        Gigabytes that K may take, 2 N^2 / 10^9; where it would take more, each
        iteration computes it anew, tile by tile.
    state : dict of Tensor
        What ``blank`` gives, or what iterations have made of it: it moves.
    """

    @torch.no_grad()
    def __init__(
        self,
        gp: ClasswiseGP,
        seen: Observations,
        points: Tensor,
        memory: float,
        state: dict[str, Tensor],
    ) -> None:
        self.state = state
        self.noise = seen.noise.T.float()  # (C, N)
        self.sparse = SparseRegression(gp, seen.x, seen.noise, points)
        self.first = (seen.targets - gp.constants).T.float()  # (C, N) residual
        if self.iterations == 0:
            state["residual"].copy_(self.first)
        self._covariance = _Tiles(gp.single(), seen.x.float(), memory)

    @staticmethod
    def blank(n_classes: int, n: int, device: torch.device) -> dict[str, Tensor]:
        """Return the state before the first iteration; a checkpoint keeps it."""
        names = ("weights", "residual", "direction")
        zeros = {name: torch.zeros(n_classes, n, device=device) for name in names}
        fall = torch.ones(n_classes, device=device)
        count = torch.zeros((), dtype=torch.int64, device=device)
        return {**zeros, "fall": fall, "iterations": count}

    @property
    def iterations(self) -> int:
        """How many were done."""
        return int(self.state["iterations"])

    def error(self) -> float:
        """Return the length of the residual, of the first, of the worst class."""
        lengths = self.state["residual"].norm(dim=1) / self.first.norm(dim=1)
        return float(lengths.nan_to_num(0.0).max())  # No target differs from its mean.

    def done(self) -> bool:
        """Tell whether the weights are good enough."""
        return self.error() <= _PRECISION

    @torch.no_grad()
    def iterate(self) -> None:
        """Take one step of conjugate gradients, all classes at once."""
        now = self.state
        residual, direction = now["residual"], now["direction"]
        z = self.sparse.solve(residual.double()).float()
        fall = (residual * z).sum(dim=1)
        direction.mul_(_ratio(fall, now["fall"])).add_(z)
        image = self._covariance.product(direction) + self.noise * direction
        step = _ratio(fall, (direction * image).sum(dim=1))
        now["weights"].add_(step * direction)
        residual.sub_(step * image)
        now["fall"].copy_(fall)
        now["iterations"].add_(1)
        if not self.done() and self.iterations >= _MOST:
            raise Diverged(
                f"the regression on {residual.shape[1]} places has not converged "
                f"after {_MOST} iterations; give more inducing points, or scale the "
                "features."
            )

    @torch.no_grad()
    def summary(self, variances: bool = True) -> RegressionSummary:
        """Return what predictions need; variances are those of the inducing points."""
        points, weights = self._covariance.x, self.state["weights"].clone()
        if not variances:
            return RegressionSummary.of(points, weights)
        seen = self.sparse.precision(), self.sparse.points
        return RegressionSummary.of(points, weights, *seen)


def _ratio(one: Tensor, other: Tensor) -> Tensor:
    """Return a quotient of each class, (C, 1); without a residual it is 0."""
    return (one / other.clamp_min(torch.finfo(other.dtype).tiny)).unsqueeze(1)


class _Tiles:
    """The covariance of rows, in tiles on and below its diagonal."""

    def __init__(self, gp: ClasswiseGP, x: Tensor, memory: float) -> None:
        self.gp, self.x = gp, x
        self.parts = [slice(first, first + _ROWS) for first in range(0, len(x), _ROWS)]
        fits = 2 * len(x) * (len(x) + _ROWS) <= memory * _GIGABYTE
        self.kept = list(self._computed()) if fits else None

    def _computed(self) -> Iterator[tuple[slice, slice, Tensor]]:
        for i, rows in enumerate(self.parts):
            for columns in self.parts[: i + 1]:
                yield rows, columns, self.gp.between(self.x[rows], self.x[columns])

    def product(self, left: Tensor) -> Tensor:
        """Return a matrix, (C, N), times the covariance."""
        product = torch.zeros_like(left)
        for rows, columns, tile in self.kept or self._computed():
            product[:, columns] += left[:, rows] @ tile
            if rows != columns:
                product[:, rows] += left[:, columns] @ tile.T
        return product
