"""VGPMIL: its updates by loops, its bound, and what the first round does."""

import numpy as np
import pytest
from scipy.special import expit
from tests.methods.mil.two_classes import begun, dense, problem

from mipl import VGPMIL
from mipl.objectives.logistic_bound import bound_curvature

BAGS, LABELS = problem()


def test_rounds_are_those_of_the_formulas():
    """With a kernel whose variance is not one."""
    method = VGPMIL(inducing=6, variance=1.7, jitter=1e-4, log_h=5.0)
    state = begun(method, BAGS, LABELS)
    inverse, a, unseen = dense(method, BAGS)
    t = LABELS[BAGS.bag_of_instance]
    for _ in range(3):
        pi, xi = state.labels.pi, state.xi
        s = np.linalg.inv(inverse + (a * 2 * bound_curvature(xi)) @ a.T)
        m = s @ a @ (pi - 0.5)
        f = a.T @ m
        others = np.array(
            [
                max((pi[j] for j in np.flatnonzero(same) if j != n), default=0.0)
                for n, same in enumerate(
                    BAGS.bag_of_instance[:, None] == BAGS.bag_of_instance
                )
            ]
        )
        method._step(state)
        np.testing.assert_allclose(method.mean_, m, atol=1e-8)
        np.testing.assert_allclose(method.covariance_, s, atol=1e-8)
        logits = f + 5.0 * (2 * t + others - 2 * t * others - 1)
        np.testing.assert_allclose(state.labels.pi, expit(logits), atol=1e-8)
        square = f**2 + ((s @ a) * a).sum(axis=0) + unseen
        np.testing.assert_allclose(state.xi**2, square, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_never_falls_where_theory_says_so(seed):
    bags, labels = problem(seed=seed, far=1.0)
    model = VGPMIL(
        inducing=8, iterations=40, update="sequential", emax="exact", log_h=4.0
    )
    bounds = [step["bound"] for step in model.fit(bags, labels).history_]
    assert bounds[-1] > bounds[0]
    assert (np.diff(bounds) >= -1e-9 * np.abs(bounds[-1])).all()


def test_parallel_rounds_of_the_program_go_up_and_down():
    bags, labels = problem(far=0.3)
    model = VGPMIL(inducing=8, iterations=30).fit(bags, labels)
    bounds = np.array([step["bound"] for step in model.history_])
    assert (np.diff(bounds)[3:] < 0).any()
    calm = VGPMIL(inducing=8, iterations=30, damping=0.5).fit(bags, labels)
    assert calm.history_[-1]["change"] < model.history_[-1]["change"]


def test_the_first_round_gives_instances_the_label_of_their_bag():
    rows = np.random.default_rng(0).normal(size=(12, 2))
    y = np.arange(12) % 2
    method = VGPMIL(inducing=4)
    state = begun(method, type(BAGS)(rows), y)
    method._step(state)
    assert (state.labels.pi[y == 1] > 1 - 1e-10).all()
    assert (state.labels.pi[y == 0] < 1e-10).all()


def test_a_bag_is_as_positive_as_its_surest_instance():
    model = VGPMIL(inducing=8).fit(BAGS, LABELS)
    instances = np.split(model.predict_instances(BAGS)[:, 1], BAGS.offsets[1:-1])
    largest = [part.max() for part in instances]
    np.testing.assert_array_equal(model.predict_proba(BAGS)[:, 1], largest)


def test_it_finds_the_instance_that_makes_a_bag_positive():
    bags, labels = problem(m=60, far=5.0)
    model = VGPMIL().fit(bags, labels)
    s = model.predict_instances(bags)[:, 1]
    first = np.isin(np.arange(bags.n_instances), bags.offsets[:-1])
    hot = first & (labels == 1)[bags.bag_of_instance]
    assert s[hot].min() > 0.5 > s[~hot].max()


def test_copies_keep_beliefs_of_their_own():
    """A bag with both candidates moves the process as its two copies do."""
    both = np.ones((24, 2), dtype=bool)
    both[6:] = np.eye(2, dtype=bool)[LABELS[6:]]
    method = VGPMIL(inducing=200, scaling="none", length=2.0)
    one = method.fit(BAGS, both)
    state = method._begin(BAGS, both.astype(np.int64), 0)
    for _ in range(10):
        method._step(state)
    np.testing.assert_allclose(method.mean_, one.mean_, atol=1e-9)
    assert len(state.labels.pi) == BAGS.n_instances + BAGS[:6].n_instances
    half = len(BAGS[0].instances)
    negative, positive = np.split(state.labels.pi[: 2 * half], 2)
    assert (negative < positive).all()
