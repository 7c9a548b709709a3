"""Train/test splits of bags: seeded, stratified, and aware of groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GroupShuffleSplit

from mipl.data.bags import Array
from mipl.data.candidates import Candidates
from mipl.errors import MiplError
from mipl.seeds import stream, stream_seed


@dataclass(frozen=True, eq=False)
class Split:
    """The numbers of the training bags and of the test bags of one fold."""

    train: npt.NDArray[np.int64]
    test: npt.NDArray[np.int64]

    def checked(self, n_bags: int, name: str = "the split") -> Split:
        """Return this split if it names each bag at most once and only real ones."""
        train, test = _numbers(self.train, name), _numbers(self.test, name)
        both = np.concatenate([train, test])
        outside = both[(both < 0) | (both >= n_bags)]
        if len(outside):
            raise MiplError(
                f"{name} names bag {outside[0]}; bags are numbered 0 to {n_bags - 1}."
            )
        values, counts = np.unique(both, return_counts=True)
        if (counts > 1).any():
            raise MiplError(
                f"{name} names bag {values[counts > 1][0]} twice; "
                "a bag is in training or in test, once."
            )
        if not len(train) or not len(test):
            raise MiplError(f"{name} needs at least one training and one test bag.")
        return Split(train, test)


def ten_splits(
    labels: Array | None = None,
    candidates: Candidates | None = None,
    groups: Array | None = None,
    *,
    n_splits: int = 10,
    train_share: float = 0.7,
    seed: int = 0,
) -> tuple[Split, ...]:
    """Return the seeded 7:3 splits of the protocol.

    Each class gives the same share of its bags to training, where the true labels are
    known; otherwise each distinct candidate set does. With groups, whole groups go to
    one side.

    Examples
    --------
    >>> splits = ten_splits(np.repeat([0, 1], 10))
    >>> len(splits), len(splits[0].train), len(splits[0].test)
    (10, 14, 6)
    """
    if labels is None and candidates is None:
        raise MiplError("splits need labels or candidates to be stratified on.")
    if not 0 < train_share < 1:
        raise MiplError(f"train_share must lie between 0 and 1; got {train_share}.")
    n_bags = len(labels) if labels is not None else len(candidates or ())
    if groups is not None:
        return _group_splits(np.asarray(groups), n_bags, n_splits, train_share, seed)
    strata = _strata(labels, candidates)
    return tuple(
        _stratified(strata, train_share, stream(seed, "split", fold)).checked(n_bags)
        for fold in range(n_splits)
    )


def _strata(labels: Array | None, candidates: Candidates | None) -> Array:
    if labels is not None:
        return np.unique(np.asarray(labels), return_inverse=True)[1]
    assert candidates is not None
    return np.unique(candidates.matrix, axis=0, return_inverse=True)[1].ravel()


def _stratified(strata: Array, share: float, rng: np.random.Generator) -> Split:
    """Shuffle inside each stratum, then deal out the training share of every one.

    Dealing along one sequence of all strata keeps the total right where strata are
    too small to be divided by themselves (rare candidate sets).
    """
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    place = np.arange(1, len(order) + 1)
    if (np.bincount(strata) * min(share, 1 - share) >= 1).all():
        first = np.searchsorted(strata[order], strata[order])
        size = np.bincount(strata)[strata[order]]
        quota = np.floor(size * share + 0.5)
        in_train = place - 1 - first < quota
    else:
        phase = rng.random()
        in_train = np.floor(place * share + phase) > np.floor(
            (place - 1) * share + phase
        )
    return Split(np.sort(order[in_train]), np.sort(order[~in_train]))


def _group_splits(
    groups: Array, n_bags: int, n_splits: int, share: float, seed: int
) -> tuple[Split, ...]:
    if len(groups) != n_bags:
        raise MiplError(f"groups has {len(groups)} entries for {n_bags} bags.")
    if len(np.unique(groups)) < 2:
        raise MiplError(
            "all bags belong to one group; a group-aware split needs at least two."
        )
    splits = []
    for fold in range(n_splits):
        splitter = GroupShuffleSplit(
            n_splits=1,
            train_size=share,
            random_state=stream_seed(seed, "group split", fold) % 2**32,
        )
        train, test = next(splitter.split(np.zeros((n_bags, 1)), groups=groups))
        splits.append(Split(np.sort(train), np.sort(test)).checked(n_bags))
    return tuple(splits)


def as_splits(splits: Sequence[Any], n_bags: int) -> tuple[Split, ...]:
    """Check the user's own splits: pairs of training and test bag numbers."""
    return tuple(
        (s if isinstance(s, Split) else Split(*s)).checked(n_bags, f"split {fold}")
        for fold, s in enumerate(splits)
    )


def _numbers(values: Any, name: str) -> npt.NDArray[np.int64]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise MiplError(
            f"{name} must be lists of bag numbers; got {array.dtype} {array.shape}."
        )
    return array.astype(np.int64)
