import json
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from mipl.data.candidate_generators import (
    KINDS,
    class_matrix,
    fixed_r,
    flip,
    generate_candidates,
    pair,
    uniform_set,
)
from mipl.errors import MiplError

# A right generator fails a chi-square test at this level once in 100,000 seeds.
LEVEL = 1e-5


def labels_of(k, m=20_000):
    return np.arange(m) % k


def rng(seed=0):
    return np.random.default_rng(seed)


def false_sets(matrix, labels):
    """Each row's false labels, counted from the true one, as a tuple."""
    k = matrix.shape[1]
    return [
        tuple(sorted((np.flatnonzero(row) - y) % k))[1:]
        for row, y in zip(matrix, labels, strict=True)
    ]


def assert_uniform(found, possible):
    counts = [found.count(one) for one in possible]
    assert sum(counts) == len(found)
    assert len(counts) == 1 or chisquare(counts).pvalue > LEVEL


def assert_sizes(matrix, chances):
    """Compare the counts of sizes 1..k with theory, within five deviations."""
    m, chances = len(matrix), np.asarray(chances)
    counts = np.bincount(matrix.sum(axis=1), minlength=len(chances) + 1)[1:]
    allowed = 5 * np.sqrt(m * chances * (1 - chances))
    assert (np.abs(counts - m * chances) <= allowed + 1e-9).all(), (counts, m * chances)


def all_kinds(k, seed):
    y = labels_of(k, 400)
    Q = np.full((k, k), 0.3)
    return y, {
        "fixed": fixed_r(y, k, 2, rng(seed)),
        "flip": flip(y, k, 0.3, rng(seed)),
        "free": flip(y, k, 0.3, rng(seed), forced=False),
        "pair": pair(y, k, 0.5, rng(seed)),
        "uniform": uniform_set(y, k, rng(seed)),
        "matrix": class_matrix(y, k, Q, rng(seed)),
    }


def test_every_kind_holds_the_true_label_and_follows_its_generator():
    y, first = all_kinds(6, seed=1)
    again, other = all_kinds(6, seed=1)[1], all_kinds(6, seed=2)[1]
    for kind, matrix in first.items():
        assert matrix.dtype == bool and matrix.shape == (400, 6)
        assert matrix[np.arange(400), y].all(), kind
        assert np.array_equal(matrix, again[kind])
        assert not np.array_equal(matrix, other[kind])


def test_no_global_generator_is_read_or_touched():
    np.random.seed(5)
    before = np.random.get_state()[1].copy()
    all_kinds(4, seed=0)
    assert np.array_equal(before, np.random.get_state()[1])


@pytest.mark.parametrize("r", [0, 1, 2, 3, 4])
def test_fixed_r_is_uniform_over_the_sets_of_r_false_labels(r):
    y = labels_of(5)
    matrix = fixed_r(y, 5, r, rng())
    assert (matrix.sum(axis=1) == r + 1).all()
    assert_uniform(false_sets(matrix, y), list(combinations(range(1, 5), r)))


def test_fixed_r_nests_from_one_generator_state():
    y = labels_of(7, 500)
    sets = [fixed_r(y, 7, r, rng(3)) for r in range(7)]
    for small, large in pairwise(sets):
        assert (small <= large).all()


# specs: q = 10; mean size and share of full sets of the forced form.
@pytest.mark.parametrize(
    ("q", "mean", "full"),
    [
        (0.1, 2.29, 0.0),
        (0.3, 3.74, 0.0),
        (0.5, 5.50, 0.002),
        (0.7, 7.30, 0.040),
        (0.9, 9.10, 0.387),
    ],
)
def test_forced_flip_has_the_tabled_sizes(q, mean, full):
    k, m = 10, 200_000
    matrix = flip(labels_of(k, m), k, q, rng())
    sizes = matrix.sum(axis=1)
    assert sizes.min() >= 2
    formula = 1 + (k - 1) * q + (1 - q) ** (k - 1)
    assert formula == pytest.approx(mean, abs=0.006)
    assert sizes.mean() == pytest.approx(formula, abs=5 * sizes.std() / m**0.5)
    assert (sizes == k).mean() == pytest.approx(full, abs=0.005)


@pytest.mark.parametrize("q", [0.0, 0.05, 0.4, 0.9, 1.0])
@pytest.mark.parametrize("forced", [True, False])
def test_flip_size_distribution(q, forced):
    k = 6
    y = labels_of(k)
    chances = binom.pmf(np.arange(k), k - 1, q)
    if forced:
        chances[1] += chances[0]
        chances[0] = 0
    assert_sizes(flip(y, k, q, rng(1), forced=forced), chances)


def test_the_forced_label_is_uniform():
    y = labels_of(5)
    found = false_sets(flip(y, 5, 0.0, rng()), y)
    assert_uniform(found, [(1,), (2,), (3,), (4,)])


