"""One label per row under prior class counts: a transportation problem."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

from mipl.objectives.simplex import Floats, Mask

Labels = npt.NDArray[np.int64]


def class_counts(weights: Floats, rounding: str = "smallest") -> Labels:
    """Return how many rows each class should have: whole numbers that sum to m.

    Label weights, summed over the rows, are rounded down; what is left goes one each to
    the classes with the ``"smallest"`` counts, or with the largest ``"remainder"``.
    Classes that are nobody's candidate get none.

    Examples
    --------
    >>> weights = np.array([[0.5, 0.5, 0.0]] * 3)
    >>> class_counts(weights).tolist()
    [2, 1, 0]
    """
    expected = weights.sum(axis=0) + 1e-9  # Sums of thirds may fall short of one.
    counts: Labels = np.floor(expected).astype(np.int64)
    key = counts if rounding == "smallest" else counts - expected
    order = np.argsort(np.where(expected >= 1e-6, key, np.inf), kind="stable")
    counts[order[: len(weights) - counts.sum()]] += 1
    return counts


def assign(costs: Floats, candidates: Mask, counts: Labels) -> Labels:
    """Return a candidate of each row, (m,), of least cost for these class counts.

    Where the candidates cannot meet the counts, as few rows as possible are too many or
    too few. The linear program has whole vertices, one of which the simplex method of
    HiGHS finds; its size is the number of candidates.

    Examples
    --------
    >>> costs = np.array([[0.0, 1.0], [0.0, 5.0]])
    >>> assign(costs, np.ones((2, 2), bool), np.array([1, 1])).tolist()
    [1, 0]
    """
    m, k = costs.shape
    row, column = np.nonzero(candidates)
    given = costs[row, column]
    spread = max(float(np.ptp(given)), np.finfo(float).tiny)
    scaled = (given - given.min()) / spread  # in [0, 1]
    # A row too many costs more than any chain of exchanges, one per class, can save.
    price = np.concatenate([scaled, np.full(2 * k, 2.0 * k + 1)])
    of_row = csr_array((np.ones(len(row)), (row, np.arange(len(row)))), (m, len(price)))
    entries = np.concatenate([np.ones(len(row) + k), -np.ones(k)])
    classes = np.concatenate([column, np.arange(k), np.arange(k)])
    of_class = csr_array((entries, (classes, np.arange(len(price)))), (k, len(price)))
    found = linprog(
        price,
        A_eq=vstack([of_row, of_class]),
        b_eq=np.concatenate([np.ones(m), counts]),
        method="highs-ds",
    )
    chosen = np.full((m, k), -1.0)
    chosen[row, column] = found.x[: len(row)]
    labels: Labels = chosen.argmax(axis=1)
    return labels
