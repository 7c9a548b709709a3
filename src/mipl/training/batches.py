"""Batches: whole bags as flat tensors."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from mipl.nn.segments import Segments
from mipl.seeds import stream

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.nn.process_share import ProcessShare

Numbers = npt.NDArray[np.int64]


@dataclass(eq=False)
class BagWeights:
    """How much each bag counts in the loss: (m,), 1 on average over those trained on.

    ``asked`` tells whether a loss has looked at them: one that does not would leave
    them unused without a word.
    """

    values: Tensor  # (m,)
    asked: bool = False
    told: bool = False  # Whether the user knows of a term that has not.


@dataclass(frozen=True, eq=False)
class Batch:
    """Some bags of the training set; one of several processes has a part of x."""

    bags: Tensor  # (B,) their numbers
    x: Tensor  # (N, d)
    segments: Segments
    candidates: Tensor  # (B, k)
    part: ProcessShare | None = field(default=None, kw_only=True)
    weighing: BagWeights | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        """Return the number of bags that each run has here."""
        return len(self.bags)

    @property
    def bag_weights(self) -> Tensor | None:
        """How much each bag counts, (B,); None where all count alike."""
        if self.weighing is None:
            return None
        self.weighing.asked = True
        return self.weighing.values.index_select(0, self.bags)

    def weighed_apart(self) -> Batch:
        """Return the same, which notes for itself whether weights were asked for."""
        if self.weighing is None:
            return self
        return replace(self, weighing=replace(self.weighing, asked=False))

    def mean(self, values: Tensor) -> Tensor:
        """Average over the bags what each has, as they count: (..., B) -> (...)."""
        return weighted_mean(values, self.bag_weights)

    def mean_of_instances(self, values: Tensor) -> Tensor:
        """Average over the instances what each has, as their bags count: (N,) -> ()."""
        weights = self.bag_weights
        if weights is not None:
            values = values * self.segments.spread(weights)
        return values.mean()

    def per_bag(self, values: Tensor) -> Tensor:
        """Add up what each instance has over its bag: (N,) -> (B,)."""
        return self.segments.sum(values)

    def per_instance(self, values: Tensor) -> Tensor:
        """Give each instance what its bag has: (B, k) -> (N, k)."""
        return self.segments.spread(values)


class BatchSource:
    """Training bags, dealt out in batches of a given order.

    In memory the rows of a whole epoch are put in order once, so that a step takes a
    view; on disk, and where instances are drawn, each step takes its own rows. What is
    drawn is a function of seed and epoch: the batches do not matter.
    """

    def __init__(
        self,
        bags: Bags,
        candidates: npt.NDArray[np.bool_],
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        self.bags = bags
        self.device = device
        self.dtype = dtype
        self.sizes = bags.sizes
        self.starts = bags.offsets[:-1]
        self.candidates = torch.as_tensor(np.array(candidates), device=device)
        self.x = None if bags.on_disk else self._tensor(bags.instances)
        self.drawn: Numbers | None = None  # Rows of all bags, where not all are taken.
        self.weighing: BagWeights | None = None
        self.part: Callable[[Numbers], ProcessShare | None] = lambda _: None

    def __len__(self) -> int:
        return len(self.sizes)

    def deal(
        self,
        order: Numbers,
        batch_size: int | None,
        batch_instances: int | None,
        skip: int = 0,
    ) -> Iterator[Batch]:
        """Give the bags in this order, in batches; leave out the first ``skip``."""
        sizes = self.sizes[order]
        before = np.concatenate([[0], np.cumsum(sizes)])
        whole = self.x is not None and self.drawn is None
        x = self._take(order) if whole else None
        numbers = torch.as_tensor(order, device=self.device)
        candidates = self.candidates.index_select(0, numbers)
        of_epoch = Segments.of(torch.as_tensor(sizes, device=self.device))
        runs = cut(sizes, batch_size, batch_instances)
        for first, last in islice(runs, skip, None):
            part = self.part(sizes[first:last])
            own = slice(0, last - first) if part is None else part.rows(per_bag=True)[1]
            start, stop = first + own.start, first + own.stop
            if x is None:
                rows = self._take(order[start:stop])
            else:
                rows = x[int(before[start]) : int(before[stop])]
            offset, end = int(before[first]), int(before[last])
            segments = Segments(
                sizes=of_epoch.sizes[first:last],
                bag=of_epoch.bag[offset:end] - first,
                starts=of_epoch.starts[first:last] - offset,
            )
            yield Batch(
                bags=numbers[first:last],
                x=rows,
                segments=segments,
                candidates=candidates[first:last],
                part=part,
                weighing=self.weighing,
            )

    def drawing(
        self, per_bag: int | float | None, seed: int, epoch: int
    ) -> BatchSource:
        """Return the same bags with so many instances of each, for an epoch."""
        if per_bag is None:
            return self
        source = copy.copy(self)
        source.sizes = drawn_sizes(self.sizes, per_bag)
        chance = stream(seed, "instances", epoch)
        inside = draw(self.sizes, source.sizes, chance)
        source.drawn = inside + np.repeat(self.starts, source.sizes)
        source.starts = np.cumsum(source.sizes) - source.sizes
        return source

    def rows(self, chosen: Numbers) -> Numbers:
        """Return the numbers of the instances of bags, one bag after another."""
        rows = ranges(self.starts[chosen], self.sizes[chosen])
        return rows if self.drawn is None else self.drawn[rows]

    def _take(self, chosen: Numbers) -> Tensor:
        """Return the instances of bags, one bag after another."""
        rows = self.rows(chosen)
        if self.x is None:
            return self._tensor(self.bags.rows(rows))
        return self.x.index_select(0, torch.as_tensor(rows, device=self.device))

    def _tensor(self, rows: npt.NDArray[np.float32]) -> Tensor:
        return torch.tensor(rows).to(device=self.device, dtype=self.dtype)


def weighted_mean(values: Tensor, weights: Tensor | None) -> Tensor:
    """Return the mean over the last axis of values times their weights, if any.

    Weights are 1 on average over all bags: in a batch they need not be.

    Examples
    --------
    >>> weighted_mean(torch.tensor([1.0, 3.0]), torch.tensor([2.0, 0.0]))
    tensor(1.)
    """
    return (values if weights is None else values * weights).mean(dim=-1)


def ranges(firsts: Numbers, lengths: Numbers) -> Numbers:
    """Return the numbers of each range, one range after another.

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    index: Numbers = np.repeat(firsts - (np.cumsum(lengths) - lengths), lengths)
    index += np.arange(len(index))
    return index


