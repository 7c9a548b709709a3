"""Independent Gaussian processes, one per class, with a common kernel."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from gpytorch.constraints import GreaterThan, Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods.noise_models import HomoskedasticNoise
from gpytorch.means import ConstantMean
from torch import Tensor, nn

from mipl.errors import MiplError

_LEAST_NOISE = 1e-4


@dataclass(frozen=True, eq=False)
class RegressionSummary:
    """What predictions need of the training data: n points and two tables of theirs.

    Variances may be seen through fewer points, the centres; posterior means alone need
    no precision.
    """

    points: Tensor  # (n, d)
    weights: Tensor  # (C, n)
    precision: Tensor | None = None  # (C, n, n), or (C, M, M) of the centres
    centres: Tensor | None = None  # (M, d)

    @classmethod
    def of(cls, *tables: Tensor) -> RegressionSummary:
        """Keep them row by row, as a file does: another order rounds otherwise."""
        return cls(*(table.contiguous() for table in tables))

    def means_only(self) -> RegressionSummary:
        """Return what posterior means need."""
        return RegressionSummary(self.points, self.weights)


class ClasswiseGP(nn.Module):
    """Prior of C processes: output scale times Matern, one mean and noise per class.

    Numbers are float64: covariances of many instances need it.

    Parameters
    ----------
    n_classes : int
    nu : {0.5, 1.5, 2.5}
        Smoothness of the Matern kernel.
    length : float or None
        Of the kernel; None learns it, from softplus(0) on.
    mean : {"zero", "constant"}
        "constant" learns one number per class.
    extra_noise : bool
        Whether a noise per class is learnt, in addition to the given one.
    """

    def __init__(
        self,
        n_classes: int,
        *,
        nu: float,
        length: float | None,
        mean: str,
        extra_noise: bool,
    ) -> None:
        super().__init__()
        shape = torch.Size([n_classes])
        self.kernel = ScaleKernel(MaternKernel(nu=nu)).double()
        if length is not None:
            self.kernel.base_kernel.lengthscale = torch.tensor(
                length, dtype=torch.float64
            )
            self.kernel.base_kernel.raw_lengthscale.requires_grad_(False)
        self.mean = ConstantMean(batch_shape=shape)
        self.mean.raw_constant.requires_grad_(mean == "constant")
        self.extra = None
        if extra_noise:
            least = GreaterThan(_LEAST_NOISE)
            self.extra = HomoskedasticNoise(noise_constraint=least, batch_shape=shape)
        self.double()
        for part in self.modules():
            if isinstance(part, Interval):
                # Bounds are no values that move, and a checkpoint takes no infinity.
                part.register_buffer("lower_bound", part.lower_bound, persistent=False)
                part.register_buffer("upper_bound", part.upper_bound, persistent=False)

    def between(self, x: Tensor, points: Tensor) -> Tensor:
        """Return the prior covariance of two sets of rows, (n, m)."""
        covariance: Tensor = self.kernel(x, points).to_dense()
        return covariance

    @property
    def scale(self) -> Tensor:
        """The output scale: the prior variance everywhere."""
        scale: Tensor = self.kernel.outputscale
        return scale  # ()

    @property
    def length(self) -> Tensor:
        """The length of the kernel."""
        length: Tensor = self.kernel.base_kernel.lengthscale
        return length.view(())

    @property
    def constants(self) -> Tensor:
        """The prior mean of each class."""
        constants: Tensor = self.mean.constant
        return constants  # (C,)

    @property
    def noise(self) -> Tensor:
        """The learnt noise of each class, (C,)."""
        if self.extra is None:
            return torch.zeros_like(self.constants)
        noise: Tensor = self.extra.noise
        return noise.view(-1)

    def marginals(self, x: Tensor, summary: RegressionSummary) -> tuple[Tensor, Tensor]:
        """Return posterior mean and variance of each row and class, (n, C) twice."""
        cross, precision = self._seen(x, summary)
        known = [((cross @ q) * cross).sum(dim=1) for q in precision]
        return self.means(x, summary), self.scale - torch.stack(known, dim=1)

    def means(self, x: Tensor, summary: RegressionSummary) -> Tensor:
        """Return the posterior mean of each row and class, (n, C)."""
        return self.constants + self.between(x, summary.points) @ summary.weights.T

    def covariance(self, x: Tensor, summary: RegressionSummary) -> Tensor:
        """Return the posterior covariance of rows, (C, n, n)."""
        cross, precision = self._seen(x, summary)
        return self.between(x, x) - cross @ precision @ cross.T

    def _seen(self, x: Tensor, summary: RegressionSummary) -> tuple[Tensor, Tensor]:
        """Return covariances with what shows variances, and its precision."""
        if summary.precision is None:
            raise MiplError("this model keeps posterior means alone, no variances.")
        points = summary.points if summary.centres is None else summary.centres
        return self.between(x, points), summary.precision
