"""Hinge losses, row by row and against differences."""

import numpy as np
from scipy.optimize import approx_fprime

from mipl.objectives.hinge import candidate_hinge, label_hinge, smooth_candidate_hinge

RNG = np.random.default_rng(2)
SCORES = RNG.normal(size=(9, 4))
SETS = RNG.random((9, 4)) < 0.5
SETS[:, 0] = True
SETS[3] = True


def naive(scores, inside):
    if inside.all():
        return 0.0
    best = max(s for s, c in zip(scores, inside, strict=True) if c)
    other = max(s for s, c in zip(scores, inside, strict=True) if not c)
    return max(0.0, 1 - (best - other))


def test_candidate_hinge_is_that_of_the_best_two():
    expected = [naive(s, c) for s, c in zip(SCORES, SETS, strict=True)]
    np.testing.assert_allclose(candidate_hinge(SCORES, SETS), expected)


def test_a_full_candidate_set_has_no_loss_and_no_gradient():
    assert candidate_hinge(SCORES, SETS)[3] == 0
    loss, slope = smooth_candidate_hinge(SCORES, SETS, 0.1)
    assert loss[3] == 0 and (slope[3] == 0).all()


def test_the_gradient_is_that_of_the_smooth_form():
    def total(flat):
        return smooth_candidate_hinge(flat.reshape(9, 4), SETS, 0.3)[0].sum()

    expected = approx_fprime(SCORES.ravel(), total, 1e-7).reshape(9, 4)
    slope = smooth_candidate_hinge(SCORES, SETS, 0.3)[1]
    np.testing.assert_allclose(slope, expected, atol=1e-5)


def test_the_smooth_form_tends_to_the_loss_and_takes_huge_scores():
    loss = smooth_candidate_hinge(SCORES, SETS, 1e-4)[0]
    np.testing.assert_allclose(loss, candidate_hinge(SCORES, SETS), atol=1e-3)
    loss, slope = smooth_candidate_hinge(SCORES * 1e6, SETS, 1e-3)
    assert np.isfinite(loss).all() and np.isfinite(slope).all()


def test_label_hinge_compares_each_label_with_the_best_other():
    found = label_hinge(SCORES)
    for i, c in np.ndindex(9, 4):
        other = max(SCORES[i, j] for j in range(4) if j != c)
        assert np.isclose(found[i, c], max(0, 1 - SCORES[i, c] + other))


def test_label_hinge_of_ties_and_of_one_class():
    np.testing.assert_allclose(label_hinge(np.array([[2.0, 2.0]])), [[1, 1]])
    assert label_hinge(np.ones((2, 1))).tolist() == [[0], [0]]
