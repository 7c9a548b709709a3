"""The calibratable disambiguation loss and its gradient, recomputed naively."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick, scores_and_sets
from torch.autograd import gradcheck

from mipl.objectives import best_and_next, calibratable_loss, weighted_log_loss

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
