"""The weighted log loss."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick, scores_and_sets

from mipl.objectives import weighted_log_loss


@quick
@given(scores_and_sets(st.floats(-20, 20)))
def test_it_is_minus_the_weighted_sum_of_logarithms(given_rows):
    logits, sets = given_rows
    log_p = torch.tensor(logits).log_softmax(dim=1)
    w = sets / sets.sum(axis=1, keepdims=True)
    expected = [
        -sum(w[i, c] * float(log_p[i, c]) for c in range(w.shape[1]))
        for i in range(len(w))
    ]
    found = weighted_log_loss(log_p, torch.tensor(w))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_probability_of_zero_costs_nothing_without_weight_and_all_with_it():
    log_p = torch.tensor([[0.0, -torch.inf]], requires_grad=True)
    free = weighted_log_loss(log_p, torch.tensor([[1.0, 0.0]]))
    free.sum().backward()
    assert free.tolist() == [0.0]
    assert log_p.grad.tolist() == [[-1.0, 0.0]]
    dear = weighted_log_loss(log_p, torch.tensor([[0.5, 0.5]]))
    assert dear.tolist() == [torch.inf]


@pytest.mark.parametrize(
    ("k", "least"), [(5, 0.905), (7, 1.165), (13, 1.689), (25, 2.285)]
)
def test_the_published_head_cannot_go_below_these_losses(k, least):
    """A sigmoid keeps its logits between 0 and 1."""
    log_p = torch.eye(k, dtype=torch.float64)[:1].log_softmax(dim=1)
    found = weighted_log_loss(log_p, torch.eye(k, dtype=torch.float64)[:1])
    assert round(float(found), 3) == least
