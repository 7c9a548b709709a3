"""Intervals of figures: exact for shares, otherwise bags or groups drawn again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import binomtest

from mipl.errors import MiplError
from mipl.metrics.checks import Bools, Floats, Ints, between_0_and_1
from mipl.seeds import stream

Interval = tuple[float, float]
_AT_A_TIME = 1 << 22  # Numbers held in memory.


def share_interval(hits: int, n: int, level: float = 0.95) -> Interval:
    """Return the exact interval (Clopper and Pearson's) of a share of ``n`` trials.

    Examples
    --------
    >>> low, high = share_interval(36, 36)
    >>> round(low, 3), high
    (0.903, 1.0)
    """
    between_0_and_1("level", level)
    if not 0 <= hits <= n or n < 1:
        raise MiplError(f"hits must be 0 to n, n at least 1; got {hits} of {n}.")
    found = binomtest(int(hits), int(n)).proportion_ci(level, method="exact")
    return float(found.low), float(found.high)


def intervals(
    shares: Mapping[str, Floats],
    drawn: Mapping[str, Callable[[Floats], Floats]],
    n_bags: int,
    groups: Any = None,
    *,
    seed: int,
    level: float = 0.95,
    n_draws: int = 1000,
) -> dict[str, Interval | None]:
    """Return the interval of each figure: exact of shares, bootstrapped of others.

    Bags of a group are no trials of their own. With groups, shares are bootstrapped,
    too; one that is the same in all draws (36 of 36) has the exact interval of as many
    trials as there are groups.

    Parameters
    ----------
    shares : mapping of name to (m,) zeros and ones
        NaN for bags that do not count.
    drawn : mapping of name to a function of (draws, m) weights
    n_bags : int
    groups : (m,), optional
    seed : int

    Examples
    --------
    >>> right = np.ones(36)
    >>> one = intervals({"accuracy": right}, {}, 36, seed=0)["accuracy"]
    >>> six = intervals({"accuracy": right}, {}, 36, np.arange(36) // 6, seed=0)
    >>> round(one[0], 3), round(six["accuracy"][0], 3)
    (0.903, 0.541)
    """
    figures = dict(drawn)
    if groups is not None:
        figures |= {name: partial(mean_of, values) for name, values in shares.items()}
    values: dict[str, list[Floats]] = {name: [] for name in figures}
    if figures:
        for weights in draws(n_bags, groups, seed=seed, n_draws=n_draws):
            for name, figure in figures.items():
                values[name].append(figure(weights))
    found = {name: middle(np.concatenate(v), level) for name, v in values.items()}
    for name, marks in shares.items():
        if found.get(name) is None:
            known = ~np.isnan(marks)
            n = known.sum() if groups is None else len(np.unique(groups[known]))
            found[name] = share_interval(round(marks[known].mean() * n), n, level)
    return found


def draws(n_bags: int, groups: Any, *, seed: int, n_draws: int) -> Iterator[Floats]:
    """Give how often each bag is drawn, some draws at a time, (draws, m).

    Where there are groups, whole groups are drawn, as many as there are.

    Examples
    --------
    >>> [weights] = draws(4, ["a", "a", "b", "b"], seed=0, n_draws=2)
    >>> bool((weights[:, 0] == weights[:, 1]).all()), weights[:, ::2].sum(1).tolist()
    (True, [2.0, 2.0])
    """
    rng = stream(seed, "bootstrap")
    unit = np.arange(n_bags)
    if groups is not None:
        unit = np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
    n = int(unit.max()) + 1
    step = max(1, _AT_A_TIME // n_bags)
    for start in range(0, n_draws, step):
        size = min(step, n_draws - start)
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=size)  # (draws, units)
        yield drawn[:, unit].astype(np.float64)


def middle(values: Floats, level: float = 0.95) -> Interval | None:
    """Return the percentile interval of a figure over draws; NaN has no value.

    None where more than half of the draws have none, or all are alike: then nothing is
    known of how far the figure varies.

    Examples
    --------
    >>> [round(end, 6) for end in middle(np.arange(101.0), 0.9)]
    [5.0, 95.0]
    """
    tail = (1 - between_0_and_1("level", level)) / 2
    known = values[~np.isnan(values)]
    if 2 * len(known) < len(values) or not np.ptp(known) > 1e-12:
        return None
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


# -- figures of many draws at once: each takes (draws, m) weights ----------------------


def mean_of(values: Floats, weights: Floats) -> Floats:
    """Return the mean over bags of each draw; bags of NaN are left out."""
    known = ~np.isnan(values)
    return _ratio(weights @ np.where(known, values, 0.0), weights @ known)


def deviation_of(values: Floats, weights: Floats) -> Floats:
    """Return the standard deviation over bags (ddof 0) of each draw."""
    centred = values - values.mean()
    mean, square = mean_of(centred, weights), mean_of(centred**2, weights)
    return np.sqrt(np.maximum(square - mean**2, 0.0))


def balanced_accuracy_of(right: Bools, truth: Ints, weights: Floats) -> Floats:
    """Return the balanced accuracy of each draw, over the classes it has."""
    members = np.eye(int(truth.max()) + 1)[truth]  # (m, k)
    shares = _ratio(weights @ (members * right[:, None]), weights @ members)
    return _ratio(np.nansum(shares, axis=1), (~np.isnan(shares)).sum(axis=1))


def macro_auroc_of(p: Floats, truth: Ints, weights: Floats) -> Floats:
    """Return the macro AUROC of each draw, over the classes it has.

    Examples
    --------
    >>> p = np.array([[0.9, 0.1], [0.4, 0.6]])
    >>> macro_auroc_of(p, np.array([0, 1]), np.array([[1.0, 2.0], [2.0, 0.0]]))
    array([ 1., nan])
    """
    areas = [_auroc_of(p[:, c], truth == c, weights) for c in np.unique(truth)]
    table = np.stack(areas)  # (k, draws)
    return _ratio(np.nansum(table, axis=0), (~np.isnan(table)).sum(axis=0))


def calibration_error_of(
    top: Floats, right: Bools, weights: Floats, n_bins: int = 15
) -> Floats:
    """Return the expected calibration error of each draw."""
    bins = np.clip(np.ceil(top * n_bins).astype(np.int64) - 1, 0, n_bins - 1)
    gaps = weights @ (np.eye(n_bins)[bins] * (top - right)[:, None])  # (draws, bins)
    return _ratio(np.abs(gaps).sum(axis=1), weights.sum(axis=1))


def _auroc_of(scores: Floats, positive: Bools, weights: Floats) -> Floats:
    """Count pairs in order by the weights of both bags; ties count half."""
    values, place = np.unique(scores, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(values)))
    pos = np.add.reduceat((weights * positive)[:, order], starts, axis=1)
    neg = np.add.reduceat((weights * ~positive)[:, order], starts, axis=1)
    below = np.cumsum(neg, axis=1) - neg / 2
    return _ratio((pos * below).sum(axis=1), pos.sum(axis=1) * neg.sum(axis=1))


def _ratio(over: Floats, under: Any) -> Floats:
    """Divide; what is divided by zero is NaN."""
    total = np.asarray(under, dtype=np.float64)
    return np.where(total > 0, over / np.where(total > 0, total, 1.0), np.nan)
