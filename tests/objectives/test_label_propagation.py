"""Graph of bags and propagation of labels, against plain loops."""

import numpy as np
import pytest

from mipl.objectives.label_propagation import (
    bag_graph,
    label_correlation,
    propagated_labels,
)


def rows(m=9, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(m, d))


@pytest.mark.parametrize("neighbours", [1, 3, 20])
def test_edges_are_cubes_of_cosines_to_the_nearest(neighbours):
    f = rows()
    m = len(f)
    weights = np.zeros((m, m))
    for i in range(m):
        cosines = [
            f[i] @ f[j] / np.linalg.norm(f[i]) / np.linalg.norm(f[j]) for j in range(m)
        ]
        others = sorted((j for j in range(m) if j != i), key=lambda j: -cosines[j])
        for j in others[:neighbours]:
            weights[i, j] += max(cosines[j], 0) ** 3
            weights[j, i] += max(cosines[j], 0) ** 3
    total = weights.sum(axis=1)
    scale = np.where(total > 0, total, 1) ** -0.5
    expected = scale[:, None] * weights * scale
    np.testing.assert_allclose(bag_graph(f, neighbours).toarray(), expected, atol=1e-12)


def test_rows_that_point_away_from_all_others_have_no_edges():
    f = np.array([[1.0, 0.0], [1.0, 0.1], [-1.0, 0.0], [0.0, 0.0]])
    graph = bag_graph(f, 3).toarray()
    assert np.isfinite(graph).all()
    assert (graph[2:] == 0).all() and (graph[:, 2:] == 0).all()


def test_a_single_bag_has_no_neighbour():
    assert bag_graph(rows(m=1), 10).toarray().tolist() == [[0.0]]


def test_labels_correlate_as_they_are_shared():
    y = np.random.default_rng(1).random((7, 3))
    r = np.zeros((3, 3))
    for a in range(3):
        for b in range(3):
            if a != b:
                r[a, b] = y[:, a] @ y[:, b] / (y[:, a].sum() + y[:, b].sum())
    total = r.sum(axis=1)
    expected = r / np.sqrt(np.outer(total, total))
    np.testing.assert_allclose(label_correlation(y), expected)


def test_labels_that_no_bag_has_correlate_a_little():
    found = label_correlation(np.array([[1.0, 0.0, 0.0]]))
    np.testing.assert_allclose(found, [[0, 0, 0], [0, 0, 1], [0, 1, 0]], atol=1e-12)


def test_propagation_step_by_step():
    rng = np.random.default_rng(2)
    f, y = rows(m=6), rng.random((6, 3))
    graph, correlation = bag_graph(f, 2), label_correlation(y)
    g, al, et, be = 0.3, 0.2, 0.5, 0.1
    z = y.copy()
    for _ in range(4):
        away = al * (z - graph.toarray() @ z) + et * (z - y) + (z - y)
        z = z - g * (away + be * (z - z @ correlation))
    found = propagated_labels(graph, y, g, al, et, be, 4)
    np.testing.assert_allclose(found, z, atol=1e-12)


def test_in_one_step_only_the_graph_moves_labels():
    graph, y = bag_graph(rows(m=6), 2), np.random.default_rng(3).random((6, 3))
    one, other = (propagated_labels(graph, y, 0.5, 0.1, et, 0.0, 1) for et in (0, 9))
    np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(one, y - 0.05 * (y - graph @ y))
