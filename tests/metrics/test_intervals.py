"""Intervals: of shares by the binomial distribution, of figures by naive bootstraps."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from mipl import MiplError
from mipl.metrics import expected_calibration_error
from mipl.metrics import intervals as module
from mipl.metrics.intervals import draws, intervals, middle, share_interval

RNG = np.random.default_rng(0)
TRUTH = np.arange(60) % 3
P = RNG.dirichlet(np.ones(3), 60).round(2) + 0.01  # With ties.
P /= P.sum(axis=1, keepdims=True)
RIGHT = P.argmax(axis=1) == TRUTH
GROUPS = np.arange(60) // 7


@pytest.mark.parametrize(("hits", "n"), [(36, 36), (0, 12), (7, 20), (1, 1)])
def test_the_interval_of_a_share_is_where_its_tails_are(hits, n) -> None:
    low, high = share_interval(hits, n)
    assert (low == 0) == (hits == 0) and (high == 1) == (hits == n)
    if hits:
        assert binom.sf(hits - 1, n, low) == pytest.approx(0.025, abs=1e-6)
    if hits < n:
        assert binom.cdf(hits, n, high) == pytest.approx(0.025, abs=1e-6)


@pytest.mark.parametrize(("hits", "n"), [(2, 1), (-1, 3), (0, 0)])
def test_a_share_must_be_one(hits, n) -> None:
    with pytest.raises(MiplError, match="hits must be 0 to n"):
        share_interval(hits, n)


def test_draws_are_of_whole_groups_and_by_the_seed() -> None:
    (weights,) = draws(60, GROUPS, seed=1, n_draws=50)
    for group in np.unique(GROUPS):
        assert (np.ptp(weights[:, group == GROUPS], axis=1) == 0).all()
    firsts = weights[:, np.unique(GROUPS, return_index=True)[1]]
    assert (firsts.sum(axis=1) == len(np.unique(GROUPS))).all()
    (again,) = draws(60, GROUPS, seed=1, n_draws=50)
    np.testing.assert_array_equal(again, weights)
    (other,) = draws(60, None, seed=2, n_draws=50)
    assert (other.sum(axis=1) == 60).all()


def test_pieces_of_draws_hold_as_many(monkeypatch) -> None:
    monkeypatch.setattr(module, "_AT_A_TIME", 60 * 7)
    assert [len(w) for w in draws(60, None, seed=0, n_draws=20)] == [7, 7, 6]


def drawn_bags(weights):
    return np.repeat(np.arange(60), weights.astype(int))


FIGURES = {
    "balanced": (
        lambda w: module.balanced_accuracy_of(RIGHT, TRUTH, w),
        lambda i: balanced_accuracy_score(TRUTH[i], P[i].argmax(axis=1)),
    ),
    "auroc": (
        lambda w: module.macro_auroc_of(P, TRUTH, w),
        lambda i: np.mean([roc_auc_score(TRUTH[i] == c, P[i, c]) for c in range(3)]),
    ),
    "ece": (
        lambda w: module.calibration_error_of(P.max(axis=1), RIGHT, w),
        lambda i: expected_calibration_error(P[i], TRUTH[i]),
    ),
    "mean": (lambda w: module.mean_of(P[:, 0], w), lambda i: P[i, 0].mean()),
    "std": (lambda w: module.deviation_of(P[:, 0], w), lambda i: P[i, 0].std()),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_a_draw_is_the_figure_of_its_bags(name) -> None:
    of_weights, of_bags = FIGURES[name]
    for groups in (None, GROUPS):
        (weights,) = draws(60, groups, seed=3, n_draws=20)
        expected = [of_bags(drawn_bags(draw)) for draw in weights]
        np.testing.assert_allclose(of_weights(weights), expected, rtol=1e-9)


def test_a_class_that_is_not_drawn_is_left_out() -> None:
    weights = np.array([TRUTH != 2, TRUTH == 0], dtype=float)
    one, alone = module.macro_auroc_of(P, TRUTH, weights)
    drawn = TRUTH != 2
    areas = [roc_auc_score(TRUTH[drawn] == c, P[drawn, c]) for c in (0, 1)]
    assert one == pytest.approx(np.mean(areas)) and np.isnan(alone)


def test_all_right_is_not_certain() -> None:
    right = np.ones(36)
    found = intervals({"accuracy": right}, {}, 36, seed=0)
    assert found["accuracy"] == share_interval(36, 36)
    by_six = intervals({"accuracy": right}, {}, 36, np.arange(36) // 6, seed=0)
    assert by_six["accuracy"] == share_interval(6, 6)


def test_groups_make_intervals_wider() -> None:
    right = (np.arange(600) // 30 % 4 > 0).astype(float)  # Whole groups are wrong.
    (low, high), (one, other) = (
        intervals({"a": right}, {}, 600, groups, seed=0)["a"]
        for groups in (None, np.arange(600) // 30)
    )
    assert other - one > 3 * (high - low)


def test_a_figure_that_never_moves_has_no_interval() -> None:
    assert middle(np.ones(100)) is None
    assert middle(np.array([np.nan] * 60 + [1.0] * 20 + [2.0] * 20)) is None
    assert middle(np.full(5, np.nan)) is None


def test_bags_without_a_value_are_no_trials() -> None:
    marks = np.array([1.0, 1.0, np.nan, 0.0])
    assert intervals({"v": marks}, {}, 4, seed=0)["v"] == share_interval(2, 3)
