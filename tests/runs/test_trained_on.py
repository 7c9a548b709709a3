from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipl import Bags, Dataset, MiplError, load_dataset, read_dataset, write_dataset
from mipl.runs.trained_on import TrainedOn, choose_bags, fingerprints


@pytest.fixture(scope="module")
def data():
    return load_dataset("synthetic", n_bags=30)


def test_the_same_bag_has_the_same_fingerprint_in_any_file(data, tmp_path) -> None:
    expected = fingerprints(data.bags)
    assert len(set(expected)) == 30
    for name in ("a.npz", "a.bags.h5", "a.csv"):
        write_dataset(data, tmp_path / name)
        assert fingerprints(read_dataset(tmp_path / name).bags) == expected


@given(st.permutations(range(5)))
def test_order_of_bags_does_not_matter_and_of_instances_does(order) -> None:
    bags = Bags([np.arange(6.0).reshape(3, 2) + 10 * i for i in range(5)])
    whole = np.array(fingerprints(bags))
    assert fingerprints(bags[list(order)]) == tuple(whole[list(order)])
    turned = Bags([bag[::-1] for bag in bags])
    assert not set(fingerprints(turned)) & set(whole)


@pytest.mark.parametrize("fold", range(10))
def test_a_model_is_judged_on_its_own_test_bags(data, fold) -> None:
    chosen = choose_bags(data, TrainedOn.of(data, fold))
    assert chosen.numbers.tolist() == data.folds()[fold].test.tolist()
    assert chosen.seen == 0


def test_a_fold_that_leaves_bags_out_keeps_them_out(data) -> None:
    own = Dataset(data.bags, data.candidates, splits={"default": [([0, 1], [2, 3])]})
    chosen = choose_bags(own, TrainedOn.of(own, 0))
    assert chosen.numbers.tolist() == [2, 3]


def test_what_is_asked_for_is_given_and_counted(data) -> None:
    trained = TrainedOn.of(data, 0)
    folds = data.folds()
    everything = choose_bags(data, trained, everything=True)
    assert (len(everything.numbers), everything.seen) == (30, len(folds[0].train))
    other = choose_bags(data, trained, fold=1)
    both = np.intersect1d(folds[0].train, folds[1].test)
    assert other.seen == len(both) > 0


def test_without_memory_nothing_is_known(data) -> None:
    assert choose_bags(data, None).seen == 0
    assert len(choose_bags(data, None, fold=3).numbers) == len(data.folds()[3].test)


def test_all_bags_trained_on_are_all_judged(data) -> None:
    chosen = choose_bags(data, TrainedOn.of(data, None))
    assert (len(chosen.numbers), chosen.seen) == (30, 30)


def test_unknown_folds_are_told(data) -> None:
    with pytest.raises(MiplError, match="fold must be 0 to 9; got 10"):
        TrainedOn.of(data, 10)


def test_what_made_the_bags_of_pictures_is_remembered(data) -> None:
    made = {"kind": "Row", "size": 8}
    assert TrainedOn.of(replace(data, facts={"generator": made}), 0).generator == made
    # A word in a file of one's own may mean anything.
    assert TrainedOn.of(replace(data, facts={"generator": "me"}), 0).generator is None
