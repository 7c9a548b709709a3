"""Stochastic gradient descent with momentum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from mipl.training.flat import FlatDescent

if TYPE_CHECKING:
    from mipl.training.options import Training

_PART = 2**15  # Numbers of each run.


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

    def _take_rates(self, epoch: int) -> None:
        rate = self._column([o.learning_rate(epoch) for o in self.options])
        self.of_gradient = rate * self.nesterov
        self.of_velocity = rate * (1 - self.nesterov + self.nesterov * self.momentum)

    def _step(self, g: Tensor) -> None:
        # A part at a time, which stays in the cache from line to line.
        whole = (g, self.values, self.velocity)
        parts = [torch.split(tensor, _PART, dim=1) for tensor in whole]
        for g, values, velocity in zip(*parts, strict=True):
            g.addcmul_(values, self.decay)
            velocity.mul_(self.momentum).add_(g)
            step = g.mul_(self.of_gradient).addcmul_(velocity, self.of_velocity)
            values.sub_(step)

    def _of_steps(self) -> dict[str, Tensor]:
        return {"velocity": self.velocity}
