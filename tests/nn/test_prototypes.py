"""Prototypes, the metric and its root; class pools."""

import numpy as np
import pytest
import torch

from mipl import Bags
from mipl.nn.class_pools import class_prototypes, pool_members
from mipl.nn.prototypes import Metric, Prototypes, metric_root, softmax_outer_product


def random(*shape, seed=0):
    chance = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=chance, dtype=torch.float64)


def test_the_root_of_a_metric_is_symmetric_and_its_square_the_metric():
    weight = random(9, 5)
    metric = weight.T @ weight
    root = metric_root(metric)
    torch.testing.assert_close(root, root.T)
    torch.testing.assert_close(root @ root, metric)


def test_directions_without_gradient_are_kept_by_a_thousandth():
    weight = random(2, 5)
    root = metric_root(weight.T @ weight)
    _, singular, directions = torch.linalg.svd(weight, full_matrices=True)
    expected = torch.diag(torch.cat([singular, torch.full((3,), 1e-3)]).double())
    torch.testing.assert_close(directions @ root @ directions.T, expected)


def test_the_root_of_float32_is_of_float32():
    assert metric_root(torch.eye(2)).dtype == torch.float32


def test_gradients_of_probabilities_by_torch():
    weight, z = random(3, 4), random(5, 4, seed=1)
    total = torch.zeros(4, 4, dtype=torch.float64)
    for one in z:
        jacobian = torch.autograd.functional.jacobian(
            lambda at: torch.softmax(weight @ at, dim=0), one
        )
        total += jacobian.T @ jacobian / len(z)
    p = torch.softmax(z @ weight.T, dim=1)
    torch.testing.assert_close(softmax_outer_product(weight, p), total)
    unseen = torch.cat([p, torch.zeros(2, 3)])  # Held out: they have no probabilities.
    torch.testing.assert_close(softmax_outer_product(weight, unseen), total)


def test_a_metric_of_several_runs_maps_the_rows_of_each():
    metrics = [Metric(3).double() for _ in range(2)]
    for i, metric in enumerate(metrics):
        metric.learn(torch.diag(random(3, seed=i).square() + 1), momentum=0.0)
    joint = Metric(3).double()
    joint.root = torch.stack([metric.root for metric in metrics])
    h = random(8, 3)
    expected = [metric(rows) for metric, rows in zip(metrics, h.split(4), strict=True)]
    torch.testing.assert_close(joint(h), torch.cat(expected))


def test_prototypes_are_rows_class_by_class():
    layer = Prototypes(2, 3, 4)
    assert layer().shape == (6, 4)
    layer.places[1, 2, 0] = 7.0
    assert layer()[5].tolist() == [7.0, 0.0, 0.0, 0.0]


def test_centres_are_means_of_their_nearest_instances():
    """Two clusters far apart, whatever the start; other classes see other bags."""
    rng = np.random.default_rng(0)
    low, high, other = (rng.normal(at, 0.1, size=(6, 2)) for at in (0, 50, 9))
    bags = Bags([low, high, other])
    members = np.array([[1, 0], [1, 0], [0, 1]], dtype=bool)
    first, second = class_prototypes(bags, members, 2, seed=3)
    np.testing.assert_allclose(first, [low.mean(0), high.mean(0)], rtol=1e-5)
    np.testing.assert_allclose(second.mean(axis=0), other.mean(0), atol=0.1)
    again = class_prototypes(bags, members, 2, seed=3)
    np.testing.assert_array_equal(again, [first, second])


def test_distances_count_on_the_scale_that_is_given():
    """Split along the axis that is long once it is scaled."""
    rows = np.array([[0, 0], [0, 1], [9, 0], [9, 1]], dtype=np.float32)
    members = np.ones((1, 1), dtype=bool)
    scale = np.array([0.01, 1.0])
    (found,) = class_prototypes(Bags([rows]), members, 2, 0, lambda x: x * scale)
    np.testing.assert_allclose(found[:, 1], [0, 1], atol=1e-6)


@pytest.mark.parametrize("reading", ["intended", "published"])
def test_pool_members_row_by_row(reading):
    rng = np.random.default_rng(1)
    sets, order = rng.random((9, 3)) < 0.5, rng.permutation(9)[:5]
    found = pool_members(sets, order, reading)
    for position, row in enumerate(order):
        expected = sets[row if reading == "intended" else position]
        np.testing.assert_array_equal(found[position], expected)
