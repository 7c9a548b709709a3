"""Adam and AdamW on all parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from mipl.training.flat import FlatDescent
from mipl.training.options import Training

_MEAN, _SQUARE = 0.9, 0.999  # How much of its averages a step keeps.
_EPSILON = 1e-8


class FlatAdam(FlatDescent):
    """The steps of ``torch.optim.Adam``, and with ``decoupled`` decay of its AdamW."""

    def __init__(
        self, parameters: Iterable[nn.Parameter], options: Sequence[Training]
    ) -> None:
        super().__init__(parameters, options)
        self.decoupled = options[0].optimiser == "adamw"
        self.mean = torch.zeros_like(self.values)  # (S, P)
        self.square = torch.zeros_like(self.values)  # (S, P)
        self.steps = torch.zeros((), dtype=torch.int64)

    def _step(self, g: Tensor) -> None:
        if self.decoupled:
            self.values.mul_(1 - self.rate * self.decay)
        else:
            g.addcmul_(self.values, self.decay)
        self.steps += 1
        self.mean.lerp_(g, 1 - _MEAN)
        self.square.mul_(_SQUARE).addcmul_(g, g, value=1 - _SQUARE)
        t = int(self.steps)
        size = (self.square / (1 - _SQUARE**t)).sqrt_().add_(_EPSILON)
        self.values.sub_((self.mean / size).mul_(self.rate / (1 - _MEAN**t)))

    def buffers(self) -> dict[str, Tensor]:
        """Return what the steps so far have left."""
        return {"mean": self.mean, "square": self.square, "steps": self.steps}