def test_pair_adds_the_next_class_only():
    y = labels_of(4)
    matrix = pair(y, 4, 0.3, rng())
    found = false_sets(matrix, y)
    assert set(found) == {(), (1,)}
    assert found.count((1,)) / len(y) == pytest.approx(0.3, abs=0.015)


def test_uniform_sets_are_uniform_and_never_full():
    y = labels_of(4)
    possible = [c for s in range(3) for c in combinations(range(1, 4), s)]
    assert len(possible) == 2**3 - 1
    assert_uniform(false_sets(uniform_set(y, 4, rng()), y), possible)


def test_uniform_set_sizes_of_ten_classes():
    k = 10
    chances = [comb(k - 1, s - 1) / (2 ** (k - 1) - 1) for s in range(1, k)] + [0.0]
    matrix = uniform_set(labels_of(k), k, rng())
    assert_sizes(matrix, chances)
    assert matrix.sum(axis=1).mean() == pytest.approx(5.49, abs=0.06)


def test_class_matrix_joins_with_its_probabilities():
    k, m = 4, 80_000
    Q = rng(9).random((k, k))
    Q[0, 1], Q[2, 3] = 0.0, 1.0
    y = labels_of(k, m)
    matrix = class_matrix(y, k, Q, rng())
    for c in range(k):
        share = matrix[y == c].mean(axis=0)
        expected = np.where(np.arange(k) == c, 1.0, Q[c])
        error = 5 * np.sqrt(expected * (1 - expected) / (m / k))
        assert (np.abs(share - expected) <= error + 1e-12).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fixed_r(np.array([0]), 3, 3, rng()), "r must be 0 to 2"),
        (lambda: fixed_r(np.array([0]), 3, -1, rng()), "r must be 0 to 2"),
        (lambda: fixed_r(np.array([0]), 3, 1.5, rng()), "whole number"),
        (lambda: fixed_r(np.array([0]), 3, True, rng()), "whole number"),
        (lambda: fixed_r(np.array([3]), 3, 1, rng()), "label 3 is no class"),
        (lambda: fixed_r(np.array([-1]), 3, 1, rng()), "label -1 is no class"),
        (lambda: fixed_r(np.array([0.0]), 3, 1, rng()), "class columns"),
        (lambda: fixed_r(np.array([[0]]), 3, 1, rng()), "class columns"),
        (lambda: flip(np.array([0]), 3, 1.1, rng()), "probability"),
        (lambda: flip(np.array([0]), 3, float("nan"), rng()), "probability"),
        (lambda: flip(np.array([0]), 3, "a", rng()), "probability"),
        (lambda: pair(np.array([0]), 3, -0.1, rng()), "probability"),
        (lambda: uniform_set(np.array([0]), 1, rng()), "at least 2"),
        (lambda: class_matrix(np.array([0]), 3, np.eye(2), rng()), "per class"),
        (lambda: class_matrix(np.array([0]), 2, [[0, 2], [0, 0]], rng()), "0 to 1"),
        (lambda: class_matrix(np.array([0]), 2, [[0], [0, 0]], rng()), "matrix"),
        (lambda: generate_candidates(["a"], ["a", "b"], "filp", q=1), "'flip'"),
        (lambda: generate_candidates(["a"], ["a", "b"], "flip"), "takes q"),
        (lambda: generate_candidates(["a"], ["a", "b"], "fixed", q=1), "takes r"),
        (lambda: generate_candidates(["a"], ["a", "b"], "uniform", q=1), "no arg"),
        (lambda: generate_candidates(["c"], ["a", "b"], "fixed", r=1), "'c'"),
        (lambda: generate_candidates(["a"], ["a", "a"], "fixed", r=1), "twice"),
    ],
)
def test_wrong_input_is_told(call, message):
    with pytest.raises(MiplError, match=message):
        call()


ARGUMENTS = {
    "crowd": {"q": 0.3},
    "fixed": {"r": 2},
    "flip": {"q": 0.2},
    "flip-free": {"q": np.float32(0.25)},
    "matrix": {"Q": np.full((5, 5), 0.5)},
    "pair": {"q": 1},
    "uniform": {},
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_facts_bring_the_sets_back(kind):
    classes = list("abcde")
    labels = [classes[c] for c in labels_of(5, 300)]
    made, facts = generate_candidates(labels, classes, kind, 4, **ARGUMENTS[kind])
    kept = json.loads(json.dumps(facts))
    again, _ = generate_candidates(labels, classes, **kept)
    assert np.array_equal(made.matrix, again.matrix)
    assert made.contains(labels).all()
    assert made.classes.tolist() == classes
    other, _ = generate_candidates(labels, classes, kind, 5, **ARGUMENTS[kind])
    assert kind == "pair" or not np.array_equal(made.matrix, other.matrix)
