"""LM-VGPMIL: what its gates do, beyond the golden numbers."""

import numpy as np
import pytest
from tests.methods.mil.two_classes import begun, dense, problem

from mipl import LMVGPMIL
from mipl.objectives.logistic_bound import bound_curvature

BAGS, LABELS = problem()


def test_without_slope_only_open_gates_move_the_process():
    method = LMVGPMIL(slope=0.0, inducing=6, jitter=1e-4)
    state = begun(method, BAGS, LABELS)
    inverse, a, _ = dense(method, BAGS)
    pi, tau, phi = state.labels.pi, state.tau, state.phi
    s = np.linalg.inv(inverse + (a * 2 * tau * bound_curvature(phi)) @ a.T)
    method._step(state)
    np.testing.assert_allclose(method.mean_, s @ a @ (tau * (pi - 0.5)), atol=1e-8)


@pytest.mark.parametrize("labels", ["updated", "previous"])
def test_the_bound_of_the_gates_touches_at_the_mean_square(labels):
    """E (y~ f - V)^2 = E f^2 - 2 y- V E f + V^2, with y- of one time or the other."""
    method = LMVGPMIL(slope=1.5, margin=0.7, inducing=6, margin_labels=labels)
    state = begun(method, BAGS, LABELS)
    method._step(state)
    before = state.labels.pi
    method._step(state)
    pi = state.labels.pi if labels == "updated" else before
    f = method.posterior_.means(state.v)
    square = f**2 + method.posterior_.variances(state.v) + state.unseen
    expected = 1.5**2 * (square - 2 * (2 * pi - 1) * 0.7 * f + 0.7**2)
    np.testing.assert_allclose(state.xi**2, expected, atol=1e-9)
    np.testing.assert_allclose(state.phi**2, state.tau * square, atol=1e-9)


def test_gates_stay_between_zero_and_one_also_on_inducing_points():
    """Few rows: each is an inducing point, which leaves no variance unseen."""
    bags, labels = problem(m=6)
    method = LMVGPMIL(inducing=200, jitter=0.0)
    state = begun(method, bags, labels)
    assert len(method.prior_.points) == bags.n_instances
    for _ in range(30):
        figures = method._step(state)
        assert ((state.tau > 0) & (state.tau < 1)).all()
        assert np.isfinite([state.xi, state.phi, state.labels.pi]).all()
        assert np.isfinite(list(figures.values())).all()


def test_it_ranks_positive_bags_first():
    bags, labels = problem(m=60, far=5.0)
    p = LMVGPMIL().fit(bags, labels).predict_proba(bags)[:, 1]
    assert p[labels == 1].min() > p[labels == 0].max()
