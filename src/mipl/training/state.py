"""What moves during training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from mipl.nn.network import BagNetwork


@dataclass(frozen=True)
class Clock:
    """Where the training stands, and what follows from it.

    ``seen`` holds what a loss keeps from the earlier batches of the same epoch.
    """

    epoch: int  # 1..epochs
    epochs: int
    tau: float = 1.0
    alpha: float = 1.0
    seen: list[Tensor] = field(default_factory=list)


@dataclass(eq=False)
class TrainingState:
    """Network, optimiser, label weights and the epochs done."""

    module: BagNetwork
    optimiser: torch.optim.Optimizer
    w: Tensor  # (m, k) label weights
    p: Tensor  # (m, k) probabilities when each bag was last visited
    epoch: int = 0
    history: list[dict[str, float]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
