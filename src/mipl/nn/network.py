"""The network all attention methods share: encoder, attention, head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Self

from torch import Tensor, nn

from mipl.nn.attention import Attention
from mipl.nn.segments import Segments


@dataclass(frozen=True, eq=False)
class Output:
    """What a network says about a batch of bags."""

    PER_INSTANCE: ClassVar[tuple[str, ...]] = ("a", "scores", "h")

    log_p: Tensor  # (B, k)
    p: Tensor  # (B, k)
    a: Tensor  # (N,) attention
    scores: Tensor  # (N,) before any normalisation
    z: Tensor  # (B, L) bag vectors
    h: Tensor  # (N, L) embedded instances

    def per_bag(self) -> dict[str, Tensor]:
        """Return what is said of each bag, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: value
            for name, value in values.items()
            if isinstance(value, Tensor) and name not in self.PER_INSTANCE
        }

    def joined(self, parts: Mapping[str, Tensor]) -> Self:
        """Return the output of a batch whose bags were run in parts.

        What depends on the whole batch is to be computed anew.
        """
        return replace(self, **parts)


class BagNetwork(nn.Module):
    """Embed the instances, weigh them, sum them up, classify the bag.

    ``embed`` and ``score`` look at each instance alone, and what ``pool`` gives for
    parts of a bag adds up: so predictions may take a bag of any size some instances at
    a time.
    """

    def __init__(
        self,
        scaling: nn.Module,
        encoder: nn.Module,
        attention: Attention,
        head: nn.Module,
    ) -> None:
        super().__init__()
        self.scaling = scaling
        self.encoder = encoder
        self.attention = attention
        self.head = head

    def forward(self, x: Tensor, bags: Segments, tau: float) -> Output:
        """Run a batch of bags."""
        h = self.embed(x)  # (N, L)
        scores = self.score(h)  # (N,)
        a = self.attention.weigh(scores, bags, tau)  # (N,)
        z = self.pool(a, h, bags)  # (B, L)
        log_p = self.head(z)  # (B, k)
        return Output(log_p, log_p.exp(), a, scores, z, h)

    def embed(self, x: Tensor) -> Tensor:
        """Return the embedded instances."""
        h: Tensor = self.encoder(self.scaling(x))
        return h  # (N, L)

    def score(self, h: Tensor) -> Tensor:
        """Return the raw scores of instances."""
        scores: Tensor = self.attention.score(h)
        return scores  # (N,)

    def pool(self, a: Tensor, h: Tensor, bags: Segments) -> Tensor:
        """Return bag vectors; those of the parts of a bag add up to its own."""
        return bags.weighted_sum(a, h)  # (B, L)

    def alone(self, h: Tensor) -> Tensor:
        """Return bag vectors of instances taken as bags of their own."""
        return h  # (N, L)
