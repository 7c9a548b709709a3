"""Assignments under class counts against all of them, one by one."""

from itertools import product

import numpy as np
import pytest

from mipl.objectives.assignment import assign, class_counts


def brute_force(costs, sets, counts):
    """Return the least (count violation, cost) of all assignments."""
    best = (np.inf, np.inf)
    for labels in product(*(np.flatnonzero(row) for row in sets)):
        got = np.bincount(labels, minlength=len(counts))
        price = sum(costs[i, c] for i, c in enumerate(labels))
        best = min(best, (int(np.abs(got - counts).sum()), price))
    return best


@pytest.mark.parametrize("seed", range(12))
def test_it_equals_brute_force(seed):
    rng = np.random.default_rng(seed)
    m, k = 7, 3
    sets = rng.random((m, k)) < 0.6
    sets[np.arange(m), rng.integers(k, size=m)] = True
    costs = rng.exponential(size=(m, k)) * 10.0 ** rng.integers(-3, 4)
    counts = class_counts(sets / sets.sum(axis=1, keepdims=True))
    if seed % 3 == 0:
        counts = np.array([m, 0, 0])  # What these candidates cannot meet.
    labels = assign(costs, sets, counts)
    assert sets[np.arange(m), labels].all()
    violation = np.abs(np.bincount(labels, minlength=k) - counts).sum()
    least, price = brute_force(costs, sets, counts)
    assert violation == least
    assert np.isclose(costs[np.arange(m), labels].sum(), price)


def test_equal_costs_give_whole_labels():
    sets = np.ones((30, 3), bool)
    labels = assign(np.full((30, 3), 0.5), sets, np.array([10, 10, 10]))
    assert np.bincount(labels).tolist() == [10, 10, 10]


def test_counts_round_down_and_give_the_rest_to_the_smallest_classes():
    weights = np.array([[0.5, 0.5, 0], [0.5, 0, 0.5], [0.5, 0.5, 0], [1, 0, 0]])
    # Expected 2.5, 1, 0.5: rounded down 2, 1, 0, and one is left.
    assert class_counts(weights).tolist() == [2, 1, 1]
    # The largest remainders are equal; the first class wins.
    assert class_counts(weights, "remainder").tolist() == [3, 1, 0]


def test_thirds_sum_to_whole_counts():
    assert class_counts(np.full((3, 3), 1 / 3)).tolist() == [1, 1, 1]


def test_a_class_that_is_nobodys_candidate_gets_no_rows():
    weights = np.array([[0.5, 0.5, 0.0]] * 3)
    assert class_counts(weights)[2] == 0
    assert class_counts(weights).sum() == 3
