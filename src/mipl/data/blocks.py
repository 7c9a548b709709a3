"""All instances, some at a time: also of a bag that is larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mipl.data.bags import BLOCK, Bags
from mipl.data.frozen import Array


@dataclass(frozen=True, eq=False)
class Block:
    """Instances that follow each other; the first and last bag may be cut.

    Attributes
    ----------
    rows : (n, d) float32
    bags : (b,) numbers of the bags they belong to
    starts : (b,)
        Where each of these bags begins in ``rows``.
    """

    rows: Array
    bags: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]

    def parts(self) -> Iterator[tuple[int, Array]]:
        """Give each bag's number and rows."""
        stops = [*self.starts[1:].tolist(), len(self.rows)]
        for bag, start, stop in zip(
            self.bags.tolist(), self.starts.tolist(), stops, strict=True
        ):
            yield bag, self.rows[start:stop]


def blocks(bags: Bags, most: int | None = None) -> Iterator[Block]:
    """Give all instances in order, at most ``most`` at a time, whatever their bag.

    By default a block holds about four million numbers.

    Examples
    --------
    >>> bags = Bags(np.arange(5.0)[:, None], [0, 1, 5])
    >>> [(b.rows.ravel().tolist(), b.bags.tolist()) for b in blocks(bags, 3)]
    [([0.0, 1.0, 2.0], [0, 1]), ([3.0, 4.0], [1])]
    """
    step = max(1, BLOCK // bags.n_features) if most is None else most
    for start in range(0, bags.n_instances, step):
        stop = min(start + step, bags.n_instances)
        first, last = np.searchsorted(bags.offsets, (start, stop - 1), side="right") - 1
        numbers = np.arange(first, last + 1)
        starts = np.maximum(bags.offsets[numbers] - start, 0)
        yield Block(bags.rows(slice(start, stop)), numbers, starts)
