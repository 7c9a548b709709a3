"""Margins in the label space and in the instance space, and how often they fail."""

from __future__ import annotations

from typing import Any

import numpy as np

from mipl.metrics.checks import Floats, candidate_sets, finite
from mipl.metrics.over_bags import OverBags, instance_scores, with_both


def label_margins(p: Any, candidates: Any) -> Floats:
    """Return, for each bag, the best candidate minus the best non-candidate score.

    Where all classes are candidates, it is the best score itself.

    Parameters
    ----------
    p : (m, k) probabilities or other scores
    candidates : (m, k) bool

    Examples
    --------
    >>> label_margins([[0.5, 0.2, 0.3], [0.2, 0.2, 0.6]], [[True, True, False]] * 2)
    array([ 0.2, -0.4])
    """
    scores = finite("p", p, 2)
    inside = candidate_sets(candidates, scores.shape)
    best = np.where(inside, scores, -np.inf).max(axis=1)  # (m,)
    other = np.where(inside, -np.inf, scores).max(axis=1)  # (m,)
    margins: Floats = best - np.where(inside.all(axis=1), 0.0, other)
    return margins


def margin_violation_rate(p: Any, candidates: Any) -> float:
    """Return the share of bags in which a non-candidate beats every candidate.

    Examples
    --------
    >>> sets = [[True, True, False]] * 2
    >>> margin_violation_rate([[0.5, 0.2, 0.3], [0.2, 0.2, 0.6]], sets)
    0.5
    """
    return float((label_margins(p, candidates) < 0).mean())


def instance_violation_rate(scores: Any, offsets: Any, is_positive: Any) -> OverBags:
    """Return the share of bags whose best negative beats the best positive instance.

    Parameters
    ----------
    scores : (N,) attention or other scores of instances
    offsets : (m + 1,) where each bag begins
    is_positive : (N,) bool, whether an instance belongs to its bag's true class

    Examples
    --------
    >>> instance_violation_rate(
    ...     [0.7, 0.3, 0.4, 0.6, 1.0], [0, 2, 4, 5], [True, False, True, False, True]
    ... )
    OverBags(value=0.5, n_bags=2, n_left_out=1)
    """
    return OverBags.of(violations_of_bags(scores, offsets, is_positive))


def violations_of_bags(scores: Any, offsets: Any, is_positive: Any) -> Floats:
    """Return 1 for bags whose best negative wins, else 0; NaN where none can, (m,).

    Examples
    --------
    >>> violations_of_bags([0.7, 0.3, 1.0], [0, 2, 3], [False, True, True])
    array([ 1., nan])
    """
    values, starts, positive = instance_scores(scores, offsets, is_positive)
    both = with_both(starts, positive)
    best = np.maximum.reduceat(np.where(positive, values, -np.inf), starts[:-1])
    other = np.maximum.reduceat(np.where(positive, -np.inf, values), starts[:-1])
    violated: Floats = np.where(both, other > best, np.nan)
    return violated
