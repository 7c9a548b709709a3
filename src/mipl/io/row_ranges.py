"""Runs of rows of a file, and where their parts lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Spans:
    """Rows ``firsts[i]:lasts[i]`` of a file, which belong at ``places[i]``.

    They come in the order of the file, which reads it in one direction.

    Examples
    --------
    >>> spans = Spans(np.array([0, 3, 90]), np.array([1, 5, 99]), np.array([2, 0, 3]))
    >>> [group.firsts.tolist() for group in spans.groups(near=4, most=50)]
    [[0, 3], [90]]
    >>> spans.inside().tolist()[:3], spans.targets().tolist()[:3]
    ([0, 3, 4], [2, 0, 1])
    """

    firsts: Numbers
    lasts: Numbers
    places: Numbers

    def __len__(self) -> int:
        return len(self.firsts)

    def groups(self, near: int, most: int) -> Iterator[Spans]:
        """Join short spans that are worth one reading, up to about ``most`` rows.

        They lie at most ``near`` rows apart and are no longer than that.
        """
        long = self.lasts - self.firsts > near
        apart = self.firsts[1:] - self.lasts[:-1] > near
        apart |= long[1:] | long[:-1]
        apart |= self.firsts[1:] // most != self.firsts[:-1] // most
        cuts = [0, *(np.flatnonzero(apart) + 1).tolist(), len(self)]
        for a, b in pairwise(cuts):
            if a < b:
                yield Spans(self.firsts[a:b], self.lasts[a:b], self.places[a:b])

    def inside(self) -> Numbers:
        """Return the number of each row, counted from the first."""
        return _rows(self.firsts - self.firsts[0], self.lasts - self.firsts)

    def targets(self) -> Numbers:
        """Return where each row belongs."""
        return _rows(self.places, self.lasts - self.firsts)


@dataclass(frozen=True, eq=False)
class RowRanges:
    """Rows ``starts[i]:stops[i]`` of a file, one run after another.

    Examples
    --------
    >>> runs = RowRanges.of([10, 40], [13, 42])
    >>> len(runs), runs.spans(1, 4).firsts, runs.spans(1, 4).lasts
    (5, array([11, 40]), array([13, 41]))
    >>> runs.select(np.array([3]), np.array([5])).spans(0, 2).firsts
    array([40])
    """

    starts: Numbers
    ends: Numbers  # Rows up to the end of each run, counted over all runs.

    @classmethod
    def of(cls, starts: npt.ArrayLike, stops: npt.ArrayLike) -> RowRanges:
        """Build from the first and the past-the-last row of each run.

        Runs that follow each other in the file are joined.
        """
        starts, stops = np.asarray(starts, np.int64), np.asarray(stops, np.int64)
        kept = stops > starts
        starts, stops = starts[kept], stops[kept]
        gap = np.ones(len(starts), bool)
        gap[1:] = starts[1:] != stops[:-1]
        ends = np.cumsum(stops - starts)
        return cls(starts[gap], ends[np.roll(gap, -1)])

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def spans(self, start: int, stop: int) -> Spans:
        """Return the rows of the file that are rows ``start:stop`` of ours."""
        firsts, lasts = self._parts(np.array([start]), np.array([stop]))
        places = np.cumsum(lasts - firsts) - (lasts - firsts)
        order = np.argsort(firsts, kind="stable")
        return Spans(firsts[order], lasts[order], places[order])

    def select(self, starts: Numbers, stops: Numbers) -> RowRanges:
        """Return the runs of these rows of ours, one after another."""
        return RowRanges.of(*self._parts(starts, stops))

    def _parts(self, starts: Numbers, stops: Numbers) -> tuple[Numbers, Numbers]:
        """Return the file rows of these rows of ours, divided where our runs end."""
        kept = stops > starts
        starts, stops = starts[kept], stops[kept]
        first = np.searchsorted(self.ends, starts, side="right")
        last = np.searchsorted(self.ends, stops, side="left")
        counts = last - first + 1
        inside = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        run = np.repeat(first, counts) + inside
        begins = np.concatenate([[0], self.ends[:-1]])
        low = np.maximum(begins[run], np.repeat(starts, counts))
        high = np.minimum(self.ends[run], np.repeat(stops, counts))
        shift = self.starts[run] - begins[run]
        return low + shift, high + shift


def _rows(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return the numbers of the rows of runs, one run after another."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())
