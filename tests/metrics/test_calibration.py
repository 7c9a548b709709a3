"""Calibration: known values, loops, and what theory promises of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from tests.strategies import quick

from mipl.errors import MiplError
from mipl.metrics import (
    candidate_conformal_threshold,
    conformal_sets,
    conformal_threshold,
    expected_calibration_error,
    fit_candidate_temperature,
    fit_temperature,
    reliability_curve,
    with_temperature,
)


def drawn(m, k, seed, sharpness=0.5):
    """True posteriors and labels drawn from them."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(sharpness * np.ones(k), m)
    labels = (rng.random((m, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, k - 1)
    return p, labels


def with_false_labels(labels, k, r, seed):
    """Candidate sets: the label and r others, drawn without looking at p."""
    rng = np.random.default_rng(seed)
    order = rng.random((len(labels), k))
    order[np.arange(len(labels)), labels] = 2
    return order.argsort(axis=1).argsort(axis=1) >= k - 1 - r


# -- expected calibration error -------------------------------------------------------


@quick
@given(st.integers(1, 60), st.integers(2, 5), st.integers(1, 20), st.integers(0, 99))
def test_ece_equals_a_loop_over_bins(m, k, n_bins, seed):
    p, labels = drawn(m, k, seed)
    total = 0.0
    for b in range(n_bins):
        low, high = b / n_bins, (b + 1) / n_bins
        bags = [i for i in range(m) if low < max(p[i]) <= high]
        if bags:
            right = sum(p[i].argmax() == labels[i] for i in bags) / len(bags)
            confident = sum(max(p[i]) for i in bags) / len(bags)
            total += len(bags) / m * abs(right - confident)
    assert expected_calibration_error(p, labels, n_bins) == pytest.approx(total)


def test_ece_of_a_capped_head_is_the_published_one():
    """98.47 % right at the largest confidence of a sigmoid under a softmax."""
    m, k = 10_000, 5
    top = np.e / (np.e + k - 1)  # .405, specifications part A.3
    p = np.full((m, k), (1 - top) / (k - 1))
    p[:, 0] = top
    labels = np.zeros(m, int)
    labels[:153] = 1
    assert expected_calibration_error(p, labels) == pytest.approx(0.9847 - top)


def test_ece_of_true_posteriors_is_small_and_of_sharpened_ones_is_not():
    p, labels = drawn(20_000, 4, 0)
    assert expected_calibration_error(p, labels) < 0.02
    assert expected_calibration_error(with_temperature(p, 0.3), labels) > 0.08


def test_the_curve_counts_every_bag_once():
    p, labels = drawn(500, 3, 0)
    curve = reliability_curve(p, labels)
    assert curve.counts.sum() == 500 and (curve.counts > 0).all()
    right = (p.argmax(axis=1) == labels).mean()
    assert np.average(curve.accuracy, weights=curve.counts) == pytest.approx(right)
    mean = np.average(curve.confidence, weights=curve.counts)
    assert mean == pytest.approx(p.max(axis=1).mean())
    certain = reliability_curve([[1.0, 0.0], [0.0, 1.0]], [0, 0])
    assert certain.confidence.tolist() == [1.0] and certain.accuracy.tolist() == [0.5]


# -- temperature ----------------------------------------------------------------------


@quick
@given(st.floats(0.05, 20), st.integers(0, 99))
def test_temperature_is_the_softmax_of_scaled_logits(temperature, seed):
    logits = np.random.default_rng(seed).normal(0, 2, (5, 4))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    naive = np.exp(logits / temperature)
    naive /= naive.sum(axis=1, keepdims=True)
    softened = with_temperature(p, temperature)
    np.testing.assert_allclose(softened, naive, rtol=1e-9, atol=1e-300)
    np.testing.assert_array_equal(softened.argmax(axis=1), p.argmax(axis=1))


def test_a_probability_of_zero_stays_zero_and_nothing_is_nan():
    for temperature in (1e-3, 1.0, 1e3):
        p = with_temperature([[1.0, 0.0], [0.5, 0.5], [1 - 1e-9, 1e-9]], temperature)
        assert np.isfinite(p).all() and p[0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("true", [0.3, 1.0, 2.5])
def test_the_temperature_that_distorted_is_found_again(true):
    posterior, labels = drawn(8_000, 4, 1, sharpness=1.0)
    distorted = with_temperature(posterior, 1 / true)
    assert fit_temperature(distorted, labels) == pytest.approx(true, rel=0.05)
    sets = with_false_labels(labels, 4, 1, seed=2)
    assert fit_candidate_temperature(distorted, sets) == pytest.approx(true, rel=0.1)


def test_the_fit_is_the_lowest_loss_of_a_fine_grid():
    p, labels = drawn(200, 3, 5)
    sharp = with_temperature(p, 0.4)
    found = fit_temperature(sharp, labels)

    def loss(temperature):
        q = with_temperature(sharp, temperature)[np.arange(200), labels]
        return -np.log(np.maximum(q, 1e-12)).mean()

    grid = np.exp(np.linspace(np.log(1 / 20), np.log(20), 4000))
    assert loss(found) <= min(map(loss, grid)) + 1e-9


def test_sets_of_one_give_the_temperature_of_labels():
    p, labels = drawn(300, 4, 3)
    one = np.eye(4, dtype=bool)[labels]
    assert fit_candidate_temperature(p, one) == fit_temperature(p, labels)


def test_where_nothing_can_be_learnt_the_temperature_is_one():
    p, _ = drawn(20, 3, 0)
    assert fit_candidate_temperature(p, np.ones((20, 3), bool)) == 1.0
    assert fit_temperature(np.full((6, 3), 1 / 3), [0, 1, 2] * 2) == 1.0


def test_the_temperature_stays_within_its_bounds():
    sure = np.tile([0.9, 0.1], (20, 1))
    assert fit_temperature(sure, [0] * 20) == pytest.approx(1 / 20, rel=1e-3)
    assert fit_temperature(sure, [1] * 20) == pytest.approx(20, rel=1e-3)
    hard = np.tile([1.0, 0.0], (20, 1))
    assert np.isfinite(fit_temperature(hard, [0] * 10 + [1] * 10))


# -- conformal sets -------------------------------------------------------------------


@quick
@given(st.integers(1, 40), st.floats(0.01, 0.99), st.integers(0, 99))
def test_the_threshold_is_the_finite_sample_quantile(m, alpha, seed):
    p, labels = drawn(m, 3, seed)
    scores = sorted(1 - p[i, labels[i]] for i in range(m))
    within = [t for t in scores if sum(s <= t for s in scores) >= (m + 1) * (1 - alpha)]
    expected = within[0] if within else 1.0
    assert conformal_threshold(p, labels, alpha) == expected


def test_a_whole_rank_is_not_lost_to_rounding():
    p = np.array([[1 - s, s] for s in np.arange(1, 10) / 10])
    # (9 + 1)(1 - 0.1) is 9: the largest of nine scores.
    assert conformal_threshold(p, np.zeros(9, int), 0.1) == pytest.approx(0.9)
    assert conformal_threshold(p, np.zeros(9, int), 0.7) == pytest.approx(0.3)


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("wrong", [1.0, 0.3], ids=["calibrated", "over-confident"])
def test_new_bags_are_covered_as_promised(alpha, wrong):
    """Coverage over many draws of calibration and test bags, exchangeable."""
    n, trials, covered = 60, 3000, 0
    p, labels = drawn(trials * (n + 1), 4, 7)
    p = with_temperature(p, wrong).reshape(trials, n + 1, 4)
    labels = labels.reshape(trials, n + 1)
    for q, y in zip(p, labels, strict=True):
        threshold = conformal_threshold(q[:-1], y[:-1], alpha)
        covered += conformal_sets(q[-1:], threshold)[0, y[-1]]
    # At least 1 - alpha, but for the chance of one in a thousand trials like this.
    assert covered >= binom.ppf(1e-3, trials, 1 - alpha)


@pytest.mark.parametrize("alpha", [0.1, 0.3])
def test_candidates_alone_cover_all_the_more(alpha):
    p, labels = drawn(40_000, 5, 11)
    sets = with_false_labels(labels, 5, 1, seed=12)
    half = 20_000
    by_label = conformal_threshold(p[:half], labels[:half], alpha)
    by_sets = candidate_conformal_threshold(p[:half], sets[:half], alpha)
    assert by_sets >= by_label
    inside = conformal_sets(p[half:], by_sets)[np.arange(half), labels[half:]]
    assert inside.mean() >= 1 - alpha - 4 * np.sqrt(alpha * (1 - alpha) / half)


def test_the_worst_candidate_decides():
    p = np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.5, 0.4, 0.1]])
    sets = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1]], bool)
    worst = sorted([0.8, 0.4, 0.9])
    assert candidate_conformal_threshold(p, sets, 0.5) == pytest.approx(worst[1])
    one = np.eye(3, dtype=bool)[[0, 1, 2]]
    by_label = conformal_threshold(p, [0, 1, 2], 0.5)
    assert candidate_conformal_threshold(p, one, 0.5) == by_label


