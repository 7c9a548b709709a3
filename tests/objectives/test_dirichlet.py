"""Dirichlet labels of instances: their first weights, their moves, their targets."""

import numpy as np
import torch

from mipl.nn.segments import Segments
from mipl.objectives import lognormal, softmax_on, tied, with_negative

SETS = np.array([[1, 1, 0], [0, 1, 0]], dtype=bool)
SIZES = [2, 1]


def spread():
    bags = Segments.of(torch.tensor(SIZES))
    w = SETS / SETS.sum(axis=1, keepdims=True)
    return with_negative(torch.tensor(SETS), torch.tensor(w), bags)


def test_every_instance_has_its_bags_candidates_and_may_be_negative():
    sets, w = spread()
    assert sets.tolist() == [[True, True, False, True]] * 2 + [
        [False, True, False, True]
    ]
    expected = [[1 / 3, 1 / 3, 0, 1 / 3]] * 2 + [[0, 1 / 2, 0, 1 / 2]]
    np.testing.assert_allclose(w, expected)


def test_votes_keep_their_proportion_beside_the_negative_class():
    votes = torch.tensor([[0.75, 0.25]])
    one = Segments.of(torch.tensor([1]))
    _, w = with_negative(votes > 0, votes, one)
    np.testing.assert_allclose(w, [[0.5, 1 / 6, 1 / 3]], rtol=1e-6)


def test_the_softmax_is_over_the_labels_that_an_instance_may_have():
    f = np.array([[1.0, -2.0, 9.0, 0.5]] * 3)
    sets, _ = spread()
    found = softmax_on(torch.tensor(f), sets).numpy()
    for i, c in np.ndindex(3, 4):
        total = sum(np.exp(f[i, b]) for b in range(4) if sets[i, b])
        assert np.isclose(found[i, c], np.exp(f[i, c]) / total if sets[i, c] else 0)


def test_targets_and_variances_match_the_moments_of_the_gamma_variable():
    alpha = np.array([1e-4, 0.2, 0.5001, 3.0])
    y, variance = (v.numpy() for v in lognormal(torch.tensor(alpha)))
    mean = np.exp(y + variance / 2)
    np.testing.assert_allclose(mean, alpha)
    np.testing.assert_allclose((np.exp(variance) - 1) * mean**2, alpha)


def test_tied_weights_are_the_same_and_move_as_their_softmax_would():
    sets, _ = spread()
    constants = torch.tensor([0.3, -1.0, 2.0, 0.1], dtype=torch.float64)
    factors = torch.arange(12.0, dtype=torch.float64).view(3, 4)
    gradients = []
    for through in (False, True):
        c = constants.clone().requires_grad_()
        w = softmax_on(c.expand(3, 4), sets)
        if through:
            given, w = w.detach(), tied(w.detach(), c)
            assert (w == given).all()
        (w * factors).sum().backward()
        gradients.append(c.grad)
    np.testing.assert_allclose(*gradients, atol=1e-15)
