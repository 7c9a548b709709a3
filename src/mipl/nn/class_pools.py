"""Pools of each class's instances, and prototypes found among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mipl.data.frozen import Array
from mipl.nn.inducing import inducing_points, some_rows
from mipl.seeds import stream_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mipl.data.bags import Bags

READINGS = ("intended", "published")
_ROUNDS = 300  # Of k-means, at most.

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


def pool_members(candidates: Mask, order: Numbers, reading: str) -> Mask:
    """Return which class pools the bag at each position of an order enters.

    Meant are those of its own candidates, row ``order[t]``; the published program reads
    row t, the candidates of another bag.

    Examples
    --------
    >>> sets, order = np.eye(3, dtype=bool), np.array([2, 0])
    >>> pool_members(sets, order, "intended").astype(int).tolist()
    [[0, 0, 1], [1, 0, 0]]
    >>> pool_members(sets, order, "published").astype(int).tolist()
    [[1, 0, 0], [0, 1, 0]]
    """
    return candidates[order] if reading == "intended" else candidates[: len(order)]


def class_prototypes(
    bags: Bags,
    members: Mask,
    n: int,
    seed: int,
    scaled: Callable[[Array], Array] = np.asarray,
) -> Floats:
    """Return n centres of the instances in each class's pool, by k-means: (k, n, d).

    Of fewer different instances some stand in several places; where no bag is in a
    pool, its prototypes are zeros.

    Parameters
    ----------
    bags : Bags
    members : (m, k) bool
        Whether a bag's instances belong to a class's pool.
    n, seed : int
    scaled : function
        Puts instances on the scale on which distances count.

    Examples
    --------
    >>> from mipl.data.bags import Bags
    >>> bags = Bags([[[0.0], [2.0]], [[7.0]]])
    >>> class_prototypes(bags, np.array([[1, 0], [0, 0]], dtype=bool), 2, 0).tolist()
    [[[0.0], [2.0]], [[0.0], [0.0]]]
    """
    found = np.zeros((members.shape[1], n, bags.n_features))
    for c, own in enumerate(members.T):
        pool = np.flatnonzero(own[bags.bag_of_instance])  # Numbers of instances.
        if len(pool):
            chance = stream_seed(seed, "prototypes", c)
            rows = scaled(bags.rows(pool[np.sort(some_rows(len(pool), chance))]))
            centres = inducing_points(rows.astype(np.float64), n, chance, _ROUNDS)
            found[c] = np.resize(centres, found[c].shape)
    return found
