"""How label weights move, and how much of the old ones stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import torch
from sklearn.base import BaseEstimator
from torch import Tensor

from mipl.objectives import falling_alpha, momentum_update
from mipl.parameters import Declared, choice, flag

if TYPE_CHECKING:
    from mipl.nn.network import Output
    from mipl.training.batches import Batch
    from mipl.training.state import Clock


class Momentum(Declared, BaseEstimator):  # type: ignore[misc]
    """w = alpha w + (1 - alpha) p on the candidates, p normalised there."""

    balance: bool = flag(
        "Whether p is divided by its mean over all bags in the last epoch (MIPLMA).",
        default=False,
    )

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the new label weights of a batch, (B, k)."""
        p = out.p.detach()
        if self.balance and clock.mean_p is not None:
            p = p / clock.mean_p.clamp_min(torch.finfo(p.dtype).tiny)
        return momentum_update(w, p, batch.candidates, clock.alpha)


class FallingMomentum(Declared, BaseEstimator):  # type: ignore[misc]
    """alpha = (T - t + lag) / T in epoch t of T.

    Examples
    --------
    >>> [FallingMomentum()(t, 4) for t in (1, 2, 4)]
    [0.75, 0.5, 0.0]
    >>> FallingMomentum(hold_first=True)(1, 4)
    1.0
    """

    lag: int = choice("0 as papers count epochs, 1 as programs.", (0, 1), default=0)
    hold_first: bool = flag(
        "Whether the first epoch keeps the starting weights (CDL).", default=False
    )

    def __call__(self, epoch: int, epochs: int) -> float:
        """Return the share of the old label weights that stays."""
        held = self.hold_first and epoch == 1
        return 1.0 if held else falling_alpha(epoch, epochs, self.lag)


def keep_weights(out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
    """Leave label weights as they were given."""
    return w


Update = Callable[["Output", "Batch", Tensor, "Clock"], Tensor]
UPDATES: Mapping[str, Callable[[], Update]] = {
    "momentum": Momentum,
    "balanced": lambda: Momentum(balance=True),
    "none": lambda: keep_weights,
}
SCHEDULES: Mapping[str, Callable[[], Callable[[int, int], float]]] = {
    "falling": FallingMomentum,
    "falling-late": lambda: FallingMomentum(lag=1),
    "held-first": lambda: FallingMomentum(hold_first=True),
}
