"""VWSGP: its updates written out, its bound, and what weights stand for."""

import numpy as np
import pytest
from tests.methods.mil.two_classes import begun, dense, problem

from mipl import VWSGP, Bags
from mipl.objectives.logistic_bound import bound_curvature

BAGS, LABELS = problem()


def sums(bags, table):
    return np.stack([part.sum(axis=0) for part in np.split(table, bags.offsets[1:-1])])


def test_rounds_are_those_of_the_formulas():
    method = VWSGP(inducing=6, variance=1.7, jitter=1e-4)
    state = begun(method, BAGS, LABELS)
    inverse, a, unseen = dense(method, BAGS)
    a, w, lam = sums(BAGS, a.T), sums(BAGS, unseen), np.ones(len(BAGS))
    for _ in range(4):
        s = np.linalg.inv(inverse + 2 * (a.T * lam) @ a)
        m = s @ a.T @ (LABELS - 0.5)
        e = np.sqrt(((a @ (np.outer(m, m) + s)) * a).sum(axis=1) + w)
        lam = bound_curvature(e)
        method._step(state)
        np.testing.assert_allclose(method.mean_, m, atol=1e-8)
        np.testing.assert_allclose(method.covariance_, s, atol=1e-8)
        np.testing.assert_allclose(state.e, e, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_never_falls(seed):
    bags, labels = problem(seed=seed, far=1.0)
    model = VWSGP(inducing=8, iterations=60, tol=0.0).fit(bags, labels)
    bounds = [figures["bound"] for figures in model.history_]
    assert len(bounds) > 8 and bounds[-1] > bounds[0]
    assert (np.diff(bounds) >= -1e-9 * np.abs(bounds[-1])).all()


def test_the_bound_lies_below_the_evidence():
    """By draws of the process: log E prod_b sigmoid(+-s_b)."""
    bags, labels = problem(m=4)
    model = VWSGP(inducing=4, iterations=100, tol=0.0).fit(bags, labels)
    v, unseen = model._sums(bags)
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(200_000, len(v))) @ v
    draws += rng.normal(size=draws.shape) * np.sqrt(unseen)
    evidence = np.log(
        np.prod(1 / (1 + np.exp((1 - 2 * labels) * draws)), axis=1).mean()
    )
    bound = model.history_[-1]["bound"]
    assert evidence - 1.0 < bound < evidence


def test_it_stops_when_the_bound_rests():
    model = VWSGP(iterations=500).fit(BAGS, LABELS)
    assert model.n_iter_ == len(model.history_) < 500
    before, now = (figures["bound"] for figures in model.history_[-2:])
    assert 0 <= now - before <= 1e-6 * abs(now)


def test_bags_of_one_are_sparse_logistic_regression():
    """The same fixed point as ascending the bound of plain logistic regression."""
    rows = np.random.default_rng(1).normal(size=(40, 2))
    y = (rows[:, 0] > 0).astype(int)
    model = VWSGP(inducing=100, iterations=2000, tol=0.0, jitter=1e-4).fit(rows, y)
    inverse, a, unseen = dense(model, Bags(rows))
    xi = np.ones(40)
    for _ in range(2000):
        s = np.linalg.inv(inverse + (a * 2 * bound_curvature(xi)) @ a.T)
        m = s @ a @ (y - 0.5)
        xi = np.sqrt((a.T @ m) ** 2 + ((s @ a) * a).sum(axis=0) + unseen)
    np.testing.assert_allclose(model.mean_, m, atol=1e-5)
    f, variance = a.T @ m, ((s @ a) * a).sum(axis=0) + unseen
    p = 1 / (1 + np.exp(-f / np.sqrt(1 + np.pi / 8 * variance)))
    np.testing.assert_allclose(model.predict_proba(rows)[:, 1], p, atol=1e-5)


def test_the_order_of_instances_changes_nothing():
    rng = np.random.default_rng(2)
    shuffled = [rng.permutation(bag) for bag in BAGS]
    one = VWSGP(inducing=200).fit(BAGS, LABELS)
    other = VWSGP(inducing=200).fit(shuffled, LABELS)
    p = one.predict_proba(BAGS)
    np.testing.assert_allclose(other.predict_proba(BAGS), p, atol=1e-9)


def test_repeated_bags_are_weighted_bags():
    copies = np.array([[2, 1], [1, 0], [0, 3], [1, 1]] * 6)
    same = {"inducing": 200, "scaling": "none", "length": 2.0, "tol": 0.0}
    weighted = VWSGP(**same).fit(BAGS, copies > 0, copies=copies)
    which = np.repeat(np.repeat(np.arange(24), 2), copies.ravel())
    labels = np.repeat(np.tile([0, 1], 24), copies.ravel())
    repeated = VWSGP(**same).fit(BAGS[which], labels)
    np.testing.assert_allclose(repeated.mean_, weighted.mean_, atol=1e-8)
    np.testing.assert_allclose(repeated.covariance_, weighted.covariance_, atol=1e-8)
    bounds = [model.history_[-1]["bound"] for model in (weighted, repeated)]
    assert bounds[0] == pytest.approx(bounds[1])


def test_the_spread_of_the_program_leaves_the_posterior_out():
    model = VWSGP(inducing=6).fit(BAGS, LABELS)
    mean, full = model._evidence(BAGS)
    model.spread = "unseen"
    same, part = model._evidence(BAGS)
    np.testing.assert_array_equal(mean, same)
    v, _ = model._sums(BAGS)
    np.testing.assert_allclose(full - part, model.posterior_.variances(v))
    assert (full > part).all()


def test_long_bags_are_summed_block_by_block(monkeypatch):
    model = VWSGP(inducing=6).fit(BAGS, LABELS)
    whole, instances = model.predict_proba(BAGS), model.predict_instances(BAGS)
    monkeypatch.setattr(
        "mipl.methods.bases.sparse_process.BLOCK", 12
    )  # Two rows at a time.
    np.testing.assert_allclose(model.predict_proba(BAGS), whole, atol=1e-12)
    np.testing.assert_allclose(model.predict_instances(BAGS), instances, atol=1e-12)
