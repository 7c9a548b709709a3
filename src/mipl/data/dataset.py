"""Dataset: bags, their candidate sets, and what is known about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from mipl.data.arrays import entries
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.features import Features
from mipl.data.frozen import Array
from mipl.data.indexing import Index, chosen
from mipl.data.splits import DEFAULT_SPLITS, Split, as_splits, ten_splits
from mipl.errors import MiplError, unknown


@dataclass(frozen=True, eq=False)
class Dataset:
    """Bags with candidate labels, frozen.

    Parameters
    ----------
    bags : Bags or what builds them
    candidates : Candidates or what builds them
    labels : (m,) class names, optional
        True labels, for evaluation only; they use the names in ``classes``.
    groups : (m,), optional
        What must not be torn apart by a split: patient, site, recorder.
    splits : mapping of name to a sequence of (train, test) bag numbers, optional
        Without any, ``split`` makes ten seeded 7:3 splits.
    name, licence, source : str
    facts : mapping of str to JSON values
        How the data came to be: candidate generator, seed, known gaps.

    Examples
    --------
    >>> data = Dataset(np.zeros((10, 4, 2)), [{0, 1}] * 5 + [{1, 2}] * 5)
    >>> train, test = data.split(0)
    >>> len(train), len(test), data.classes.tolist()
    (7, 3, [0, 1, 2])
    """

    bags: Bags
    candidates: Candidates
    labels: Array | None = None
    groups: Array | None = None
    splits: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    name: str = "data"
    licence: str = "not stated"
    source: str = "not stated"
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if not isinstance(self.bags, Bags):
            put("bags", Bags(self.bags))
        if not isinstance(self.candidates, Candidates):
            put("candidates", Candidates(self.candidates))
        m = len(self.bags)
        if len(self.candidates) != m:
            raise MiplError(
                f"there are {m} bags and {len(self.candidates)} candidate sets; "
                "give one set per bag."
            )
        put("groups", entries("groups", self.groups, m))
        if self.labels is not None:
            columns = self.candidates.encode(self.labels)
            labels = entries("labels", self.classes[columns], m)
            put("labels", labels)
        splits = {
            str(name): as_splits(folds, m, f"split {name!r}, fold")
            for name, folds in self.splits.items()
        }
        put("splits", MappingProxyType(splits))
        told = Features.of_facts(self.facts, self.bags.n_features)
        if self.bags.features is None and told is not None:
            put("bags", Bags(self.bags, features=told))
        elif self.bags.features is not None:
            put("facts", {**self.facts, **self.bags.features.facts()})
        put("facts", MappingProxyType(dict(self.facts)))

    @property
    def classes(self) -> Array:
        """Names of the classes, in the order of the candidate columns."""
        return self.candidates.classes

    def __len__(self) -> int:
        return len(self.bags)

    def __getitem__(self, key: Index) -> Dataset:
        """Return the data set of these bags; stored splits do not come along."""
        which = chosen(key, len(self))
        if isinstance(which, np.ndarray) and len(which):
            if (np.diff(which) == 1).all():  # A run of bags is not copied.
                which = slice(int(which[0]), int(which[-1]) + 1)
        return replace(
            self,
            bags=self.bags[which],
            candidates=self.candidates[which],
            labels=None if self.labels is None else self.labels[which],
            groups=None if self.groups is None else self.groups[which],
            splits={},
        )

    def split(
        self, fold: int, splits: str | None = None, *, seed: int = 0
    ) -> tuple[Dataset, Dataset]:
        """Return the training and the test bags of one fold, 0 to 9.

        Uses the stored splits of that name (``"default"`` where none is given); a data
        set without any has ten 7:3 splits made from ``seed``, which keep groups whole.
        """
        one = self.fold(fold, splits, seed=seed)
        return self[one.train], self[one.test]

    def fold(self, fold: int, splits: str | None = None, *, seed: int = 0) -> Split:
        """Return the bag numbers of one fold, as ``split`` uses them."""
        folds = self.folds(splits, seed=seed)
        if not isinstance(fold, (int, np.integer)) or not 0 <= fold < len(folds):
            raise MiplError(f"fold must be 0 to {len(folds) - 1}; got {fold!r}.")
        return folds[fold]

    def folds(self, splits: str | None = None, *, seed: int = 0) -> tuple[Split, ...]:
        """Return the bag numbers of all folds, as ``split`` uses them."""
        if splits is None and DEFAULT_SPLITS in self.splits:
            splits = DEFAULT_SPLITS
        if splits is not None:
            if splits not in self.splits:
                raise unknown("split name", splits, self.splits)
            return tuple(self.splits[splits])
        return ten_splits(self.labels, self.candidates, self.groups, seed=seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return Dataset, (
            self.bags,
            self.candidates,
            self.labels,
            self.groups,
            dict(self.splits),
            self.name,
            self.licence,
            self.source,
            dict(self.facts),
        )

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {self.bags!r}, {self.candidates!r})"
