"""Rows on a simplex: projection, and quadratic functions minimised there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def project_rows(values: Floats, support: Mask) -> Floats:
    """Return the nearest rows that are >= 0, sum to 1 and are 0 outside ``support``.

    Sorts each row (Held, Wolfe, Crowder 1974); every row needs an entry in ``support``.

    Examples
    --------
    >>> project_rows(np.array([[0.9, 0.5, 7.0]]), np.array([[True, True, False]]))
    array([[0.7, 0.3, 0. ]])
    """
    inside = np.where(support, values, -np.inf)
    falling = -np.sort(-inside, axis=1)  # (m, k), candidates first
    count = np.arange(1, values.shape[1] + 1)
    finite = np.isfinite(falling)
    excess = np.cumsum(np.where(finite, falling, 0.0), axis=1) - 1
    kept = finite & (falling * count > excess)
    last = kept.shape[1] - 1 - kept[:, ::-1].argmax(axis=1)  # The first always is.
    threshold = excess[np.arange(len(values)), last] / (last + 1)
    projected: Floats = np.maximum(inside - threshold[:, None], 0.0)
    return projected


def minimise_on_simplices(
    hessian: Callable[[Floats], Floats],
    linear: Floats | float,
    curvature: Floats | float,
    support: Mask,
    start: Floats,
    joint: bool,
    tolerance: float = 1e-8,
    max_iter: int = 5000,
) -> Floats:
    """Minimise <x, H x>/2 - <linear, x> over rows x_i on their simplices.

    The accelerated projected gradient method of Beck and Teboulle (FISTA), which starts
    its momentum anew where the value would rise, so that it never does. It ends when
    the duality gap proves that the value is within ``tolerance * curvature`` (times the
    number of rows that are coupled) of the least one.

    Parameters
    ----------
    hessian : callable
        H x of an (m, k) array; symmetric, without negative eigenvalues.
    linear : (m, k) or number
    curvature : number or (m, 1)
        At least the largest eigenvalue of H; per row where rows are not coupled.
    support : (m, k) bool
        Where rows may differ from 0.
    start : (m, k)
        Rows on the simplices.
    joint : bool
        Whether H couples the rows; otherwise each is a problem of its own.

    Examples
    --------
    >>> h = np.diag([1.0, 3.0])
    >>> both, half = np.ones((1, 2), bool), np.full((1, 2), 0.5)
    >>> minimise_on_simplices(lambda x: x @ h, 0.0, 3.0, both, half, True).round(6)
    array([[0.75, 0.25]])
    """

    def total(values: Floats) -> Floats:
        sums: Floats = values.sum(axis=None if joint else 1, keepdims=True)
        return sums

    bound = tolerance * np.asarray(curvature) * (len(start) if joint else 1)
    x, hx = start, hessian(start)
    value = total(x * (hx / 2 - linear))
    before, h_before, t = x, hx, np.ones_like(value)
    for _ in range(max_iter):
        slope = hx - linear
        gap = total(x * slope) - total(_least(slope, support))
        if (gap <= bound).all():
            break
        t_next = (1 + np.sqrt(1 + 4 * t**2)) / 2
        pull = (t - 1) / t_next
        ahead, h_ahead = x + pull * (x - before), hx + pull * (hx - h_before)
        new = project_rows(ahead - (h_ahead - linear) / curvature, support)
        h_new = hessian(new)
        new_value = total(new * (h_new / 2 - linear))
        # Without momentum (t = 1) a rise is rounding, and the row stays where it is.
        rises = new_value > value
        before, h_before = x, hx
        x, hx = np.where(rises, x, new), np.where(rises, hx, h_new)
        value, t = np.where(rises, value, new_value), np.where(rises, 1.0, t_next)
    return x


def _least(slope: Floats, support: Mask) -> Floats:
    """Return the least slope of each row's support, (m, 1)."""
    least: Floats = np.where(support, slope, np.inf).min(axis=1, keepdims=True)
    return least
