"""Train/test splits of bags: seeded, stratified, and aware of groups.

``ten_splits`` are those of the protocol, ``cross_validation`` the folds that studies of
the two neighbouring fields are made on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold, StratifiedKFold

from mipl.data.arrays import entries, texts
from mipl.data.frozen import Array, frozen
from mipl.data.label_sets import check_sets, read_sets
from mipl.errors import MiplError
from mipl.parameters.kinds import Integer
from mipl.seeds import stream

if TYPE_CHECKING:
    from mipl.data.candidates import Candidates

DEFAULT_SPLITS = "default"
_DEALS = 25  # Random orders of groups of which the most even one is kept.


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

    def among(self, which: npt.NDArray[np.int64], n_bags: int) -> Split:
        """Return what this split of ``n_bags`` is of some of them, numbered anew.

        Examples
        --------
        >>> Split(np.array([0, 2]), np.array([1, 3])).among(np.array([2, 3]), 4)
        Split(train=array([0]), test=array([1]))
        """
        place = np.full(n_bags, -1)
        place[which] = np.arange(len(which))
        train, test = (place[numbers] for numbers in (self.train, self.test))
        return Split(train[train >= 0], test[test >= 0])


def ten_splits(
    labels: Any = None,
    candidates: Any = None,
    groups: Any = None,
    *,
    n_splits: int = 10,
    train_share: float = 0.7,
    seed: int = 0,
) -> tuple[Split, ...]:
    """Return the seeded 7:3 splits of the protocol.

    Each class gives the same share of its bags to training, where the true labels are
    known; otherwise each distinct candidate set does. With groups, whole groups go to
    one side, and the shares are as even as the groups allow.

    Examples
    --------
    >>> splits = ten_splits(np.repeat([0, 1], 10))
    >>> len(splits), len(splits[0].train), len(splits[0].test)
    (10, 14, 6)
    """
    Integer(at_least=1).check("n_splits", n_splits)
    if labels is None and candidates is None:
        raise MiplError("splits need labels or candidates to be stratified on.")
    if not 0 < train_share < 1:
        raise MiplError(f"train_share must lie between 0 and 1; got {train_share}.")
    strata = _strata(labels, candidates)
    if groups is not None:
        groups = _groups(groups, len(strata))
    splits = []
    for fold in range(n_splits):
        rng = stream(seed, "split", fold)
        if groups is None:
            in_train = _stratified(strata, train_share, rng)
        else:
            in_train = _whole_groups(strata, groups, train_share, rng)
        split = Split(np.flatnonzero(in_train), np.flatnonzero(~in_train))
        splits.append(split.checked(len(strata), f"split {fold}"))
    return tuple(splits)


def cross_validation(
    candidates: Candidates, n_folds: int = 10, seed: int = 0
) -> tuple[Split, ...]:
    """Return folds each of which is the test part once, in shuffled order.

    Stratified by the labels where every set has one, as multi-instance studies are;
    sets of several tell no class to stratify on, and partial-label studies do not.

    Examples
    --------
    >>> from mipl.data.candidates import Candidates
    >>> folds = cross_validation(Candidates(np.repeat(["a", "b"], 10)), n_folds=5)
    >>> len(folds), len(folds[0].train), len(folds[0].test)
    (5, 16, 4)
    """
    known = bool((candidates.sizes == 1).all())
    counts = candidates.matrix.sum(axis=0) if known else np.array([len(candidates)])
    most = int(counts[counts > 0].min())
    whole = isinstance(n_folds, int | np.integer) and not isinstance(n_folds, bool)
    if not whole or not 2 <= n_folds <= most:
        what = "bags of the smallest class" if known else "bags"
        raise MiplError(
            f"folds must be a whole number from 2 to the {most} {what}; got "
            f"{n_folds!r}."
        )
    kind = StratifiedKFold if known else KFold
    folds = kind(int(n_folds), shuffle=True, random_state=seed)
    strata = candidates.matrix.argmax(axis=1)
    return as_splits(list(folds.split(strata, strata)), len(strata), "fold")


def _strata(labels: Any, candidates: Any) -> npt.NDArray[np.int64]:
    """Number the classes, or the distinct candidate sets, of the bags."""
    if labels is None:
        matrix = getattr(candidates, "matrix", None)
        if matrix is None:
            matrix, *_ = read_sets(candidates, None)
            check_sets(matrix)
        return np.unique(matrix, axis=0, return_inverse=True)[1].ravel()
    return np.unique(texts("labels", labels), return_inverse=True)[1]


def _groups(groups: Any, n_bags: int) -> npt.NDArray[np.int64]:
    names = np.asarray(entries("groups", groups, n_bags))
    numbers = np.unique(names, return_inverse=True)[1]
    if numbers.max() == 0:
        raise MiplError(
            "all bags belong to one group; a group-aware split needs at least two."
        )
    return numbers


def _n_train(n_bags: int, share: float) -> int:
    """Round to the nearest, and leave at least one bag on each side."""
    return min(max(int(n_bags * share + 0.5), 1), n_bags - 1)


def _stratified(strata: Array, share: float, rng: np.random.Generator) -> Array:
    """Give each stratum its share of training bags, and the whole its exact number.

    A stratum's share is rounded down; the bags still missing go to the strata that
    lost most by it, ties by lot, so that strata of one bag (rare candidate sets) are
    divided among themselves.
    """
    sizes = np.bincount(strata)
    exact = np.round(sizes * share, 9)  # 0.7 times 70 is a little less than 49.
    quota = np.floor(exact)
    missing = _n_train(len(strata), share) - int(quota.sum())
    by_loss = np.lexsort((rng.random(len(sizes)), quota - exact))
    quota[by_loss[:missing]] += 1
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    rank = np.arange(len(order)) - np.searchsorted(strata[order], strata[order])
    in_train = np.zeros(len(strata), dtype=bool)
    in_train[order[rank < quota[strata[order]]]] = True
    return in_train


def _whole_groups(
    strata: Array, groups: Array, share: float, rng: np.random.Generator
) -> Array:
    """Deal out whole groups in random order; of several deals keep the most even."""
    wanted = np.bincount(strata) * share
    sizes = np.bincount(groups)
    deals = []
    for _ in range(_DEALS):
        order = rng.permutation(len(sizes))
        dealt = np.cumsum(sizes[order])[:-1]
        last = int(np.argmin(np.abs(dealt - len(strata) * share)))
        in_train = np.isin(groups, order[: last + 1])
        given = np.bincount(strata[in_train], minlength=len(wanted))
        deals.append((float(np.abs(given - wanted).sum()), in_train))
    return min(deals, key=lambda deal: deal[0])[1]


def as_splits(
    splits: Sequence[Any], n_bags: int, name: str = "split"
) -> tuple[Split, ...]:
    """Check the user's own splits: pairs of training and test bag numbers."""
    checked = []
    for fold, pair in enumerate(splits):
        what = f"{name} {fold}"
        if not isinstance(pair, Split):
            if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
                raise MiplError(
                    f"{what} must be a pair of lists: training and test bag numbers."
                )
            pair = Split(*pair)
        checked.append(pair.checked(n_bags, what))
    if not checked:
        raise MiplError(f"{name} must hold at least one fold; got none.")
    return tuple(checked)


def _numbers(values: Any, name: str) -> npt.NDArray[np.int64]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise MiplError(
            f"{name} must be lists of bag numbers; got {array.dtype} {array.shape}."
        )
    return frozen(array, np.int64)
