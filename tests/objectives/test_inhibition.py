"""Probability of candidates, and the inhibition of the others."""

import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick, scores_and_sets
from torch.autograd import gradcheck

from mipl.objectives import candidate_mass, inhibition_loss


@quick
@given(scores_and_sets(st.floats(-8, 8)))
def test_both_are_their_sums(given_rows):
    logits, sets = given_rows
    p = torch.tensor(logits).softmax(dim=1)
    inside = torch.tensor(sets).bool()
    rows = [
        list(zip(x, s, strict=True))
        for x, s in zip(p.tolist(), inside.tolist(), strict=True)
    ]
    mass = [sum(x for x, held in row if held) for row in rows]
    cost = [-sum(math.log(1 - x) for x, held in row if not held) for row in rows]
    np.testing.assert_allclose(candidate_mass(p, inside), mass, atol=1e-12)
    np.testing.assert_allclose(inhibition_loss(p.log(), inside), cost, atol=1e-9)


def test_gradients():
    inside = torch.tensor([[1, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=torch.bool)
    x = torch.randn(3, 3, dtype=torch.float64, generator=torch.manual_seed(0))
    x.requires_grad_()
    assert gradcheck(lambda x: inhibition_loss(x.log_softmax(1), inside), (x,))
    assert gradcheck(lambda x: candidate_mass(x.softmax(1), inside), (x,))


def test_a_sure_non_candidate_costs_much_and_still_has_a_gradient():
    """In float32 its 1 - p is 0."""
    x = torch.tensor([[60.0, 0.0, 0.0]], requires_grad=True)
    loss = inhibition_loss(x.log_softmax(1), torch.tensor([[False, True, True]]))
    loss.sum().backward()
    assert math.isclose(loss.item(), 60 - math.log(2), rel_tol=1e-5)
    np.testing.assert_allclose(x.grad, [[1.0, -0.5, -0.5]], rtol=1e-5)


def test_one_class_costs_nothing():
    loss = inhibition_loss(torch.zeros(2, 1), torch.ones(2, 1, dtype=torch.bool))
    assert loss.tolist() == [0.0, 0.0]


def test_runs_before_the_bags_stay_apart():
    p = torch.rand(2, 3, 4, dtype=torch.float64).softmax(-1)
    inside = torch.rand(2, 3, 4) < 0.5
    for function, x in ((candidate_mass, p), (inhibition_loss, p.log())):
        alone = [function(*pair) for pair in zip(x, inside, strict=True)]
        torch.testing.assert_close(function(x, inside), torch.stack(alone))
