"""Regression on nearest neighbours: each row has a small exact one of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from sklearn.neighbors import NearestNeighbors
from torch import Tensor

from mipl.nn.gp.classwise import ClasswiseGP
from mipl.nn.gp.observations import Observations
from mipl.nn.gp.regression import solved
from mipl.nn.one_thread import one_thread


@dataclass(frozen=True, eq=False)
class NearestObservations:
    """Posterior of each row, given the observations nearest to it and no others.

    With a short kernel the others hardly matter. K is the covariance of the n nearest,
    k that of the row with them (local kriging)::

        f_c(x) = mean_c + k (K + diag(noise_c))^-1 (y_c - mean_c)
        var_c(x) = k(x, x) - k (K + diag(noise_c))^-1 k^T
    """

    points: Tensor  # (N, d)
    targets: Tensor  # (N, C)
    noise: Tensor  # (N, C)
    n: int

    @classmethod
    def of(cls, seen: Observations, n: int) -> NearestObservations:
        """Keep observations, of which predictions use n at a time."""
        return cls(seen.x, seen.targets, seen.noise, min(n, len(seen.x)))

    def tables(self) -> dict[str, Tensor]:
        """Return all that it consists of, by name."""
        return {name: getattr(self, name) for name in ("points", "targets", "noise")}

    def means(self, gp: ClasswiseGP, x: Tensor) -> Tensor:
        """Return the posterior mean of each row and class, (m, C)."""
        return self.marginals(gp, x)[0]

    def marginals(self, gp: ClasswiseGP, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return posterior mean and variance of each row and class, (m, C) twice."""
        near = self._nearest(x)
        points = self.points[near]  # (m, n, d)
        inner = gp.between(points, points)  # (m, n, n)
        cross = gp.between(points, x.unsqueeze(1))  # (m, n, 1)
        residual = (self.targets - gp.constants)[near]  # (m, n, C)
        noise, moved, known = self.noise[near], [], []
        for c in range(noise.shape[2]):
            covariance = inner + torch.diag_embed(noise[:, :, c])
            # Thousands of small ones; the noise keeps each positive definite.
            root = torch.linalg.cholesky_ex(covariance).L
            both = torch.cat([cross, residual[:, :, c : c + 1]], dim=2)  # (m, n, 2)
            seen, half = solved(root, both).unbind(dim=2)  # (m, n) each
            moved.append((seen * half).sum(dim=1))
            known.append(seen.square().sum(dim=1))
        means = gp.constants + torch.stack(moved, dim=1)
        return means, gp.scale - torch.stack(known, dim=1)

    def _nearest(self, x: Tensor) -> Tensor:
        """Return the places of the nearest observations of each row, (m, n)."""
        with one_thread():
            found = self._index.kneighbors(x.cpu().numpy(), return_distance=False)
        return torch.from_numpy(found).to(x.device)

    @cached_property
    def _index(self) -> NearestNeighbors:
        return NearestNeighbors(n_neighbors=self.n).fit(self.points.cpu().numpy())
