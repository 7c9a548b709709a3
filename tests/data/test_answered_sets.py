"""Data sets in which somebody has answered."""

import numpy as np
import pytest

from mipl import Candidates, Dataset, MiplError, load_dataset
from mipl.data.answered_sets import answered_by_truth, with_sets


def votes():
    y = Candidates(np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]] * 4))
    return Dataset(np.arange(24.0).reshape(12, 2), y, groups=["a", "b", "c"] * 4)


def test_only_named_bags_change_and_their_weights_are_even():
    before = votes()
    after = with_sets(before, {1: [0, 2], 5: [1]})
    others = [bag for bag in range(12) if bag not in (1, 5)]
    same = before.candidates.matrix[others] == after.candidates.matrix[others]
    assert same.all()
    assert (before.candidates.weights[others] == after.candidates.weights[others]).all()
    assert after.candidates.weights[[1, 5]].tolist() == [[0.5, 0, 0.5], [0, 1, 0]]
    assert after.bags is before.bags


def test_splits_that_are_made_of_the_sets_stay():
    before = votes()
    after = with_sets(before, {bag: [0] for bag in range(6)})
    for one, two in zip(before.folds(), after.folds(), strict=True):
        assert one.train.tolist() == two.train.tolist()
        assert one.test.tolist() == two.test.tolist()


@pytest.mark.parametrize("sets", [{12: [0]}, {-1: [0]}, {0: []}, {0: [7]}])
def test_what_is_no_answer_is_refused(sets):
    with pytest.raises(MiplError):
        with_sets(votes(), sets)


def test_the_truth_answers_by_an_option_of_the_catalogue():
    plain = load_dataset("synthetic", r=2, n_bags=50)
    told = load_dataset("synthetic", r=2, n_bags=50, answered=[3, 17])
    assert told.candidates.sizes[[3, 17]].tolist() == [1, 1]
    assert told.candidates.contains(told.labels).all()
    rest = np.setdiff1d(np.arange(50), [3, 17])
    assert (told.candidates.matrix[rest] == plain.candidates.matrix[rest]).all()
    assert told.bags.digest() == plain.bags.digest()
    assert (told.fold(2).test == plain.fold(2).test).all()


@pytest.mark.parametrize("answered", [[50], [1, 1], [0.5], ["a"]])
def test_wrong_numbers_of_bags_are_refused(answered):
    with pytest.raises(MiplError, match="answered must list different bags"):
        load_dataset("synthetic", n_bags=50, answered=answered)


def test_without_truth_nobody_answers():
    with pytest.raises(MiplError, match="no true labels"):
        answered_by_truth(votes(), [0])
