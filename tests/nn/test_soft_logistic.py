"""soft_logistic: the least loss, its curvature, and units."""

import numpy as np

from mipl.nn.mixed_effects import soft_logistic
from mipl.seeds import stream

RNG = stream(0, "soft logistic")
Z = RNG.normal(size=(40, 3)) * [1.0, 10.0, 0.01]
UNIT = np.sqrt(Z.var(0).mean())
W = RNG.dirichlet([0.3] * 4, size=40)


def loss(b, bias, z, w):
    """Write the loss by loops, for features in units of their mean spread."""
    total = np.square(b).sum() / 2
    for row, weights in zip((z - z.mean(0)) / UNIT, w, strict=True):
        scores = [b[c] @ row + bias[c] for c in range(len(b))]
        total += sum(
            weights[c] * (np.log(sum(np.exp(scores))) - scores[c])
            for c in range(len(b))
        )
    return total


def best_bias(b, z, w):
    """Find the biases by many small steps: the loss is convex in them."""
    bias = np.zeros(len(b))
    x = (z - z.mean(0)) / UNIT
    for _ in range(2000):
        e = np.exp(x @ b.T + bias)
        bias -= 0.02 * (e / e.sum(1, keepdims=True) - w).sum(0)
    return bias


def test_no_other_coefficients_have_a_smaller_loss():
    b = soft_logistic(Z, W)[0] * UNIT
    bias = best_bias(b, Z, W)
    least = loss(b, bias, Z, W)
    for _ in range(20):
        moved = b + 0.02 * RNG.normal(size=b.shape)
        assert loss(moved, bias, Z, W) > least


def test_variances_are_the_inverse_curvature():
    b, variances = soft_logistic(Z, W)
    b, bias, h = b * UNIT, best_bias(b * UNIT, Z, W), 1e-3
    for c, j in ((0, 0), (2, 1), (3, 2)):
        step = np.zeros_like(b)
        step[c, j] = h
        sides = loss(b + step, bias, Z, W) + loss(b - step, bias, Z, W)
        curvature = (sides - 2 * loss(b, bias, Z, W)) / h**2
        expected = 1 / curvature / UNIT**2
        np.testing.assert_allclose(variances[c, j], expected, rtol=1e-3)


def test_other_units_do_not_matter():
    (b, v), (other, spread) = soft_logistic(Z, W), soft_logistic(1e4 * Z, W)
    np.testing.assert_allclose(1e4 * other, b, rtol=1e-6)
    np.testing.assert_allclose(1e8 * spread, v, rtol=1e-6)


def test_a_constant_feature_and_a_label_that_nothing_has():
    z = np.c_[Z, np.full(40, 7.0)]
    w = np.c_[W, np.zeros(40)]
    b, variances = soft_logistic(z, w)
    assert np.isfinite(b).all() and (variances > 0).all()
    assert (b[:, 3] == 0).all()
    b, variances = soft_logistic(np.ones((40, 2)), W)
    assert (b == 0).all() and (variances == 1).all()
