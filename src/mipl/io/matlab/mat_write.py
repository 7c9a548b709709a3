"""Writing of the two published MATLAB layouts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import savemat
from scipy.sparse import csc_array

from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.data.splits import DEFAULT_SPLITS, Split
from mipl.errors import MiplError, unknown
from mipl.files import atomic_path
from mipl.io.file_set import NewSet, places_of, written_together
from mipl.io.matlab.mat73_write import save73
from mipl.io.matlab.mat_index import (
    DATA,
    TEST,
    TRAIN,
    index_folder,
    index_name,
    read_index,
    record_path,
    set_of,
)

_LAYOUTS = ("mipl", "pll")
_VERSIONS = ("5", "7.3")
_MOST_IN_V5 = 2**31  # What MATLAB reads as one variable of a version 5 file.


def write(
    dataset: Dataset,
    path: str | Path,
    *,
    layout: str = "mipl",
    version: str | float = "5",
) -> None:
    """Write a data set as a MATLAB file, and its splits as index files beside it.

    The file keeps instances, candidates, true labels, instance labels, class names (in
    a variable ``classes``) and the default splits; these layouts have no place for
    weights, groups, coordinates and other names, and a warning tells which were left
    out.

    Parameters
    ----------
    dataset : Dataset
    path : file
    layout : "mipl" or "pll"
        Cell array, or matrices (for bags of one instance).
    version : "5" or "7.3"
        Or the number.
    """
    path = Path(path)
    version = str(version)
    if layout not in _LAYOUTS:
        raise unknown("layout", layout, _LAYOUTS)
    if version not in _VERSIONS:
        raise unknown("version of MATLAB files", version, _VERSIONS)
    splits = dataset.splits.get(DEFAULT_SPLITS, ())
    known = _index_is_known(path, splits, len(dataset))
    variables = {"classes": _names(dataset.classes)}
    variables |= _cells(dataset) if layout == "mipl" else _matrices(dataset)
    folds = () if known else splits
    if not folds and not record_path(path).exists():
        with atomic_path(path) as temporary:
            put(variables, temporary, version)
    else:
        with written_together(path, record_path(path)) as new:
            put(variables, new.place(DATA, path), version)
            _put_index(folds, path, new)
    if left := left_out(dataset):
        warnings.warn(
            f"{path} has no place for {', '.join(left)}, which were left out; "
            "a *.bags.h5 file keeps them.",
            stacklevel=2,
        )


def left_out(dataset: Dataset) -> list[str]:
    """Return what of a data set these layouts cannot hold."""
    bags = dataset.bags
    held = {
        "label weights": dataset.candidates.weights,
        "groups": dataset.groups,
        "coordinates": bags.coords,
        "bag ids": bags.bag_ids,
        "addresses": bags.uris,
        "other splits": [name for name in dataset.splits if name != DEFAULT_SPLITS],
    }
    return [name for name, value in held.items() if value is not None and len(value)]


def _put_index(folds: Sequence[Split], path: Path, new: NewSet) -> None:
    for number, split in enumerate(folds, start=1):
        fold = {TRAIN: split.train[None] + 1, TEST: split.test[None] + 1}
        name = index_name(number)
        put(fold, new.place(name, index_folder(path) / name), "5")


def put(variables: dict[str, Any], path: Path, version: str) -> None:
    """Write variables, compressed, to a place that has no file yet."""
    if version == "5" and _size(variables) >= _MOST_IN_V5:
        raise MiplError(
            "it would hold 2 GiB or more, which version 5 of MATLAB's files cannot; "
            "write version='7.3' or a *.bags.h5 file."
        )
    if version == "7.3":
        save73(path, variables)
    else:
        with path.open("wb") as handle:
            savemat(handle, variables, do_compression=True)


def _size(variables: dict[str, Any]) -> int:
    """Return the bytes of the largest variable."""
    return max(
        sum(cell.nbytes for cell in value.ravel() if isinstance(cell, np.ndarray))
        if value.dtype == object
        else value.size * value.dtype.itemsize
        for value in variables.values()
    )


def _cells(dataset: Dataset) -> dict[str, Any]:
    bags = dataset.bags.load()
    columns: list[list[Array]] = [
        list(bags),
        # Whole numbers: the published programs use these cells as indices.
        [np.flatnonzero(row)[None] + 1 for row in dataset.candidates.matrix],
        _label_cells(dataset),
    ]
    variables: dict[str, Any] = {}
    if bags.instance_labels is not None:
        labels = bags.instance_labels
        if labels.dtype.kind == "U":
            names, labels = np.unique(labels, return_inverse=True)
            labels = labels + 1
            variables["instance_classes"] = _names(names)
        columns.append([part[:, None] for part in np.split(labels, bags.offsets[1:-1])])
    cells = np.empty((len(bags), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        for i, cell in enumerate(column):
            cells[i, j] = cell
    return {**variables, "data": cells}  # Last: a file that was cut off lacks it.


def _label_cells(dataset: Dataset) -> list[Array]:
    if dataset.labels is None:
        return [np.zeros((0, 0))] * len(dataset)
    numbers = dataset.candidates.encode(dataset.labels) + 1
    return [np.full((1, 1), number) for number in numbers]


def _matrices(dataset: Dataset) -> dict[str, Any]:
    bags = dataset.bags.load()
    if bags.n_instances != len(bags):
        i = int(np.argmax(bags.sizes > 1))
        raise MiplError(
            f"{bags.name(i)} has {bags.sizes[i]} instances; the layout 'pll' holds "
            "bags of one instance: reduce the bags, or write layout='mipl'."
        )
    sets = dataset.candidates.matrix.T.astype(np.float64)
    variables: dict[str, Any] = {}
    if dataset.labels is not None:
        truth = np.zeros(sets.shape)
        columns = np.arange(len(bags))
        truth[dataset.candidates.encode(dataset.labels), columns] = 1
        variables["target"] = csc_array(truth)
    # Last what no reader does without: a file that was cut off lacks it.
    return {**variables, "partial_target": csc_array(sets), "data": bags.instances}


def _names(classes: Array) -> Array:
    """Return numbers as a row, texts as a cell array of texts."""
    if classes.dtype.kind != "U":
        return classes[None]
    cells = np.empty((len(classes), 1), dtype=object)
    cells[:, 0] = classes.tolist()
    return cells


def _index_is_known(path: Path, splits: Any, n_bags: int) -> bool:
    """Tell whether these splits are there; refuse to write beside those of others."""
    folder, members = index_folder(path), set_of(path)
    if not members.keys() - {DATA}:
        return False
    try:
        files = places_of(record_path(path), members)
        if files != members:
            return False  # Our own, of a writer that was stopped.
        there = read_index(folder, n_bags, files)
    except MiplError:
        there = []
    same = len(there) == len(splits) and all(
        np.array_equal(a.train, b.train) and np.array_equal(a.test, b.test)
        for a, b in zip(there, splits, strict=True)
    )
    if not same:
        raise MiplError(
            f"{folder} holds the index files of other data, which would be read with "
            f"{path.name}; write to a folder of its own."
        )
    return True
