"""Random numbers for each row of a batch, drawn from the key of the step."""

from __future__ import annotations

import torch
from torch import Tensor

from mipl.nn.dropout import Keyed


class KeyedUniform(Keyed):
    """Uniform numbers between 0 and 1 for each bag."""

    per_bag = True

    def forward(self, like: Tensor) -> Tensor:
        """Return numbers of the shape and type of another tensor."""
        rows, own = self.rows(like)
        generator = torch.Generator().manual_seed(self.key)
        drawn = self._numbers((rows, *like.shape[1:]), generator)
        return drawn[own].to(like)

    def _numbers(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
        return torch.rand(shape, generator=generator, dtype=torch.float64)


class KeyedGaussian(KeyedUniform):
    """Standard normal numbers for each bag, or for each instance."""

    def __init__(self, per_bag: bool) -> None:
        super().__init__()
        self.per_bag = per_bag

    def _numbers(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)
