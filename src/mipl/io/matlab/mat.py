"""MATLAB files: the MIPL cell layout and the PLL matrices, versions 5 and 7.3.

Files are parsed only in a fenced child process; this module gives the arrays their
meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.dataset import Dataset
from mipl.data.splits import DEFAULT_SPLITS, Split
from mipl.errors import BadFile, MiplError
from mipl.fenced.frames import ARRAY, OTHER, SHAPE, Frame
from mipl.fenced.mat_variables import HDF5_AT, HEADER, mat_kind
from mipl.io.fence.reading import fenced
from mipl.io.file_set import read_together
from mipl.io.left_out import LeftOut
from mipl.io.matlab.mat_bags import CellBags, bags_of_cells
from mipl.io.matlab.mat_index import (
    DATA,
    index_folder,
    read_index,
    record_path,
    set_of,
)
from mipl.io.matlab.mat_pll import dataset_of_matrices
from mipl.io.matlab.mat_write import write

__all__ = ["read", "sniff", "write"]

_NAMES = ("classes", "instance_classes")


def sniff(path: Path) -> bool:
    """Tell by content whether this is a MATLAB file of version 5 or 7.3."""
    if not path.is_file():
        return False
    with path.open("rb") as handle:
        head = handle.read(HDF5_AT + 8)
    return mat_kind(head[:HEADER], head[HDF5_AT:]) is not None


def read(
    path: str | Path,
    left: LeftOut | None = None,
    *,
    variable: str = "data",
    target: str | None = "target",
    partial_target: str = "partial_target",
    classes: Any = None,
    candidates: str = "numbers",
    index: bool | str | Path = True,
    max_bytes: int | None = None,
) -> Dataset:
    """Read a MATLAB file in one of the two published layouts.

    *MIPL*: a cell array of m rows whose columns are the (n_i, d) instances, the
    candidate labels, the true label (empty where unknown) and, in a fourth column that
    not every file has, one label per instance; labels are numbers from 1.
    *PLL*: matrices ``data`` (m, d), ``partial_target`` (k, m) and ``target`` (k, m) of
    zeros and ones, full or sparse; bags of one instance.

    Parameters
    ----------
    path : file
    left : LeftOut, optional
        Takes the bags that cannot be used; otherwise they are refused.
    variable : str
        Name of the cell array (MIPL) or of the instances (PLL).
    target, partial_target : str
        Names of the label matrices (PLL); ``target=None`` leaves true labels out.
    classes : list of k names, optional
        Names of classes 1 to k. By default those in a variable ``classes`` of the file,
        where there is one, otherwise the numbers 1 to k.
    candidates : "numbers" or "flags"
        Whether a candidate cell lists class numbers or holds k zeros and ones.
    index : bool or folder
        The folder of ``index1.mat``, ``index2.mat``, ... with ``trainIndex`` and
        ``testIndex``, which become the stored splits. True takes a folder ``index``
        beside the file, where there is one; False takes none.
    max_bytes : int, optional
        What the file may unpack to; by default 64 MiB and 100 times its size.
    """
    path = Path(path)
    if candidates not in ("numbers", "flags"):
        raise MiplError(f"candidates must be 'numbers' or 'flags'; got {candidates!r}.")
    wanted = [variable, partial_target, *_NAMES, *([target] if target else [])]
    left = LeftOut("raise", path) if left is None else left

    def whole(places: Mapping[str, Path]) -> Dataset:
        left.begin()
        found, others = _variables(places[DATA], variable, wanted, max_bytes, left)
        names = classes if classes is not None else found.get("classes")
        data = found.get(variable)
        if isinstance(data, CellBags):
            total, flags = len(data.candidates), candidates == "flags"
            data, kept = data.usable(flags, left)
            inside = found.get("instance_classes")
            dataset = data.dataset(path, names, flags, inside)
        elif isinstance(data, np.ndarray):
            _check_target(path, target, found, others)
            pair = (found.get(partial_target), found.get(target) if target else None)
            total = len(data)
            dataset, kept = dataset_of_matrices(path, data, *pair, names, left)
        else:
            raise BadFile(
                f"{path} has no variable {variable!r} with bags; it has "
                f"{_some(others)}: name it with variable=."
            )
        splits = _splits(total, index, places)
        if splits is None:
            return dataset
        own = [split.among(kept, total) for split in splits]
        return replace(dataset, splits={DEFAULT_SPLITS: own})

    members = set_of(path) if index is True else {DATA: path}
    return read_together(record_path(path), members, whole)


def _check_target(
    path: Path, target: str | None, found: dict[str, Any], others: dict[str, str]
) -> None:
    if target and target not in found and others:
        raise BadFile(
            f"{path} has no variable {target!r} but {_some(others)}; name the true "
            "labels with target=, or give target=None."
        )


def _variables(
    path: Path,
    variable: str,
    wanted: list[str],
    max_bytes: int | None,
    left: LeftOut,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what the wanted variables hold, and the kinds of the others."""
    found: dict[str, Any] = {}
    others: dict[str, str] = {}
    frames = fenced(path, "mat", max_bytes=max_bytes, wanted=wanted)
    for frame in frames:
        if frame.kind == OTHER:
            others[frame.name] = frame.text
        elif frame.kind != SHAPE:
            found[frame.name] = _value(frame)
        elif frame.name == variable:
            found[frame.name] = bags_of_cells(path, frame.shape, frames, left)
        else:
            found[frame.name] = _names_in(path, frame, frames)
    return found, others


def _value(frame: Frame) -> Any:
    return frame.array if frame.kind == ARRAY else frame.text


def _names_in(path: Path, frame: Frame, frames: Iterator[Frame]) -> list[str]:
    """Read a cell array of texts."""
    count = int(np.prod(frame.shape))
    values = [_value(next(frames)) for _ in range(count)]
    if not all(isinstance(value, str) for value in values):
        raise BadFile(f"{path}: the cell array {frame.name!r} must hold texts.")
    return values


def _some(others: dict[str, str]) -> str:
    names = [f"{name!r} ({kind})" for name, kind in list(others.items())[:8]]
    return ", ".join(names) or "no others"


def _splits(
    total: int, index: bool | str | Path, places: Mapping[str, Path]
) -> list[Split] | None:
    """Read the splits of the index files: those beside the file, or of a folder."""
    beside = {n: p for n, p in places.items() if n != DATA and p.is_file()}
    if index is False:
        return None
    folder = index_folder(places[DATA]) if index is True else Path(index)
    if index is True and not beside and not folder.is_dir():
        return None
    return read_index(folder, total, beside if index is True else None)
