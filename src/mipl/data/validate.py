"""Validation: what in a data set is wrong, doubtful, or worth knowing before training.

============================ ======== ==================================================
code                         severity what it says
============================ ======== ==================================================
``empty-bags``               error    bags without instances
``empty-sets``               error    bags without candidates
``non-finite``               error    NaN or infinite values
``unreadable``               error    a file that is damaged or not understood
``duplicate-ids``            error    bags with the id of another bag
``outside-set``              error    the true label is no candidate
``duplicates-across-splits`` error    copies of a bag in training and in test
``group-leakage``            error    bags of a group in training and in test
``duplicate-bags``           warning  copies of a bag anywhere
``constant-features``        warning  features that never change
``full-sets``                warning  candidate sets of all labels
``never-candidate``          warning  labels that are in no set
``divided-names``            warning  names of labels with ``|``, which divides names
``unsure-labels``            warning  labels such as "unsure", which stand for several
``inseparable-labels``       warning  two labels that always come together
``several-classes``          warning  instances of several classes in a bag, by their
                                      labels; a note where it is only a guess
``never-true``               note     labels that no bag truly has
============================ ======== ==================================================
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.data.findings import Finding, finding
from mipl.data.instance_classes import classes_inside
from mipl.data.leakage import duplicates, torn_groups
from mipl.data.mixed_bags import mixed_bags, sample_rows
from mipl.data.scan import Scan, scan

_UNSURE = {"unsure", "not sure", "uncertain", "unclear", "unknown", "ambiguous", "?"}
_ORDER = ("error", "warning", "note")


def validate(dataset: Dataset) -> list[Finding]:
    """Check a data set; an empty list means that nothing was found.

    Instances are read once, piece by piece, so that a data set on disk that is larger
    than memory can be checked, too.

    Examples
    --------
    >>> data = Dataset(np.ones((3, 2, 2)), [{0, 1}, {0, 1}, {2}], labels=[0, 2, 2])
    >>> for found in validate(data):
    ...     print(found.severity, found.code, found.count, found.examples)
    error outside-set 1 ('bag 1',)
    warning duplicate-bags 2 ('bag 1 = bag 0', 'bag 2 = bag 0')
    warning constant-features 2 ('feature 0', 'feature 1')
    warning inseparable-labels 1 ('0 + 1',)
    note never-true 1 ('1',)
    """
    rows = sample_rows(dataset.bags)
    seen = scan(dataset.bags, rows)
    found = [
        *_non_finite(dataset.bags, seen),
        *_duplicate_ids(dataset.bags),
        *_outside_set(dataset),
        *duplicates(dataset, seen.fingerprints),
        *torn_groups(dataset),
        *_constant_features(seen),
        *_full_sets(dataset),
        *_doubtful_names(dataset),
        *_unused_labels(dataset),
        *_inseparable_labels(dataset),
        *_several_classes(dataset, rows, seen),
    ]
    return sorted(found, key=lambda one: _ORDER.index(one.severity))


def _names(bags: Bags, wanted: npt.NDArray[np.bool_]) -> list[str]:
    return [bags.name(i) for i in np.flatnonzero(wanted).tolist()]


def _non_finite(bags: Bags, seen: Scan) -> list[Finding]:
    return finding(
        "non-finite",
        "error",
        _names(bags, seen.bad_values > 0),
        f"{seen.bad_values.sum():,} values are NaN or infinite, in {{n}} of "
        f"{len(bags):,} bags.",
    )


def _duplicate_ids(bags: Bags) -> list[Finding]:
    if bags.bag_ids is None:
        return []
    _, first, which = np.unique(bags.bag_ids, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[which] != np.arange(len(bags))).tolist()
    return finding(
        "duplicate-ids",
        "error",
        [f"{bags.name(i)} = {bags.name(int(first[which[i]]))}" for i in again],
        f"the id is that of an earlier bag in {{n}} of {len(bags):,} bags, so that "
        "labels, votes and predictions are mixed up.",
    )


def _outside_set(dataset: Dataset) -> list[Finding]:
    if dataset.labels is None:
        return []
    return finding(
        "outside-set",
        "error",
        _names(dataset.bags, ~dataset.candidates.contains(dataset.labels)),
        "the true label is not among the candidates in {n} of "
        f"{len(dataset):,} bags.",
        "add the true label to the set, or correct the label.",
    )


def _constant_features(seen: Scan) -> list[Finding]:
    return finding(
        "constant-features",
        "warning",
        [f"feature {i}" for i in seen.constant.tolist()],
        f"the value is the same in all instances for {{n}} of {seen.sample.shape[1]:,} "
        "features.",
        "drop them, or scale with PerInstance, which leaves them at zero.",
    )


def _full_sets(dataset: Dataset) -> list[Finding]:
    return finding(
        "full-sets",
        "warning",
        _names(dataset.bags, dataset.candidates.sizes == len(dataset.classes)),
        f"all labels are candidates in {{n}} of {len(dataset):,} bags, which says "
        "nothing about them.",
        "leave them out of training, or narrow their sets.",
    )


def _doubtful_names(dataset: Dataset) -> list[Finding]:
    names = dataset.classes.astype(str).tolist()
    return finding(
        "divided-names",
        "warning",
        [name for name in names if "|" in name],
        f"'|' is in the name of {{n}} of {len(names)} labels.",
        "if it divides candidates, give these as candidates, not as true labels; "
        "otherwise call the label by another name.",
    ) + finding(
        "unsure-labels",
        "warning",
        [name for name in names if name.strip().lower() in _UNSURE],
        "doubt is the name of {n} of "
        f"{len(names)} labels, which are then classes "
        "like all others.",
        "give the candidates that such a label stands for; of votes, unsure= "
        "(--unsure) tells it.",
    )


def _unused_labels(dataset: Dataset) -> list[Finding]:
    names, candidates = dataset.classes.astype(str), dataset.candidates
    found = finding(
        "never-candidate",
        "warning",
        names[~candidates.matrix.any(axis=0)].tolist(),
        f"no candidate set holds {{n}} of {len(names)} labels, so that nothing can be "
        "learned of them.",
        "leave them out of the classes, or add bags that have them.",
    )
    if dataset.labels is None:
        return found
    counts = np.bincount(candidates.encode(dataset.labels), minlength=len(names))
    return found + finding(
        "never-true",
        "note",
        names[counts == 0].tolist(),
        f"no bag truly has {{n}} of {len(names)} labels.",
        "nothing, if you expect that; test accuracy cannot show them.",
    )


def _inseparable_labels(dataset: Dataset) -> list[Finding]:
    members = dataset.candidates.matrix.astype(np.float64)  # (m, k)
    together = members.T @ members  # (k, k), exact counts
    alone = np.diag(together)
    always = (together == alone[:, None]) & (together == alone) & (together > 0)
    pairs = np.argwhere(np.triu(always, k=1)).tolist()
    names = dataset.classes.astype(str)
    return finding(
        "inseparable-labels",
        "warning",
        [f"{names[i]} + {names[j]}" for i, j in pairs],
        "two labels always come together in {n} pairs: no bag tells them apart.",
        "join the two labels, or add bags that have only one of them.",
    )


def _several_classes(
    dataset: Dataset, rows: npt.NDArray[np.int64], seen: Scan
) -> list[Finding]:
    remedy = "divide such bags, or check how they were put together."
    inside = classes_inside(dataset)
    if inside is not None:
        return finding(
            "several-classes",
            "warning",
            _names(dataset.bags, inside > 1),
            "instances are labelled with more than one of the classes in {n} of "
            f"{len(dataset):,} bags.",
            remedy,
        )
    if seen.bad_values.any():
        return []
    owner = dataset.bags.bag_of_instance[rows]
    mixed = mixed_bags(seen.sample, owner, dataset.candidates.matrix)
    return finding(
        "several-classes",
        "note",
        [dataset.bags.name(i) for i in mixed.tolist()],
        "instances seem to belong to two of the candidates in {n} of the "
        f"{len(np.unique(owner)):,} bags looked at, going by the candidates of similar "
        "bags; this is a guess, and classes that look alike cause false alarms.",
        remedy,
    )
