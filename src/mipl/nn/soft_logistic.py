"""Logistic regression on label weights, and how sure its coefficients are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import log_softmax

Floats = npt.NDArray[np.float64]


def soft_logistic(z: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Regress label weights on vectors: (m, L), (m, k) -> (k, L) twice.

    The coefficients b have the least -sum_ic w_ic log softmax(b z_i + bias)_c +
    |b|^2 / 2, where the unit of all features is their mean spread (root mean square):
    with a unit each, those that hardly vary would have huge coefficients. Beside them
    stand their variances in Laplace's approximation, without correlations.

    Examples
    --------
    >>> z = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> w = np.array([[1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    >>> coefficients, variances = soft_logistic(z, w)
    >>> bool(coefficients[1] > 0), np.allclose(*abs(coefficients)), variances.shape
    (True, True, (2, 1))
    """
    spread = np.sqrt(z.var(axis=0).mean()) or 1.0
    x = (z - z.mean(axis=0)) / spread  # (m, L)
    shape = w.shape[1], x.shape[1] + 1  # The biases come last.

    def loss_and_slope(flat: Floats) -> tuple[float, Floats]:
        values = flat.reshape(shape)
        b, bias = values[:, :-1], values[:, -1]
        log_p = log_softmax(x @ b.T + bias, axis=1)  # (m, k)
        gap = np.exp(log_p) * w.sum(axis=1, keepdims=True) - w  # (m, k)
        slope = np.c_[gap.T @ x + b, gap.sum(axis=0)]
        return float(np.square(b).sum() / 2 - (w * log_p).sum()), slope.ravel()

    found = minimize(
        loss_and_slope, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B"
    )
    values = found.x.reshape(shape)
    b, bias = values[:, :-1], values[:, -1]
    p = np.exp(log_softmax(x @ b.T + bias, axis=1))
    curvature = (w.sum(axis=1, keepdims=True) * p * (1 - p)).T @ np.square(x)  # (k, L)
    return b / spread, 1 / (curvature + 1) / spread**2
