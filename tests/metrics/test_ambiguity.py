"""Figures from candidate sets alone, against loops and against what they estimate."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick, scores_and_sets

from mipl.data import Candidates
from mipl.errors import MiplError
from mipl.metrics import (
    approximated_accuracy,
    candidate_log_likelihood,
    covering_rate,
)


@quick
@given(scores_and_sets(st.integers(0, 9)))
def test_all_three_equal_loops(belief):
    p, sets = belief
    p[~p.any(axis=1)] = 1  # Zeros are wanted, but a row needs a sum.
    p = p / p.sum(axis=1, keepdims=True)
    covered, expected, likelihood = [], [], []
    for row, candidates in zip(p.tolist(), sets.tolist(), strict=True):
        guess = row.index(max(row))
        inside = sum(v for v, c in zip(row, candidates, strict=True) if c)
        covered.append(candidates[guess])
        expected.append(row[guess] / inside if candidates[guess] else 0)
        likelihood.append(math.log(inside) if inside else math.log(2.0**-1022))
    assert covering_rate(p, sets) == pytest.approx(np.mean(covered))
    assert covering_rate(p.argmax(axis=1), sets) == pytest.approx(np.mean(covered))
    assert approximated_accuracy(p, sets) == pytest.approx(np.mean(expected))
    assert candidate_log_likelihood(p, sets) == pytest.approx(np.mean(likelihood))


def test_sets_of_one_make_both_rates_the_accuracy():
    rng = np.random.default_rng(0)
    p, labels = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200)
    sets = np.eye(4, dtype=bool)[labels]
    right = (p.argmax(axis=1) == labels).mean()
    assert covering_rate(p, sets) == approximated_accuracy(p, sets) == right


def test_full_sets_make_them_one_and_the_mean_confidence():
    p = np.random.default_rng(0).dirichlet(np.ones(4), 50)
    full = np.ones_like(p, dtype=bool)
    assert covering_rate(p, full) == 1
    assert approximated_accuracy(p, full) == pytest.approx(p.max(axis=1).mean())
    assert candidate_log_likelihood(p, full) == pytest.approx(0, abs=1e-12)


def test_with_a_true_posterior_it_approximates_the_accuracy():
    """Labels drawn from p, false labels drawn without looking at it."""
    rng = np.random.default_rng(0)
    m, k, r = 20_000, 5, 2
    p = rng.dirichlet(0.5 * np.ones(k), m)
    labels = (rng.random((m, 1)) > p.cumsum(axis=1)).sum(axis=1)
    others = rng.random((m, k))
    others[np.arange(m), labels] = -1
    sets = others.argsort(axis=1).argsort(axis=1) >= k - r
    sets[np.arange(m), labels] = True
    right = (p.argmax(axis=1) == labels).mean()
    assert approximated_accuracy(p, sets) == pytest.approx(right, abs=0.01)
    assert covering_rate(p, sets) > right + 0.1, "covering alone is too kind"


def test_candidates_objects_and_lists_are_taken():
    sets = Candidates([{0, 1}, {2}])
    assert covering_rate([[0.6, 0.3, 0.1], [0.6, 0.3, 0.1]], sets) == 0.5
    assert covering_rate([1, 2], sets) == 1.0


GOOD, SETS = [[0.5, 0.5], [0.1, 0.9]], [[True, False], [True, True]]
REFUSED = [
    (GOOD, [[True, False]], r"boolean matrix of shape \(2, 2\)"),
    (GOOD, [[1, 0], [1, 1]], "candidates must be a boolean matrix.*got int64"),
    (GOOD, [[True, False], [False, False]], "candidate set of bag 1 is empty"),
    ([[0.5, np.nan], [0.1, 0.9]], SETS, "row 0 holds NaN"),
    ([["a", "b"]] * 2, SETS, "must hold numbers only"),
    (np.zeros((0, 2)), np.zeros((0, 2), bool), "at least one entry"),
]
FUNCTIONS = [covering_rate, approximated_accuracy, candidate_log_likelihood]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("p", "sets", "text"), REFUSED)
def test_bad_input_is_refused_in_one_sentence(function, p, sets, text):
    with pytest.raises(MiplError, match=text):
        function(p, sets)


@pytest.mark.parametrize("function", FUNCTIONS[1:])
@pytest.mark.parametrize("p", [[[0.5, 0.6]] * 2, [[1.5, -0.5]] * 2])
def test_what_is_not_a_probability_is_refused(function, p):
    with pytest.raises(MiplError, match="p must hold probabilities; row 0"):
        function(p, SETS)


def test_predictions_outside_the_classes_are_refused():
    with pytest.raises(MiplError, match="bag 1 has 2"):
        covering_rate([0, 2], SETS)
    with pytest.raises(MiplError, match="candidates must be a boolean matrix"):
        covering_rate([0, 1, 1], SETS)
