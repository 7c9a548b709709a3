"""Adam and AdamW on all parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from mipl.training.flat import FlatDescent

if TYPE_CHECKING:
    from mipl.training.options import Training


class FlatAdam(FlatDescent):
    """The steps of ``torch.optim.Adam``, or of its AdamW where the settings say so."""

    def __init__(
        self, parameters: Iterable[nn.Parameter], options: Sequence[Training]
    ) -> None:
        super().__init__(parameters, options)
        decoupled = options[0].optimiser == "adamw"
        # In one pass: in several, a step of ten runs took seven times as long.
        self.kernel = torch._fused_adamw_ if decoupled else torch._fused_adam_
        self.means = torch.zeros_like(self.values)  # (S, P)
        self.squares = torch.zeros_like(self.values)  # (S, P)
        self.steps = torch.zeros(len(options), device=self.values.device)  # (S,)

    def _take_rates(self, epoch: int) -> None:
        self.rates = [o.learning_rate(epoch) for o in self.options]

    def _step(self, g: Tensor) -> None:
        self.steps += 1
        runs = zip(self.values, g, self.means, self.squares, self.steps, strict=True)
        settings = zip(self.options, self.rates, strict=True)
        for run, (options, rate) in zip(runs, settings, strict=True):
            values, gradient, mean, square, steps = ([part] for part in run)
            self.kernel(
                values,
                gradient,
                mean,
                square,
                [],
                steps,
                lr=rate,
                beta1=0.9,
                beta2=0.999,
                weight_decay=options.weight_decay,
                eps=1e-8,
                amsgrad=False,
                maximize=False,
            )

    def _of_steps(self) -> dict[str, Tensor]:
        return {"mean": self.means, "square": self.squares, "steps": self.steps}
