"""A network that looks apart at the instances its attention lets pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from mipl.nn.initialisation import linear
from mipl.nn.instance_network import InstanceOutput
from mipl.nn.network import BagNetwork
from mipl.nn.segments import Segments


def passed(a: Tensor, scores: Tensor, bags: Segments, least: float) -> Tensor:
    """Return 1 for instances with attention of at least so much, else 0: (N,).

    Of a bag without any such the largest passes, told by its score.

    Examples
    --------
    >>> scores = torch.tensor([2.0, -2.0, -3.0, -2.5])
    >>> bags = Segments.of(torch.tensor([2, 2]))
    >>> passed(torch.sigmoid(scores), scores, bags, least=0.5).tolist()
    [1.0, 0.0, 0.0, 1.0]
    """
    enough = a >= least
    none = bags.spread(bags.max(a)) < least
    largest = scores >= bags.spread(bags.max(scores))
    return (enough | (none & largest)).to(a.dtype)


@dataclass(frozen=True, eq=False)
class FilteredOutput(InstanceOutput):
    """What a network says, which instances have passed, and bags with both in one."""

    PER_INSTANCE: ClassVar[tuple[str, ...]] = (*InstanceOutput.PER_INSTANCE, "kept")

    kept: Tensor  # (N,) 1 or 0
    fused: Tensor  # (B, 2 L)


class FilteredNetwork(BagNetwork):
    """The network of all attention methods, with a filter after a sigmoid attention.

    A bag's fused features are a map of its vector, which nothing trains, beside the
    mean of the instances that have passed. What stands for the temperature is the
    least attention that passes: a sigmoid attention has none.

    Parameters
    ----------
    scaling, encoder, attention, head
        As of every bag network; the attention is a ``SigmoidAttention``.
    width, n_classes : int
        The numbers L and k.
    """

    def __init__(
        self,
        scaling: nn.Module,
        encoder: nn.Module,
        attention: nn.Module,
        head: nn.Module,
        width: int,
        n_classes: int,
    ) -> None:
        super().__init__(scaling, encoder, attention, head)  # type: ignore[arg-type]
        self.instance_classifier = linear(width, n_classes)
        self.bag_map = linear(width, width).requires_grad_(False)

    def forward(self, x: Tensor, bags: Segments, tau: float) -> FilteredOutput:
        """Run a batch of bags; tau is the least attention that passes."""
        out = super().forward(x, bags, tau)
        judged = torch.log_softmax(torch.sigmoid(self.instance_classifier(out.h)), 1)
        with torch.no_grad():
            kept = passed(torch.sigmoid(out.scores), out.scores, bags, tau)
            mean = bags.weighted_sum(kept / bags.spread(bags.sum(kept)), out.h)
            fused = torch.cat([self.bag_map(out.z), mean], dim=1)
        return FilteredOutput(
            **vars(out), instance_log_p=judged, kept=kept, fused=fused
        )
