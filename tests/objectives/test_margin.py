"""Margins and their losses, against loops and published figures."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick, scores_and_sets

from mipl.objectives import (
    label_margin,
    margin_distribution_loss,
    margin_violation,
    mean_and_spread,
    single_bag_margin_loss,
)

phis = st.lists(st.floats(0, 2), min_size=1, max_size=8)


def double(values):
    return torch.tensor(values, dtype=torch.float64)


@quick
@given(scores_and_sets(st.floats(-20, 20)))
def test_the_margin_is_best_candidate_minus_best_other(given_rows):
    logits, sets = given_rows
    p = torch.tensor(logits).softmax(dim=1)
    expected = []
    for row, inside in zip(p.numpy(), sets, strict=True):
        others = [value for value, held in zip(row, inside, strict=True) if not held]
        expected.append(max(row[inside]) - max(others, default=0.0))
    margins = label_margin(p, torch.tensor(sets))
    np.testing.assert_allclose(margins, expected, atol=1e-12)
    phi = margin_violation(p, torch.tensor(sets), scale=0.5)
    np.testing.assert_allclose(phi, 0.5 * (1 - np.array(expected)), atol=1e-12)


def test_a_full_candidate_set_has_its_best_probability_as_margin():
    p = double([[0.2, 0.5, 0.3]])
    assert label_margin(p, torch.ones(1, 3, dtype=torch.bool)).tolist() == [0.5]


@quick
@given(phis, st.sampled_from([0, 1]))
def test_mean_and_spread_equal_numpys(values, ddof):
    mean, spread = mean_and_spread(double(values), ddof=ddof)
    assert math.isclose(mean, np.mean(values), abs_tol=1e-12)
    expected = np.std(values, ddof=ddof) if len(values) > ddof else 0.0
    assert math.isclose(spread, expected, abs_tol=1e-9)


@quick
@given(phis, phis, st.sampled_from([0, 1]))
def test_values_seen_before_enter_without_gradient(earlier, values, ddof):
    phi = double(values).requires_grad_()
    seen = double(earlier).requires_grad_()
    mean, spread = mean_and_spread(phi, seen, ddof)
    both = earlier + values
    assert math.isclose(mean.item(), np.mean(both), abs_tol=1e-12)
    assert math.isclose(spread.item(), np.std(both, ddof=ddof), abs_tol=1e-9)
    mean.backward()
    assert seen.grad is None
    np.testing.assert_allclose(phi.grad, 1 / len(both))


@quick
@given(phis, st.sampled_from([0, 1]))
def test_the_loss_of_the_distribution_is_mean_over_one_minus_spread(values, ddof):
    spread = np.std(values, ddof=ddof) if len(values) > ddof else 0.0
    expected = np.mean(values) / max(1 - spread, 0.05)
    found = margin_distribution_loss(double(values), ddof=ddof)
    assert math.isclose(found, expected, rel_tol=1e-7, abs_tol=1e-9)


def test_a_margin_spread_of_one_is_finite_and_has_a_gradient():
    for values in ([0.0, 2.0], [0.0, 2.0, 0.0, 2.0]):
        phi = double(values).requires_grad_()
        loss = margin_distribution_loss(phi)  # The spread is exactly one.
        loss.backward()
        assert math.isclose(loss.item(), 1 / 0.05)
        assert torch.isfinite(phi.grad).all() and (phi.grad > 0).all()


def test_one_bag_has_no_spread():
    phi = double([0.7]).requires_grad_()
    for ddof in (0, 1):
        loss = margin_distribution_loss(phi, ddof=ddof)
        assert loss.item() == 0.7
    loss.backward()
    assert phi.grad.tolist() == [1.0]


@pytest.mark.parametrize(
    ("margin", "slope"), [(0.0, -0.598), (0.256, -0.46), (-0.25, -0.80)]
)
def test_the_programs_loss_has_the_published_slopes(margin, slope):
    x = double([margin]).requires_grad_()
    loss = single_bag_margin_loss(0.5 * (1 - x)).sum()
    loss.backward()
    assert abs(float(x.grad) - slope) < 5e-3
    if margin == 0.0:
        assert round(loss.item(), 3) == 0.387


@quick
@given(st.floats(0, 2), st.sampled_from([0, 1]))
def test_the_programs_loss_is_that_of_the_pair_of_zero_and_phi(phi, ddof):
    pair = double([0.0, phi])
    mean, spread = pair.mean(), pair.std(correction=ddof)
    expected = mean / (1 - spread).clamp_min(0.05)
    found = single_bag_margin_loss(double([phi]), ddof)
    assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
