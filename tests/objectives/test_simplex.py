"""Projection and minimisation on simplices against a general solver."""

import numpy as np
import pytest
from scipy.optimize import minimize

from mipl.objectives.simplex import minimise_on_simplices, project_rows

RNG = np.random.default_rng(0)


def solved(value, slope, start):
    """Return the least value on the simplex by SLSQP."""
    return minimize(
        value,
        start,
        jac=slope,
        bounds=[(0, 1)] * len(start),
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    ).x


def sets_with(shape):
    sets = RNG.random(shape) < 0.5
    sets[np.arange(shape[0]), RNG.integers(shape[1], size=shape[0])] = True
    return sets


def test_projection_is_the_nearest_point_of_the_simplex():
    values, sets = RNG.normal(size=(8, 5)), sets_with((8, 5))
    projected = project_rows(values, sets)
    for row, inside, found in zip(values, sets, projected, strict=True):
        v = row[inside]
        start = np.full(len(v), 1 / len(v))
        expected = solved(
            lambda x, v=v: np.square(x - v).sum(), lambda x, v=v: 2 * (x - v), start
        )
        np.testing.assert_allclose(found[inside], expected, atol=1e-6)
        assert (found[~inside] == 0).all()


def test_projection_leaves_rows_of_the_simplex_and_takes_huge_ones():
    on_it = np.array([[0.25, 0.0, 0.75], [1.0, 0.0, 0.0]])
    sets = np.array([[True, False, True], [True, False, False]])
    np.testing.assert_allclose(project_rows(on_it, sets), on_it, atol=1e-15)
    huge = project_rows(np.array([[1e12, -1e12, 1e12]]), np.ones((1, 3), bool))
    np.testing.assert_allclose(huge, [[0.5, 0, 0.5]], atol=1e-4)


@pytest.mark.parametrize("rank", [2, 4])
def test_separate_rows_reach_the_solvers_values(rank):
    """Also where the Hessian has no inverse."""
    factor = RNG.normal(size=(6, 4, rank))
    h, linear = factor @ factor.transpose(0, 2, 1), RNG.normal(size=(6, 4))
    largest = np.linalg.eigvalsh(h)[:, -1:]
    start = np.full((6, 4), 0.25)
    x = minimise_on_simplices(
        lambda x: (h @ x[..., None])[..., 0],
        linear,
        largest,
        np.ones((6, 4), bool),
        start,
        joint=False,
        tolerance=1e-10,
    )
    for i in range(6):

        def value(x, i=i):
            return x @ h[i] @ x / 2 - linear[i] @ x

        best = solved(value, lambda x, i=i: h[i] @ x - linear[i], start[i])
        assert value(x[i]) <= value(best) + 1e-8


def test_coupled_rows_reach_the_solvers_value_and_never_rise():
    root = RNG.normal(size=(12, 12))
    h, linear = root @ root.T, RNG.normal(size=(4, 3))
    sets = sets_with((4, 3))
    start, values = sets / sets.sum(axis=1, keepdims=True), []

    def times(x):
        return (h @ x.ravel()).reshape(x.shape)

    def value(x):
        return float((x * (times(x) / 2 - linear)).sum())

    top = np.linalg.eigvalsh(h)[-1]
    for steps in range(1, 40):
        x = minimise_on_simplices(
            times, linear, top, sets, start, joint=True, max_iter=steps
        )
        values.append(value(x))
    assert (np.diff([value(start), *values]) <= 1e-12).all()
    x = minimise_on_simplices(times, linear, top, sets, start, joint=True)
    free = sets.ravel()

    def spread(v):
        full = np.zeros(12)
        full[free] = v
        return full.reshape(4, 3)

    rows = [
        {"type": "eq", "fun": lambda v, i=i: spread(v)[i].sum() - 1} for i in range(4)
    ]
    best = minimize(
        lambda v: value(spread(v)),
        start.ravel()[free],
        bounds=[(0, 1)] * free.sum(),
        constraints=rows,
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert value(x) <= best.fun + 1e-6
    np.testing.assert_allclose(x.sum(axis=1), 1)
    assert (x[~sets] == 0).all()
