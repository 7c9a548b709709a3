"""Predictions: a network over bags of any size, some instances at a time.

Small bags are handled many at once. The instances of a large one are embedded in
chunks: once for their scores, from which the attention of the whole bag follows, and
once more for the weighted sum, unless they were few enough to be kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from mipl.nn.segments import Segments

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.nn.network import BagNetwork

_ROWS = 1 << 11  # Instances embedded at once.
_KEPT = 1 << 24  # Numbers of embedded instances kept from the first pass.


class LazyOutput:
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
        self._kept, self._n_kept = torch.empty(0), 0

    @property
    def segments(self) -> Segments:
        """Which of these bags each instance belongs to."""
        return Segments.of(self._sizes)

    @property
    def n_instances(self) -> int:
        """Number of instances of these bags."""
        return self._span[1] - self._span[0]

    def chunks(self) -> Iterator[Tensor]:
        """Give the embedded instances, (n, L), at most so many at a time."""
        first, last = self._span
        for start in range(0, last - first, _ROWS):
            stop = min(start + _ROWS, last - first)
            if stop > self._n_kept:
                rows = torch.tensor(self._bags.rows(slice(first + start, first + stop)))
                h = self.module.embed(rows.to(self._like))  # (n, L)
                self._keep(start, h)
                yield h
            else:
                yield self._kept[start:stop]

    def _keep(self, start: int, h: Tensor) -> None:
        """Keep embedded instances as long as there is room."""
        stop = start + len(h)
        if stop == self.n_instances and start == 0:
            self._kept, self._n_kept = h, stop
            return
        if start == 0:
            room = min(self.n_instances, _KEPT // h.shape[1])
            self._kept = h.new_empty(room, h.shape[1])
        if stop <= len(self._kept):
            self._kept[start:stop] = h
            self._n_kept = stop

    @cached_property
    def scores(self) -> Tensor:
        """The raw scores of each instance."""
        score = self.module.score
        return joined(map(score, self.chunks()), self.n_instances)  # (N,)

    @cached_property
    def a(self) -> Tensor:
        """The attention of each instance."""
        return self.module.attention.weigh(self.scores, self.segments, self.tau)  # (N,)

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
        alone = map(self.module.alone, self.chunks())
        return joined(map(self.module.head, alone), self.n_instances)  # (N, k)


def joined(parts: Iterable[Tensor], n: int) -> Tensor:
    """Join parts of n rows in all, in memory that is taken at once.

    Many parts kept between large numbers that come and go would scatter the heap, which
    then grows without end.
    """
    whole, start = torch.empty(0), 0
    for part in parts:
        if part.shape[0] == n:
            return part
        if start == 0:
            whole = part.new_empty((n, *part.shape[1:]))
        whole[start : start + len(part)] = part
        start += len(part)
    return whole


def lazy_outputs(module: BagNetwork, bags: Bags, tau: float) -> Iterator[LazyOutput]:
    """Give all bags in their order, as the network sees them."""
    for start, stop in bags.spans(_ROWS):
        yield LazyOutput(module, bags, start, stop, tau)
