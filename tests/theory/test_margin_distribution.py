"""The loss of the margin distribution: mean and variance both matter."""

import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick

from mipl.objectives import margin_distribution_loss

values = st.lists(st.floats(0.2, 0.8), min_size=2, max_size=8)


def loss(phi, **arguments):
    return float(
        margin_distribution_loss(torch.tensor(phi, dtype=torch.float64), **arguments)
    )


@quick
@given(st.floats(0, 2), st.integers(1, 9), st.sampled_from([0, 1]))
def test_at_zero_variance_it_is_the_mean_margin_loss(phi, n, ddof):
    assert math.isclose(loss([phi] * n, ddof=ddof), phi, abs_tol=1e-9)


@quick
@given(values, st.floats(1.05, 1.6))
def test_it_grows_with_the_variance_at_the_same_mean(phi, factor):
    phi = np.array(phi)
    wider = phi.mean() + factor * (phi - phi.mean())
    if phi.std() > 1e-3:
        assert loss(wider) > loss(phi)
    assert loss(phi) >= phi.mean() - 1e-12


@quick
@given(values, st.floats(0.01, 0.5))
def test_it_grows_with_the_mean_at_the_same_variance(phi, shift):
    phi = np.array(phi)
    assert loss(phi + shift) > loss(phi)


@quick
@given(values)
def test_the_sample_variance_costs_at_least_the_population_variance(phi):
    assert loss(phi, ddof=1) >= loss(phi, ddof=0) - 1e-12