def test_sets_grow_with_the_threshold_and_are_never_empty():
    p, _ = drawn(100, 4, 0)
    before = np.zeros(p.shape, bool)
    for threshold in (0.0, 0.3, 0.6, 0.9, 1.0):
        sets = conformal_sets(p, threshold)
        assert (sets >= before).all() and sets.any(axis=1).all()
        assert (sets >= (1 - p <= threshold)).all()
        before = sets
    assert before.all(), "a threshold of one takes every class"
    assert conformal_threshold(p[:3], [0, 0, 0], 0.1) == 1.0, (
        "three bags promise little"
    )


P, Y, S = [[0.5, 0.5]] * 2, [0, 1], [[True, False]] * 2
REFUSED = [
    (lambda: expected_calibration_error([[0.5, 0.6]], [0]), "row 0 .* sum to 1"),
    (lambda: expected_calibration_error(P, [0, 2]), "bag 1 has 2"),
    (lambda: expected_calibration_error(P, [0]), "2 column numbers of p"),
    (lambda: reliability_curve(P, Y, 0), "n_bins must be at least 1"),
    (lambda: with_temperature(P, 0.0), "temperature must be a number > 0"),
    (lambda: with_temperature(P, np.nan), "temperature must be a number > 0"),
    (lambda: fit_temperature([[np.inf, 0.0]], [0]), "row 0 holds NaN or infinity"),
    (lambda: fit_candidate_temperature(P, [[False, False]] * 2), "bag 0 is empty"),
    (lambda: conformal_threshold(P, Y, 0.0), "alpha must lie between 0 and 1; got 0"),
    (lambda: candidate_conformal_threshold(P, S, 1.5), "alpha must lie between"),
    (lambda: conformal_sets(P, np.nan), "threshold must be finite"),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_bad_input_is_refused_in_one_sentence(call, text):
    with pytest.raises(MiplError, match=text):
        call()
