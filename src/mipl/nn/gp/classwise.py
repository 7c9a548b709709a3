"""Independent Gaussian processes, one per class, with a common kernel."""

from __future__ import annotations

import copy

import torch
from gpytorch.constraints import GreaterThan, Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods.noise_models import HomoskedasticNoise
from gpytorch.means import ConstantMean
from torch import Tensor, nn

_LEAST_NOISE = 1e-4


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

    def single(self) -> ClasswiseGP:
        """Return a copy in float32."""
        return copy.deepcopy(self).float()
