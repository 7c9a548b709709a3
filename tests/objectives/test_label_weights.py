"""Label weights: restricted to candidates, shared out, moved."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick, scores_and_sets

from mipl.objectives import (
    confidence_update,
    copies,
    momentum_update,
    on_candidates,
    weighted_log_loss,
)


@quick
@given(scores_and_sets(st.floats(-20, 20)), st.floats(0, 1))
def test_weights_move_by_the_formula_and_stay_on_the_simplex(given_rows, alpha):
    logits, sets = given_rows
    p = torch.tensor(logits).softmax(dim=1)
    w = torch.tensor(sets / sets.sum(axis=1, keepdims=True))
    found = momentum_update(w, p, torch.tensor(sets), alpha).numpy()
    for i, inside in enumerate(sets):
        total = sum(float(p[i, c]) for c in np.flatnonzero(inside))
        for c, held in enumerate(inside):
            kept = float(p[i, c]) / total if held else 0.0
            expected = alpha * float(w[i, c]) + (1 - alpha) * kept
            assert abs(found[i, c] - expected) < 1e-12
    assert (found[~sets] == 0).all() and (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_candidates_without_probability_share_the_weight(dtype):
    p = torch.tensor([[0.0, 0.0, 1.0], [1e-40, 0.0, 1.0]], dtype=dtype)
    sets = torch.tensor([[True, True, False], [True, True, False]])
    assert on_candidates(p, sets).tolist() == [[0.5, 0.5, 0.0]] * 2


def test_the_new_weights_are_constants():
    p = torch.tensor([[0.5, 0.5]], requires_grad=True)
    w = torch.tensor([[1.0, 0.0]])
    both = torch.tensor([[True, True]])
    assert not momentum_update(w, p, both, 0.5).requires_grad


@pytest.mark.parametrize(("size", "most"), [(2, 0.731), (3, 0.576), (4, 0.475)])
def test_the_published_head_never_makes_weights_one_hot(size, most):
    p = torch.eye(9, dtype=torch.float64)[:1].softmax(dim=1)
    sets = torch.arange(9)[None] < size
    assert round(float(on_candidates(p, sets).max()), 3) == most


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


def test_a_loss_weighted_by_copies_is_the_sum_over_labels():
    log_p = torch.randn(4, 3, generator=torch.Generator().manual_seed(0)).log_softmax(1)
    sets = torch.tensor([[1, 1, 0], [0, 1, 0], [1, 1, 1], [1, 0, 1]]).bool()
    even = sets / sets.sum(dim=1, keepdim=True)
    found = weighted_log_loss(log_p, copies(even, sets))
    naive = [-sum(float(log_p[i, c]) for c in range(3) if sets[i, c]) for i in range(4)]
    np.testing.assert_allclose(found, naive, rtol=1e-6)


def test_uneven_weights_share_out_as_many_copies():
    sets = torch.tensor([[True, True, False]])
    assert copies(torch.tensor([[0.75, 0.25, 0.0]]), sets).tolist() == [[1.5, 0.5, 0.0]]
