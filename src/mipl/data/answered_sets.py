"""Data sets in which somebody has answered which labels a bag may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.splits import DEFAULT_SPLITS
from mipl.errors import MiplError


def with_sets(data: Dataset, sets: Mapping[int, Iterable[Any]]) -> Dataset:
    """Return a data set with other candidate sets of some bags, and the same splits.

    Splits that are not stored are made from the candidate sets where no true label is
    known: they are kept as they were before, so that test bags stay test bags. Starting
    weights of an answered bag are even.

    Parameters
    ----------
    data : Dataset
    sets : mapping of int to class names
        The new candidates of bags, by the numbers of these.

    Examples
    --------
    >>> data = Dataset(np.zeros((10, 1)), [{"oak", "elm"}] * 9 + [{"fir"}])
    >>> told = with_sets(data, {2: ["elm"]})
    >>> [sorted(one) for one in told.candidates[1:4]]
    [['elm', 'oak'], ['elm'], ['elm', 'oak']]
    >>> (told.fold(0).test == data.fold(0).test).all()
    np.True_
    """
    matrix = data.candidates.matrix.copy()
    weights = data.candidates.weights
    weights = None if weights is None else weights.copy()
    for bag, names in sets.items():
        if not 0 <= bag < len(data):
            raise MiplError(
                f"answers must name bags from 0 to {len(data) - 1}; got {bag}."
            )
        columns = data.candidates.encode(list(names))
        if not len(columns):
            raise MiplError(
                f"the set of {data.bags.name(bag)} must hold at least one class; it is "
                "empty: skip the bag instead."
            )
        matrix[bag] = False
        matrix[bag, columns] = True
        if weights is not None:
            weights[bag] = matrix[bag] / matrix[bag].sum()
    splits = dict(data.splits)
    if DEFAULT_SPLITS not in splits:
        with suppress(MiplError):  # Too few bags to be divided.
            splits[DEFAULT_SPLITS] = data.folds()
    new = Candidates.from_parts(matrix, data.classes, weights)
    return replace(data, candidates=new, splits=splits)


def answered_by_truth(data: Dataset, bags: Iterable[int]) -> Dataset:
    """Return a data set in which some bags, by number, have their true label alone.

    It is what a person who knows the truth would have made of it: studies of the order
    in which to ask are made with it.

    Examples
    --------
    >>> data = Dataset(np.zeros((3, 1)), [{0, 1}] * 3, labels=[1, 0, 0])
    >>> answered_by_truth(data, [0, 2]).candidates.sizes.tolist()
    [1, 2, 1]
    """
    told = [bag if isinstance(bag, int | np.integer) else -1 for bag in bags]
    if data.labels is None:
        raise MiplError("the truth cannot answer: the data have no true labels.")
    outside = [bag for bag in told if not 0 <= bag < len(data)]
    if outside or len(set(told)) < len(told):
        raise MiplError(
            f"answered must list different bags by numbers from 0 to {len(data) - 1}."
        )
    return with_sets(data, {int(bag): [data.labels[bag]] for bag in told})
