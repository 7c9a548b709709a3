"""Batches of several runs at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from mipl.nn.segments import Segments
from mipl.training.batches import Batch, BatchSource, ranges

Numbers = npt.NDArray[np.int64]

_AHEAD = 64  # Steps whose rows are looked up at once.


@dataclass(frozen=True, eq=False)
class StackedBatch(Batch):
    """A batch of each run, with its rows padded to the longest.

    Each run has one more bag, which holds the padding. ``bags`` counts over the bags of
    all runs, and ``candidates`` is (S, B, k).
    """

    rows: list[int]  # (S,) instances of each run, without the padding

    def __len__(self) -> int:
        """Return the number of bags of each run."""
        return self.candidates.shape[1]

    def per_bag(self, values: Tensor) -> Tensor:
        """Add up over bags, without the padding: (N,) -> (S, B)."""
        return self.segments.sum(values).view(len(self.rows), -1)[:, :-1]

    def per_instance(self, values: Tensor) -> Tensor:
        """Give each instance what its bag has, padding 0: (S, B, k) -> (N, k)."""
        padded = torch.nn.functional.pad(values, (0, 0, 0, 1))  # (S, B + 1, k)
        return self.segments.spread(padded.flatten(0, 1))


class StackedSource:
    """The training bags of several runs, equally many of each.

    Parameters
    ----------
    sources : the bags of each run, in memory
    x : the instances of each run, scaled
    """

    def __init__(self, sources: Sequence[BatchSource], x: Sequence[Tensor]) -> None:
        self.x = torch.cat(list(x))  # (N, d)
        self.candidates = torch.cat([s.candidates for s in sources])  # (S m, k)
        self.n_bags = len(sources[0])
        self.before = np.cumsum([0, *(len(rows) for rows in x[:-1])])  # (S,)

    def deal(
        self,
        sources: Sequence[BatchSource],
        orders: Sequence[Numbers],
        batch_size: int | None,
    ) -> Iterator[StackedBatch]:
        """Give the bags of each run in its own order, (m,), in batches.

        Where instances are drawn, the sources are those of an epoch.
        """
        n_bags = len(orders[0])
        size = n_bags if batch_size is None else min(batch_size, n_bags)
        bags = np.stack(orders)  # (S, m)
        sizes = np.stack([s.sizes[o] for s, o in zip(sources, orders, strict=True)])
        rows, starts = self._rows(sources, orders, sizes)
        whole = n_bags - n_bags % size
        edges = [*range(0, whole, size * _AHEAD), whole, n_bags]
        for first, last in pairwise(edges):
            if first < last:
                few = slice(first, last)
                block = bags[:, few], sizes[:, few], starts[:, few]
                yield from self._block(*block, rows, min(size, last - first))

    def _rows(
        self, sources: Sequence[BatchSource], orders: Sequence[Numbers], sizes: Numbers
    ) -> tuple[Numbers | None, Numbers]:
        """Return which rows of x are drawn, and where those of a bag start, (S, m)."""
        runs = list(zip(sources, orders, self.before, strict=True))
        if all(source.drawn is None for source in sources):
            starts = [source.starts[order] + before for source, order, before in runs]
            return None, np.stack(starts)
        rows = [source.rows(order) + before for source, order, before in runs]
        flat = sizes.ravel()
        return np.concatenate(rows), (flat.cumsum() - flat).reshape(sizes.shape)

    def _block(
        self,
        bags: Numbers,
        sizes: Numbers,
        starts: Numbers,
        drawn: Numbers | None,
        size: int,
    ) -> Iterator[StackedBatch]:
        """Give some steps of so many bags each."""
        n_runs = len(bags)
        lines = np.arange(n_runs)[:, None]
        numbers = _by_step(bags + self.n_bags * lines, size)  # (T, S, B)
        sizes, starts = _by_step(sizes, size), _by_step(starts, size)
        rows = sizes.sum(axis=-1)  # (T, S)
        padding = rows.max(axis=1, keepdims=True) - rows
        padded = np.concatenate([sizes, padding[..., None]], axis=-1)  # (T, S, B + 1)
        # Any rows serve as padding: the bag that holds them is dropped.
        firsts = np.pad(starts, ((0, 0), (0, 0), (0, 1)))
        chosen = ranges(firsts.ravel(), padded.ravel())
        index = self._tensor(chosen if drawn is None else drawn[chosen])
        of_step = np.arange(n_runs * (size + 1))
        bag = self._tensor(np.repeat(np.tile(of_step, len(rows)), padded.ravel()))
        flat = self._tensor(numbers.reshape(len(rows), -1))
        lengths = padded.reshape(len(rows), -1)  # (T, S (B + 1))
        # An empty bag of padding is counted as one row, for the sake of its mean.
        counts = self._tensor(lengths.clip(1))
        before = self._tensor(lengths.cumsum(axis=1) - lengths)
        ends = [0, *lengths.sum(axis=1).cumsum().tolist()]
        for step, (first, last) in enumerate(pairwise(ends)):
            candidates = self.candidates.index_select(0, flat[step])
            yield StackedBatch(
                bags=flat[step],
                x=self.x.index_select(0, index[first:last]),
                segments=Segments(counts[step], bag[first:last], before[step]),
                candidates=candidates.view(n_runs, size, -1),
                rows=rows[step].tolist(),
            )

    def _tensor(self, numbers: Numbers) -> Tensor:
        return torch.as_tensor(numbers, device=self.x.device)


def _by_step(values: Numbers, size: int) -> Numbers:
    """Cut the bags of each run into steps: (S, T B) -> (T, S, B)."""
    return values.reshape(len(values), -1, size).swapaxes(0, 1)
