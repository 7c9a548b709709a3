"""Updates of the label weights."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick, scores_and_sets

from mipl.objectives import momentum_update, on_candidates


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
