"""PL-AGGD: its objective written out, which never rises."""

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.methods.pll.problem import problem, standardised

from mipl.methods.pll.plaggd import PLAGGD
from mipl.objectives.neighbour_graph import nearest

SMALL_SETTINGS = {"k": 2, "max_iter": 1}

X, SETS, Y = problem(m=25, seed=4)
WEIGHTS = {"lam": 0.7, "mu": 1.3, "gamma": 0.1}


def kernel(x):
    far = np.sqrt(np.square(x[:, None] - x[None]).sum(axis=2))
    width = far[np.triu_indices(len(x), 1)].mean()
    return np.exp(-np.square(far) / (2 * width**2))


def objective(model):
    """Return J, its graph found again by a general solver."""
    x, w = standardised(X), model.label_weights_
    k, alpha = kernel(x), model.alpha_
    value = np.square(w - k @ alpha - model.bias_).sum()
    value += model.gamma * np.trace(alpha.T @ k @ alpha)
    unit, near = nearest(x, model.k)
    for i, row in enumerate(near):

        def both(g, i=i, row=row):
            in_x = np.square(unit[i] - g @ unit[row]).sum()
            return model.lam * in_x + model.mu * np.square(w[i] - g @ w[row]).sum()

        value += minimize(
            both,
            np.full(model.k, 1 / model.k),
            bounds=[(0, 1)] * model.k,
            constraints={"type": "eq", "fun": lambda g: g.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-13},
        ).fun
    return value


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weights", [{}, WEIGHTS])
def test_the_objective_never_rises(seed, weights):
    x, sets, _ = problem(seed=seed)
    model = PLAGGD(k=5, **weights).fit(x, sets)
    values = [step["objective"] for step in model.history_]
    assert len(values) == 11
    assert (np.diff(values) <= 1e-9 * values[0]).all()
    assert values[-1] < values[0]


def test_the_objective_is_the_formula():
    """After many rounds the graph is the best one for the label weights."""
    model = PLAGGD(k=4, max_iter=300, **WEIGHTS).fit(X, SETS)
    assert np.isclose(model.history_[-1]["objective"], objective(model), rtol=1e-4)


def test_scores_are_those_of_the_regression():
    model = PLAGGD(k=4).fit(X, SETS)
    scores = kernel(standardised(X)) @ model.alpha_ + model.bias_
    np.testing.assert_allclose(scores.sum(axis=1), 1)
    p = model.predict_proba(X)
    assert (p.argmax(axis=1) == scores.argmax(axis=1)).all()
    kept = np.maximum(scores, 1e-6)
    np.testing.assert_allclose(p, kept / kept.sum(axis=1, keepdims=True), atol=1e-4)


def test_more_neighbours_than_rows():
    model = PLAGGD(k=100).fit(X[:5], SETS[:5])
    assert np.isfinite(model.predict_proba(X)).all()
