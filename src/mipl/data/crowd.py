"""Crowd annotations: votes of several annotators per bag -> candidate sets."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.candidates import Candidates
from mipl.data.frozen import Array
from mipl.errors import MiplError, counted

Rule = str | int

_CRC_WORKERS = 3
_CRC_AGREEMENT = 2


@dataclass(frozen=True, eq=False)
class Votes:
    """One row per vote: annotator ``a`` gave bag ``b`` the class in column ``c``.

    Parameters
    ----------
    bag, annotator, column : (v,) integers from 0
        A vote that is repeated adds its weight, and counts as one annotator.
    weight : (v,) numbers >= 0, optional
        How sure the annotator was (a probability, a count), 1 by default; a vote of
        weight 0 is no vote.
    classes : (k,) class names
    n_bags : int, optional
        Number of bags, where the last ones might have no votes.

    Examples
    --------
    >>> votes = Votes(bag=[0, 0, 0], annotator=[0, 1, 2], column=[1, 1, 0],
    ...               classes=["elm", "oak"])
    >>> union(votes).weights.round(2).tolist()
    [[0.33, 0.67]]
    """

    bag: Array
    annotator: Array
    column: Array
    classes: Any
    weight: Any = None
    n_bags: int | None = None

    def __post_init__(self) -> None:
        columns = {
            name: _numbers(name, getattr(self, name))
            for name in ("bag", "annotator", "column")
        }
        v = len(columns["bag"])
        weight = np.ones(v) if self.weight is None else np.asarray(self.weight)
        lengths = {len(values) for values in columns.values()} | {len(weight)}
        if lengths != {v}:
            raise MiplError("bag, annotator, column and weight must be equally long.")
        if weight.dtype.kind not in "biuf" or not np.isfinite(weight).all():
            raise MiplError("the weights of votes must be finite numbers >= 0.")
        if (weight < 0).any():
            raise MiplError(f"the weight of a vote must be >= 0; got {weight.min()}.")
        # The classes are checked where all class lists are.
        all_of_them = np.ones((1, len(self.classes)), bool)
        names = Candidates.from_parts(all_of_them, self.classes).classes
        if v and columns["column"].max() >= len(names):
            raise MiplError(
                f"a vote names class column {columns['column'].max()}; "
                f"they are 0 to {len(names) - 1}."
            )
        n_bags = int(columns["bag"].max()) + 1 if v else 0
        if self.n_bags is not None and self.n_bags < n_bags:
            raise MiplError(f"a vote names bag {n_bags - 1} of {self.n_bags} bags.")
        given = weight > 0
        for name, values in columns.items():
            object.__setattr__(self, name, values[given])
        object.__setattr__(self, "weight", weight[given].astype(np.float64))
        object.__setattr__(self, "classes", names)
        object.__setattr__(self, "n_bags", self.n_bags or n_bags)

    def of(self, bags: npt.NDArray[np.int64]) -> "Votes":
        """Return the votes on some bags, which are numbered anew in their order.

        Examples
        --------
        >>> votes = Votes([0, 1, 2], [0, 0, 0], [1, 0, 1], classes=["elm", "oak"])
        >>> votes.of(np.array([2, 1])).bag.tolist()
        [1, 0]
        """
        place = np.full(int(self.n_bags or 0), -1)
        place[bags] = np.arange(len(bags))
        there = place[self.bag] >= 0
        return Votes(
            place[self.bag[there]],
            self.annotator[there],
            self.column[there],
            self.classes,
            self.weight[there],
            len(bags),
        )


def union(votes: Votes) -> Candidates:
    """Take every label that anyone gave; the summed votes become the weights.

    Examples
    --------
    >>> votes = Votes([0, 0, 1], [0, 1, 0], [0, 1, 1], classes=["a", "b"])
    >>> [sorted(s) for s in union(votes)]
    [['a', 'b'], ['b']]
    """
    _refuse(votes, "union")
    return _weighted(_totals(votes) > 0, votes)


def at_least(votes: Votes, t: int) -> Candidates:
    """Take every label that at least ``t`` annotators gave.

    Examples
    --------
    >>> votes = Votes([0, 0, 0], [0, 1, 2], [0, 0, 1], classes=["a", "b"])
    >>> [sorted(s) for s in at_least(votes, 2)]
    [['a']]
    """
    if isinstance(t, bool) or not isinstance(t, (int, np.integer)) or t < 1:
        raise MiplError(f"t must be a whole number of annotators >= 1; got {t!r}.")
    _refuse(votes, t)
    return _weighted(_annotators(votes) >= t, votes)


def crc(votes: Votes) -> Candidates:
    """Join three annotators' weighted label sets by the rule of CRC-MIPL.

    A bag gets the labels present in at least two of its three sets; where that leaves
    none or one, each annotator's most probable label instead (of equal ones the first
    in the order of the classes).

    Examples
    --------
    >>> votes = Votes([0, 0, 0, 0], [0, 1, 1, 2], [0, 0, 1, 2],
    ...               weight=[1.0, 0.4, 0.6, 1.0], classes=["a", "b", "c"])
    >>> [sorted(s) for s in crc(votes)]
    [['a', 'b', 'c']]
    """
    _refuse(votes, "crc")
    n_bags, n_classes = _shape(votes)
    pairs, row = np.unique(_heard(votes), axis=1, return_inverse=True)
    sure = np.zeros((pairs.shape[1], n_classes))  # one row per bag and annotator
    np.add.at(sure, (row.ravel(), votes.column), votes.weight)
    firsts = np.zeros((n_bags, n_classes), dtype=bool)
    firsts[pairs[0], sure.argmax(axis=1)] = True
    agreed = _annotators(votes) >= _CRC_AGREEMENT
    several = agreed.sum(axis=1, keepdims=True) > 1
    return _weighted(np.where(several, agreed, firsts), votes)


def without_set(votes: Votes, rule: Rule) -> dict[int, str]:
    """Return the bags of which a rule makes no set: what there is of their votes.

    Parameters
    ----------
    votes : Votes
    rule : "union", "crc" or int
        The name of the rule, or a number of annotators.

    Examples
    --------
    >>> votes = Votes([0, 0, 2], [0, 1, 0], [1, 1, 0], classes=["elm", "oak"])
    >>> without_set(votes, "union")
    {1: 'no votes'}
    >>> without_set(votes, 2)
    {1: 'no label with at least 2 annotators', 2: 'no label with at least 2 annotators'}
    """
    if rule == "crc":
        pairs = np.unique(_heard(votes), axis=1)
        workers = np.bincount(pairs[0], minlength=_shape(votes)[0])
        return {
            int(bag): f"{counted(int(workers[bag]), 'annotator')} where the CRC rule "
            f"needs {_CRC_WORKERS}"
            for bag in np.flatnonzero(workers != _CRC_WORKERS)
        }
    least = 1 if rule == "union" else int(rule)
    none = ~(_annotators(votes) >= least).any(axis=1)
    told = "votes" if least == 1 else f"label with at least {least} annotators"
    return {int(bag): f"no {told}" for bag in np.flatnonzero(none)}


def _refuse(votes: Votes, rule: Rule) -> None:
    """Refuse votes of which a rule cannot make a set for every bag."""
    lacking = without_set(votes, rule)
    if not lacking:
        return
    bag, what = next(iter(lacking.items()))
    more = f", as have {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
    remedy = (
        "drop it" if rule == "union" else "drop it, or make the sets by another rule"
    )
    raise MiplError(f"bag {bag} has {what}{more}: {remedy}.")


def _heard(votes: Votes) -> npt.NDArray[np.int64]:
    return np.stack([votes.bag, votes.annotator])  # (2, v)


def _shape(votes: Votes) -> tuple[int, int]:
    return int(votes.n_bags or 0), len(votes.classes)


def _totals(votes: Votes) -> npt.NDArray[np.float64]:
    total = np.zeros(_shape(votes))  # (m, k)
    np.add.at(total, (votes.bag, votes.column), votes.weight)
    return total


def _annotators(votes: Votes) -> npt.NDArray[np.int64]:
    """Count for each bag and class the different annotators who gave it."""
    triples = np.unique(np.stack([votes.bag, votes.column, votes.annotator]), axis=1)
    count = np.zeros(_shape(votes), dtype=np.int64)  # (m, k)
    np.add.at(count, (triples[0], triples[1]), 1)
    return count


def _weighted(chosen: Array, votes: Votes) -> Candidates:
    if len(votes.classes) == 1:  # One column of votes would be read as labels.
        return Candidates.from_parts(chosen, votes.classes)
    return Candidates(np.where(chosen, _totals(votes), 0.0), votes.classes)


def _numbers(name: str, values: Any) -> npt.NDArray[np.int64]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise MiplError(f"{name} of votes must be a 1-D array of whole numbers.")
    if len(array) and array.min() < 0:
        raise MiplError(f"{name} of votes must be >= 0; got {array.min()}.")
    return array.astype(np.int64)
