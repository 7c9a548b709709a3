"""PRODEN-MA: its loss recomputed row by row, and its gradient by differences."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from mipl.methods.pll.proden_ma import PRODENMA
from mipl.training.state import Clock

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
    log_p = torch.log_softmax(logits, dim=1)
    out = SimpleNamespace(log_p=log_p, p=log_p.exp(), z=logits)
    batch = SimpleNamespace(candidates=sets)
    return PRODENMA(**arguments)._loss(out, batch, w, Clock(1, 1))


def naive(logits, w, lam):
    p = [[math.exp(v) for v in row] for row in logits.tolist()]
    p = [[v / sum(row) for v in row] for row in p]
    cross, phi = 0.0, []
    for row, weights, held in zip(p, w.tolist(), SETS.tolist(), strict=True):
        cross -= sum(a * math.log(v) for a, v in zip(weights, row, strict=True) if a)
        best = max(v for v, inside in zip(row, held, strict=True) if inside)
        others = [v for v, inside in zip(row, held, strict=True) if not inside]
        phi.append(1 - best + max(others, default=0.0))
    mean = sum(phi) / len(phi)
    std = math.sqrt(sum((v - mean) ** 2 for v in phi) / len(phi))
    return cross / len(phi) + lam * mean / (1 - std)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("lam", [0.0, 1.0, 3.0])
def test_loss_and_gradient_are_those_of_the_formula(seed, lam):
    logits, w = rows(seed)
    leaf = logits.clone().requires_grad_()
    total = sum(terms(leaf, w, lam=lam).values())
    assert math.isclose(total.item(), naive(logits, w, lam), rel_tol=1e-12)
    total.backward()
    step = 1e-6
    for i in range(4):
        for c in range(4):
            up, down = logits.clone(), logits.clone()
            up[i, c] += step
            down[i, c] -= step
            slope = (naive(up, w, lam) - naive(down, w, lam)) / (2 * step)
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


def test_full_sets_alone_and_a_single_row_stay_finite():
    logits, w = rows(4)
    full = torch.ones_like(SETS)
    leaf = logits.clone().requires_grad_()
    total = sum(terms(leaf, torch.full_like(w, 0.25), full).values())
    total.backward()
    assert torch.isfinite(leaf.grad).all()
    one = terms(logits[:1], w[:1], SETS[:1])
    assert float(one["margin"]) == 0
