"""A heuristic for bags that hold instances of several of their candidate classes.

Nothing but the candidate sets is used. An instance *speaks for* a label if that label
is a candidate of nearly all of its nearest bags, far more often than the label's share
of all bags explains (binomial test), and this holds of no other of its bag's
candidates. A bag looks mixed if at least two instances speak for each of two labels.

It is a hint, not a proof: classes that look alike raise false alarms, and with large
candidate sets or few bags no instance speaks and nothing is found.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from mipl.data.bags import Bags
from mipl.data.frozen import Array
from mipl.seeds import stream, stream_seed

_MOST_INSTANCES = 20_000
_MOST_PER_BAG = 64
_BLOCK = 1 << 10
_COMPONENTS = 32
_FEWEST_NEIGHBOURS, _MOST_NEIGHBOURS = 5, 25
_CHANCE = 1e-4
_SPEAKERS = 2


def sample_rows(bags: Bags) -> npt.NDArray[np.int64]:
    """Return rising row numbers: some instances of as many bags as a look can take."""
    rng = stream(0, "mixed bags", "sample")
    owner = bags.bag_of_instance  # (N,)
    order = np.lexsort((rng.random(len(owner)), owner))  # Shuffled inside each bag.
    place = np.arange(len(owner)) - bags.offsets[owner]
    taken = np.sort(order[place < _MOST_PER_BAG])
    turn = rng.permutation(len(bags))
    counts = np.minimum(bags.sizes, _MOST_PER_BAG)[turn]
    looked_at = np.zeros(len(bags), dtype=bool)
    looked_at[turn[np.cumsum(counts) <= _MOST_INSTANCES]] = True
    return np.asarray(taken[looked_at[owner[taken]]], dtype=np.int64)


def mixed_bags(
    rows: Array, owner: npt.NDArray[np.int64], matrix: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """Return the numbers of the bags that look mixed.

    Parameters
    ----------
    rows : (s, d) instances
    owner : (s,) rising numbers of their bags
    matrix : (m, k) candidate sets

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth, false = np.arange(200) % 5, rng.integers(5, size=200)  # (m,)
    >>> false[0] = 3
    >>> one = np.eye(5, dtype=bool)
    >>> matrix = one[truth] | one[false]  # (m, k)
    >>> rows = rng.normal(10 * one[np.repeat(truth, 4)])  # (s, d)
    >>> owner = np.repeat(np.arange(200), 4)
    >>> mixed_bags(rows, owner, matrix).tolist()
    []
    >>> rows[:2] = rng.normal(10 * one[[3, 3]])
    >>> mixed_bags(rows, owner, matrix).tolist()
    [0]
    """
    # With so few instances no bag can look mixed.
    if np.bincount(owner).max(initial=0) < 2 * _SPEAKERS:
        return np.empty(0, dtype=np.int64)
    seen, place = np.unique(owner, return_inverse=True)
    n_classes = matrix.shape[1]
    # About half of the bags that share a true class: the other half may look different.
    n_near = min(len(seen) // (2 * n_classes), _MOST_NEIGHBOURS)
    if n_near < _FEWEST_NEIGHBOURS or n_classes < 2:
        return np.empty(0, dtype=np.int64)
    points = _projected(rows)
    counts = np.zeros((len(rows), n_classes), dtype=np.int64)  # (s, k)
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        near = _nearest_bags(points, block, place, n_near)  # (b, n_near)
        counts[block] = matrix[seen][near].sum(axis=1)
    chance = bdtrc(counts - 1, n_near, matrix[seen].mean(axis=0))
    speaks = (chance < _CHANCE) & matrix[owner]  # (s, k)
    speaks[speaks.sum(axis=1) > 1] = False
    starts = np.searchsorted(place, np.arange(len(seen)))
    speakers = np.add.reduceat(speaks.astype(np.int64), starts, axis=0)
    return np.asarray(seen[(speakers >= _SPEAKERS).sum(axis=1) > 1], dtype=np.int64)


def _projected(rows: Array) -> npt.NDArray[np.float32]:
    scaled = StandardScaler().fit_transform(rows.astype(np.float64))
    size = min(_COMPONENTS, *scaled.shape)
    if size < scaled.shape[1]:
        seed = stream_seed(0, "mixed bags", "projection") % 2**32
        reduction = PCA(size, svd_solver="randomized", random_state=seed)
        scaled = reduction.fit_transform(scaled)
    return np.asarray(scaled, dtype=np.float32)


def _nearest_bags(
    points: npt.NDArray[np.float32],
    block: slice,
    place: npt.NDArray[np.intp],
    n_near: int,
) -> npt.NDArray[np.intp]:
    """Return the nearest other bags of each point, by their nearest instance."""
    # The point's own square is the same for all bags and is left out.
    far = (points**2).sum(axis=1) - 2 * points[block] @ points.T  # (b, s)
    starts = np.searchsorted(place, np.arange(place[-1] + 1))
    to_bag = np.minimum.reduceat(far, starts, axis=1)  # (b, bags)
    to_bag[np.arange(len(to_bag)), place[block]] = np.inf
    return np.argpartition(to_bag, n_near, axis=1)[:, :n_near]
