"""Independent Gaussian processes, one per class, with a common kernel."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from gpytorch.constraints import GreaterThan, Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods.noise_models import HomoskedasticNoise
from gpytorch.means import ConstantMean
from torch import Tensor, nn

_LEAST_NOISE = 1e-4


@dataclass(frozen=True, eq=False)
class RegressionSummary:
    """What predictions need of the training data: n points and two tables of theirs."""

    points: Tensor  # (n, d)
    weights: Tensor  # (C, n)
    precision: Tensor  # (C, n, n)

    @classmethod
    def of(cls, *tables: Tensor) -> RegressionSummary:
        """Keep them row by row, as a file does: another order rounds otherwise."""
        return cls(*(table.contiguous() for table in tables))


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
        cross = self.between(x, summary.points)  # (n, m)
        mean = self.constants + cross @ summary.weights.T
        known = [((cross @ q) * cross).sum(dim=1) for q in summary.precision]
        return mean, self.scale - torch.stack(known, dim=1)

    def covariance(self, x: Tensor, summary: RegressionSummary) -> Tensor:
        """Return the posterior covariance of rows, (C, n, n)."""
        cross = self.between(x, summary.points)
        return self.between(x, x) - cross @ summary.precision @ cross.T
