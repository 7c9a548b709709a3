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
        return self.numbers((rows, *like.shape[1:]), self.key)[own].to(like)

    def numbers(self, shape: tuple[int, ...], key: int) -> Tensor:
        """Return the numbers of a key."""
        generator = torch.Generator().manual_seed(key)
        return torch.rand(shape, generator=generator, dtype=torch.float64)


class KeyedGaussian(KeyedUniform):
    """Standard normal numbers for each bag, or for each instance."""

    def __init__(self, per_bag: bool) -> None:
        super().__init__()
        self.per_bag = per_bag

    def numbers(self, shape: tuple[int, ...], key: int) -> Tensor:
        """Return the numbers of a key."""
        generator = torch.Generator().manual_seed(key)
        return torch.randn(shape, generator=generator, dtype=torch.float64)
