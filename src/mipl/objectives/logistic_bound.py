"""Jaakkola and Jordan's bound of the logistic function: a Gaussian in its argument."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import log_expit

Floats = npt.NDArray[np.float64]

_NEAR_ZERO = 1e-4  # Below, the closed form divides rounding by rounding.


def bound_curvature(xi: npt.ArrayLike) -> Floats:
    """Return lambda(xi) = (sigmoid(xi) - 1/2) / (2 xi), 1/8 at zero.

    Examples
    --------
    >>> bound_curvature([0.0, 2.0, -2.0]).round(4).tolist()
    [0.125, 0.0952, 0.0952]
    """
    xi = np.abs(np.asarray(xi, dtype=np.float64))
    small, large = np.minimum(xi, _NEAR_ZERO), np.maximum(xi, _NEAR_ZERO)
    away = np.tanh(large / 2) / (4 * large)
    return np.where(xi < _NEAR_ZERO, 1 / 8 - small**2 / 96, away)


def logistic_bound(y: Floats, mean: Floats, square: Floats, xi: Floats) -> Floats:
    """Return a bound of E log p(y | s) for p(y = 1 | s) = sigmoid(s).

    It is largest at xi^2 = E s^2.

    Parameters
    ----------
    y : (n,)
        Probability that the label is one.
    mean, square : (n,)
        E s and E s^2.
    xi : (n,)
        Where the bound touches.

    Examples
    --------
    >>> one = np.ones(1)
    >>> tight = logistic_bound(one, one, one, one)
    >>> bool(np.isclose(np.exp(tight), 1 / (1 + np.exp(-1)))[0])
    True
    """
    xi = np.abs(xi)
    slack = bound_curvature(xi) * (square - xi**2)
    bound: Floats = (y - 0.5) * mean - slack + log_expit(xi) - xi / 2
    return bound
