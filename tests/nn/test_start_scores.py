"""The published start: where its descent leads, and the size of its coefficients."""

import numpy as np

from mipl.nn.start_scores import descended_logistic

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(30, 4)) * [1.0, 10.0, 0.1, 3.0] + 5
W = RNG.dirichlet([0.5] * 3, size=30)
FIRST = RNG.normal(0, 0.01, size=(4, 3))


def descended(z, w, first):
    """Take the steps of one bag and class after another."""
    m, d = z.shape
    x = (z - z.mean(0)) / (z.std(0) * np.sqrt(d) + 1e-8)
    weight, bias = first.copy(), np.zeros(w.shape[1])
    for _ in range(1000):
        of_weight, of_bias = np.zeros_like(weight), np.zeros_like(bias)
        for i in range(m):
            e = np.exp(x[i] @ weight + bias)
            for c, gap in enumerate(e / e.sum() - w[i]):
                of_weight[:, c] += gap * x[i]
                of_bias[c] += gap
        weight, bias = weight - 0.1 * of_weight, bias - 0.1 * of_bias
    return x @ weight, weight, bias


def test_coefficients_have_the_spread_of_the_regressions_scores():
    mean, variance, intercept = descended_logistic(Z, W, FIRST)
    scores, weight, bias = descended(Z, W, FIRST)
    for c in range(3):
        size = np.sqrt((weight[:, c] ** 2).mean())
        expected = scores[:, c].std() * weight[:, c] / size
        np.testing.assert_allclose(mean[c], expected, atol=1e-9)
        left = bias[c] + scores[:, c].mean() - Z.mean(0) @ expected
        assert np.isclose(intercept[c], left)
    np.testing.assert_allclose(variance, 0.1 * (mean**2).mean())
    assert variance.shape == (3, 4)


def test_bags_without_spread_start_at_no_infinite_value():
    for part in descended_logistic(np.ones((5, 2)), W[:5], FIRST[:2]):
        assert np.isfinite(part).all()
