"""Bags inside a graph: what a network says of them, in operations of any sizes.

A graph is written down once, from an example, and is to hold for any number of bags
and instances. So nothing here asks how many there are, loops over bags, or has a
gradient of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import torch
from torch import Tensor

from mipl.nn.network import BagNetwork
from mipl.nn.segments import Segments


class TracedSegments(Segments):
    """Segments given by offsets, whose operations a graph can hold.

    Examples
    --------
    >>> bags = TracedSegments.between(torch.tensor([0, 2, 3]), torch.zeros(3, 1))
    >>> bags.bag.tolist(), bags.sizes.tolist()
    ([0, 0, 1], [2, 1])
    >>> bags.softmax(torch.tensor([0.0, 0.0, 7.0])).tolist()
    [0.5, 0.5, 1.0]
    """

    @classmethod
    def between(cls, offsets: Tensor, x: Tensor) -> TracedSegments:
        """Build from the offsets of bags among the rows x; every bag has a row."""
        starts = offsets[:-1]
        firsts = x.new_zeros(x.shape[0], dtype=torch.int64)
        firsts = firsts.index_add(0, starts, torch.ones_like(starts))
        return cls(offsets[1:] - starts, firsts.cumsum(0) - 1, starts)

    def sum(self, x: Tensor) -> Tensor:
        """Add up the rows of each bag: (N, ...) -> (B, ...).

        A runtime may scatter with many threads that lose each other's sums, so these
        are differences of running sums, in numbers with digits to spare.
        """
        so_far = x.double().cumsum(0)
        last = so_far[self.starts + self.sizes - 1]
        before = so_far[self.starts] - x[self.starts].double()
        return (last - before).to(x.dtype)

    def max(self, x: Tensor) -> Tensor:
        """Take the largest row of each bag: (N, ...) -> (B, ...)."""
        lowest = x.new_full((self.sizes.shape[0], *x.shape[1:]), -torch.inf)
        bag = self.bag.view(-1, *[1] * (x.ndim - 1)).expand_as(x)
        return lowest.scatter_reduce(0, bag, x, "amax")

    def softmax(self, scores: Tensor) -> Tensor:
        """Return the softmax inside each bag: (N, ...) -> (N, ...)."""
        a = torch.exp(scores - self.spread(self.max(scores)))
        return a / self.spread(self.sum(a))

    def weighted_sum(self, a: Tensor, x: Tensor) -> Tensor:
        """Add up the rows of each bag by their weights: (N,), (N, L) -> (B, L)."""
        return self.sum(a.unsqueeze(1) * x)


class TracedOutput:
    """All bags as a network sees them, with the names of ``LazyOutput``.

    Parameters
    ----------
    module : BagNetwork
    x : (N, d) tensor
    segments : TracedSegments
    tau : float
    """

    def __init__(
        self, module: BagNetwork, x: Tensor, segments: TracedSegments, tau: float
    ) -> None:
        self.module, self.segments, self.tau = module, segments, tau
        self.h = module.embed(x)  # (N, L)

    @property
    def n_instances(self) -> int:
        """Number of instances of these bags."""
        return self.h.shape[0]

    def chunks(self) -> Iterator[Tensor]:
        """Give the embedded instances, all at once."""
        yield self.h

    @cached_property
    def scores(self) -> Tensor:
        """The raw scores of each instance."""
        return self.module.score(self.h)  # (N,)

    @cached_property
    def a(self) -> Tensor:
        """The attention of each instance."""
        return self.module.attention.weigh(self.scores, self.segments, self.tau)

    @cached_property
    def z(self) -> Tensor:
        """The bag vectors."""
        return self.module.pool(self.a, self.h, self.segments)  # (B, L)

    @property
    def log_p(self) -> Tensor:
        """The log-probabilities of the classes."""
        log_p: Tensor = self.module.head(self.z)
        return log_p  # (B, k)

    @property
    def instance_log_p(self) -> Tensor:
        """The log-probabilities of each instance, taken as a bag of its own."""
        log_p: Tensor = self.module.head(self.module.alone(self.h))
        return log_p  # (N, k)
