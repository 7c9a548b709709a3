"""Encoders and decoders of a variational auto-encoder, for vectors and for images."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from mipl.nn.encoders import IMAGE, convolved
from mipl.nn.initialisation import Drawn, EmptyLinear, conv

_LOGVAR = 10.0  # Largest size of a log-variance: beyond it exponentials overflow.


class LecunLinear(EmptyLinear, Drawn):
    """An affine map that starts with weights U(+-sqrt(3 / inputs)), and biases of 0."""

    def draw(self, generator: torch.Generator) -> None:
        """Take starting values."""
        bound = math.sqrt(3 / self.in_features)
        nn.init.uniform_(self.weight, -bound, bound, generator=generator)
        nn.init.zeros_(self.bias)


class EmptyTransposed(nn.ConvTranspose2d, Drawn):
    """A transposed convolution that is filled later, with torch's usual values."""

    def reset_parameters(self) -> None:
        """Draw nothing."""

    def draw(self, generator: torch.Generator) -> None:
        """Take starting values."""
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5), generator=generator)
        if self.bias is not None:
            bound = 1 / math.sqrt(self.weight[0].numel())
            nn.init.uniform_(self.bias, -bound, bound, generator=generator)


class Convolutions(NamedTuple):
    """Two convolutions, each followed by pooling: channels, and sides of the kernels.

    The image, pooled twice, has ``pooled`` rows and columns.
    """

    channels: tuple[int, int, int]
    kernels: tuple[int, int]
    pooled: int

    @property
    def flat(self) -> int:
        """Number of values of an image that is pooled twice."""
        return self.channels[2] * self.pooled**2


# The published patches, and the convolutions of all attention methods.
CONVOLUTIONS: Mapping[tuple[int, ...], Convolutions] = {
    (3, 27, 27): Convolutions((3, 32, 48), (4, 3), 5),
    IMAGE: Convolutions((1, 20, 50), (5, 5), 4),
    IMAGE[1:]: Convolutions((1, 20, 50), (5, 5), 4),
}


class GaussianMap(nn.Module):
    """From features to means and log-variances of latent variables."""

    def __init__(self, inputs: int, latent: int) -> None:
        super().__init__()
        self.mean = LecunLinear(inputs, latent)
        self.logvar = LecunLinear(inputs, latent)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return means and log-variances."""
        f = self.features(x)
        return self.mean(f), self.logvar(f).clamp(-_LOGVAR, _LOGVAR)  # (n, L) twice

    def features(self, x: Tensor) -> Tensor:
        """Return what the latent variables are read from."""
        raise NotImplementedError


class VectorEncoder(GaussianMap):
    """Two hidden layers."""

    def __init__(self, d: int, width: int, latent: int) -> None:
        super().__init__(width, latent)
        self.fc1 = LecunLinear(d, width)
        self.fc2 = LecunLinear(width, width)

    def features(self, x: Tensor) -> Tensor:
        """Return the second hidden layer."""
        return torch.relu(self.fc2(torch.relu(self.fc1(x))))


class ImageEncoder(GaussianMap):
    """Two convolutions with ReLU and pooling."""

    def __init__(self, shape: tuple[int, ...], latent: int) -> None:
        form = CONVOLUTIONS[shape]
        super().__init__(form.flat, latent)
        first, second, third = form.channels
        self.shape = (first, *shape[-2:])
        self.conv1 = conv(first, second, form.kernels[0])
        self.conv2 = conv(second, third, form.kernels[1])
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def features(self, x: Tensor) -> Tensor:
        """Return the pooled channels."""
        flat = convolved(x, self.shape, self.conv1, self.conv2)
        return flat.to(self.mean.weight.dtype)


class LabelPrior(GaussianMap):
    """The prior of a bag's latent variables, given its label."""

    def __init__(self, n_classes: int, width: int, latent: int) -> None:
        super().__init__(width, latent)
        self.hidden = LecunLinear(n_classes, width)

    def features(self, x: Tensor) -> Tensor:
        """Return the hidden layer of one-hot labels."""
        return torch.relu(self.hidden(x))

    def of_each_class(self) -> tuple[Tensor, Tensor]:
        """Return means and log-variances of every class, (k, L) twice."""
        n_classes = self.hidden.in_features
        return self(torch.eye(n_classes).to(self.hidden.weight))  # type: ignore[no-any-return]


class VectorDecoder(nn.Module):
    """Two hidden layers, the encoder's in reverse."""

    def __init__(self, latent: int, width: int, d: int) -> None:
        super().__init__()
        self.fc1 = LecunLinear(latent, width)
        self.fc2 = LecunLinear(width, width)
        self.fc3 = LecunLinear(width, d)

    def forward(self, z: Tensor) -> Tensor:
        """Return reconstructed instances."""
        hidden = torch.relu(self.fc2(torch.relu(self.fc1(z))))
        return self.fc3(hidden)  # type: ignore[no-any-return]  # (N, d)


class ImageDecoder(VectorDecoder):
    """Dense layers, then twice: enlarge, and convolve in reverse.

    With channels last, as in ``convolved``.
    """

    def __init__(
        self, latent: int, first_width: int, width: int, shape: tuple[int, ...]
    ) -> None:
        form = CONVOLUTIONS[shape]
        super().__init__(latent, width, form.flat)
        self.fc1 = LecunLinear(latent, first_width)
        self.fc2 = LecunLinear(first_width, width)
        first, second, third = form.channels
        self.form = form
        self.deconv1 = EmptyTransposed(third, second, form.kernels[1])
        self.deconv2 = EmptyTransposed(second, first, form.kernels[0])
        self.conv1x1 = conv(first, first, 1)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, z: Tensor) -> Tensor:
        """Return reconstructed images, flat."""
        side = self.form.pooled
        images = super().forward(z).view(-1, self.form.channels[2], side, side)
        images = images.contiguous(memory_format=torch.channels_last)
        images = torch.relu(self.deconv1(_enlarged(images)))
        images = torch.relu(self.deconv2(_enlarged(images)))
        return self.conv1x1(images).flatten(1)  # type: ignore[no-any-return]  # (N, d)


def _enlarged(images: Tensor) -> Tensor:
    """Return images of twice the side, each pixel repeated."""
    return nn.functional.interpolate(images, scale_factor=2)  # Nearest pixels.
