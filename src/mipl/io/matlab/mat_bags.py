"""The MIPL cell layout: a row per bag, its instances, candidates and true label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.data.label_sets import empty_matrix
from mipl.errors import BadFile
from mipl.fenced.frames import ARRAY, Frame
from mipl.io.left_out import LeftOut, note_bad_rows

_COLUMNS = (3, 4)


@dataclass(frozen=True, eq=False)
class CellBags:
    """The columns of the cell array, checked to be numbers."""

    instances: Array  # (N, d)
    offsets: Array  # (m + 1,)
    candidates: list[Array]
    labels: list[Array]
    instance_labels: list[Array] | None

    def usable(self, flags: bool, left: LeftOut) -> tuple[CellBags, Array]:
        """Return the bags that can be used, and their numbers; note the others."""
        names = [f"bag {i}" for i in range(len(self.candidates))]
        note_bad_rows(self.instances, self.offsets, names, left)
        for name, cell in zip(names, self.candidates, strict=True):
            if not (cell.any() if flags else cell.size):
                reason = f"the candidates of {name} are empty"
                left.add(name, reason, "empty-sets")
        left.settle(len(names))
        kept = left.usable(names)
        if len(kept) == len(names):
            return self, kept
        sizes = np.diff(self.offsets)
        rows = np.isin(np.repeat(np.arange(len(names)), sizes), kept)
        inside = self.instance_labels
        return CellBags(
            self.instances[rows],
            np.concatenate([[0], np.cumsum(sizes[kept])]),
            [self.candidates[i] for i in kept],
            [self.labels[i] for i in kept],
            None if inside is None else [inside[i] for i in kept],
        ), kept

    def dataset(
        self, path: Path, classes: Any, flags: bool, instance_classes: Any
    ) -> Dataset:
        """Give the numbers their meaning as labels."""
        rows = _flags(path, self.candidates) if flags else self.candidates
        sets = [
            _numbers(path, row, f"candidates of bag {i}") for i, row in enumerate(rows)
        ]
        truth = _truth(path, self.labels)
        names = _class_names(path, [*sets, truth], classes)
        matrix = empty_matrix(len(sets), len(names))
        for row, chosen in zip(matrix, sets, strict=True):
            row[chosen - 1] = True
        bags = Bags(
            self.instances,
            self.offsets,
            instance_labels=self._labels_of_instances(path, instance_classes),
        )
        return Dataset(
            bags,
            Candidates.from_parts(matrix, names),
            labels=names[truth - 1] if len(truth) else None,
            name=path.stem,
            source=path.name,
        )

    def _labels_of_instances(self, path: Path, classes: Any) -> Array | None:
        """Read the fourth column, whose meaning no publication states.

        It is taken as labels of instances where every cell has one entry for each, and
        left out otherwise.
        """
        sizes = np.diff(self.offsets)
        cells = self.instance_labels
        if cells is None or [cell.size for cell in cells] != sizes.tolist():
            return None
        flat = np.concatenate([cell.ravel() for cell in cells])
        if flat.dtype.kind == "f" and (flat == np.rint(flat)).all():
            flat = flat.astype(np.int64)
        if classes is None:
            return flat
        names: Array = np.asarray(classes).ravel()
        if flat.dtype.kind != "i" or not 1 <= flat.min() <= flat.max() <= len(names):
            raise BadFile(f"{path}: instance labels must be 1 to {len(names)}.")
        return names.take(flat - 1)


def bags_of_cells(
    path: Path, shape: tuple[int, ...], frames: Iterator[Frame], left: LeftOut
) -> CellBags:
    """Take the cells that follow in column order; instances are joined as they come.

    A bag whose instances are no (n_i, d) numbers is noted, and has none.
    """
    if len(shape) != 2 or shape[1] not in _COLUMNS or shape[0] == 0:
        raise BadFile(
            f"{path}: the cell array must have a row per bag and 3 or 4 columns "
            f"(instances, candidates, label, instance labels); it has shape {shape}."
        )
    m = shape[0]
    instances, offsets = _joined(path, islice(frames, m), left)
    columns = [
        [_cell(path, frame, i, column) for i, frame in enumerate(islice(frames, m))]
        for column in range(1, shape[1])
    ]
    fourth = columns[2] if shape[1] > 3 else None
    return CellBags(instances, offsets, columns[0], columns[1], fourth)


def _joined(path: Path, frames: Iterator[Frame], left: LeftOut) -> tuple[Array, Array]:
    """Join the bags' rows in one growing buffer, so that memory is taken once."""
    buffer = bytearray()
    sizes, d = [], 0
    for i, frame in enumerate(frames):
        bag = _cell(path, frame, i, 0)
        if bag.ndim != 2 or 0 in bag.shape or (d and bag.shape[1] != d):
            reason = (
                f"bag {i} has instances of shape {bag.shape}; it must be "
                f"(n_i, {d or 'd'}) with at least one instance"
            )
            left.add(f"bag {i}", reason)
            sizes.append(0)
            continue
        d = bag.shape[1]
        with np.errstate(over="ignore"):  # Bags name what is too large.
            buffer += np.ascontiguousarray(bag, np.float32).data.cast("B")
        sizes.append(len(bag))
    rows = np.frombuffer(buffer, np.float32).reshape(-1, d or 1)
    rows.flags.writeable = False
    return rows, np.concatenate([[0], np.cumsum(sizes)])


