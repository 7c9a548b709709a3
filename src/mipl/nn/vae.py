"""A variational auto-encoder of bags: latent variables of instances and of bags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from mipl.nn.attention import EvenAttention
from mipl.nn.dropout import DroppedReLU
from mipl.nn.heads import two_sided
from mipl.nn.keyed_draws import KeyedGaussian
from mipl.nn.network import BagNetwork, Output
from mipl.nn.segments import Segments
from mipl.nn.vae_layers import (
    CONVOLUTIONS,
    GaussianMap,
    ImageDecoder,
    ImageEncoder,
    LabelPrior,
    LecunLinear,
    VectorDecoder,
    VectorEncoder,
)


@dataclass(frozen=True, eq=False)
class VariationalOutput(Output):
    """What the network says, and what the evidence bound is made of; z is a draw."""

    PER_INSTANCE: ClassVar[tuple[str, ...]] = (
        *Output.PER_INSTANCE,
        "instance_mean",
        "instance_logvar",
        "error",
    )

    instance_mean: Tensor  # (N, L)
    instance_logvar: Tensor  # (N, L)
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
        return torch.cat([*self.instance(x), *self.bag(x)], dim=1)  # (N, 4 L)


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
        h = self.embed(x)  # (N, 4 L)
        scores, a = self.attention(h, bags, tau)
        own_mean, own_logvar, _, of_bag = h.chunk(4, dim=1)  # (N, L) each
        mean = self.pool(a, h, bags)  # (B, L)
        logvar = bags.mean(of_bag.exp()).log()  # (B, L)
        own, z = own_mean, mean
        if self.training:
            own = sampled(own_mean, own_logvar, self.noise_instance(own_mean))
            z = sampled(mean, logvar, self.noise_bag(mean))
        both = torch.cat([own, bags.spread(z)], dim=1)  # (N, 2 L)
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
        return bags.weighted_sum(a, h.chunk(4, dim=1)[2])  # (B, L)

    def judge(self, h: Tensor, z: Tensor) -> Tensor:
        """Return logits of embedded instances (n, 4 L) in bags with means z (n, L)."""
        logits: Tensor = self.head(torch.cat([h.chunk(4, dim=1)[0], z], dim=1))
        return logits


def sampled(mean: Tensor, logvar: Tensor, noise: Tensor) -> Tensor:
    """Return draws of normal variables, from standard normal ones."""
    return mean + (logvar / 2).exp() * noise


def latent_layers(
    d: int,
    shape: tuple[int, ...] | None,
    latent: int,
    width: int,
    decoder_width: int,
) -> tuple[TwoEncoders, nn.Module]:
    """Return both encoders and the decoder: convolutions for known shapes of images."""
    both: list[GaussianMap]
    if shape is not None and shape in CONVOLUTIONS:
        both = [ImageEncoder(shape, latent) for _ in range(2)]
        return TwoEncoders(*both), ImageDecoder(2 * latent, decoder_width, width, shape)
    both = [VectorEncoder(d, width, latent) for _ in range(2)]
    return TwoEncoders(*both), VectorDecoder(2 * latent, width, d)
