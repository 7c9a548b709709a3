"""A network whose instances are judged by the classifier of their bags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from mipl.nn.network import BagNetwork, Output
from mipl.nn.segments import Segments


@dataclass(frozen=True, eq=False)
class InstanceOutput(Output):
    """What a network says about bags, and about each instance."""

    PER_INSTANCE: ClassVar[tuple[str, ...]] = (*Output.PER_INSTANCE, "instance_log_p")

    instance_log_p: Tensor  # (N, k)


class InstanceNetwork(BagNetwork):
    """The network of all attention methods, whose head also judges instances."""

    def forward(self, x: Tensor, bags: Segments, tau: float) -> InstanceOutput:
        """Run a batch of bags."""
        out = super().forward(x, bags, tau)
        judged = self.head(self.alone(out.h))  # (N, k)
        return InstanceOutput(**vars(out), instance_log_p=judged)