def _cell(path: Path, frame: Frame, bag: int, column: int) -> Array:
    if frame.kind != ARRAY or frame.array is None:
        raise BadFile(f"{path}: column {column + 1} of bag {bag} holds no numbers.")
    return frame.array


def _flags(path: Path, cells: list[Array]) -> list[Array]:
    """Turn cells of k zeros and ones into class numbers."""
    for i, cell in enumerate(cells):
        if cell.size != cells[0].size or not np.isin(cell, (0, 1)).all():
            raise BadFile(
                f"{path}: candidates of bag {i} must be {cells[0].size} zeros and ones."
            )
    return [np.flatnonzero(cell.ravel()) + 1 for cell in cells]


def _numbers(path: Path, cell: Array, what: str) -> Array:
    """Return class numbers; they are whole and begin at 1."""
    flat = cell.ravel()
    if not len(flat):
        raise BadFile(f"{path}: {what} are empty; give at least one class number.")
    if not (np.isfinite(flat).all() and (flat == np.rint(flat)).all()):
        raise BadFile(f"{path}: {what} must be whole class numbers.")
    if flat.min() < 1 or flat.max() >= 2**31:
        raise BadFile(
            f"{path}: {what} hold {flat.min():g} to {flat.max():g}; classes count from "
            "1. Cells of zeros and ones are read with candidates='flags'."
        )
    return flat.astype(np.int64)


def _truth(path: Path, cells: list[Array]) -> Array:
    """Return the true labels, or none where all cells are empty."""
    sizes = {cell.size for cell in cells}
    if sizes == {0}:
        return np.zeros(0, np.int64)
    if sizes != {1}:
        raise BadFile(
            f"{path}: every bag needs one true label, or none has one; "
            f"there are cells with {sorted(sizes)} entries."
        )
    return _numbers(path, np.concatenate([cell.ravel() for cell in cells]), "labels")


def _class_names(path: Path, used: list[Array], classes: Any) -> Array:
    """Return the given names, or 1 to k where all of them occur."""
    seen = np.unique(np.concatenate(used))
    largest = int(seen[-1])
    if classes is not None:
        names = np.asarray(classes).ravel()
        if largest > len(names):
            raise BadFile(
                f"{path} holds class number {largest}, but there are {len(names)} "
                "class names."
            )
        return names
    if len(seen) < largest:
        missing = int(np.setdiff1d(np.arange(1, len(seen) + 2), seen)[0])
        raise BadFile(
            f"{path} holds class number {largest}, but number {missing} never occurs; "
            "name all classes with classes=."
        )
    return np.arange(1, largest + 1)
