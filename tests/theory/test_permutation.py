"""Theorem 1: the order of the instances in a bag does not matter."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import quick
from tests.theory.networks import FORMS, name, network

from mipl.nn import Segments
from mipl.testing.strategies import bags

few = settings(quick, max_examples=12)  # For each of many forms.


def run(module, rows, sizes, tau):
    # On a grid, so that two instances are equal or clearly different.
    x = torch.tensor(np.round(np.asarray(rows, dtype=float) * 8) / 8)
    with torch.no_grad():
        return module(x, Segments.of(torch.tensor(sizes)), tau)


@pytest.mark.parametrize("form", FORMS, ids=name)
@few
@given(x=bags(max_bags=3, largest=4.0), seed=st.integers(0, 99), tau=st.floats(0.1, 5))
def test_permuted_instances_give_the_same_bag(form, x, seed, tau):
    rng = np.random.default_rng(seed)
    module = network(form, x.n_features, seed=seed)
    orders = [a + rng.permutation(n) for a, n in zip(x.offsets, x.sizes, strict=False)]
    rows = np.concatenate(orders)
    given_order = run(module, x.instances, x.sizes, tau)
    permuted = run(module, x.instances[rows], x.sizes, tau)
    np.testing.assert_allclose(permuted.p, given_order.p, atol=1e-7)
    np.testing.assert_allclose(permuted.z, given_order.z, atol=1e-6)
    np.testing.assert_allclose(permuted.a, given_order.a[rows], atol=1e-6)


@pytest.mark.parametrize("form", FORMS[::5], ids=name)
@few
@given(x=bags(max_bags=5, largest=4.0), seed=st.integers(0, 99))
def test_other_bags_of_the_batch_do_not_matter(form, x, seed):
    module = network(form, x.n_features, seed=seed)
    together = run(module, x.instances, x.sizes, 0.5).p
    alone = [run(module, bag, [len(bag)], 0.5).p for bag in x]
    np.testing.assert_allclose(torch.cat(alone), together, atol=1e-7)


@pytest.mark.parametrize("form", FORMS[::5], ids=name)
def test_attention_does_depend_on_the_instances(form):
    x = np.random.default_rng(0).normal(size=(4, 3)) * 2
    a = run(network(form, 3), x, [4], 0.5).a
    assert np.ptp(a.numpy()) > 1e-3
