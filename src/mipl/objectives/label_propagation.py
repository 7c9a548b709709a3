"""Label weights that spread over a graph of similar bags (the steps of HFC-MIPL)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array, diags_array

from mipl.objectives.neighbour_graph import nearest

Floats = npt.NDArray[np.float64]

_POWER = 3  # Of the cosines, as published.
_EMPTY = 1e-5  # Correlation of two labels that no bag has, as published.


def bag_graph(f: Floats, neighbours: int) -> csr_array:
    """Return the weights of the edges between rows, (m, m), as D^(-1/2) W D^(-1/2).

    An edge of a row to one of its nearest others weighs the cube of their cosine; both
    ways are added up. Negative cosines are none.

    Examples
    --------
    >>> f = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    >>> bag_graph(f, neighbours=1).toarray().round(3).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    unit, others = nearest(f, neighbours)  # (m, F), (m, N)
    m, n = others.shape
    rows = np.repeat(np.arange(m), n)
    columns = others.ravel()
    cosines = np.einsum("ij,ij->i", unit[rows], unit[columns])
    edges = np.maximum(cosines, 0.0) ** _POWER
    one_way = csr_array(coo_array((edges, (rows, columns)), shape=(m, m)))
    weights = csr_array(one_way + one_way.T)
    scale = diags_array(_inverse_root(np.asarray(weights.sum(axis=1)).ravel()))
    return csr_array(scale @ weights @ scale)


def label_correlation(y: Floats) -> Floats:
    """Return how labels go together over the bags, (k, k), as D^(-1/2) R D^(-1/2).

    ::

        R_ab = y_a . y_b / (sum y_a + sum y_b),   R_aa = 0

    Examples
    --------
    >>> label_correlation(np.array([[0.5, 0.5, 0.0]])).round(3).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    total = y.sum(axis=0)
    both = total[:, None] + total  # (k, k)
    r = np.where(both > 0, (y.T @ y) / np.where(both > 0, both, 1.0), _EMPTY)
    np.fill_diagonal(r, 0.0)
    scale = _inverse_root(r.sum(axis=1))
    found: Floats = scale[:, None] * r * scale
    return found


def propagated_labels(
    graph: csr_array,
    y: Floats,
    step: float,
    smooth: float,
    stay: float,
    correlate: float,
    steps: int,
) -> Floats:
    """Return Z, (m, k), after some steps from Z = Y.

    ::

        Z <- Z - g ( al (Z - A Z) + et (Z - Y) + (Z - Y) + be (Z - Z C) )

    In the first step Z is Y, and the terms in between are 0.

    Parameters
    ----------
    graph : (m, m)
        A, as ``bag_graph`` gives it.
    y : (m, k)
    step, smooth, stay, correlate : float
        g, al, et and be; C is the ``label_correlation`` of y.
    steps : int

    Examples
    --------
    >>> graph = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> propagated_labels(graph, np.eye(2), 1.0, 0.25, 1.0, 0.0, 1).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    correlation, z = label_correlation(y), y
    for _ in range(steps):
        away = smooth * (z - graph @ z) + (stay + 1) * (z - y)
        z = z - step * (away + correlate * (z - z @ correlation))
    return z


def _inverse_root(sums: Floats) -> Floats:
    """Return 1/sqrt of sums of rows, those of empty rows taken as 1."""
    found: Floats = 1 / np.sqrt(np.where(sums > 0, sums, 1.0))
    return found
