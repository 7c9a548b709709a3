"""Kernel ridge regression with a bias against its equations written out."""

import tracemalloc

import numpy as np
from scipy.optimize import minimize

from mipl.nn.kernel_ridge import KernelRidge, gaussian_kernel

RNG = np.random.default_rng(3)
X, TARGETS, GAMMA = RNG.normal(size=(8, 2)), RNG.normal(size=(8, 3)), 0.2


def kernel_of(x):
    far = np.sqrt(np.square(x[:, None] - x[None]).sum(axis=2))
    bandwidth = far[np.triu_indices(len(x), 1)].mean()
    return np.exp(-np.square(far) / (2 * bandwidth**2)), bandwidth


def test_the_bandwidth_is_the_mean_distance_of_two_rows():
    kernel, bandwidth = kernel_of(X)
    assert np.isclose(KernelRidge(X, GAMMA).bandwidth, bandwidth)
    np.testing.assert_allclose(gaussian_kernel(X, X, bandwidth), kernel)


def test_it_solves_the_regression():
    kernel, _ = kernel_of(X)
    alpha, bias = KernelRidge(X, GAMMA).solve(TARGETS)

    def value(flat):
        a, b = flat[:24].reshape(8, 3), flat[24:]
        error = np.square(TARGETS - kernel @ a - b).sum()
        return error + GAMMA * np.trace(a.T @ kernel @ a)

    found = value(np.concatenate([alpha.ravel(), bias]))
    best = minimize(value, np.zeros(27), method="BFGS", options={"gtol": 1e-7}).fun
    assert abs(found - best) < 1e-6
    assert np.isclose(found, GAMMA * (alpha * (TARGETS - bias)).sum())
    fitted = kernel @ alpha + bias
    np.testing.assert_allclose(fitted, TARGETS - GAMMA * alpha, atol=1e-10)


def test_scores_of_rows_on_the_simplex_sum_to_one():
    targets = RNG.dirichlet(np.ones(4), size=8)
    ridge = KernelRidge(X, GAMMA)
    alpha, bias = ridge.solve(targets)
    new = gaussian_kernel(RNG.normal(size=(5, 2)), X, ridge.bandwidth)
    np.testing.assert_allclose((new @ alpha + bias).sum(axis=1), 1)


def test_equal_rows_have_a_bandwidth():
    alpha, bias = KernelRidge(np.ones((4, 2)), GAMMA).solve(TARGETS[:4])
    assert np.isfinite(alpha).all()
    np.testing.assert_allclose(bias, TARGETS[:4].mean(axis=0))


def test_it_holds_two_matrices_of_all_pairs_at_most():
    rows = RNG.normal(size=(1000, 2))
    tracemalloc.start()
    try:
        KernelRidge(rows, GAMMA)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2.2 * rows.itemsize * len(rows) ** 2
