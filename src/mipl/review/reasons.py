"""Why a person should look at a bag: four reasons, each a number from 0 to 1 per bag.

All are pure functions of what a fitted model says, of the candidate sets and of the
bags; none needs a true label.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors

Floats = npt.NDArray[np.float64]
Sets = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

_NEIGHBOURS = 5


def unresolved(posterior: Floats, candidates: Sets) -> Floats:
    r"""Return how undecided the model is between the candidates of each bag, (m,).

    The entropy of the probabilities restricted to the set :math:`S`, over its largest
    value :math:`\log |S|`; 0 for sets of one.

    Parameters
    ----------
    posterior : (m, k)
        Probabilities restricted to the candidates; rows sum to 1.
    candidates : (m, k) bool

    Examples
    --------
    >>> sets = np.array([[True, True, False]] * 2 + [[True, False, False]])
    >>> rows = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> unresolved(rows, sets).tolist()
    [1.0, 0.0, 0.0]
    """
    inside = np.where(posterior > 0, posterior, 1.0)
    entropy = (inside * -np.log(inside)).sum(axis=1)  # (m,)
    sizes = candidates.sum(axis=1)
    most = np.log(np.maximum(sizes, 2))
    found: Floats = np.clip(np.where(sizes > 1, entropy / most, 0.0), 0.0, 1.0)
    return found


def disagreement(p: Floats, candidates: Sets, votes: Floats | None = None) -> Floats:
    r"""Return how far the model and those who gave the sets are apart, (m,).

    The probability that the model gives to classes outside the set; where votes are
    known, the distance in total variation,
    :math:`\frac12 \sum_c |p_c - v_c|`, between the model and the votes where that is
    larger.

    Parameters
    ----------
    p : (m, k)
    candidates : (m, k) bool
    votes : (m, k), optional
        Shares of the annotators' votes; rows sum to 1.

    Examples
    --------
    >>> sets = np.array([[True, True, False]] * 2)
    >>> p = np.array([[0.75, 0.0, 0.25], [0.75, 0.25, 0.0]])
    >>> disagreement(p, sets).tolist()
    [0.25, 0.0]
    >>> disagreement(p, sets, np.array([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0]])).tolist()
    [0.5, 0.5]
    """
    outside = np.where(candidates, 0.0, p).sum(axis=1)  # (m,)
    if votes is not None:
        outside = np.maximum(outside, np.abs(p - votes).sum(axis=1) / 2)
    found: Floats = np.clip(outside, 0.0, 1.0)
    return found


def width(prediction_sets: Sets) -> Floats:
    """Return how wide the prediction set of each bag is, (m,).

    0 for one class, 1 for all of them. An empty set, which says that no class fits,
    counts as all.

    Examples
    --------
    >>> width(np.array([[True, False, False], [True, True, False], [False] * 3]))
    array([0. , 0.5, 1. ])
    """
    k = prediction_sets.shape[1]
    sizes = prediction_sets.sum(axis=1)
    sizes = np.where(sizes == 0, k, sizes)
    found: Floats = (sizes - 1) / max(k - 1, 1)
    return found


def twins(vectors: npt.NDArray[np.floating], near: float = 0.1) -> list[Numbers]:
    """Return the near-duplicates of each bag among its nearest neighbours.

    Two bags are near-duplicates where they are nearer to each other than ``near``
    times the median distance of a bag from its nearest neighbour, each feature in
    units of its standard deviation. At most five of a bag are found.

    Parameters
    ----------
    vectors : (m, d')
        One vector per bag, as of ``Mean``.
    near : float

    Examples
    --------
    >>> rows = np.array([[0.0], [0.001], [5.0], [9.0], [14.0], [20.0]])
    >>> [found.tolist() for found in twins(rows)]
    [[1], [0], [], [], [], []]
    """
    m = len(vectors)
    nobody = [np.empty(0, dtype=np.int64)] * m
    if m < 2:
        return nobody
    spread = vectors.std(axis=0, dtype=np.float64)
    kept = spread > 0
    if not kept.any():
        return nobody
    scaled = vectors[:, kept] / spread[kept]  # (m, d')
    k = min(_NEIGHBOURS, m - 1)
    distances, others = NearestNeighbors(n_neighbors=k).fit(scaled).kneighbors()
    reach = near * float(np.median(distances[:, 0]))
    return [
        found[far <= reach].astype(np.int64)
        for far, found in zip(distances, others, strict=True)
    ]


def contradiction(candidates: Sets, near: list[Numbers]) -> tuple[Floats, Numbers]:
    r"""Return how far the sets of near-duplicates differ, and which says most else.

    Of a bag with the set :math:`S` it is the largest :math:`1 - |S \cap T| / |S \cup
    T|` over the sets :math:`T` of its near-duplicates, (m,); and the number of that
    bag, -1 where there is none.

    Examples
    --------
    >>> sets = np.array([[True, True, False], [True, False, False]])
    >>> contradiction(sets, [np.array([1]), np.array([0])])
    (array([0.5, 0.5]), array([1, 0]))
    """
    worst = np.zeros(len(candidates))
    whose = np.full(len(candidates), -1, dtype=np.int64)
    for bag, others in enumerate(near):
        if not len(others):
            continue
        both = (candidates[others] & candidates[bag]).sum(axis=1)
        either = (candidates[others] | candidates[bag]).sum(axis=1)
        apart = 1 - both / either
        place = int(apart.argmax())
        if apart[place] > 0:
            worst[bag], whose[bag] = apart[place], others[place]
    return worst, whose
