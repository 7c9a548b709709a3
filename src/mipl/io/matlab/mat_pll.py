"""The PLL matrices: instances, candidate labels and true labels, classes in rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.errors import BadFile
from mipl.io.left_out import LeftOut, note_bad_rows, note_empty_sets


def dataset_of_matrices(
    path: Path,
    data: Array,
    partial_target: Any,
    target: Any,
    classes: Any,
    left: LeftOut,
) -> tuple[Dataset, Array]:
    """Read (m, d) instances and (k, m) zeros and ones as bags of one instance.

    Returns the bags that can be used, and their numbers; ``left`` takes the others.
    """
    if not isinstance(partial_target, np.ndarray):
        raise BadFile(f"{path} has no candidate matrix; name it with partial_target=.")
    m = len(data)
    sets = _indicator(path, partial_target, "candidates", m)
    k = sets.shape[1]
    names = np.arange(1, k + 1) if classes is None else np.asarray(classes).ravel()
    labels = None
    if target is not None:
        truth = _indicator(path, np.asarray(target), "true labels", m)
        if truth.shape[1] != k or (truth.sum(axis=1) != 1).any():
            raise BadFile(
                f"{path}: the true labels must be a ({k}, {m}) matrix with a single "
                "one for each instance."
            )
        labels = truth.argmax(axis=1)
    if len(names) != k:
        raise BadFile(f"{path} has {k} classes, but {len(names)} names were given.")
    bags = [f"bag {i}" for i in range(m)]
    if data.ndim == 2:
        note_bad_rows(data, np.arange(m + 1), bags, left)
    note_empty_sets(sets, bags, left)
    left.settle(m)
    kept = left.usable(bags)
    return Dataset(
        Bags(data[kept]),
        Candidates.from_parts(sets[kept], names),
        labels=None if labels is None else names[labels[kept]],
        name=path.stem,
        source=path.name,
    ), kept


def _indicator(path: Path, matrix: Array, what: str, m: int) -> Array:
    """Return the (m, k) booleans of a (k, m) matrix of zeros and ones."""
    if matrix.ndim != 2 or matrix.shape[1] != m or not np.isin(matrix, (0, 1)).all():
        raise BadFile(
            f"{path}: the {what} must be zeros and ones with a row per class and a "
            f"column for each of the {m} instances; got shape {matrix.shape}."
        )
    return matrix.T.astype(bool)
