"""Whether one method is better than another, or chance is enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from mipl.errors import MiplError
from mipl.metrics.checks import Floats, between_0_and_1, finite


class TTest(NamedTuple):
    """Result of a two-sided t-test; the statistic is positive where a is larger."""

    statistic: float
    p_value: float


def t_test(a: Any, b: Any, *, paired: bool = True) -> TTest:
    """Compare the results of two methods, by default on the same splits.

    Where there is no spread to divide by, equal means give a p-value of 1 and others
    one of 0.

    Examples
    --------
    >>> test = t_test([0.81, 0.84, 0.79], [0.78, 0.80, 0.77])
    >>> round(test.statistic, 3), round(test.p_value, 3)
    (5.196, 0.035)
    """
    x, y = finite("a", a, 1), finite("b", b, 1)
    if paired and len(x) != len(y):
        raise MiplError(
            f"a paired t-test needs results on the same splits; got {len(x)} and "
            f"{len(y)}: give paired=False."
        )
    if min(len(x), len(y)) < 2:
        raise MiplError("a t-test needs at least two results of each method.")
    spreads = [x - y] if paired else [x, y]
    scale = max(float(np.abs(x).max()), float(np.abs(y).max()))
    if all(float(np.ptp(s)) <= 1e-12 * scale for s in spreads):
        gap = float(x.mean() - y.mean())
        equal = abs(gap) <= 1e-12 * scale
        return TTest(0.0, 1.0) if equal else TTest(math.copysign(math.inf, gap), 0.0)
    found = stats.ttest_rel(x, y) if paired else stats.ttest_ind(x, y)
    return TTest(float(found.statistic), float(found.pvalue))


def verdict(a: Any, b: Any, *, level: float = 0.05, paired: bool = True) -> str:
    """Return "win", "tie" or "loss" of a against b by the t-test.

    Examples
    --------
    >>> verdict([0.81, 0.84, 0.79], [0.78, 0.80, 0.77])
    'win'
    """
    test = t_test(a, b, paired=paired)
    if test.p_value >= between_0_and_1("level", level):
        return "tie"
    return "win" if test.statistic > 0 else "loss"


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for being several, by Holm's step-down.

    The smallest is multiplied by their number, the next by one less, and so on; none
    falls below one before it.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    for p in p_values:
        if not 0 <= p <= 1:
            raise MiplError(f"a p-value must lie from 0 to 1; got {p}.")
    found, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(np.argsort(p_values, kind="stable").tolist()):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        found[place] = least
    return found


def win_tie_loss(
    ours: Sequence[Any],
    rivals: Sequence[Any],
    *,
    level: float = 0.05,
    paired: bool = True,
) -> tuple[int, int, int]:
    """Count the verdicts over pairs of results.

    Examples
    --------
    >>> win_tie_loss([[0.81, 0.84, 0.79], [0.5, 0.6]], [[0.78, 0.80, 0.77], [0.6, 0.5]])
    (1, 1, 0)
    """
    if len(ours) != len(rivals):
        raise MiplError(
            f"win/tie/loss needs pairs of results; got {len(ours)} and {len(rivals)}."
        )
    found = [
        verdict(a, b, level=level, paired=paired)
        for a, b in zip(ours, rivals, strict=True)
    ]
    return found.count("win"), found.count("tie"), found.count("loss")


@dataclass(frozen=True, eq=False)
class Friedman:
    """Friedman's test with Nemenyi's critical difference.

    Attributes
    ----------
    statistic, p_value : float
    ranks : (k,)
        Mean rank of each method, 1 being best.
    critical_difference : float
        Methods whose mean ranks differ by more are told apart.
    """

    statistic: float
    p_value: float
    ranks: Floats
    critical_difference: float


def friedman(scores: Any, *, level: float = 0.05) -> Friedman:
    """Compare k methods over N data sets by their ranks; larger scores are better.

    Examples
    --------
    >>> test = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.6, 0.5]])
    >>> round(test.p_value, 4), test.ranks.tolist()
    (0.0498, [1.0, 2.0, 3.0])
    """
    table = finite("scores", scores, 2)  # (N, k)
    n_sets, n_methods = table.shape
    if n_methods < 3 or n_sets < 2:
        raise MiplError(
            "Friedman's test needs at least three methods and two data sets; "
            f"got {n_methods} and {n_sets}."
        )
    ranks = stats.rankdata(-table, axis=1)
    statistic, p_value = 0.0, 1.0
    if (np.ptp(table, axis=1) > 0).any():  # Where all is tied there is no difference.
        statistic, p_value = stats.friedmanchisquare(*table.T)
    distance = nemenyi_distance(n_methods, n_sets, level=level)
    return Friedman(float(statistic), float(p_value), ranks.mean(axis=0), distance)


def nemenyi_distance(n_methods: int, n_sets: int, *, level: float = 0.05) -> float:
    r"""Return Nemenyi's critical difference of mean ranks.

    It is :math:`q_\alpha \sqrt{k (k + 1) / (6 N)}` with the quantile of the
    studentized range divided by :math:`\sqrt 2`.

    Examples
    --------
    >>> round(nemenyi_distance(4, 14), 3)
    1.254
    """
    if n_methods < 2 or n_sets < 1:
        raise MiplError(
            "Nemenyi's distance needs at least two methods and one data set; "
            f"got {n_methods} and {n_sets}."
        )
    share = 1 - between_0_and_1("level", level)
    q = float(stats.studentized_range.ppf(share, n_methods, np.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))
