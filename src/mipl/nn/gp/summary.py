"""What predictions need of a regression: posterior means and variances elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from mipl.errors import MiplError
from mipl.nn.gp.classwise import ClasswiseGP


class Summary(Protocol):
    """What a regression leaves: predictions need it, and a file keeps its tables."""

    @property
    def points(self) -> Tensor:
        """The rows that it has weights or targets of, (n, d)."""
        ...

    def tables(self) -> dict[str, Tensor]:
        """Return all that it consists of, by name."""
        ...

    def means(self, gp: ClasswiseGP, x: Tensor) -> Tensor:
        """Return the posterior mean of each row and class, (m, C)."""
        ...

    def marginals(self, gp: ClasswiseGP, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return posterior mean and variance of each row and class, (m, C) twice."""
        ...


@dataclass(frozen=True, eq=False)
class RegressionSummary:
    """Weights of n points, and the precision of these or of fewer points.

    ::

        f_c(x) = mean_c + k(x, points) w_c
        var_c(x) = k(x, x) - k(x, centres) P_c k(centres, x)

    Variances are seen through the centres, where they are not all points; posterior
    means alone need no precision. Points and weights may be kept in float32.
    """

    points: Tensor  # (n, d)
    weights: Tensor  # (C, n)
    precision: Tensor | None = None  # (C, n, n), or (C, M, M) of the centres
    centres: Tensor | None = None  # (M, d)

    @classmethod
    def of(
        cls, points: Tensor, weights: Tensor, *others: Tensor | None
    ) -> RegressionSummary:
        """Keep them row by row, as a file does: another order rounds otherwise."""
        rest = (None if table is None else table.contiguous() for table in others)
        return cls(points.contiguous(), weights.contiguous(), *rest)

    def tables(self) -> dict[str, Tensor]:
        """Return all that it consists of, by name."""
        return {name: table for name, table in vars(self).items() if table is not None}

    def means(self, gp: ClasswiseGP, x: Tensor) -> Tensor:
        """Return the posterior mean of each row and class, (m, C)."""
        # Not in float32: where rows nearly meet, distances would depend on the others.
        points, weights = self.points.to(x), self.weights.to(x)
        return gp.constants + gp.between(x, points) @ weights.T

    def marginals(self, gp: ClasswiseGP, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return posterior mean and variance of each row and class, (m, C) twice."""
        cross, precision = self._seen(gp, x)
        known = [((cross @ q) * cross).sum(dim=1) for q in precision]
        return self.means(gp, x), gp.scale - torch.stack(known, dim=1)

    def covariance(self, gp: ClasswiseGP, x: Tensor) -> Tensor:
        """Return the posterior covariance of rows, (C, m, m)."""
        cross, precision = self._seen(gp, x)
        return gp.between(x, x) - cross @ precision @ cross.T

    def _seen(self, gp: ClasswiseGP, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return covariances with what shows variances, and its precision."""
        if self.precision is None:
            raise MiplError("this model keeps posterior means alone, no variances.")
        points = self.points if self.centres is None else self.centres
        return gp.between(x, points), self.precision
