"""Folds for cross-validation where only candidate sets are known."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import BaseCrossValidator

from mipl.data.candidates import Candidates
from mipl.errors import MiplError
from mipl.seeds import as_seed, stream

Numbers = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.bool_]


class CandidateStratifiedKFold(BaseCrossValidator):  # type: ignore[misc]
    """Folds in which every class is a candidate of nearly equally many bags.

    What ``StratifiedKFold`` is for labels, without any true one; use it wherever
    scikit-learn takes ``cv=``. The sizes of the folds differ by one at most, and so do
    the numbers of each class where all bags have one candidate.

    Bags are dealt out class by class, that of the fewest bags left first, each to the
    fold that lacks this class most; then what counts is which fold lacks this very
    candidate set, and all its classes. (Sechidis, Tsoumakas, Vlahavas: On the
    stratification of multi-label data. ECML PKDD 2011.)

    Parameters
    ----------
    n_splits : int
        Number of folds, 2 or more.
    shuffle : bool
        Whether bags are put in random order first; otherwise the folds depend on the
        order in which bags are given.
    random_state : int, optional
        Of that order.

    Examples
    --------
    >>> sets = [{"ash", "elm"}, {"ash", "oak"}, {"elm"}, {"oak"}] * 3
    >>> for train, test in CandidateStratifiedKFold(3).split(sets, sets):
    ...     print(test, [sum(name in sets[i] for i in test) for name in ("ash", "elm")])
    [0 2 3 5] [2, 2]
    [1 6 7 8] [2, 2]
    [ 4  9 10 11] [2, 2]
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None
    ) -> None:
        whole = isinstance(n_splits, Integral) and not isinstance(n_splits, bool)
        if not whole or n_splits < 2:
            raise MiplError(f"n_splits must be an integer >= 2; got {n_splits!r}.")
        if not isinstance(shuffle, bool):
            raise MiplError(f"shuffle must be True or False; got {shuffle!r}.")
        if random_state is not None and not shuffle:
            raise MiplError(
                "random_state has no effect without shuffle=True; give both or neither."
            )
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def _iter_test_indices(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[Numbers]:
        if y is None:
            raise MiplError(
                "CandidateStratifiedKFold needs the candidate sets: split(X, y)."
            )
        if groups is not None:
            raise MiplError(
                "CandidateStratifiedKFold does not keep groups together; take "
                "scikit-learn's GroupKFold, or leave groups out."
            )
        sets = Candidates(y).matrix
        if len(sets) < self.n_splits:
            raise MiplError(
                f"{len(sets)} bags cannot make {self.n_splits} folds; "
                "give fewer n_splits."
            )
        order = np.arange(len(sets))
        if self.shuffle:
            order = stream(as_seed(self.random_state), "folds").permutation(len(sets))
        fold = np.empty(len(sets), dtype=np.int64)
        fold[order] = _dealt(sets[order], self.n_splits)
        return (np.flatnonzero(fold == number) for number in range(self.n_splits))


def _dealt(sets: Matrix, n_folds: int) -> Numbers:
    """Return the fold of each bag."""
    _, kind, counts = np.unique(sets, axis=0, return_inverse=True, return_counts=True)
    kind = kind.ravel()  # (m,) numbers of the distinct sets
    lacking = np.tile(sets.sum(axis=0) / n_folds, (n_folds, 1))  # (folds, k)
    alike = np.tile(counts / n_folds, (n_folds, 1))  # (folds, distinct sets)
    fold = np.full(len(sets), -1, dtype=np.int64)
    room = _Room(len(sets), n_folds)
    while (fold < 0).any():
        left = (sets & (fold < 0)[:, None]).sum(axis=0)
        rarest = int(np.where(left > 0, left, len(sets) + 1).argmin())
        for bag in np.flatnonzero(sets[:, rarest] & (fold < 0)):
            own, same = sets[bag], kind[bag]
            lack = lacking[:, own].sum(axis=1)
            chosen = room.take([lacking[:, rarest], alike[:, same], lack])
            lacking[chosen, own] -= 1
            alike[chosen, same] -= 1
            fold[bag] = chosen
    return fold


class _Room:
    """What is free in folds whose sizes may differ by one at the end."""

    def __init__(self, n_bags: int, n_folds: int) -> None:
        self.size, self.larger = divmod(n_bags, n_folds)
        self.taken = np.zeros(n_folds, dtype=np.int64)

    def take(self, wishes: list[npt.NDArray[np.float64]]) -> int:
        """Put a bag into the fold of the largest wishes, the first weighing most."""
        free = self.taken < self.size + (self.larger > 0)
        # Rounded, so that equal shares are equal; of equal folds the first is taken.
        columns = [free, *wishes, -self.taken]
        keys: list[list[float]] = np.stack(columns, axis=1).round(9).tolist()
        chosen = keys.index(max(keys))
        self.taken[chosen] += 1
        self.larger -= int(self.taken[chosen] > self.size)
        return chosen
