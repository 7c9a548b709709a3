"""A latent true label between a bag and its candidate labels."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from mipl.nn.attention import Attention
from mipl.nn.initialisation import linear
from mipl.nn.keyed_draws import KeyedUniform
from mipl.nn.network import BagNetwork, Output
from mipl.nn.segments import Segments

_SLOPE = 1.5  # Of the relaxed sample in the published program.


class LatentLabel(nn.Module):
    """Two networks: q(y | z, w) infers the true label, p(s | z, y) explains the set.

    Parameters
    ----------
    width : int
        Length of the bag vector z.
    n_classes : int
    """

    def __init__(self, width: int, n_classes: int) -> None:
        super().__init__()
        self.inference1 = linear(width + n_classes, 256)
        self.inference2 = linear(256, 512)
        self.inference3 = linear(512, 256)
        self.inference_out = linear(256, n_classes)
        self.generator1 = linear(width + n_classes, 256)
        self.generator2 = linear(256, 512)
        self.generator_out = linear(512, n_classes)

    def infer(self, z: Tensor, w: Tensor) -> Tensor:
        """Return q, the probability that each label is the true one, times w."""
        x = torch.relu(self.inference1(torch.cat([z, w], dim=-1)))
        x = torch.relu(self.inference2(x))
        x = torch.relu(self.inference3(x))
        return torch.sigmoid(self.inference_out(x)) * w  # (B, k)

    def sample(self, q: Tensor, u: Tensor) -> Tensor:
        """Return a relaxed draw of labels: sigmoid(slope (logit q + logit u))."""
        logits = torch.logit(clamped(q)) + torch.logit(clamped(u))
        return torch.sigmoid(_SLOPE * logits)  # (B, k)

    def generate(self, z: Tensor, y: Tensor) -> Tensor:
        """Return the probability that each label is a candidate."""
        x = torch.relu(self.generator1(torch.cat([z, y], dim=-1)))
        x = torch.relu(self.generator2(x))
        return torch.sigmoid(self.generator_out(x))  # (B, k)


@dataclass(frozen=True, eq=False)
class LatentOutput(Output):
    """What the network says, and what it takes to infer and to explain labels."""

    latent: LatentLabel
    u: Tensor  # (B, k) uniform draws
    # Loss and update ask for the same.
    read: dict[Tensor, tuple[Tensor, Tensor]] = field(init=False, default_factory=dict)

    def of(self, w: Tensor) -> tuple[Tensor, Tensor]:
        """Return q(y | z, w), and the candidates s that a draw of it would give."""
        if w not in self.read:
            q = self.latent.infer(self.z, w)
            s = self.latent.generate(self.z, self.latent.sample(q, self.u))
            self.read[w] = q, s
        return self.read[w]


class LatentNetwork(BagNetwork):
    """The network of all attention methods, with a latent true label."""

    def __init__(
        self,
        scaling: nn.Module,
        encoder: nn.Module,
        attention: Attention,
        head: nn.Module,
        latent: LatentLabel,
    ) -> None:
        super().__init__(scaling, encoder, attention, head)
        self.latent = latent
        self.noise = KeyedUniform()

    def forward(self, x: Tensor, bags: Segments, tau: float) -> LatentOutput:
        """Run a batch of bags."""
        out = super().forward(x, bags, tau)
        return LatentOutput(**vars(out), latent=self.latent, u=self.noise(out.p))


def clamped(q: Tensor) -> Tensor:
    """Keep probabilities off 0 and 1 by one unit of rounding."""
    eps = torch.finfo(q.dtype).eps
    return q.clamp(eps, 1 - eps)
