"""Predictions: a network over bags of any size, some instances at a time.

Small bags are handled many at once. The instances of a large one are embedded in
chunks: once for their scores, from which the attention of the whole bag follows, and
once more for the weighted sum, unless they were few enough to be kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from mipl.data.bags import Bags
from mipl.nn.network import BagNetwork
from mipl.nn.segments import Segments

_ROWS = 1 << 11  # Instances embedded at once: convolutions need 100 kB for each.
_KEPT = 1 << 24  # Numbers of embedded instances kept from the first pass.


class Seen:
    """Some bags as a network sees them; what nobody asks for is not computed.

    Parameters
    ----------
    module : BagNetwork
    bags : Bags
    start, stop : int
        The bags to look at: several small ones, or one of any size.
    tau : float
    """

    def __init__(
        self, module: BagNetwork, bags: Bags, start: int, stop: int, tau: float
    ) -> None:
        self.module = module
        self.tau = tau
        self._bags = bags
        self._span = int(bags.offsets[start]), int(bags.offsets[stop])
        self._like = next(module.parameters())
        sizes = np.diff(bags.offsets[start : stop + 1])
        self._sizes = torch.as_tensor(sizes, device=self._like.device)
        self._kept: dict[int, Tensor] = {}
        self._room = _KEPT

    def chunks(self) -> Iterator[Tensor]:
        """Give the embedded instances, (n, L), at most so many at a time."""
        first, last = self._span
        for start in range(first, last, _ROWS):
            yield self._embedded(start, min(start + _ROWS, last))

    def _embedded(self, start: int, stop: int) -> Tensor:
        if start in self._kept:
            return self._kept[start]
        rows = torch.tensor(self._bags.rows(slice(start, stop)))
        h = self.module.embed(rows.to(self._like))  # (n, L)
        if h.numel() <= self._room:
            self._kept[start] = h
            self._room -= h.numel()
        return h

    @cached_property
    def a(self) -> Tensor:
        """The attention of each instance."""
        attention = self.module.attention
        scores = torch.cat([attention.score(h) for h in self.chunks()])  # (N,)
        return attention.weigh(scores, Segments.of(self._sizes), self.tau)  # (N,)

    @cached_property
    def z(self) -> Tensor:
        """The bag vectors."""
        parts = torch.split(self.a, _ROWS)
        total = torch.zeros((), dtype=self._like.dtype, device=self._like.device)
        for a, h in zip(parts, self.chunks(), strict=True):
            sizes = self._sizes if len(parts) == 1 else self._sizes.new_tensor([len(a)])
            total = total + self.module.pool(a, h, Segments.of(sizes))
        return total  # (B, L)

    @property
    def log_p(self) -> Tensor:
        """The log-probabilities of the classes."""
        log_p: Tensor = self.module.head(self.z)
        return log_p  # (B, k)

    @property
    def instance_log_p(self) -> Tensor:
        """The log-probabilities of each instance, taken as a bag of its own."""
        return torch.cat([self.module.head(h) for h in self.chunks()])  # (N, k)


def look(module: BagNetwork, bags: Bags, tau: float) -> Iterator[Seen]:
    """Give all bags in their order, as the network sees them."""
    for start, stop in bags.spans(_ROWS):
        yield Seen(module, bags, start, stop, tau)
