"""Batches: whole bags as flat tensors."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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


@dataclass(frozen=True, eq=False)
class Batch:
    """Some bags of the training set; one of several processes has a part of x."""

    bags: Tensor  # (B,) their numbers
    x: Tensor  # (N, d)
    segments: Segments
    candidates: Tensor  # (B, k)
    part: ProcessShare | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        """Return the number of bags that each run has here."""
        return len(self.bags)

    def per_bag(self, values: Tensor) -> Tensor:
        """Add up what each instance has over its bag: (N,) -> (B,)."""
        return self.segments.sum(values)

    def per_instance(self, values: Tensor) -> Tensor:
        """Give each instance what its bag has: (B, k) -> (N, k)."""
        return self.segments.spread(values)


class BatchSource:
    """Training bags, dealt out in batches of a given order.

    In memory the rows of a whole epoch are put in order once, so that a step takes a
    view; on disk, and where instances are drawn, each step takes its own rows.
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
        self.draw: Draw | None = None
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
        whole = self.x is not None and self.draw is None
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
            )

    def drawing(self, most: int | None, seed: int, epoch: int) -> BatchSource:
        """Return the same bags with at most so many instances of each, for an epoch."""
        if most is None:
            return self
        source = copy.copy(self)
        source.sizes = np.minimum(self.sizes, most)
        source.draw = Draw(most, seed, epoch)
        return source

    def rows(self, chosen: Numbers) -> Numbers:
        """Return the numbers of the instances of bags, one bag after another."""
        if self.draw is None:
            return ranges(self.starts[chosen], self.sizes[chosen])
        return self.draw.rows(chosen, self.bags.offsets)

    def _take(self, chosen: Numbers) -> Tensor:
        """Return the instances of bags, one bag after another."""
        rows = self.rows(chosen)
        if self.x is None:
            return self._tensor(self.bags.rows(rows))
        return self.x.index_select(0, torch.as_tensor(rows, device=self.device))

    def _tensor(self, rows: npt.NDArray[np.float32]) -> Tensor:
        return torch.tensor(rows).to(device=self.device, dtype=self.dtype)


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


@dataclass(frozen=True)
class Draw:
    """At most so many instances of a bag, drawn without replacement.

    What is drawn is a function of seed, epoch and bag: the batches do not matter.

    Examples
    --------
    >>> draw = Draw(3, seed=0, epoch=1)
    >>> draw.instances(0, 2).tolist(), len(set(draw.instances(0, 9).tolist()))
    ([0, 1], 3)
    """

    most: int
    seed: int
    epoch: int

    def instances(self, bag: int, size: int) -> Numbers:
        """Return the rising numbers of the chosen instances of one bag."""
        if size <= self.most:
            return np.arange(size)
        chance = stream(self.seed, "instances", self.epoch, bag)
        return np.sort(chance.choice(size, self.most, replace=False, shuffle=False))

    def rows(self, chosen: Numbers, offsets: Numbers) -> Numbers:
        """Return the chosen instances of bags, counted over the instances of all."""
        starts, sizes = offsets[chosen], offsets[chosen + 1] - offsets[chosen]
        each = zip(chosen.tolist(), starts.tolist(), sizes.tolist(), strict=True)
        drawn = [start + self.instances(bag, size) for bag, start, size in each]
        return np.concatenate([*drawn, chosen[:0]])  # A process may have no bag.


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
