"""PRODEN-MA: its loss recomputed row by row, and its gradient by differences."""

import math

import numpy as np
import pytest
import torch
from tests.methods.pll import problem

from mipl.methods.pll.proden_ma import PRODENMA

SETS = torch.tensor(
    [
        [True, True, False, False],
        [False, True, False, False],
        [True, True, True, True],  # No other label.
        [False, False, True, True],
    ]
)


def rows(seed):
    chance = torch.Generator().manual_seed(seed)
    logits = torch.randn(4, 4, dtype=torch.float64, generator=chance)
    w = torch.rand(4, 4, dtype=torch.float64, generator=chance) * SETS
    return logits, w / w.sum(1, keepdim=True)


def terms(logits, w, sets=SETS, **arguments):
    return problem.terms(PRODENMA(**arguments), logits, w, sets)


def naive(logits, w, lam, full_sets="count"):
    p = [[math.exp(v) for v in row] for row in logits.tolist()]
    p = [[v / sum(row) for v in row] for row in p]
    cross, phi = 0.0, []
    for row, weights, held in zip(p, w.tolist(), SETS.tolist(), strict=True):
        cross -= sum(a * math.log(v) for a, v in zip(weights, row, strict=True) if a)
        best = max(v for v, inside in zip(row, held, strict=True) if inside)
        others = [v for v, inside in zip(row, held, strict=True) if not inside]
        if others or full_sets == "count":
            phi.append(1 - best + max(others, default=0.0))
    mean = sum(phi) / len(phi)
    std = math.sqrt(sum((v - mean) ** 2 for v in phi) / len(phi))
    return cross / len(p) + lam * mean / (1 - std)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("lam", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("full", ["count", "skip"])
def test_loss_and_gradient_are_those_of_the_formula(seed, lam, full):
    logits, w = rows(seed)
    leaf = logits.clone().requires_grad_()
    total = sum(terms(leaf, w, lam=lam, full_sets=full).values())
    assert math.isclose(total.item(), naive(logits, w, lam, full), rel_tol=1e-12)
    total.backward()
    step = 1e-6
    for i in range(4):
        for c in range(4):
            up, down = logits.clone(), logits.clone()
            up[i, c] += step
            down[i, c] -= step
            rise = naive(up, w, lam, full) - naive(down, w, lam, full)
            slope = rise / (2 * step)
            np.testing.assert_allclose(leaf.grad[i, c], slope, atol=1e-8)


def test_the_programs_statistics_are_those_of_each_row_and_a_zero():
    logits, w = rows(3)
    p = logits.softmax(1)
    found = terms(logits, w, margin="miplma-program", lam=1.0)["margin"]
    expected = []
    for row, held in zip(p.tolist(), SETS.tolist(), strict=True):
        best = max(v for v, inside in zip(row, held, strict=True) if inside)
        others = [v for v, inside in zip(row, held, strict=True) if not inside]
        pair = np.array([0.0, 0.5 * (1 - best + max(others, default=0.0))])
        expected.append(pair.mean() / (1 - pair.std(ddof=1)))
    assert math.isclose(found.item(), np.mean(expected), rel_tol=1e-12)


def test_the_programs_statistics_leave_full_sets_out_if_asked():
    logits, w = rows(3)
    given = {"margin": "miplma-program", "lam": 1.0}
    some = ~SETS.all(dim=1)
    found = terms(logits, w, **given, full_sets="skip")["margin"]
    alone = terms(logits[some], w[some], SETS[some], **given)["margin"]
    assert math.isclose(found.item(), alone.item(), rel_tol=1e-12)


@pytest.mark.parametrize("margin", ["batch", "miplma-program"])
@pytest.mark.parametrize("full", ["count", "skip"])
def test_full_candidate_sets_under_the_margin_loss_stay_finite(margin, full):
    """Nothing is outside them: what counts is pushed up, what is left out is not."""
    logits, w = rows(4)
    w = torch.full_like(w, 0.25)
    leaf = logits.clone().requires_grad_()
    sets = torch.ones_like(SETS)
    term = terms(leaf, w, sets, margin=margin, full_sets=full)["margin"]
    term.backward()
    best = logits.argmax(dim=1)
    slope = leaf.grad[torch.arange(4), best]
    assert torch.isfinite(leaf.grad).all()
    assert (slope < 0).all() if full == "count" else (leaf.grad == 0).all()


def test_a_single_row_has_no_margin_loss():
    logits, w = rows(4)
    assert float(terms(logits[:1], w[:1], SETS[:1])["margin"]) == 0
