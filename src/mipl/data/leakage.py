"""What reaches from training into test: copies of bags, and groups torn apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mipl.data.dataset import Dataset
from mipl.data.findings import Finding, finding
from mipl.data.frozen import Array
from mipl.data.splits import Split


def duplicates(dataset: Dataset, fingerprints: npt.NDArray[np.uint64]) -> list[Finding]:
    """Report bags that hold the same instances, and copies on both sides of a split."""
    name = dataset.bags.name
    _, first, kind = np.unique(fingerprints, return_index=True, return_inverse=True)
    copies = np.flatnonzero(first[kind] != np.arange(len(kind)))
    across: dict[int, str] = {}
    for where, split in _folds(dataset):
        leaked = split.test[np.isin(kind[split.test], kind[split.train])]
        for bag in leaked.tolist():
            across.setdefault(bag, f"{name(bag)} in {where}")
    return [
        *finding(
            "duplicates-across-splits",
            "error",
            across.values(),
            "exactly the instances of a training bag are in {n} of "
            f"{len(kind):,} bags when these are tested: results are too good.",
            "keep copies on one side: give them one group and split by groups.",
        ),
        *finding(
            "duplicate-bags",
            "warning",
            [f"{name(i)} = {name(int(first[kind[i]]))}" for i in copies.tolist()],
            "exactly the instances of an earlier bag are in {n} of "
            f"{len(kind):,} bags.",
            "drop the copies, or give copies one group so that no split parts them.",
        ),
    ]


def torn_groups(dataset: Dataset) -> list[Finding]:
    """Report groups with bags on both sides of a stored split."""
    if dataset.groups is None:
        return []
    groups, torn = dataset.groups, dict[str, str]()
    for where, split in _folds(dataset):
        for group in _shared(groups[split.train], groups[split.test]):
            torn.setdefault(group, f"group {group!r} in {where}")
    return finding(
        "group-leakage",
        "error",
        torn.values(),
        "training and test of a fold share {n} of "
        f"{len(np.unique(groups)):,} groups: results are too good.",
        "drop the stored splits: the seeded ones keep groups whole.",
    )


def _folds(dataset: Dataset) -> Iterator[tuple[str, Split]]:
    for name, folds in dataset.splits.items():
        for fold, split in enumerate(folds):
            yield f"split {name!r}, fold {fold}", split


def _shared(one: Array, other: Array) -> list[str]:
    return [str(group) for group in np.intersect1d(one, other).tolist()]
