"""Whether probabilities mean what they say, and how to make them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from mipl.errors import MiplError
from mipl.metrics.checks import (
    Bools,
    Floats,
    Ints,
    between_0_and_1,
    candidate_sets,
    column_numbers,
    finite,
    probabilities,
)

_LEAST = 1e-12  # A probability of zero would outweigh all other bags in a fit.
_LARGEST_TEMPERATURE = 20.0


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Bags binned by their top probability; empty bins are left out.

    Attributes
    ----------
    confidence, accuracy : (b,)
        Mean top probability, and share of right predictions, of each bin.
    counts : (b,)
        Number of bags in each bin.
    """

    confidence: Floats
    accuracy: Floats
    counts: Ints


def reliability_curve(p: Any, labels: Any, n_bins: int = 15) -> ReliabilityCurve:
    """Bin bags by their top probability, in bins of equal width.

    Examples
    --------
    >>> curve = reliability_curve([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]], [0, 1, 1], 2)
    >>> curve.counts.tolist(), curve.accuracy.round(2).tolist()
    ([3], [0.67])
    """
    array = probabilities(p)
    truth = column_numbers("labels", labels, *array.shape)
    if n_bins < 1:
        raise MiplError(f"n_bins must be at least 1; got {n_bins}.")
    top = array.max(axis=1)
    right = array.argmax(axis=1) == truth
    bins = np.clip(np.ceil(top * n_bins).astype(np.int64) - 1, 0, n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    held = counts > 0
    total = np.bincount(bins, weights=top, minlength=n_bins)[held]
    hits = np.bincount(bins, weights=right, minlength=n_bins)[held]
    return ReliabilityCurve(total / counts[held], hits / counts[held], counts[held])


def expected_calibration_error(p: Any, labels: Any, n_bins: int = 15) -> float:
    """Return the mean gap between confidence and accuracy over the bins.

    Examples
    --------
    >>> round(expected_calibration_error([[0.9, 0.1], [0.9, 0.1]], [0, 1]), 2)
    0.4
    """
    curve = reliability_curve(p, labels, n_bins)
    gaps = np.abs(curve.confidence - curve.accuracy)
    return float(np.average(gaps, weights=curve.counts))


# -- temperature ----------------------------------------------------------------------


def with_temperature(p: Any, temperature: float) -> Floats:
    r"""Return probabilities in proportion to :math:`p^{1/T}`.

    Examples
    --------
    >>> with_temperature([[0.8, 0.2]], 0.5).round(3).tolist()
    [[0.941, 0.059]]
    """
    if not (math.isfinite(temperature) and temperature > 0):
        raise MiplError(f"temperature must be a number > 0; got {temperature}.")
    with np.errstate(divide="ignore"):  # A probability of zero stays zero.
        return _softened(np.log(probabilities(p)), temperature)


def fit_temperature(p: Any, labels: Any) -> float:
    """Return the temperature, 1/20 to 20, under which true labels are likeliest.

    Examples
    --------
    >>> p = np.tile([0.99, 0.01], (10, 1))
    >>> T = fit_temperature(p, [0] * 8 + [1] * 2)
    >>> with_temperature(p, T)[0].round(3).tolist()
    [0.8, 0.2]
    """
    array = probabilities(p)
    truth = column_numbers("labels", labels, *array.shape)
    return _likeliest(array, np.eye(array.shape[1], dtype=bool)[truth])


def fit_candidate_temperature(p: Any, candidates: Any) -> float:
    """Return the temperature, 1/20 to 20, under which candidate sets are likeliest.

    Examples
    --------
    >>> p = np.tile([0.98, 0.01, 0.01], (10, 1))
    >>> sets = [[True, True, False]] * 8 + [[False, True, True]] * 2
    >>> T = fit_candidate_temperature(p, sets)
    >>> with_temperature(p, T)[0].round(3).tolist()
    [0.6, 0.2, 0.2]
    """
    array = probabilities(p)
    return _likeliest(array, candidate_sets(candidates, array.shape))


def _likeliest(p: Floats, sets: Bools) -> float:
    logs = np.log(np.maximum(p, _LEAST))  # (m, k)

    def loss(log_temperature: float) -> float:
        inside = np.where(sets, _softened(logs, math.exp(log_temperature)), 0.0)
        return float(-np.log(np.maximum(inside.sum(axis=1), _LEAST)).mean())

    return math.exp(_minimum(loss, math.log(_LARGEST_TEMPERATURE)))


def _minimum(loss: Callable[[float], float], reach: float) -> float:
    """Search -reach to reach coarsely, then finely; where all is equal, 0."""
    grid = np.linspace(-reach, reach, 41)
    values = [loss(x) for x in grid]
    best = int(np.argmin(values))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, 40)])
    found = minimize_scalar(loss, bounds=around, options={"xatol": 1e-8})
    x = float(found.x if found.fun < values[best] else grid[best])
    return x if loss(x) < loss(0.0) - 1e-12 else 0.0


