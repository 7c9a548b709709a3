"""Splits: exact shares, ten that differ, groups never torn, bad ones named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick

from mipl import Candidates, MiplError, ten_splits
from mipl.data.splits import Split, as_splits, cross_validation


def pairs(splits):
    return [(s.train.tolist(), s.test.tolist()) for s in splits]


def assert_divides(split, n_bags):
    both = np.concatenate([split.train, split.test])
    assert sorted(both.tolist()) == list(range(n_bags))
    assert split.train.tolist() == sorted(split.train.tolist())
    assert len(split.train) and len(split.test)


@pytest.mark.parametrize("per_class", [10, 50, 60, 70, 100, 1000])
def test_seven_to_three_is_exact_in_each_class(per_class):
    labels = np.repeat(["x", "y", "z"], per_class)
    for split in ten_splits(labels):
        assert_divides(split, 3 * per_class)
        counts = np.unique(labels[split.train], return_counts=True)[1]
        assert counts.tolist() == [7 * per_class // 10] * 3


@quick
@given(st.lists(st.integers(0, 5), min_size=2, max_size=60), st.integers(0, 9))
def test_total_is_exact_and_no_class_is_off_by_more_than_one(labels, seed):
    labels = np.array(labels)
    (split,) = ten_splits(labels, n_splits=1, seed=seed)
    assert_divides(split, len(labels))
    total = min(max(int(len(labels) * 0.7 + 0.5), 1), len(labels) - 1)
    assert len(split.train) == total
    for c in np.unique(labels):
        share = 0.7 * (labels == c).sum()
        assert abs((labels[split.train] == c).sum() - share) <= 1 + 1e-9


def test_the_ten_differ_and_the_seed_decides():
    labels = np.repeat([0, 1], 20)
    splits = ten_splits(labels)
    assert len(splits) == 10
    assert len({tuple(train) for train, _ in pairs(splits)}) == 10
    assert pairs(splits) == pairs(ten_splits(labels, seed=0))
    assert pairs(splits) != pairs(ten_splits(labels, seed=1))
    assert pairs(splits)[:3] == pairs(ten_splits(labels, n_splits=3))


def test_every_bag_is_in_training_about_seven_times_in_ten():
    labels = np.repeat([0, 1], 15)
    splits = ten_splits(labels, n_splits=400)
    share = np.zeros(30)
    for split in splits:
        share[split.train] += 1 / 400
    # Five standard deviations of a binomial share, and 10.5 of 15 rounded by lot.
    assert np.abs(share - 0.7).max() < 5 * np.sqrt(0.21 / 400)


def test_where_no_labels_are_known_candidate_sets_are_stratified():
    common, rare = [{0, 1}] * 20 + [{1, 2}] * 10, [{c, c + 1} for c in range(3, 13)]
    candidates = Candidates(common + rare)
    for split in ten_splits(candidates=candidates):
        assert_divides(split, 40)
        assert (split.train < 20).sum() == 14
        assert ((split.train >= 20) & (split.train < 30)).sum() == 7
        assert (split.train >= 30).sum() == 7, "sets that occur once are shared out"
    raw = ten_splits(candidates=candidates.matrix)
    assert pairs(raw) == pairs(ten_splits(candidates=candidates))


@quick
@given(st.lists(st.integers(0, 8), min_size=2, max_size=60), st.integers(0, 9))
def test_groups_are_never_torn(groups, seed):
    groups = np.array([*groups, 0, 1])
    labels = np.arange(len(groups)) % 3
    for split in ten_splits(labels, groups=groups, n_splits=2, seed=seed):
        assert_divides(split, len(groups))
        assert not set(groups[split.train]) & set(groups[split.test])


def test_groups_of_unequal_size_still_give_seven_to_three_and_even_classes():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), rng.integers(1, 12, 40))
    labels = rng.integers(0, 2, 40)[groups]  # One class per group, as for patients.
    for split in ten_splits(labels, groups=[f"p{g}" for g in groups]):
        assert abs(len(split.train) / len(groups) - 0.7) < 0.03
        for c in (0, 1):
            share = (labels[split.train] == c).sum() / (labels == c).sum()
            assert abs(share - 0.7) < 0.1


def test_groups_too_are_seeded_and_differ():
    labels, groups = np.zeros(60, int), np.arange(60) // 3
    splits = ten_splits(labels, groups=groups)
    assert len({tuple(train) for train, _ in pairs(splits)}) == 10
    assert pairs(splits) == pairs(ten_splits(labels, groups=groups))


def test_the_global_generator_is_neither_read_nor_touched():
    np.random.seed(0)
    before = np.random.get_state()[1].tolist()
    first = pairs(ten_splits(np.repeat([0, 1], 10)))
    assert np.random.get_state()[1].tolist() == before
    np.random.seed(1)
    assert pairs(ten_splits(np.repeat([0, 1], 10))) == first


REFUSED = {
    "nothing": ({}, "need labels or candidates"),
    "share of 1": ({"labels": [0, 1], "train_share": 1}, "between 0 and 1; got 1"),
    "share of 0": ({"labels": [0, 1], "train_share": 0.0}, "between 0 and 1"),
    "NaN": ({"labels": [0, 1], "train_share": float("nan")}, "between 0 and 1"),
    "one bag": ({"labels": [0]}, "split 0 needs at least one training and one test"),
    "2-D labels": ({"labels": [[0, 1]]}, "labels must be a flat list"),
    "one group": ({"labels": [0, 1], "groups": ["a", "a"]}, "belong to one group"),
    "too few groups": ({"labels": [0, 1], "groups": [0]}, "must have 2 entries; got 1"),
    "seed": ({"labels": [0, 1], "seed": -1}, "seed must be an integer >= 0; got -1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_arguments_are_refused(case):
    arguments, text = REFUSED[case]
    with pytest.raises(MiplError, match=text):
        ten_splits(**arguments)


# -- the user's own -------------------------------------------------------------------


def test_own_splits_are_kept_in_their_order_and_need_not_name_every_bag():
    own = [([3, 0], [1]), (np.array([2], np.uint16), (4,)), Split([1], [0])]
    splits = as_splits(own, 5)
    assert pairs(splits) == [([3, 0], [1]), ([2], [4]), ([1], [0])]
    assert all(s.train.dtype == np.int64 for s in splits)


def test_own_splits_are_frozen_and_not_the_callers():
    train = np.array([0, 1])
    (split,) = as_splits([(train, [2])], 3)
    train[:] = 2
    assert split.train.tolist() == [0, 1] and not split.train.flags.writeable


BAD_OWN = {
    "outside": (([0, 5], [1]), "split 0 names bag 5; bags are numbered 0 to 4"),
    "negative": (([0], [-1]), "split 0 names bag -1"),
    "in both": (([0, 1], [1]), "split 0 names bag 1 twice"),
    "twice": (([0, 0], [1]), "split 0 names bag 0 twice"),
    "no training bag": (([], [1]), "at least one training and one test bag"),
    "no test bag": (([1], []), "at least one training and one test bag"),
    "floats": (([0.0], [1]), "must be lists of bag numbers; got float64"),
    "mask": (([True, False], [1]), "must be lists of bag numbers; got bool"),
    "2-D": (([[0]], [1]), "must be lists of bag numbers"),
    "text": (("01", [2]), "must be lists of bag numbers"),
    "not a pair": ([0, 1, 2], "must be a pair of lists"),
    "a number": (7, "must be a pair of lists"),
}


@pytest.mark.parametrize("case", BAD_OWN)
def test_bad_own_splits_are_named(case):
    split, text = BAD_OWN[case]
    with pytest.raises(MiplError, match=text):
        as_splits([split], 5)


def times_tested(folds, n_bags):
    """Return how often each bag is in the test part of a fold, each fold checked."""
    for fold in folds:
        assert_divides(fold, n_bags)
    return np.bincount(np.concatenate([fold.test for fold in folds])).tolist()


def test_every_bag_is_tested_in_one_fold_by_class_where_labels_are_known():
    labels = np.repeat(["x", "y"], [30, 20])
    folds = cross_validation(Candidates(labels), 10, seed=3)
    assert len(folds) == 10 and times_tested(folds, 50) == [1] * 50
    for fold in folds:
        found = np.unique(labels[fold.test], return_counts=True)[1]
        assert found.tolist() == [3, 2]
    assert pairs(folds) == pairs(cross_validation(Candidates(labels), 10, seed=3))
    assert pairs(folds) != pairs(cross_validation(Candidates(labels), 10, seed=4))


def test_sets_of_several_are_dealt_out_by_lot_alone():
    sets = Candidates([["x", "y"]] * 3 + [["x"]] * 22)
    folds = cross_validation(sets, 5, seed=0)
    assert times_tested(folds, 25) == [1] * 25
    # The same lots whatever the sets are: nothing was stratified on.
    others = Candidates([["x"]] * 22 + [["x", "y"]] * 3)
    assert pairs(folds) == pairs(cross_validation(others, 5, seed=0))


@pytest.mark.parametrize("n_folds", [1, 4, 2.0, True, "3", None])
def test_a_wrong_number_of_folds_is_told(n_folds):
    sets = Candidates(np.repeat(["x", "y"], [30, 3]))
    with pytest.raises(MiplError, match="from 2 to the 3 bags of the smallest class"):
        cross_validation(sets, n_folds)
    with pytest.raises(MiplError, match="from 2 to the 9 bags; got 10"):
        cross_validation(Candidates([["x", "y"]] * 9), 10)
