"""Description of a data set: the columns of the published table, and a little more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mipl.data.agreement import AGREEMENT, Agreement
from mipl.data.dataset import Dataset
from mipl.data.description import SEEN, Bin, Description, Pair, Spread
from mipl.data.frozen import Array
from mipl.data.instance_classes import positive_instances

_MOST_PAIRS = 5
_MOST_BINS = 10
_DECADES = 100  # The largest bag by the smallest, from which bins grow.


def describe(dataset: Dataset) -> Description:
    """Describe a data set without reading its instances, so also one on disk.

    Examples
    --------
    >>> data = Dataset(np.zeros((4, 3, 2)), [{"a", "b"}, {"a"}, {"b"}, {"a", "b"}])
    >>> told = describe(data)
    >>> told.instances, told.candidates_per_bag.mean, told.frequent_pairs
    (12, 1.5, (Pair(first='a', second='b', bags=2),))
    >>> print(told.histogram()[0])
    3  ████████████████████████████████████████  4
    """
    bags, candidates = dataset.bags, dataset.candidates
    sizes, bags_of_size = np.unique(candidates.sizes, return_counts=True)
    truth = None if dataset.labels is None else candidates.encode(dataset.labels)
    k = len(dataset.classes)
    sizes_of_groups = None
    if dataset.groups is not None:
        sizes_of_groups = np.unique(dataset.groups, return_counts=True)[1]
    return Description(
        name=dataset.name,
        licence=dataset.licence,
        source=dataset.source,
        bags=len(bags),
        instances=bags.n_instances,
        instances_per_bag=Spread.of(bags.sizes),
        features=bags.n_features,
        classes=tuple(dataset.classes.tolist()),
        candidates_per_bag=Spread.of(candidates.sizes),
        candidate_sizes=tuple(zip(sizes.tolist(), bags_of_size.tolist(), strict=True)),
        positives_per_bag=_positives(dataset),
        bags_per_class=None
        if truth is None
        else tuple(np.bincount(truth, minlength=k).tolist()),
        frequent_pairs=_frequent_pairs(candidates.matrix, dataset.classes, truth),
        size_histogram=_size_histogram(bags.sizes),
        weighted=candidates.weights is not None,
        groups=None if sizes_of_groups is None else len(sizes_of_groups),
        bags_per_group=None if sizes_of_groups is None else Spread.of(sizes_of_groups),
        splits={name: len(folds) for name, folds in dataset.splits.items()},
        on_disk=bags.on_disk,
        seen_in_training=_seen(dataset.facts.get(SEEN)),
        agreement=Agreement.of_fact(dataset.facts.get(AGREEMENT)),
        facts=dict(dataset.facts),
    )


def _positives(dataset: Dataset) -> Spread | None:
    positive = positive_instances(dataset)
    if positive is None:
        return None
    counts = np.add.reduceat(positive.astype(np.int64), dataset.bags.offsets[:-1])
    return Spread.of(counts / dataset.bags.sizes)


def _seen(shares: object) -> Spread | None:
    # Facts may come from somebody's file and hold anything.
    if not isinstance(shares, (list, tuple)) or not shares:
        return None
    if not all(isinstance(share, (int, float)) for share in shares):
        return None
    return Spread.of(np.asarray(shares, dtype=np.float64))


def _frequent_pairs(
    matrix: npt.NDArray[np.bool_], classes: Array, truth: Array | None
) -> tuple[Pair, ...]:
    # Products of 0/1 matrices in float64 count exactly and run on BLAS.
    members = matrix.astype(np.float64)  # (m, k)
    if truth is None:
        together = np.triu(members.T @ members, k=1)  # (k, k)
    else:
        together = np.eye(matrix.shape[1])[truth].T @ members  # (k, k)
        np.fill_diagonal(together, 0)
    order = np.argsort(-together, axis=None, kind="stable")[:_MOST_PAIRS]
    rows, columns = np.unravel_index(order, together.shape)
    names = classes.tolist()
    return tuple(
        Pair(names[i], names[j], int(together[i, j]))
        for i, j in zip(rows, columns, strict=True)
        if together[i, j]
    )


def _size_histogram(sizes: npt.NDArray[np.int64]) -> tuple[Bin, ...]:
    least, most = int(sizes.min()), int(sizes.max())
    starts = _starts(least, most)
    counts = np.bincount(np.searchsorted(starts, sizes, side="right") - 1)
    ends = [*(starts[1:] - 1).tolist(), most]
    return tuple(
        Bin(start, end, count)
        for start, end, count in zip(
            starts.tolist(), ends, counts.tolist(), strict=True
        )
    )


def _starts(least: int, most: int) -> npt.NDArray[np.int64]:
    """Return where bins begin: evenly, or by factors where sizes span decades."""
    if most >= _DECADES * least:
        edges = np.geomspace(least, most + 1, _MOST_BINS + 1)[:-1]
        return np.unique(np.round(edges).astype(np.int64))
    width = -(-(most - least + 1) // _MOST_BINS)
    return np.arange(least, most + 1, width)
