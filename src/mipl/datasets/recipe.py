"""The recipe of the published sets: few instances of the bag's class among others."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from mipl.data.frozen import Array
from mipl.errors import MiplError

Numbers = npt.NDArray[np.int64]


def sizes_with_total(
    chances: Array, smallest: int, n_bags: int, total: int, rng: np.random.Generator
) -> Numbers:
    """Draw bag sizes by a law on ``smallest``, ``smallest`` + 1, ...

    The law fills its quantiles evenly, so that every seed has the same histogram but
    for single bags; then bags chosen at random grow or shrink by one until their
    total is the published one.
    """
    reach = np.cumsum(chances) / np.sum(chances)
    quantiles = (np.arange(n_bags) + rng.random()) / n_bags
    sizes = rng.permutation(smallest + np.searchsorted(reach, quantiles))
    largest = smallest + len(chances) - 1
    while gap := total - int(sizes.sum()):
        step = 1 if gap > 0 else -1
        free = (sizes + step >= smallest) & (sizes + step <= largest)
        sizes[rng.permutation(np.flatnonzero(free))[: abs(gap)]] += step
    return sizes


def rounded(values: Array) -> Numbers:
    """Round to whole numbers, halves up."""
    return np.floor(values + 0.5).astype(np.int64)


def compose(
    pools: Mapping[int, Array],
    negatives: Array,
    bag_classes: Numbers,
    sizes: Numbers,
    positives: Numbers,
    rng: np.random.Generator,
    *,
    once: tuple[bool, bool],
) -> Numbers:
    """Choose the source rows of every bag, in random order inside each bag.

    Parameters
    ----------
    pools : source rows of each class
    negatives : source rows that no class owns
    bag_classes, sizes, positives : (m,)
        Class, number of instances and number of positives of each bag.
    once : pair of bool
        Whether a positive, and whether a negative, is used in one bag at most. A row
        is never twice in the same bag.

    Returns
    -------
    rows : (N,) source rows, bag after bag
    """
    owner = np.repeat(np.arange(len(sizes)), sizes)  # (N,)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    positive = place < positives[owner]
    rows = np.empty(len(owner), dtype=np.int64)
    for c, pool in pools.items():
        mine = bag_classes == c
        drawn = _drawn(pool, positives[mine], rng, once[0])
        rows[positive & mine[owner]] = drawn
    rows[~positive] = _drawn(negatives, sizes - positives, rng, once[1])
    return rows[np.lexsort((rng.random(len(owner)), owner))]


def _drawn(
    pool: Array, counts: Numbers, rng: np.random.Generator, once: bool
) -> Numbers:
    needed = int(counts.sum() if once else counts.max(initial=0))
    if needed > len(pool):
        raise MiplError(
            f"the raw files hold {len(pool)} instances of a class of which the bags "
            f"need {needed}; get the complete files."
        )
    if once:
        return rng.permutation(pool)[:needed]
    parts = [rng.choice(pool, size=n, replace=False, shuffle=False) for n in counts]
    return np.concatenate(parts)


def offsets_of(sizes: Numbers) -> Numbers:
    """Return where bags of these sizes begin and end."""
    return np.concatenate([[0], np.cumsum(sizes)])
