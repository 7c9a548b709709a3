"""Mean and MaxMin equal loops over bags, features and instances."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone
from tests.strategies import lists_of_arrays, quick

from mipl import Bags, MaxMin, Mean, MiplError


@quick
@given(lists_of_arrays(2.0**20))
def test_mean_equals_a_naive_loop(arrays):
    naive = [
        [sum(float(row[j]) for row in bag) / len(bag) for j in range(bag.shape[1])]
        for bag in arrays
    ]
    reduced = Mean().fit_transform(arrays)
    assert reduced.dtype == np.float32
    np.testing.assert_allclose(reduced, naive, rtol=1e-6, atol=1e-30)


@quick
@given(lists_of_arrays(2.0**20))
def test_max_then_min_equals_a_naive_loop(arrays):
    naive = [
        [max(float(row[j]) for row in bag) for j in range(bag.shape[1])]
        + [min(float(row[j]) for row in bag) for j in range(bag.shape[1])]
        for bag in arrays
    ]
    reduced = MaxMin().fit_transform(arrays)
    assert reduced.dtype == np.float32
    np.testing.assert_array_equal(reduced, np.array(naive, np.float32))


def test_a_long_bag_loses_no_digits():
    bag = np.full((200_000, 1), 0.1, np.float32)
    assert Mean().fit_transform([bag])[0, 0] == np.float32(0.1)


def test_the_largest_numbers_do_not_overflow():
    bag = np.full((3, 2), np.finfo(np.float32).max)
    np.testing.assert_array_equal(Mean().fit_transform([bag]), bag[:1])


@pytest.mark.parametrize("reduction", [Mean(), MaxMin()], ids=repr)
def test_blocks_give_what_the_whole_gives(reduction, monkeypatch):
    rng = np.random.default_rng(0)
    bags = Bags([rng.random((n, 3)) for n in (3, 1, 5, 2, 2, 9)])
    whole = reduction.fit_transform(bags)
    monkeypatch.setattr("mipl.data.blocks.BLOCK", 12)
    np.testing.assert_array_equal(clone(reduction).fit_transform(bags), whole)


@pytest.mark.parametrize("reduction", [Mean(), MaxMin()], ids=repr)
def test_another_number_of_features_is_refused(reduction):
    reduction.fit(np.ones((2, 3)))
    with pytest.raises(MiplError, match=r"have 2 features; .* was fitted on 3"):
        reduction.transform(np.ones((2, 2)))
