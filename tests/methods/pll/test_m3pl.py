"""M3PL: the machine, the counts, and a function that never rises for one C."""

from itertools import groupby

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.methods.pll.problem import problem, standardised

from mipl.methods.pll.m3pl import M3PL
from mipl.objectives.assignment import class_counts
from mipl.seeds import stream

SMALL_SETTINGS = {"c_max": 1.0, "growth": 20.0}


def objective(w, x, labels, c):
    total = 0.0
    for row, label in zip(x, labels, strict=True):
        s = w @ np.append(row, 1.0)
        total += max(0.0, 1 - (s[label] - np.delete(s, label).max()))
    return np.square(w).sum() / 2 + c * total


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rounding", ["smallest", "remainder"])
def test_the_function_never_rises_inside_one_c(seed, rounding):
    x, sets, _ = problem(seed=seed, far=0.7)
    model = M3PL(c_max=10.0, growth=5.0, rounding=rounding).fit(x, sets)
    levels = [list(run) for _, run in groupby(model.history_, lambda step: step["C"])]
    assert len(levels) == 8  # 1e-5 grows fivefold to 1: 5^7 < 1e5 < 5^8.
    for level in levels:
        values = [step["objective"] for step in level]
        assert (np.diff(values) <= 0).all()


class Recomputed(M3PL):
    """Compares every value of the function with the formula."""

    def _objective(self, x, coef, labels, c):
        value = super()._objective(x, coef, labels, c)
        assert np.isclose(value, objective(coef, x[:, :-1], labels, c), rtol=1e-9)
        return value


def test_every_value_is_the_formula():
    x, sets, _ = problem(seed=2, far=0.7)
    model = Recomputed(c_max=10.0, growth=20.0).fit(x, sets)
    plain = M3PL(c_max=10.0, growth=20.0).fit(x, sets)
    assert model.history_ == plain.history_ and len(plain.history_) > 4


def test_labels_move_in_several_rounds_of_one_c():
    x, sets, _ = problem(seed=0, far=0.7)
    model = M3PL(c_max=10.0, growth=5.0).fit(x, sets)
    assert len(model.history_) > 8


def test_the_last_value_is_the_formula():
    x, sets, _ = problem(seed=1, far=0.7)
    model = M3PL(c_max=1.0, growth=5.0).fit(x, sets)
    labels = model.label_weights_.argmax(axis=1)
    found = objective(model.coef_, standardised(x), labels, 1.0)
    assert np.isclose(found, model.history_[-1]["objective"], rtol=1e-5)


def test_classes_have_the_expected_counts():
    x, sets, _ = problem(m=60, seed=2)
    model = M3PL(growth=20.0).fit(x, sets)
    expected = class_counts(sets / sets.sum(axis=1, keepdims=True))
    assert model.counts_.tolist() == expected.tolist()
    assert model.label_weights_.sum(axis=0).tolist() == expected.tolist()


@pytest.mark.parametrize(("spread", "least"), [(1.0, 0.45), (2.0, 0.25)])
def test_sets_of_equal_size_that_tell_little_are_learnt(spread, least):
    """Labels left to chance are best met by W = 0, which then never moves them."""
    chance, k = stream(0, "m3pl"), 8
    y = np.repeat(np.arange(k), 30)
    x = chance.normal(size=(k, 4))[y] + spread * chance.normal(size=(len(y), 4))
    false = (y + chance.integers(1, k, len(y))) % k
    sets = (np.arange(k) == y[:, None]) | (np.arange(k) == false[:, None])
    assert M3PL(random_state=0).fit(x, sets).score(x, y) > least


@pytest.mark.parametrize("k", [2, 3])
def test_the_machine_is_crammer_and_singers(k):
    """Singletons leave nothing to assign; a general solver finds no lower value."""
    x, _, y = problem(m=12, d=2, k=k, seed=3, far=0.7)
    y[: k - 1] = np.arange(k - 1)
    y[y == k - 1] = 0  # The last class has no rows, and competes all the same.
    sets = np.arange(k) == y[:, None]
    model = M3PL(c_max=0.5, growth=1e5).fit(x, sets)
    rows = standardised(x)
    m, size = len(x), k * 3
    bias = np.column_stack([rows, np.ones(m)])

    def margins(v):
        s, loss = bias @ v[:size].reshape(k, 3).T, v[size:]
        own = s[np.arange(m), y][:, None]
        return (own - s - 1 + loss[:, None])[~sets]

    best = minimize(
        lambda v: np.square(v[:size]).sum() / 2 + 0.5 * v[size:].sum(),
        np.append(np.zeros(size), np.ones(m)),
        bounds=[(None, None)] * size + [(0, None)] * m,
        constraints={"type": "ineq", "fun": margins},
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-10},
    ).fun
    found = objective(model.coef_, rows, y, 0.5)
    assert found <= best * 1.002
    assert np.isclose(found, model.history_[-1]["objective"], rtol=1e-5)


def test_one_class_is_always_right():
    model = M3PL().fit(np.arange(4.0)[:, None], np.ones((4, 1), int).ravel())
    assert (model.predict_proba(np.zeros((2, 1))) == 1).all()
