"""Losses on candidates and label weights, against their formulas."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick, scores_and_sets
from torch.autograd import gradcheck

from mipl.objectives import (
    best_and_next,
    calibratable_loss,
    candidate_entropy,
    candidate_mass,
    confidence_update,
    copies,
    floored_log,
    inhibition_loss,
    momentum_update,
    on_candidates,
    weighted_log_loss,
)


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


CONTRASTS = ("cc", "cn")
logits_and_sets = scores_and_sets(st.floats(-6, 6))


def softmax(x):
    e = [math.exp(v - max(x)) for v in x]
    return [v / sum(e) for v in e]


def naive(x, sets, w, contrast, gamma):
    """The loss of one bag from its logits, in plain loops."""
    p = softmax(x)
    inside = sorted((v for v, s in zip(p, sets, strict=True) if s), reverse=True)
    outside = [v for v, s in zip(p, sets, strict=True) if not s]
    other = [*inside[1:], 0.0][0] if contrast == "cc" else max([*outside, 0.0])
    factor = (1 - inside[0] + other) ** gamma
    return -sum(w[c] * factor * math.log(p[c]) for c, held in enumerate(sets) if held)


def even(sets):
    return sets / sets.sum(axis=1, keepdims=True)


@quick
@given(logits_and_sets, st.sampled_from(CONTRASTS), st.sampled_from([0.5, 1.0, 2.0]))
def test_the_loss_is_the_formula(rows, contrast, gamma):
    logits, sets = rows
    w = even(sets)
    found = calibratable_loss(
        torch.tensor(logits).log_softmax(1),
        torch.tensor(w),
        torch.tensor(sets).bool(),
        contrast,
        gamma,
    )
    expected = [
        naive(*row, contrast, gamma)
        for row in zip(logits.tolist(), sets.tolist(), w.tolist(), strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("contrast", CONTRASTS)
@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0])
def test_its_gradient_is_that_of_the_naive_loss(contrast, gamma):
    """Central differences of the plain formula, the factor moving along."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 4))
    sets = np.array(
        [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1], [0, 1, 1, 0]]
    )
    w = even(sets) if gamma == 1 else rng.dirichlet(np.ones(4), size=5) * sets
    logits = torch.tensor(x, requires_grad=True)
    calibratable_loss(
        logits.log_softmax(1),
        torch.tensor(w),
        torch.tensor(sets).bool(),
        contrast,
        gamma,
    ).sum().backward()
    step = 1e-6
    for i, c in np.ndindex(*x.shape):
        up, down = x[i].copy(), x[i].copy()
        up[c] += step
        down[c] -= step
        slope = naive(up.tolist(), sets[i], w[i], contrast, gamma)
        slope -= naive(down.tolist(), sets[i], w[i], contrast, gamma)
        assert math.isclose(logits.grad[i, c], slope / (2 * step), abs_tol=1e-8)


@pytest.mark.parametrize("contrast", CONTRASTS)
def test_the_gradient_flows_through_the_factor(contrast):
    x = torch.tensor([[0.3, -0.2, 0.1]], dtype=torch.float64, requires_grad=True)
    sets = torch.tensor([[True, True, False]])
    w = torch.tensor([[0.5, 0.5, 0.0]], dtype=torch.float64)

    def loss(x):
        return calibratable_loss(x.log_softmax(1), w, sets, contrast, 1.0)

    def frozen(x):
        best, other = best_and_next(x.detach().softmax(1), sets, contrast)
        return (1 - best + other) * weighted_log_loss(x.log_softmax(1), w)

    assert gradcheck(loss, (x,))
    slopes = [torch.autograd.grad(f(x).sum(), x)[0] for f in (loss, frozen)]
    assert (slopes[0] - slopes[1]).abs().max() > 1e-2


def test_gamma_zero_is_the_plain_loss():
    log_p = torch.randn(4, 3, generator=torch.manual_seed(0)).log_softmax(1)
    sets = torch.tensor([[1, 1, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1]]).bool()
    w = sets / sets.sum(1, keepdim=True)
    for contrast in CONTRASTS:
        found = calibratable_loss(log_p, w, sets, contrast, 0.0)
        torch.testing.assert_close(found, weighted_log_loss(log_p, w))


@pytest.mark.parametrize("gamma", [0.3, 1.0])
@pytest.mark.parametrize("contrast", CONTRASTS)
def test_certainty_and_single_classes_stay_finite(contrast, gamma):
    x = torch.tensor([[90.0, 0.0, 0.0], [0.0, 90.0, 0.0]], requires_grad=True)
    sets = torch.tensor([[True, True, False], [True, False, False]])
    w = torch.tensor([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    loss = calibratable_loss(x.log_softmax(1), w, sets, contrast, gamma)
    loss.sum().backward()
    assert torch.isfinite(loss).all() and torch.isfinite(x.grad).all()
    one = torch.zeros(2, 1)
    alone = calibratable_loss(one, one + 1, one == 0, contrast, gamma)
    assert alone.tolist() == [0.0, 0.0]


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


@quick
@given(scores_and_sets(st.floats(-20, 20)))
def test_the_entropy_of_candidates_label_by_label(given_rows):
    logits, sets = given_rows
    p = torch.tensor(logits).softmax(dim=1)
    expected = []
    for row, inside in zip(p.tolist(), sets, strict=True):
        kept = [value for value, held in zip(row, inside, strict=True) if held]
        shares = [value / sum(kept) for value in kept]
        expected.append(-sum(r * math.log(r + 1e-10) for r in shares))
    found = candidate_entropy(p, torch.tensor(sets))
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_floored_logarithm_has_a_finite_slope_at_zero():
    p = torch.tensor([0.0, 0.5], dtype=torch.float64, requires_grad=True)
    floored_log(p).sum().backward()
    np.testing.assert_allclose(p.grad, [1e10, 2.0], rtol=1e-9)
