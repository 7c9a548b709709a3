"""Regression with Gaussian processes: exact, or through a few inducing points.

Written here because gpytorch would hold one (N, M) matrix per class: all classes have
the same kernel, and differ in few rows of the noise.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from mipl.errors import Diverged
from mipl.nn.gp.classwise import ClasswiseGP
from mipl.nn.gp.summary import RegressionSummary

_JITTER = 1e-6  # Of the inducing points' covariance, relative to the output scale.
_LOG_2PI = math.log(2 * math.pi)


class ExactRegression:
    """Exact regression with known variances of the targets, each class by itself.

    Time grows with the cube of the number of rows.

    Parameters
    ----------
    gp : ClasswiseGP
    x : (N, d)
    noise : (N, C)
        Variances of the targets, those that the processes learn among them.
    """

    def __init__(self, gp: ClasswiseGP, x: Tensor, noise: Tensor) -> None:
        self.gp = gp
        self.points = x
        self.noise = noise.T  # (C, N)
        self.prior = gp.between(x, x)  # (N, N)
        # Class by class: what one needs for a moment serves the next, too.
        self.root = self.prior.new_empty(*self.noise.shape, len(x))  # (C, N, N)
        for root, own in zip(self.root, self.noise.detach(), strict=True):
            root.copy_(root_of(self.prior.detach() + own.diag()))

    def evidence(self, targets: Tensor) -> Tensor:
        """Return the log marginal likelihood of each class, (C,)."""
        found: Tensor = _Evidence.apply(  # type: ignore[no-untyped-call]
            self.prior, self.noise, self._residual(targets), self
        )
        return found

    def fitted(self, targets: Tensor) -> Tensor:
        """Return the posterior mean of each row, (N, C)."""
        return targets - (self.noise * self.weights(self._residual(targets))).T

    def summary(self, targets: Tensor, variances: bool = True) -> RegressionSummary:
        """Return what predictions need, of variances or of means alone."""
        weights = self.weights(self._residual(targets))
        precision = torch.cholesky_inverse(self.root) if variances else None
        return RegressionSummary.of(self.points, weights, precision)

    def weights(self, residual: Tensor) -> Tensor:
        """Return the inverse covariance times what is (C, N)."""
        return torch.cholesky_solve(residual.unsqueeze(2), self.root).squeeze(2)

    def _residual(self, targets: Tensor) -> Tensor:
        return (targets - self.gp.constants).T  # (C, N)


class _Evidence(torch.autograd.Function):
    """Log marginal likelihood, whose gradient is known in closed form.

    With w = K_c^-1 y, that of K_c is (w w^T - K_c^-1) / 2: one inverse per class, a
    quarter of the time that the derivative of Cholesky's factor takes.
    """

    @staticmethod
    def forward(
        ctx: Any,
        prior: Tensor,
        noise: Tensor,
        residual: Tensor,
        regression: ExactRegression,
    ) -> Tensor:
        w = regression.weights(residual)
        ctx.regression = regression
        ctx.save_for_backward(w)
        n = residual.shape[1]
        logs = _log_diagonal(regression.root) + n / 2 * _LOG_2PI
        return -(residual * w).sum(dim=1) / 2 - logs

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (w,), (upper,) = ctx.saved_tensors, gradients
        scaled = upper.unsqueeze(1) * w  # (C, N)
        prior, noise = scaled.T @ w, scaled * w
        for c, root in enumerate(ctx.regression.root):
            inverse = torch.cholesky_inverse(root)  # (N, N)
            prior.sub_(upper[c] * inverse)
            noise[c].sub_(upper[c] * inverse.diagonal())
        return prior / 2, noise / 2, -scaled, None


class SparseRegression:
    """Titsias's bound: all rows are seen through M inducing points.

    Time grows with N M^2. The noise differs from row to row and class to class.

    Parameters
    ----------
    gp : ClasswiseGP
    x : (N, d)
    noise : (N, C)
        Variances of the targets, those that the processes learn among them.
    points : (M, d)
    """

    def __init__(
        self, gp: ClasswiseGP, x: Tensor, noise: Tensor, points: Tensor
    ) -> None:
        self.gp = gp
        self.points = points
        prior = gp.between(points, points)
        self.one = torch.eye(len(points)).to(prior)
        self.inner = root_of(prior + _JITTER * gp.scale * self.one)  # (M, M)
        self.v = solved(self.inner, gp.between(points, x))  # (M, N)
        self.precisions = 1 / noise.T  # (C, N)
        self.root = root_of(self.one + grams(self.v, self.precisions))  # (C, M, M)

    def evidence(self, targets: Tensor) -> Tensor:
        """Return the bound of the log marginal likelihood of each class, (C,)."""
        residual = self._residual(targets)
        misfit = (self.precisions * residual.square()).sum(dim=1)
        misfit = misfit - self._half(residual).square().sum(dim=(1, 2))
        logs = _log_diagonal(self.root) - self.precisions.log().sum(dim=1) / 2
        unseen = self.gp.scale - self.v.square().sum(dim=0)  # (N,)
        trace = self.precisions @ unseen
        return -(misfit + trace + len(targets) * _LOG_2PI) / 2 - logs

    def fitted(self, targets: Tensor) -> Tensor:
        """Return the posterior mean of each row, (N, C)."""
        return self.gp.constants + self.v.T @ self._weights(targets)

    def summary(self, targets: Tensor, variances: bool = True) -> RegressionSummary:
        """Return what predictions need, of variances or of means alone."""
        weights = solved(self.inner.T, self._weights(targets), upper=True).T
        precision = self.precision() if variances else None
        return RegressionSummary.of(self.points, weights, precision)

    def precision(self) -> Tensor:
        """Return what the points take off the prior covariance, (C, M, M)."""
        known = self.one - torch.cholesky_inverse(self.root)  # (C, M, M)
        inverse = solved(self.inner, self.one)
        return inverse.T @ known @ inverse

    def solve(self, right: Tensor) -> Tensor:
        """Return (V^T V + noise)^-1 right: its covariance is inverted, (C, N)."""
        half = self._half(right)
        w = solved(self.root.mT, half, upper=True).squeeze(2)  # (C, M)
        return self.precisions * (right - w @ self.v)

    def _residual(self, targets: Tensor) -> Tensor:
        return (targets - self.gp.constants).T  # (C, N)

    def _half(self, residual: Tensor) -> Tensor:
        weighted = (self.precisions * residual) @ self.v.T  # (C, M)
        return solved(self.root, weighted.unsqueeze(2))  # (C, M, 1)

    def _weights(self, targets: Tensor) -> Tensor:
        half = self._half(self._residual(targets))
        return solved(self.root.mT, half, upper=True).squeeze(2).T  # (M, C)


def grams(v: Tensor, precisions: Tensor) -> Tensor:
    """Return v diag(precisions of a class) v^T for each class, (C, M, M).

    Most rows of a class share its smallest precision, that of no candidate: they are
    multiplied once for all classes.
    """
    least = precisions.amin(dim=1)  # (C,)
    shared = v @ v.T
    found = []
    for own, common in zip(precisions, least, strict=True):
        rows = (own > common).nonzero().squeeze(1)
        more: Tensor = checkpoint(
            _gram,
            v,
            (own - common)[rows],
            rows,
            use_reentrant=False,
            preserve_rng_state=False,
        )
        found.append(common * shared + more)
    return torch.stack(found)


def _gram(v: Tensor, weights: Tensor, rows: Tensor) -> Tensor:
    part = v[:, rows]
    return (part * weights) @ part.T


def root_of(covariance: Tensor) -> Tensor:
    """Return Cholesky factors."""
    found = torch.linalg.cholesky_ex(covariance)
    if bool(found.info.any()) or not bool(torch.isfinite(found.L).all()):
        raise Diverged(
            "the covariance of the instances is not positive definite any more; "
            "lower training__lr or scale the features."
        )
    root: Tensor = found.L
    return root


def solved(root: Tensor, right: Tensor, upper: bool = False) -> Tensor:
    """Return root^-1 right of triangular matrices."""
    found: Tensor = torch.linalg.solve_triangular(root, right, upper=upper)
    return found


def _log_diagonal(root: Tensor) -> Tensor:
    return root.diagonal(dim1=1, dim2=2).log().sum(dim=1)
