"""Dataset: what belongs together stays together."""

import dataclasses
import pickle

import numpy as np
import pytest

from mipl import Bags, Candidates, Dataset, MiplError

M = 30


def made(**others):
    rng = np.random.default_rng(0)
    labels = np.arange(M) % 3
    sets = [{"abc"[y], "abc"[(y + 1) % 3]} for y in labels]
    fields = {
        "bags": Bags(
            [np.full((1 + i % 3, 2), i) for i in range(M)], bag_ids=np.arange(M)
        ),
        "candidates": Candidates(sets),
        "labels": np.array(list("abc"))[labels],
        "groups": rng.integers(0, 6, M),
        "name": "toy",
        "facts": {"r": 1},
    }
    return Dataset(**fields | others)


def test_what_builds_the_parts_may_be_given():
    data = Dataset([np.ones((2, 2)), np.ones((1, 2))], [{0, 1}, {1}], labels=[0, 1])
    assert isinstance(data.bags, Bags) and isinstance(data.candidates, Candidates)
    assert len(data) == 2 and data.classes.tolist() == [0, 1]
    assert data.licence == data.source == "not stated"


def test_labels_take_the_names_and_the_type_of_the_classes():
    data = Dataset(np.ones((2, 2)), Candidates([{"1", "2"}, {"2"}]), labels=[1, 2])
    assert data.labels.tolist() == ["1", "2"]
    objects = np.array(["2", "1"], dtype=object)
    data = Dataset(np.ones((2, 2)), Candidates([{"1", "2"}, {"1"}]), labels=objects)
    assert data.labels.dtype.kind == "U"


REFUSED = {
    "too few sets": ({"candidates": [{0}]}, "30 bags and 1 candidate sets"),
    "too few labels": ({"labels": ["a"]}, "labels must have 30 entries; got 1"),
    "unknown label": ({"labels": ["z"] * M}, "label 'z' of bag 0 is not among"),
    "2-D labels": ({"labels": [["a"]] * M}, "labels must be a flat list"),
    "too few groups": ({"groups": [1, 2]}, "groups must have 30 entries; got 2"),
    "2-D groups": ({"groups": np.zeros((M, 2))}, "groups must be a flat list"),
    "no bags": ({"bags": []}, "there are no bags"),
    "overlap": ({"splits": {"x": [([0, 1], [1, 2])]}}, "'x', fold 0 names bag 1 twi"),
    "outside": ({"splits": {"x": [([0], [1]), ([0], [M])]}}, "fold 1 names bag 30"),
    "not a pair": ({"splits": {"x": [[0, 1, 2]]}}, "fold 0 must be a pair"),
    "no folds": ({"splits": {"x": []}}, "must hold at least one fold"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_together_is_refused(case):
    fields, text = REFUSED[case]
    with pytest.raises(MiplError, match=text):
        made(**fields)


KEYS = [3, -1, slice(2, 9), slice(None, None, -3), [4, 0, 4], np.arange(M) % 2 == 0, []]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_an_index_takes_every_part_along(key):
    data = made(splits={"default": [([0, 1], [2, 3])]})
    numbers = np.atleast_1d(np.arange(M)[key])
    part = data[key]
    assert len(part) == len(numbers)
    assert part.bags.bag_ids.tolist() == numbers.tolist()
    assert part.candidates.matrix.tolist() == data.candidates.matrix[numbers].tolist()
    assert part.labels.tolist() == data.labels[numbers].tolist()
    assert part.groups.tolist() == data.groups[numbers].tolist()
    assert part.classes.tolist() == list("abc") and part.name == "toy"
    assert part.facts == {"r": 1} and not part.splits


def test_a_run_of_bags_is_not_copied():
    data = made()
    for key in (slice(2, 9), np.arange(2, 9), [2, 3, 4]):
        assert np.shares_memory(data[key].bags.instances, data.bags.instances)


def test_split_makes_ten_folds_that_keep_groups_whole():
    data = made()
    for fold in range(10):
        train, test = data.split(fold)
        assert len(train) + len(test) == M
        assert not set(train.groups) & set(test.groups)
    assert len(data.folds()) == 10
    with pytest.raises(MiplError, match="fold must be 0 to 9; got 10"):
        data.split(10)
    with pytest.raises(MiplError, match="fold must be 0 to 9; got 'a'"):
        data.split("a")


def test_split_without_groups_is_stratified_and_seeded():
    data = made(groups=None)
    train, test = data.split(0)
    assert np.unique(train.labels, return_counts=True)[1].tolist() == [7, 7, 7]
    assert np.unique(test.labels, return_counts=True)[1].tolist() == [3, 3, 3]
    again, _ = made(groups=None).split(0)
    other, _ = data.split(0, seed=1)
    assert train.bags.bag_ids.tolist() == again.bags.bag_ids.tolist()
    assert train.bags.bag_ids.tolist() != other.bags.bag_ids.tolist()


def test_without_labels_candidate_sets_are_stratified():
    train, _ = made(groups=None, labels=None).split(0)
    sizes = np.unique(train.candidates.matrix, axis=0, return_counts=True)[1]
    assert sizes.tolist() == [7, 7, 7]


def test_stored_splits_are_used_as_they_are():
    default, own = [([5, 0], [2])], [([0], [1]), (np.array([2], np.uint16), [3, 4])]
    data = made(splits={"default": default, "own": own})
    train, test = data.split(0)
    assert train.bags.bag_ids.tolist() == [5, 0] and test.bags.bag_ids.tolist() == [2]
    assert data.split(1, "own")[1].bags.bag_ids.tolist() == [3, 4]
    assert len(data.folds("own")) == 2
    with pytest.raises(
        MiplError, match="unknown split name 'own1'; did you mean 'own'"
    ):
        data.split(0, "own1")


def test_nothing_can_be_changed():
    data = made(splits={"default": [([0], [1])]})
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.labels = None
    for array in (data.labels, data.groups, data.splits["default"][0].train):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1] if len(array) > 1 else 1
    for mapping in (data.splits, data.facts):
        with pytest.raises(TypeError):
            mapping["x"] = 1


def test_a_data_set_survives_pickling_in_memory():
    data = made(splits={"default": [([0], [1])]}, licence="CC0", source="here")
    again = pickle.loads(pickle.dumps(data))
    assert again.bags.digest() == data.bags.digest()
    assert again.labels.tolist() == data.labels.tolist()
    assert again.splits["default"][0].test.tolist() == [1]
    assert (again.name, again.licence, again.source) == ("toy", "CC0", "here")
    assert repr(again) == repr(data) and "30 bags" in repr(data)


def test_a_fold_is_what_split_uses() -> None:
    data = Dataset(np.zeros((10, 2, 3)), [{0, 1}] * 10)
    for fold in range(10):
        one, (train, test) = data.fold(fold), data.split(fold)
        assert len(train) == len(one.train) and len(test) == len(one.test)
        assert sorted([*one.train, *one.test]) == list(range(10))
    with pytest.raises(MiplError, match="fold must be 0 to 9; got 10"):
        data.fold(10)
