"""Jaakkola and Jordan's bound: its curvature, and that it is one."""

import numpy as np
from scipy.special import expit, log_expit

from mipl.objectives.logistic_bound import bound_curvature, logistic_bound

RNG = np.random.default_rng(0)


def test_the_curvature_is_an_eighth_at_zero_and_even():
    assert bound_curvature(0.0) == 0.125
    x = RNG.normal(0, 5, 50)
    np.testing.assert_array_equal(bound_curvature(x), bound_curvature(-x))
    np.testing.assert_allclose(bound_curvature(x), (expit(x) - 0.5) / (2 * x))


def test_series_and_closed_form_agree_where_they_meet():
    below, above = bound_curvature(np.nextafter(1e-4, [0, 1]))
    np.testing.assert_allclose(below, above, rtol=1e-12)
    assert np.isfinite(bound_curvature([1e-300, 1e300])).all()


def test_it_lies_below_and_touches_at_xi():
    s, xi = RNG.normal(0, 3, (2, 100))
    for y in (0.0, 1.0):
        sign = 2 * y - 1
        bound = logistic_bound(np.full(100, y), s, s**2, xi)
        assert (bound <= log_expit(sign * s) + 1e-12).all()
        touching = logistic_bound(np.full(100, y), s, s**2, s)
        np.testing.assert_allclose(touching, log_expit(sign * s), atol=1e-12)


def test_the_best_xi_is_the_root_of_the_mean_square():
    mean, variance = 0.7, 2.0
    square = mean**2 + variance
    values = [
        logistic_bound(np.array(0.3), mean, square, np.sqrt(square) * by)
        for by in (0.9, 0.99, 1.0, 1.01, 1.1)
    ]
    assert max(values) == values[2]
