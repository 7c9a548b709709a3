"""Area under the ROC curve: how often a positive scores above a negative."""

from __future__ import annotations

from scipy.stats import rankdata

from mipl.metrics.checks import Bools, Floats


def auroc(scores: Floats, positive: Bools) -> float:
    """Return the share of (positive, negative) pairs in order; ties count half.

    Examples
    --------
    >>> import numpy as np
    >>> auroc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    0.75
    """
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    wins = rankdata(scores)[positive].sum() - n_positive * (n_positive + 1) / 2
    return float(wins / (n_positive * n_negative))
