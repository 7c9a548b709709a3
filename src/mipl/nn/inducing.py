"""Inducing points: a few places that stand for many instances."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

from mipl.nn.one_thread import one_thread
from mipl.seeds import stream, stream_seed

_MOST = 10_000  # Rows that the centres are found with.
_ROUNDS = 10

Floats = npt.NDArray[np.float64]


def inducing_points(x: Floats, n: int, seed: int, rounds: int = _ROUNDS) -> Floats:
    """Return at most n centres of the rows, by k-means on a random part of them.

    Where there are no more than n different rows, it returns these.

    Examples
    --------
    >>> inducing_points(np.array([[0.0], [0.0], [1.0]]), 5, seed=0).ravel().tolist()
    [0.0, 1.0]
    """
    rows = x[some_rows(len(x), seed)]
    different = np.unique(rows, axis=0)
    if len(different) <= n:
        return different
    seed = stream_seed(seed, "k-means") % 2**32
    means = KMeans(n, n_init=1, max_iter=rounds, random_state=seed)
    with one_thread():
        means.fit(rows)
    return np.unique(means.cluster_centers_, axis=0)


def some_rows(n: int, seed: int) -> npt.NDArray[np.int64]:
    """Return the numbers of the rows that centres are found with: all, if not many.

    Examples
    --------
    >>> some_rows(3, seed=0).tolist(), len(some_rows(10**6, seed=0))
    ([0, 1, 2], 10000)
    """
    if n <= _MOST:
        return np.arange(n)
    return stream(seed, "inducing").choice(n, _MOST, replace=False)
