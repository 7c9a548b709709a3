"""The steps of PL-AGGD against formulas written out and a general solver."""

import numpy as np
from scipy.optimize import minimize
from tests.objectives.test_simplex import sets_with, solved

from mipl.objectives.neighbour_graph import (
    graph_weights,
    nearest,
    propagated,
    residual_operator,
    squares_of_differences,
)

RNG = np.random.default_rng(1)


def test_neighbours_are_the_nearest_of_the_unit_rows():
    x = RNG.normal(size=(9, 3)) * RNG.uniform(0.1, 9, size=(9, 1))
    unit, near = nearest(x, 3)
    lengths = np.sqrt(np.square(x).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(unit, x / lengths)
    for i in range(9):
        far = np.square(unit - unit[i]).sum(axis=1)
        far[i] = np.inf
        assert set(near[i]) == set(np.argsort(far)[:3])


def test_no_row_is_its_own_neighbour_among_duplicates():
    unit, near = nearest(np.ones((8, 2)), 3)
    assert (near != np.arange(8)[:, None]).all()
    assert near.shape == (8, 3)
    assert np.isfinite(unit).all()


def test_fewer_rows_than_neighbours_and_rows_of_zeros():
    unit, near = nearest(np.zeros((3, 2)), 10)
    assert near.shape == (3, 2)
    assert (unit == 0).all()
    assert nearest(np.ones((1, 2)), 10)[1].shape == (1, 0)


def test_graph_step_equals_a_general_solver():
    x, w = RNG.normal(size=(7, 3)), RNG.dirichlet(np.ones(4), size=7)
    unit, near = nearest(x, 4)
    products = 0.7 * squares_of_differences(unit, near)
    products = products + 1.3 * squares_of_differences(w, near)
    start = np.full((7, 4), 0.25)
    graph = graph_weights(products, start)
    for i in range(7):

        def value(g, i=i):
            in_x = np.square(unit[i] - g @ unit[near[i]]).sum()
            in_w = np.square(w[i] - g @ w[near[i]]).sum()
            return 0.7 * in_x + 1.3 * in_w

        best = solved(value, None, start[i])
        assert value(graph[i]) <= value(best) + 1e-7
        assert np.isclose(graph[i].sum(), 1) and (graph[i] >= 0).all()


def test_a_row_that_equals_all_its_neighbours_keeps_its_weights():
    _, near = nearest(np.ones((5, 2)), 2)
    products = squares_of_differences(np.ones((5, 2)), near)
    start = np.full((5, 2), 0.5)
    assert (graph_weights(products, start) == start).all()


def dense(near, graph):
    full = np.eye(len(near))
    for i, row in enumerate(near):
        full[i, row] -= graph[i]
    return full


def test_label_step_equals_a_general_solver():
    _, near = nearest(RNG.normal(size=(6, 3)), 2)
    graph = RNG.dirichlet(np.ones(2), size=6)
    residual = residual_operator(near, graph)
    np.testing.assert_allclose(residual.toarray(), dense(near, graph))
    sets, fitted = sets_with((6, 3)), RNG.normal(size=(6, 3))
    start = sets / sets.sum(axis=1, keepdims=True)
    for mu, target in ((0.6, fitted), (1.0, None)):
        w = propagated(residual, sets, start, mu, target)

        def value(flat, mu=mu, target=target):
            full = np.zeros((6, 3))
            full[sets] = flat
            own = 0 if target is None else np.square(full - target).sum()
            return mu * np.square(dense(near, graph) @ full).sum() + own

        def sums(flat):
            full = np.zeros((6, 3))
            full[sets] = flat
            return full.sum(axis=1) - 1

        best = minimize(
            value,
            start[sets],
            bounds=[(0, 1)] * sets.sum(),
            constraints={"type": "eq", "fun": sums},
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 1000},
        )
        assert value(w[sets]) <= best.fun + 1e-6
        np.testing.assert_allclose(w.sum(axis=1), 1)
        assert (w[~sets] == 0).all() and (w >= 0).all()