def drawn_sizes(sizes: Numbers, per_bag: int | float) -> Numbers:
    """Return how many instances of bags are drawn: a number at most, or a share.

    Examples
    --------
    >>> sizes = np.array([1, 5, 40])
    >>> drawn_sizes(sizes, 10).tolist(), drawn_sizes(sizes, 0.5).tolist()
    ([1, 5, 10], [1, 3, 20])
    """
    if per_bag >= 1:
        return np.minimum(sizes, int(per_bag))
    return np.ceil(per_bag * sizes).astype(np.int64)


def draw(sizes: Numbers, wanted: Numbers, chance: np.random.Generator) -> Numbers:
    """Draw instances of each bag without replacement; return their rising numbers.

    Bags of one size are drawn from at once, in place of one after another; where it is
    one bag alone, which large ones mostly are, no more is looked at than is drawn.

    Examples
    --------
    >>> draw(np.array([3, 2]), np.array([3, 2]), stream(0, "instances")).tolist()
    [0, 1, 2, 0, 1]
    """
    ends = np.cumsum(wanted)
    drawn = np.arange(wanted.sum()) - np.repeat(ends - wanted, wanted)
    for size in np.unique(sizes[wanted < sizes]).tolist():
        (bags,) = np.nonzero(sizes == size)
        n = int(wanted[bags[0]])
        if len(bags) == 1:
            rows = chance.choice(size, n, replace=False, shuffle=False)[None]
        else:
            every = np.tile(np.arange(size), (len(bags), 1))
            rows = chance.permuted(every, axis=1)[:, :n]
        places = ranges(ends[bags] - n, np.full(len(bags), n))
        drawn[places] = np.sort(rows, axis=1).ravel()
    return drawn


def cut(
    sizes: Numbers, batch_size: int | None, batch_instances: int | None
) -> Iterator[tuple[int, int]]:
    """Cut bags of these sizes into runs of at most so many bags and instances.

    Examples
    --------
    >>> list(cut(np.array([3, 3, 9, 1]), 2, 5))
    [(0, 1), (1, 2), (2, 3), (3, 4)]
    >>> list(cut(np.array([3, 3, 9, 1]), 3, None))
    [(0, 3), (3, 4)]
    """
    most = len(sizes) if batch_size is None else batch_size
    first, held = 0, 0
    for i, size in enumerate(sizes.tolist()):
        full = batch_instances is not None and held + size > batch_instances
        if i > first and (full or i - first == most):
            yield first, i
            first, held = i, 0
        held += size
    if first < len(sizes):
        yield first, len(sizes)
