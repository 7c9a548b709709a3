"""Inducing points: centres of the rows, or the different rows themselves."""

import numpy as np

from mipl.nn.inducing import inducing_points

RNG = np.random.default_rng(0)


def test_inducing_points_are_centres_of_the_rows():
    rows = np.concatenate([RNG.normal(c, 0.01, (30, 2)) for c in (0, 5, 9)])
    points = inducing_points(rows, 3, seed=0)
    expected = [rows[i : i + 30].mean(axis=0) for i in (0, 30, 60)]
    np.testing.assert_allclose(np.sort(points, axis=0), expected, atol=1e-6)
    assert (inducing_points(rows, 3, seed=0) == points).all()
    assert len(inducing_points(np.zeros((9, 2)), 3, seed=0)) == 1
