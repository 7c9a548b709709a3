"""Label weights that follow a graph of neighbours (the steps of PL-AGGD)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from mipl.objectives.simplex import Floats, Mask, minimise_on_simplices

Indices = npt.NDArray[np.int64]

_ROWS = 256  # Rows whose differences are held at once.


def nearest(x: Floats, k: int) -> tuple[Floats, Indices]:
    """Return the rows scaled to unit length and the k nearest others of each, (m, k).

    A row is never its own neighbour, also where others equal it; rows of zeros stay.

    Examples
    --------
    >>> nearest(np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 5.0]]), k=1)[1].tolist()
    [[1], [0], [0]]
    """
    unit = normalize(x)
    k = min(k, len(x) - 1)
    if k == 0:
        return unit, np.empty((len(x), 0), dtype=np.int64)
    found = NearestNeighbors(n_neighbors=k).fit(unit).kneighbors(return_distance=False)
    return unit, found.astype(np.int64)


def squares_of_differences(x: Floats, neighbours: Indices) -> Floats:
    """Return inner products of the x_i - x_j, j neighbours of i: (m, k, k).

    Examples
    --------
    >>> squares_of_differences(np.array([[1.0], [3.0]]), np.array([[1], [0]])).tolist()
    [[[4.0]], [[4.0]]]
    """
    m, k = neighbours.shape
    products = np.empty((m, k, k))
    for first in range(0, m, _ROWS):
        block = neighbours[first : first + _ROWS]
        away = x[first : first + len(block), None] - x[block]  # (rows, k, d)
        products[first : first + len(block)] = away @ away.transpose(0, 2, 1)
    return products


def graph_weights(products: Floats, start: Floats) -> Floats:
    """Return the w_i on the simplex with least w_i' products_i w_i: (m, k).

    ``products`` may be a sum over several spaces.
    """
    if start.shape[1] == 0:
        return start
    hessian = 2 * products
    largest = np.linalg.eigvalsh(hessian)[:, -1:]  # (m, 1)
    return minimise_on_simplices(
        lambda w: (hessian @ w[..., None])[..., 0],
        0.0,
        np.maximum(largest, np.finfo(float).tiny),
        np.ones(start.shape, dtype=bool),
        start,
        joint=False,
    )


def residual_operator(neighbours: Indices, weights: Floats) -> csr_array:
    """Return I - G, where row i of G holds the weights of i's neighbours.

    Examples
    --------
    >>> residual_operator(np.array([[1], [0]]), np.ones((2, 1))).toarray().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    m, k = neighbours.shape
    rows = np.arange(0, m * k + 1, k) if k else np.zeros(m + 1, dtype=np.int64)
    graph = csr_array((weights.ravel(), neighbours.ravel(), rows), shape=(m, m))
    return csr_array(eye_array(m, format="csr") - graph)


def propagated(
    residual: csr_array,
    candidates: Mask,
    start: Floats,
    mu: float = 1.0,
    fitted: Floats | None = None,
) -> Floats:
    """Return the label weights w with least mu ||residual w||^2 + ||w - fitted||^2.

    Rows lie on the simplices of their candidates; without ``fitted`` the second term is
    left out.
    """
    back = csr_array(residual.T)
    own = 0.0 if fitted is None else 2.0
    return minimise_on_simplices(
        lambda w: 2 * mu * (back @ (residual @ w)) + own * w,
        0.0 if fitted is None else own * fitted,
        mu * _curvature(residual) + own,
        candidates,
        start,
        joint=True,
    )


def _curvature(residual: csr_array) -> float:
    """Return a bound of the largest eigenvalue of 2 residual' residual."""
    size = abs(residual)
    return float(2 * size.sum(axis=0).max() * size.sum(axis=1).max())
