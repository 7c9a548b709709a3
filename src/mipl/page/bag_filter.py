"""Which bags of a data set are shown: by name, class, size, and what a model says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.dataset import Dataset
from mipl.page.workspace import shown

Numbers = npt.NDArray[np.int64]

#: What may be asked for, in words; the last two need a model.
KINDS = {
    "": "all bags",
    "unresolved": "unresolved: several candidates are left",
    "large": "large: the tenth with most instances",
    "disagrees": "the model disagrees with the candidates",
    "unsure": "the model is unsure among the candidates",
}
OF_A_MODEL = ("disagrees", "unsure")
_LARGE = 0.9
_SURE = 0.9  # Probability of one class from which a model is sure.


@dataclass(frozen=True)
class BagFilter:
    """What is asked for; it stands in the query of an address.

    Attributes
    ----------
    find : str
        Part of a bag's name.
    kind : str
        One of ``KINDS``.
    label : str
        A class that must be among the candidates.
    run : str
        Id of the run whose model is asked; "" for none.
    """

    find: str = ""
    kind: str = ""
    label: str = ""
    run: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> BagFilter:
        """Take it from the query of an address.

        Examples
        --------
        >>> BagFilter.of({"find": "a", "kind": "huge", "page": "3"})
        BagFilter(find='a', kind='', label='', run='')
        """
        kind = query.get("kind", "")
        told = {name: query.get(name, "") for name in ("find", "label", "run")}
        return cls(kind=kind if kind in KINDS else "", **told)

    def query(self) -> dict[str, str]:
        """Return it as it stands in an address."""
        return {"find": self.find, "kind": self.kind, "label": self.label}

    def needs_model(self) -> bool:
        """Tell whether a model must be asked."""
        return self.kind in OF_A_MODEL


def bag_name_of(data: Dataset, bag: int) -> str:
    """Return a bag's name as it is shown: its own, or its number."""
    ids = data.bags.bag_ids
    return f"bag {bag}" if ids is None else shown(ids[bag])


def chosen_bags(
    data: Dataset, wanted: BagFilter, p: npt.NDArray[Any] | None = None
) -> Numbers:
    """Return the numbers of the bags that are wanted, in their order.

    Parameters
    ----------
    p : (m, k), optional
        What the model says, in the columns of the data's classes.

    Examples
    --------
    >>> data = Dataset([[[0.0]], [[1.0]] * 3], [{"a", "b"}, {"b"}], name="x")
    >>> chosen_bags(data, BagFilter(kind="unresolved")).tolist()
    [0]
    >>> chosen_bags(data, BagFilter(label="b")).tolist()
    [0, 1]
    >>> chosen_bags(data, BagFilter(find="1")).tolist()
    [1]
    """
    keep = np.ones(len(data), dtype=bool)
    matrix = data.candidates.matrix  # (m, k)
    if wanted.find:
        keep &= _named(data, wanted.find)
    if wanted.label:
        columns = [str(name) == wanted.label for name in data.classes.tolist()]
        keep &= matrix[:, columns].any(axis=1)
    if wanted.kind == "unresolved":
        keep &= data.candidates.sizes > 1
    if wanted.kind == "large":
        keep &= data.bags.sizes >= np.quantile(data.bags.sizes, _LARGE)
    if wanted.needs_model():
        keep &= np.zeros(len(data), bool) if p is None else _told(wanted, matrix, p)
    return np.flatnonzero(keep)


def _named(data: Dataset, part: str) -> npt.NDArray[np.bool_]:
    ids = data.bags.bag_ids
    names = np.arange(len(data)).astype(str) if ids is None else np.asarray(ids, str)
    lower = np.char.lower(names)
    return np.asarray(np.char.find(lower, part.lower()) >= 0)


def _told(
    wanted: BagFilter, matrix: npt.NDArray[np.bool_], p: npt.NDArray[Any]
) -> npt.NDArray[np.bool_]:
    if wanted.kind == "disagrees":
        return np.asarray(~matrix[np.arange(len(p)), p.argmax(axis=1)])
    inside = np.where(matrix, p, 0.0)
    total = inside.sum(axis=1)
    share = inside.max(axis=1) / np.where(total > 0, total, 1.0)
    return np.asarray(share < _SURE)


def in_columns_of(
    data: Dataset, p: npt.NDArray[Any], classes: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """Return probabilities in the columns of the data's classes; unknown ones are 0.

    Examples
    --------
    >>> data = Dataset([[[0.0]]], [{"a", "b"}])
    >>> in_columns_of(data, np.array([[0.2, 0.8]]), np.array(["b", "c"])).tolist()
    [[0.0, 0.2]]
    """
    place = {str(name): column for column, name in enumerate(data.classes.tolist())}
    found = np.zeros((len(p), len(place)))
    for column, name in enumerate(classes.tolist()):
        if str(name) in place:
            found[:, place[str(name)]] = p[:, column]
    return found


def neighbours(numbers: Numbers, bag: int) -> tuple[int | None, int | None]:
    """Return the bags before and behind one, among those that are shown.

    Examples
    --------
    >>> neighbours(np.array([2, 5, 9]), 5), neighbours(np.array([2, 5]), 3)
    ((2, 9), (2, 5))
    """
    at = int(np.searchsorted(numbers, bag))
    before = int(numbers[at - 1]) if at > 0 else None
    behind = at + 1 if at < len(numbers) and numbers[at] == bag else at
    return before, int(numbers[behind]) if behind < len(numbers) else None
