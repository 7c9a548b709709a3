"""PL-SVM: its objective written out, and how low it gets."""

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.methods.pll.problem import problem, standardised

from mipl.errors import MiplError
from mipl.methods.pll.plsvm import PLSVM

SMALL_SETTINGS = {"n_init": 2, "max_iter": 20}


def objective(w, x, sets, lam):
    total = 0.0
    for row, inside in zip(x, sets, strict=True):
        if not inside.all():
            s = w @ np.append(row, 1.0)
            total += max(0.0, 1 - (s[inside].max() - s[~inside].max()))
    return lam / 2 * np.square(w).sum() + total / len(x)


def test_the_best_iterate_is_kept_and_its_value_is_the_formula():
    x, sets, _ = problem(m=30, seed=5, far=0.5)
    sets[:3] = True
    model = PLSVM(lam=0.1, n_init=4).fit(x, sets)
    found = objective(model.coef_, standardised(x), sets, 0.1)
    values = [step["objective"] for step in model.history_]
    assert len(values) == 4 + 3 * 3
    assert np.isclose(found, min(values), rtol=1e-5)


def from_one_start(x, sets, lam, rng):
    """Return the value from a random start: labels and a smooth problem in turn."""
    k, m = sets.shape[1], len(x)
    x = np.column_stack([x, np.ones(m)])
    w = rng.normal(0, 3, (k, x.shape[1]))
    for _ in range(6):
        best = np.where(sets, x @ w.T, -np.inf).argmax(axis=1)
        # A linear program with a quadratic term: w, and a loss per row.
        outside = [(i, c) for i, c in np.argwhere(~sets)]

        def margins(v, best=best, outside=outside):
            w, loss = v[:-m].reshape(k, -1), v[-m:]
            s = x @ w.T
            return np.array([s[i, best[i]] - s[i, c] - 1 + loss[i] for i, c in outside])

        def value(v):
            return lam / 2 * np.square(v[:-m]).sum() + v[-m:].mean()

        loss = np.maximum(0, -np.minimum(0, margins(np.append(w, np.zeros(m))))).max()
        found = minimize(
            value,
            np.append(w, np.full(m, loss)),
            bounds=[(None, None)] * w.size + [(0, None)] * m,
            constraints={"type": "ineq", "fun": margins},
            method="SLSQP",
            options={"maxiter": 60},
        )
        w = found.x[:-m].reshape(w.shape)
    return objective(w, x[:, :-1], sets, lam)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_within_one_percent_of_the_best_of_twenty_starts(seed):
    x, sets, _ = problem(m=8, d=2, k=3, seed=seed, far=0.5)
    model = PLSVM(lam=0.1).fit(x, sets)
    rng = np.random.default_rng(seed)
    rows = standardised(x)
    best = min(from_one_start(rows, sets, 0.1, rng) for _ in range(20))
    assert objective(model.coef_, rows, sets, 0.1) <= 1.01 * best


def test_rows_with_full_sets_move_nothing():
    x, sets, _ = problem(m=20, seed=6)
    more = np.concatenate([x, x[:5]])
    full = np.concatenate([sets, np.ones((5, 3), bool)])
    model = PLSVM(lam=0.1, n_init=1, scaling="none").fit(more, full)
    # The loss is a mean over all rows, so that 5 of 25 without loss weigh like lam.
    other = PLSVM(lam=0.1 * 25 / 20, n_init=1, scaling="none").fit(x, sets)
    one = objective(model.coef_, x, sets, 0.125)
    two = objective(other.coef_, x, sets, 0.125)
    assert np.isclose(one, two, rtol=1e-2)
    nothing = PLSVM().fit(x, np.ones((20, 3), bool))
    assert (nothing.coef_ == 0).all()


def test_starts_are_the_seeds_own():
    x, sets, _ = problem(seed=7, far=0.3)
    one, two, other = (
        PLSVM(n_init=3, max_iter=5, random_state=seed).fit(x, sets).history_
        for seed in (1, 1, 2)
    )
    assert one == two
    assert one != other


@pytest.mark.parametrize("bad", [0, 1.5, True, "auto"])
def test_a_wrong_number_of_starts_is_told(bad):
    with pytest.raises(MiplError, match="n_init of PLSVM must be None or an integer"):
        PLSVM(n_init=bad).fit(*problem()[:2])
