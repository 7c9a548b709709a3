"""Stochastic gradient descent with momentum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from mipl.training.flat import FlatDescent

if TYPE_CHECKING:
    from mipl.training.options import Training


class FlatSGD(FlatDescent):
    """The steps of ``torch.optim.SGD``, with a momentum of each run's own."""

    def __init__(
        self, parameters: Iterable[nn.Parameter], options: Sequence[Training]
    ) -> None:
        super().__init__(parameters, options)
        self.velocity = torch.zeros_like(self.values)  # (S, P)
        self.momentum = self._column([o.momentum for o in options])  # (S, 1)
        self.decay = self._column([o.weight_decay for o in options])
        self.nesterov = self._column([float(o.nesterov) for o in options])

    def start_epoch(self, epoch: int) -> None:
        """Take the learning rates of an epoch."""
        rate = self._column([o.learning_rate(epoch) for o in self.options])
        self.of_gradient = rate * self.nesterov
        self.of_velocity = rate * (1 - self.nesterov + self.nesterov * self.momentum)

    def _step(self, g: Tensor) -> None:
        g.addcmul_(self.values, self.decay)
        self.velocity.mul_(self.momentum).add_(g)
        step = g.mul_(self.of_gradient).addcmul_(self.velocity, self.of_velocity)
        self.values.sub_(step)

    def buffers(self) -> dict[str, Tensor]:
        """Return what the steps so far have left."""
        return {"velocity": self.velocity}
