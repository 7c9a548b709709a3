"""The published index files: ``index/index1.mat``, ... with the bags of each fold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mipl.data.frozen import Array
from mipl.data.splits import Split
from mipl.errors import BadFile, MiplError
from mipl.io.fence.reading import fenced_arrays
from mipl.io.file_set import roles

TRAIN, TEST = "trainIndex", "testIndex"
DATA = "data"
_NAME = re.compile(r"index(\d{1,4})\.mat", re.IGNORECASE)


def index_folder(path: Path) -> Path:
    """Return where the index files of a data file lie."""
    return path.parent / "index"


def index_name(number: int) -> str:
    """Return the name of the file of a fold, which count from 1."""
    return f"index{number}.mat"


def index_files(folder: Path) -> dict[str, Path]:
    """Return the index files of a folder by their names."""
    there = folder.iterdir() if folder.is_dir() else ()
    return {file.name: file for file in there if _NAME.fullmatch(file.name)}


def record_path(path: Path) -> Path:
    """Return where the record of a MATLAB file and its index files stands."""
    return path.with_name(f"{path.name}.json")


def set_of(path: Path) -> dict[str, Path]:
    """Return a MATLAB file and the index files beside it, by their roles."""
    folder, known = index_folder(path), roles(record_path(path)) - {DATA}
    names = {name: folder / name for name in known if _NAME.fullmatch(name)}
    return {DATA: path, **index_files(folder), **names}


def read_index(
    folder: Path, n_bags: int, files: Mapping[str, Path] | None = None
) -> list[Split]:
    """Read all folds, in the order of their numbers; bags count from 1 there.

    Parameters
    ----------
    folder : path
    n_bags : int
    files : mapping, optional
        Where the file of each name is; by default all those in the folder.
    """
    files = index_files(folder) if files is None else files
    numbered = {
        int(match[1]): file
        for name, file in files.items()
        if (match := _NAME.fullmatch(name))
    }
    if not numbered:
        raise MiplError(f"{folder} holds no files index1.mat, index2.mat, ...")
    if sorted(numbered) != list(range(1, len(numbered) + 1)):
        raise MiplError(
            f"{folder} must hold index1.mat to index{len(numbered)}.mat without gaps; "
            f"its numbers are {sorted(numbered)}."
        )
    return [_fold(numbered[number], n_bags) for number in sorted(numbered)]


def _fold(file: Path, n_bags: int) -> Split:
    arrays = fenced_arrays(file, "mat", wanted=[TRAIN, TEST])
    if TRAIN not in arrays or TEST not in arrays:
        raise BadFile(f"{file} must hold {TRAIN} and {TEST}.")
    split = Split(_bag_numbers(arrays[TRAIN], file), _bag_numbers(arrays[TEST], file))
    try:
        return split.checked(n_bags, str(file))
    except MiplError as error:
        raise BadFile(f"{error} Leave the index files out with index=False.") from None


def _bag_numbers(array: Array, file: Path) -> Array:
    flat = array.ravel()
    if not np.isfinite(flat).all() or (flat != np.rint(flat)).any():
        raise BadFile(f"{file} must hold whole bag numbers that count from 1.")
    if len(flat) and not 1 <= flat.min() <= flat.max() < 2**31:
        raise BadFile(f"{file} holds bag number {flat.min():g}; bags count from 1.")
    return flat.astype(np.int64) - 1
