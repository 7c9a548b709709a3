"""Importance of features and instances, where it is known what matters."""

import numpy as np
import pytest

from mipl import Bags, MeanPooling
from mipl.errors import MiplError
from mipl.selection import permutation_importance

CHANCE = np.random.default_rng(0)
LABELS = np.arange(60) % 2
SIZES = CHANCE.integers(2, 5, 60)


def data():
    """Feature 1 of the first instance of each bag tells the label."""
    bags = [CHANCE.normal(size=(n, 3)) for n in SIZES]
    for bag, label in zip(bags, LABELS, strict=True):
        bag[0, 1] += 30 * label
    return Bags(bags)


BAGS = data()
MODEL = MeanPooling().fit(BAGS, LABELS)


def test_the_feature_that_tells_matters():
    found = permutation_importance(MODEL, BAGS, LABELS, random_state=0, n_repeats=3)
    assert found.importances.shape == (3, 3)
    mean = found.importances.mean(axis=1)
    np.testing.assert_allclose(found.importances_mean, mean)
    np.testing.assert_allclose(found.importances_std, found.importances.std(axis=1))
    assert mean[1] > 0.2 and np.abs(mean[[0, 2]]).max() < 0.1


def test_the_instance_that_tells_matters():
    found = permutation_importance(
        MODEL, BAGS, LABELS, over="instances", random_state=0, n_repeats=8
    )
    first = BAGS.offsets[:-1]
    others = np.setdiff1d(np.arange(BAGS.n_instances), first)
    positive = first[LABELS == 1]
    assert found.importances_mean[positive].mean() > 0.2
    assert np.abs(found.importances_mean[others]).mean() < 0.2
    assert len(found.importances_mean) == BAGS.n_instances


def test_the_same_seed_gives_the_same_numbers():
    both = [permutation_importance(MODEL, BAGS, LABELS, random_state=3) for _ in "ab"]
    np.testing.assert_array_equal(both[0].importances, both[1].importances)


@pytest.mark.parametrize(
    ("given", "told"),
    [({"over": "bags"}, "over must"), ({"n_repeats": 0}, "n_repeats")],
)
def test_mistakes_are_sentences(given, told):
    with pytest.raises(MiplError, match=told):
        permutation_importance(MODEL, BAGS, LABELS, **given)
