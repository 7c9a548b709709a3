"""A variational auto-encoder of bags: latent variables of instances and of bags."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from mipl.nn.attention import EvenAttention
from mipl.nn.dropout import DroppedReLU
from mipl.nn.encoders import IMAGE, convolved
from mipl.nn.heads import two_sided
from mipl.nn.initialisation import Drawn, EmptyLinear, conv
from mipl.nn.keyed_draws import KeyedGaussian
from mipl.nn.network import BagNetwork, Output
from mipl.nn.segments import Segments

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


@dataclass(frozen=True, eq=False)
class VariationalOutput(Output):
    """What the network says, and what the evidence bound is made of; z is a draw."""

    PER_INSTANCE: ClassVar[tuple[str, ...]] = (
        *Output.PER_INSTANCE,
        "instance_mean",
        "instance_logvar",
        "error",
    )

    instance_mean: Tensor  # (N, I)
    instance_logvar: Tensor  # (N, I)
    error: Tensor  # (N,) mean squared error of each reconstructed instance
    bag_mean: Tensor  # (B, L)
    bag_logvar: Tensor  # (B, L)
    label_prior: LabelPrior


class TwoEncoders(nn.Module):
    """One encoder reads an instance for itself, another as evidence of its bag."""

    def __init__(self, instance: GaussianMap, bag: GaussianMap) -> None:
        super().__init__()
        self.instance = instance
        self.bag = bag

    def forward(self, x: Tensor) -> Tensor:
        """Return means and log-variances of the instance, then of its bag."""
        return torch.cat([*self.instance(x), *self.bag(x)], dim=1)  # (N, 2 I + 2 L)

    def parts(self, h: Tensor) -> tuple[Tensor, ...]:
        """Return these four: (N, I) twice, (N, L) twice."""
        own, shared = (part.mean.out_features for part in (self.instance, self.bag))
        return torch.split(h, [own, own, shared, shared], dim=1)


class LatentClassifier(nn.Module):
    """Logits of an instance from its own and its bag's latent variables.

    Parameters
    ----------
    latent : int
        Number of all latent variables.
    width : int
    n_classes : int
    dropout : float
    one_logit : bool
        Whether there is one logit for two classes, not one per class.
    """

    def __init__(
        self,
        latent: int,
        width: int,
        n_classes: int,
        dropout: float,
        *,
        one_logit: bool,
    ) -> None:
        super().__init__()
        self.one_logit = one_logit
        self.classifier1 = LecunLinear(latent, width)
        self.dropout1 = DroppedReLU(dropout)
        self.classifier2 = LecunLinear(width, width)
        self.dropout2 = DroppedReLU(dropout)
        self.classifier3 = LecunLinear(width, 1 if one_logit else n_classes)

    def forward(self, z: Tensor) -> Tensor:
        """Return logits."""
        hidden = self.dropout1(self.classifier1(z))
        hidden = self.dropout2(self.classifier2(hidden))
        return self.classifier3(hidden)  # type: ignore[no-any-return]  # (N, k)

    def log_p(self, logits: Tensor) -> Tensor:
        """Return log-probabilities of the classes."""
        if self.one_logit:
            return two_sided(logits)
        return torch.log_softmax(logits, dim=1)  # (n, k)


class VariationalNetwork(BagNetwork):
    """Encode instances and bags, draw, decode, and classify by the best instance.

    Embedded instances are means and log-variances, of their own latent variables and of
    what they tell of their bag's; these are averaged over the bag, means as well as
    variances. In training latent variables are drawn, otherwise they are the means.
    """

    encoder: TwoEncoders
    head: LatentClassifier

    def __init__(
        self,
        scaling: nn.Module,
        encoder: TwoEncoders,
        head: LatentClassifier,
        decoder: nn.Module,
        label_prior: LabelPrior,
    ) -> None:
        super().__init__(scaling, encoder, EvenAttention(), head)
        self.decoder = decoder
        self.label_prior = label_prior
        self.noise_instance = KeyedGaussian(per_bag=False)
        self.noise_bag = KeyedGaussian(per_bag=True)

    def forward(self, x: Tensor, bags: Segments, tau: float) -> VariationalOutput:
        """Run a batch of bags."""
        h = self.embed(x)  # (N, 2 I + 2 L)
        scores, a = self.attention(h, bags, tau)
        own_mean, own_logvar, _, of_bag = self.encoder.parts(h)
        mean = self.pool(a, h, bags)  # (B, L)
        logvar = bags.mean(of_bag.exp()).log()  # (B, L)
        own, z = own_mean, mean
        if self.training:
            own = sampled(own_mean, own_logvar, self.noise_instance(own_mean))
            z = sampled(mean, logvar, self.noise_bag(mean))
        both = torch.cat([own, bags.spread(z)], dim=1)  # (N, I + L)
        log_p = self.head.log_p(bags.peak(self.head(both)))  # (B, k)
        error = (self.decoder(both) - self.scaling(x)).square().mean(dim=1)  # (N,)
        said = Output(log_p, log_p.exp(), a, scores, z, h)
        return VariationalOutput(
            **vars(said),
            instance_mean=own_mean,
            instance_logvar=own_logvar,
            error=error,
            bag_mean=mean,
            bag_logvar=logvar,
            label_prior=self.label_prior,
        )

    def pool(self, a: Tensor, h: Tensor, bags: Segments) -> Tensor:
        """Return the means of the bags' latent variables."""
        return bags.weighted_sum(a, self.encoder.parts(h)[2])  # (B, L)

    def judge(self, h: Tensor, z: Tensor) -> Tensor:
        """Return logits of embedded instances in bags with means z (n, L)."""
        logits: Tensor = self.head(torch.cat([self.encoder.parts(h)[0], z], dim=1))
        return logits


def sampled(mean: Tensor, logvar: Tensor, noise: Tensor) -> Tensor:
    """Return draws of normal variables, from standard normal ones."""
    return mean + (logvar / 2).exp() * noise


def latent_layers(
    d: int,
    shape: tuple[int, ...] | None,
    latent: tuple[int, int],
    width: int,
    decoder_width: int,
) -> tuple[TwoEncoders, nn.Module]:
    """Return the encoders of so many latent variables each, and the decoder of all.

    They are convolutions for known shapes of images.
    """
    if shape is not None and shape in CONVOLUTIONS:
        images = TwoEncoders(*(ImageEncoder(shape, each) for each in latent))
        return images, ImageDecoder(sum(latent), decoder_width, width, shape)
    vectors = TwoEncoders(*(VectorEncoder(d, width, each) for each in latent))
    return vectors, VectorDecoder(sum(latent), width, d)
