"""Runs of rows of a file, and where their parts lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Runs:
    """Rows ``starts[i]:stops[i]`` of a file, one run after another.

    Examples
    --------
    >>> runs = Runs.of([10, 40], [13, 42])
    >>> len(runs), list(runs.spans(1, 4))
    (5, [(11, 13, 0), (40, 41, 2)])
    >>> list(runs.select(np.array([3]), np.array([5])).spans(0, 2))
    [(40, 42, 0)]
    """

    starts: Numbers
    ends: Numbers  # Rows up to the end of each run, counted over all runs.

    @classmethod
    def of(cls, starts: npt.ArrayLike, stops: npt.ArrayLike) -> Runs:
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

    def spans(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """Give the file rows of rows ``start:stop``: first, past the last, and place.

        They come in the order of the file, which reads it in one direction.
        """
        firsts, lasts = self._parts(np.array([start]), np.array([stop]))
        places = np.cumsum(lasts - firsts) - (lasts - firsts)
        for i in np.argsort(firsts, kind="stable").tolist():
            yield int(firsts[i]), int(lasts[i]), int(places[i])

    def select(self, starts: Numbers, stops: Numbers) -> Runs:
        """Return the runs of these rows of ours, one after another."""
        return Runs.of(*self._parts(starts, stops))

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
