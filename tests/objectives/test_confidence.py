"""Label weights that are not renormalised."""

import numpy as np
import torch

from mipl.objectives import confidence_update


def test_it_is_the_sum_on_the_candidates():
    rng = np.random.default_rng(0)
    sets = np.array([[1, 1, 0], [0, 1, 0], [1, 1, 1]], dtype=bool)
    p = rng.dirichlet(np.ones(3), size=3)
    w = sets / sets.sum(axis=1, keepdims=True)
    found = confidence_update(*map(torch.tensor, (w, p, sets)), 0.7)
    for i, c in np.ndindex(3, 3):
        expected = 0.7 * w[i, c] + 0.3 * p[i, c] if sets[i, c] else 0.0
        assert np.isclose(found[i, c], expected, atol=1e-15)
    assert (found.sum(1)[:2] < 1).all() and np.isclose(found[2].sum(), 1)


def test_it_is_a_constant_to_the_gradient():
    p = torch.full((1, 2), 0.5, requires_grad=True)
    w = torch.full((1, 2), 0.5)
    assert not confidence_update(w, p, w > 0, 0.5).requires_grad
