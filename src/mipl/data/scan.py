"""One pass over all instances, in memory or on disk, for what validation must know."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from mipl.data.bags import Bags
from mipl.data.frozen import Array

_BLOCK = 1 << 13  # Instances held in memory at a time.


@dataclass(frozen=True, eq=False)
class Scan:
    """What one pass over the instances found.

    Attributes
    ----------
    bad_values : (m,) int64
        Number of NaN and infinite values in each bag.
    constant : (f,) int64
        Features that have one value everywhere.
    fingerprints : (m,) uint64
        Equal for bags that hold the same instances, in whatever order.
    sample : (s, d) float32
        The rows that were asked for.
    """

    bad_values: npt.NDArray[np.int64]
    constant: npt.NDArray[np.int64]
    fingerprints: npt.NDArray[np.uint64]
    sample: npt.NDArray[np.float32]


def scan(bags: Bags, sample: npt.NDArray[np.int64]) -> Scan:
    """Read every instance once, also of bags on disk that nobody has checked yet.

    Parameters
    ----------
    bags : Bags
    sample : (s,) rising row numbers to keep

    Examples
    --------
    >>> bags = Bags([np.array([[1.0, 2.0], [1.0, 3.0]]), np.array([[1.0, 3.0]])])
    >>> found = scan(bags, np.array([0, 2]))
    >>> found.constant.tolist(), found.sample.tolist()
    ([0], [[1.0, 2.0], [1.0, 3.0]])
    """
    n, d = bags.n_instances, bags.n_features
    bad = np.zeros(n, dtype=np.int64)  # (N,)
    prints = np.zeros(n, dtype=np.uint64)  # (N,)
    lowest, highest = np.full(d, np.inf), np.full(d, -np.inf)
    kept = np.empty((len(sample), d), dtype=np.float32)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        with np.errstate(over="ignore"):
            # Adding zero makes -0 and 0 the same bytes.
            rows = np.asarray(bags.instances[start:stop], dtype=np.float32) + 0
        bad[start:stop] = np.count_nonzero(~np.isfinite(rows), axis=1)
        prints[start:stop] = _row_prints(rows)
        lowest = np.fmin(lowest, np.fmin.reduce(rows, axis=0))
        highest = np.fmax(highest, np.fmax.reduce(rows, axis=0))
        first, last = np.searchsorted(sample, (start, stop))
        kept[first:last] = rows[sample[first:last] - start]
    starts = bags.offsets[:-1]
    return Scan(
        np.add.reduceat(bad, starts),
        np.flatnonzero(~(lowest < highest)),
        # A sum does not depend on the order of the instances; it may wrap around.
        np.add.reduceat(prints, starts),
        kept,
    )


def _row_prints(rows: Array) -> npt.NDArray[np.uint64]:
    digests = (blake2b(row.tobytes(), digest_size=8).digest() for row in rows)
    return np.frombuffer(b"".join(digests), dtype=np.uint64)
