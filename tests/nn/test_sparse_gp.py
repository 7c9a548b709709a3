"""The sparse process against dense formulas with explicit inverses."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mipl.nn.sparse_gp import SparsePrior

RNG = np.random.default_rng(0)
Z, X = RNG.normal(size=(4, 2)), RNG.normal(size=(7, 2))
LENGTH, VARIANCE = 1.3, 2.5


def kernel(a, b):
    far = np.square(a[:, None] - b[None]).sum(axis=2)
    return VARIANCE * np.exp(-far / (2 * LENGTH**2))


def prior(jitter=1e-6):
    return SparsePrior(Z, LENGTH, VARIANCE, jitter)


def dense():
    inner = np.linalg.inv(kernel(Z, Z) + 1e-6 * VARIANCE * np.eye(4))
    a = inner @ kernel(Z, X)  # (M, N)
    return inner, a, VARIANCE - (kernel(Z, X) * a).sum(axis=0)


def test_projections_are_those_of_the_kernel():
    _, a, unseen = dense()
    v, found = prior().project(X)
    np.testing.assert_allclose(prior().weights(v), a, atol=1e-9)
    np.testing.assert_allclose(found, unseen, atol=1e-9)
    whole = np.square(v).sum(axis=0) + found
    np.testing.assert_allclose(whole, VARIANCE)  # Also where it is not one.


def test_the_posterior_is_that_of_the_formulas():
    inner, a, _ = dense()
    weights, targets = RNG.uniform(0, 1, 7), RNG.normal(size=7)
    s = np.linalg.inv(inner + (a * weights) @ a.T + 0.01 * np.eye(4))
    m = s @ a @ targets
    p = prior()
    v, _ = p.project(X)
    q = p.posterior((v * weights) @ v.T, v @ targets, jitter=0.01)
    mean, covariance = p.values(q)
    np.testing.assert_allclose(mean, m, atol=1e-9)
    np.testing.assert_allclose(covariance, s, atol=1e-9)
    np.testing.assert_allclose(q.means(v), a.T @ m, atol=1e-9)
    np.testing.assert_allclose(q.variances(v), np.diag(a.T @ s @ a), atol=1e-9)


def test_the_divergence_is_that_of_two_normals():
    p = prior()
    v, _ = p.project(X)
    q = p.posterior(v @ v.T, v @ np.ones(7))
    mean, covariance = p.values(q)
    before = kernel(Z, Z) + 1e-6 * VARIANCE * np.eye(4)
    draws = RNG.multivariate_normal(mean, covariance, size=20_000)
    ours = multivariate_normal(mean, covariance).logpdf(draws)
    others = multivariate_normal(np.zeros(4), before).logpdf(draws)
    assert q.kl() == pytest.approx((ours - others).mean(), abs=0.05)
    nothing = p.posterior(np.zeros((4, 4)), np.zeros(4))
    assert nothing.kl() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((6, 3)),
        np.repeat(RNG.normal(size=(3, 3)), 40, axis=0),
        1e9 + 1e-9 * RNG.normal(size=(50, 3)),
        1e-30 * RNG.normal(size=(50, 3)),
    ],
    ids=["equal", "repeated", "far and close", "tiny"],
)
@pytest.mark.parametrize("jitter", [0.0, 1e-6])
def test_covariances_stay_positive_definite(points, jitter):
    p = SparsePrior(points, 1.0, 1.0, jitter)
    v, unseen = p.project(points)
    assert (unseen >= 0).all() and np.isfinite(v).all()
    q = p.posterior(1e6 * v @ v.T, v.sum(axis=1))
    assert np.isfinite(q.variances(v)).all() and np.isfinite(q.kl())


def test_far_rows_are_those_of_the_prior():
    v, unseen = prior().project(np.full((1, 2), 1e80))
    assert (v == 0).all() and unseen.tolist() == [VARIANCE]
