"""Inducing points: a few places that stand for many instances."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from mipl.seeds import stream, stream_seed

_MOST = 10_000  # Rows that the centres are found with.
_ROUNDS = 10

Floats = npt.NDArray[np.float64]


def inducing_points(x: Floats, n: int, seed: int) -> Floats:
    """Return at most n centres of the rows, by k-means on a random part of them.

    Where there are no more than n different rows, it returns these.

    Examples
    --------
    >>> inducing_points(np.array([[0.0], [0.0], [1.0]]), 5, seed=0).ravel().tolist()
    [0.0, 1.0]
    """
    rows = x
    if len(x) > _MOST:
        rows = x[stream(seed, "inducing").choice(len(x), _MOST, replace=False)]
    different = np.unique(rows, axis=0)
    if len(different) <= n:
        return different
    seed = stream_seed(seed, "k-means") % 2**32
    means = KMeans(n, n_init=1, max_iter=_ROUNDS, random_state=seed)
    with threadpool_limits(1):  # Several threads add up in any order.
        means.fit(rows)
    return np.unique(means.cluster_centers_, axis=0)
