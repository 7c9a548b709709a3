"""Observations at different places: rows that occur often are regressed on once."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Observations:
    """What is known of C functions at n different places."""

    x: Tensor  # (n, d)
    targets: Tensor  # (n, C)
    noise: Tensor  # (n, C) variances of the targets


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The different ones of N rows.

    Targets y_i of equal rows, with noise s_i, say as much as one target with less
    noise; the posterior is the same, and the covariance is that of n rows, not of N::

        noise = 1 / sum_i(1 / s_i),   target = noise * sum_i(y_i / s_i)
    """

    x: Tensor  # (n, d)
    of: Tensor  # (N,) the number of what each row equals

    @classmethod
    def among(cls, rows: Tensor) -> DistinctRows:
        """Find the different ones of some rows, (N, d).

        Examples
        --------
        >>> DistinctRows.among(torch.tensor([[2.0], [1.0], [2.0]])).of.tolist()
        [1, 0, 1]
        """
        return cls(*torch.unique(rows, dim=0, return_inverse=True))

    def observed(self, targets: Tensor, noise: Tensor) -> Observations:
        """Return what the targets of all rows, (N, C), say, with variances (N, C)."""
        none = targets.new_zeros(len(self.x), targets.shape[1])
        noise_here = 1 / none.index_add(0, self.of, 1 / noise)
        weighted = none.index_add(0, self.of, targets / noise)
        return Observations(self.x, noise_here * weighted, noise_here)
