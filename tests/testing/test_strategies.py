import numpy as np
import pytest
from hypothesis import find, given
from tests.strategies import quick

from mipl import Bags, Candidates
from mipl.testing.strategies import bags, candidates, problems


@quick
@given(bags(max_bags=3, max_size=2, max_features=2, largest=5.0))
def test_bags_stay_within_their_limits(x):
    assert isinstance(x, Bags)
    assert len(x) <= 3 and x.sizes.max() <= 2 and x.n_features <= 2
    assert np.abs(x.instances).max() <= 5


@quick
@given(bags(n_bags=4))
def test_the_number_of_bags_can_be_given(x):
    assert len(x) == 4


@pytest.mark.parametrize("size", [1, 5])
def test_small_and_large_bags_are_found(size):
    assert find(bags(), lambda x: (x.sizes == size).all()).sizes[0] == size


def test_full_sets_and_sets_of_one_are_found():
    assert find(candidates(2), lambda y: y.shape[1] > 1 and y.matrix.all())
    assert find(candidates(2), lambda y: y.shape[1] > 1 and (y.sizes == 1).all())


@quick
@given(candidates(3, weighted=True))
def test_weights_lie_on_the_simplex(y):
    w = y.initial_weights()
    assert (w[~y.matrix] == 0).all()
    np.testing.assert_allclose(w.sum(axis=1), 1, atol=1e-12)


@quick
@given(problems())
def test_a_problem_has_a_set_for_each_bag(problem):
    x, y = problem
    assert isinstance(y, Candidates) and len(x) == len(y)