def _softened(logs: Floats, temperature: float) -> Floats:
    scaled = (logs - logs.max(axis=1, keepdims=True)) / temperature
    raised = np.exp(scaled)
    softened: Floats = raised / raised.sum(axis=1, keepdims=True)  # (m, k)
    return softened


# -- conformal sets -------------------------------------------------------------------


def bags_needed(alpha: float) -> int:
    r"""Return how many calibration bags a promise of :math:`1 - \alpha` needs.

    With fewer, :math:`\lceil (n + 1)(1 - \alpha) \rceil > n`: sets hold all classes.

    Examples
    --------
    >>> bags_needed(0.1), bags_needed(0.05)
    (9, 19)
    """
    level = 1 - between_0_and_1("alpha", alpha)
    return math.ceil(round(level / alpha, 9))


def conformal_threshold(p: Any, labels: Any, alpha: float) -> float:
    r"""Return the score up to which classes belong into prediction sets.

    The score of a class is :math:`1 - p_c`. Of the n scores of true labels it is the
    :math:`\lceil (n + 1)(1 - \alpha) \rceil`-th smallest, so that the set of a new bag
    holds its true label with probability at least :math:`1 - \alpha`; with too few bags
    for that, it is 1, and sets hold all classes.

    Examples
    --------
    >>> conformal_threshold([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]], [0, 0, 1], 0.5)
    0.19...
    """
    return _quantile(conformal_scores(p, labels), alpha)


def candidate_conformal_threshold(p: Any, candidates: Any, alpha: float) -> float:
    """Return the threshold from candidate sets alone, by the worst candidate's score.

    The true label's score is never larger, so that the promise holds all the more.

    Examples
    --------
    >>> candidate_conformal_threshold([[0.9, 0.1], [0.6, 0.4]], [[True, True]] * 2, 0.5)
    0.9
    """
    return _quantile(candidate_conformal_scores(p, candidates), alpha)


def conformal_scores(p: Any, labels: Any) -> Floats:
    """Return 1 - p of each bag's true label, (m,).

    Examples
    --------
    >>> conformal_scores([[0.75, 0.25], [0.5, 0.5]], [1, 0]).tolist()
    [0.75, 0.5]
    """
    array = probabilities(p)
    truth = column_numbers("labels", labels, *array.shape)
    scores: Floats = 1 - array[np.arange(len(array)), truth]
    return scores


def candidate_conformal_scores(p: Any, candidates: Any) -> Floats:
    """Return 1 - p of each bag's least likely candidate, (m,).

    Examples
    --------
    >>> candidate_conformal_scores([[0.75, 0.25, 0.0]], [[True, True, False]]).tolist()
    [0.75]
    """
    array = probabilities(p)
    inside = candidate_sets(candidates, array.shape)
    scores: Floats = (1 - np.where(inside, array, 1.0)).max(axis=1)
    return scores


def conformal_sets(p: Any, threshold: float) -> Bools:
    """Return the classes whose score is within the threshold, the likeliest always.

    Examples
    --------
    >>> conformal_sets([[0.7, 0.2, 0.1], [0.4, 0.3, 0.3]], 0.65).tolist()
    [[True, False, False], [True, False, False]]
    """
    array = probabilities(p)
    sets: Bools = 1 - array <= finite("threshold", [threshold], 1)
    sets[np.arange(len(array)), array.argmax(axis=1)] = True
    return sets  # (m, k)


def _quantile(scores: Floats, alpha: float) -> float:
    # Rounded, since (n + 1)(1 - alpha) may be a whole number but for the last digit.
    exact = round((len(scores) + 1) * (1 - between_0_and_1("alpha", alpha)), 9)
    rank = math.ceil(exact)
    return float(np.sort(scores)[rank - 1]) if rank <= len(scores) else 1.0
