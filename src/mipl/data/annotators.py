"""Simulated annotators: three crowd workers who confuse classes, and their sets."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real

import numpy as np
import numpy.typing as npt

from mipl.data.crowd import Votes, crc
from mipl.errors import MiplError

Matrix = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

_WORKERS = 3
_STEPS = 20  # Bisections: q to six digits.


def crowd_sets(
    labels: Numbers, chances: npt.NDArray[np.float64], rng: np.random.Generator
) -> Matrix:
    """Return the sets that three annotators agree on by the rule of CRC-MIPL.

    An annotator of a bag of class y names y, and each other class c with probability
    ``chances[y, c]``, and is surest of one of the classes named, y among them, drawn in
    proportion to 1 for y and ``chances[y, c]`` for c. Where the three then settle on
    wrong classes alone, the bag is annotated again.

    Parameters
    ----------
    labels : (m,) class columns
    chances : (k, k) probabilities; the diagonal does not count

    Examples
    --------
    >>> sets = crowd_sets(np.array([0, 1]), np.ones((2, 2)), np.random.default_rng(0))
    >>> sets.tolist()
    [[True, True], [True, True]]
    """
    matrix = np.zeros((len(labels), len(chances)), dtype=bool)
    rows = np.arange(len(labels))
    while (wrong := rows[~matrix[rows, labels]]).size:
        matrix[wrong] = crc(annotated(labels[wrong], chances, rng)).matrix
    return matrix


def annotated(
    labels: Numbers, chances: npt.NDArray[np.float64], rng: np.random.Generator
) -> Votes:
    """Return the labels that three annotators give to each bag, and how sure they are.

    Examples
    --------
    >>> votes = annotated(np.array([1]), np.zeros((2, 2)), np.random.default_rng(0))
    >>> votes.annotator.tolist(), votes.column.tolist()
    ([0, 1, 2], [1, 1, 1])
    """
    k = len(chances)
    likely = chances[labels]  # (m, k)
    likely[np.arange(len(labels)), labels] = 1.0
    shape = (len(labels), _WORKERS, k)
    named = rng.random(shape) < likely[:, None]
    # The largest of c / exponential is class c in proportion to c.
    sure = likely[:, None] / rng.standard_exponential(shape)
    bag, annotator, column = np.nonzero(named)
    weight = sure[named]
    return Votes(bag, annotator, column, np.arange(k), weight, len(labels))


def confusion_of_size(
    size: float, n_classes: int, sets: Callable[[float], Matrix]
) -> float:
    """Return the confusion whose candidate sets have an average size.

    Parameters
    ----------
    size : float
        From 1 to the number of classes; 2.08 in CRC-MIPL.
    n_classes : int
    sets : callable
        The candidate sets of a confusion from 0 to 1, always from the same seed.

    Examples
    --------
    >>> labels = np.arange(2000) % 5
    >>> def sets(q):
    ...     return crowd_sets(labels, np.full((5, 5), q), np.random.default_rng(0))
    >>> q = confusion_of_size(2.08, 5, sets)
    >>> float(sets(q).sum(axis=1).mean().round(2))
    2.08
    """
    if not isinstance(size, Real) or not 1 <= size <= n_classes:
        raise MiplError(
            f"size, the average of candidate sets, must be 1 to {n_classes}, the "
            f"number of classes; got {size!r}."
        )
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if sets(middle).sum(axis=1).mean() < size:
            low = middle
        else:
            high = middle
    return high
