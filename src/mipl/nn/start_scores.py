"""The published start of the score coefficients: a regression by gradient descent."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

_STEPS, _RATE = 1000, 0.1
_VARIANCE = 0.1  # Of the coefficients, beside their mean square.
_WIDTH = 1e-8  # Added to the spread of a feature.

Floats = npt.NDArray[np.float64]


def descended_logistic(
    z: Floats, w: Floats, first: Floats
) -> tuple[Floats, Floats, Floats]:
    """Regress label weights on the means of bags: (m, L), (m, k), (L, k).

    ::

        x = (z - mean) / (std sqrt(L)),     1000 steps of .1 times the summed gradient
        U = x W,                            m_c = std(U_c) W_c / rms(W_c)

    ``first`` has the coefficients W before the first step; biases start at 0. The
    variance is a tenth of the mean square of all m. Returned are m and the variances,
    (k, L) each, and the intercepts of raw means, (k,).
    """
    x = (z - z.mean(axis=0)) / (z.std(axis=0) * np.sqrt(z.shape[1]) + _WIDTH)
    weight, bias = first.copy(), np.zeros(w.shape[1])
    for _ in range(_STEPS):
        gap = softmax(x @ weight + bias, axis=1) - w  # (m, k)
        weight -= _RATE * x.T @ gap
        bias -= _RATE * gap.sum(axis=0)
    scores = x @ weight
    size = np.sqrt(np.square(weight).mean(axis=0))
    mean = scores.std(axis=0) * weight / np.where(size > 0, size, 1.0)  # (L, k)
    variance = np.full_like(mean, _VARIANCE * np.square(mean).mean())
    intercept = bias + scores.mean(axis=0) - z.mean(axis=0) @ mean
    return mean.T, variance.T, intercept
