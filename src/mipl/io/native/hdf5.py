"""The native file ``*.bags.h5``: one HDF5 file, read lazily.

====================== =========================================================
``features``           (N, d) float32 or float16
``offsets``            (m + 1) where each bag begins
``candidates``         (m, k) booleans
``classes``            (k) names
``weights``            (m, k) starting label weights, optional, as all that follows
``label``              (m) number of the true class, from 0; -1 unknown
``bag_id group uri``   (m) names
``coords``             (N, c)
``instance_label``     (N)
``facts``              JSON text as bytes
``splits/name/fold``   ``train`` and ``test`` bag numbers, from 0
attributes             schema, name, licence, source, instance_shape, sha256
====================== =========================================================

Every array carries checksums, every header of the file does too, and ``sha256`` covers
all of it, so damage is found.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.errors import BadFile
from mipl.fenced.bags_file import ABOUT, FEATURES, SPLITS
from mipl.fenced.frames import ARRAY, SHAPE, Frame
from mipl.io import dataset_record as records
from mipl.io.fence.reading import fenced
from mipl.io.native.file_rows import FileRows, stamp_of
from mipl.io.native.hdf5_write import write
from mipl.io.row_ranges import RowRanges

__all__ = ["read", "sniff", "write"]

_MAGIC = b"\x89HDF\r\n\x1a\n"
_SETTLED_SECONDS = 2.0

# Files whose features were read through in this process, by inode, size and time.
_VERIFIED: set[tuple[int, ...]] = set()


def sniff(path: Path) -> bool:
    """Tell by content whether this is an HDF5 file."""
    if not path.is_file():
        return False
    with path.open("rb") as handle:
        return handle.read(len(_MAGIC)) == _MAGIC


def read(path: str | Path, *, verify: bool = True) -> Dataset:
    """Read a ``*.bags.h5`` file; the instances stay on disk.

    Before this process opens the file, a fenced child has checked all of it: names,
    shapes, offsets, checksums and the fingerprint. ``bags.load()`` brings the instances
    into memory; float16 then becomes float32.

    Parameters
    ----------
    path : file
    verify : bool
        False spares reading the features once through, for files of many gigabytes;
        damage there is then found when the bags are read. A file that has not changed
        is read through once per process.
    """
    path = Path(path)
    mark = _mark(path) if path.is_file() else None
    through = verify and mark not in _VERIFIED
    frames = {frame.name: frame for frame in fenced(path, "bags", verify=through)}
    stamp = stamp_of(path)
    if mark is not None and _mark(path) != mark:
        raise BadFile(f"{path} was changed while it was read; read it again.")
    if (
        through
        and mark is not None
        and time.time_ns() - mark[-1] > _SETTLED_SECONDS * 1e9
    ):
        # A file changed a moment ago may change again under the same time.
        _VERIFIED.add(mark)
    return _dataset(path, frames, stamp)


def _mark(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _dataset(path: Path, frames: dict[str, Frame], stamp: tuple[int, int]) -> Dataset:
    where = f"the description of {path}"
    record = records.from_json(frames.pop(ABOUT).text, where)
    features = frames.pop(FEATURES)
    values = {name: _value(path, frame) for name, frame in frames.items()}
    rows = FileRows(
        path.absolute(),
        FEATURES,
        features.shape[1],
        features.dtype,
        RowRanges.of([0], [features.shape[0]]),
        stamp,
    )
    bags = Bags(
        rows,
        values["offsets"],
        bag_ids=values.get("bag_id"),
        coords=values.get("coords"),
        instance_labels=values.get("instance_label"),
        uris=values.get("uri"),
        instance_shape=records.shape_of(record),
    )
    candidates = Candidates.from_parts(
        values["candidates"], values["classes"], values.get("weights")
    )
    return Dataset(
        bags,
        candidates,
        labels=_labels(path, values.get("label"), candidates.classes),
        groups=values.get("group"),
        splits=_splits(path, values),
        **records.details(record),
    )


def _value(path: Path, frame: Frame) -> Array:
    """Return numbers as they are and a JSON list of names as text."""
    if frame.kind == ARRAY and frame.array is not None:
        return frame.array
    names = None if frame.kind == SHAPE else json.loads(frame.text)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadFile(f"{path}: {frame.name!r} must be a list of names.")
    return np.array(names, dtype=np.str_)


def _labels(path: Path, numbers: Array | None, classes: Array) -> Array | None:
    """Return the names of the true classes; -1 for all means that none is known."""
    if numbers is None or (numbers == -1).all():
        return None
    if numbers.dtype.kind not in "iu" or numbers.ndim != 1:
        raise BadFile(f"{path}: 'label' must be a list of class numbers.")
    unknown = int((numbers == -1).sum())
    if unknown:
        raise BadFile(
            f"{path}: the true label of {unknown} of {len(numbers)} bags is unknown "
            "(-1); it must be known for all bags or for none."
        )
    if not 0 <= numbers.min() <= numbers.max() < len(classes):
        raise BadFile(
            f"{path}: 'label' must be 0 to {len(classes) - 1}; "
            f"it goes from {numbers.min()} to {numbers.max()}."
        )
    named: Array = classes[numbers]
    return named


def _splits(path: Path, values: dict[str, Array]) -> dict[str, list[tuple[Any, Any]]]:
    """Put the folds of each name in the order of their numbers."""
    found: dict[str, dict[int, dict[str, Array]]] = {}
    for key, array in values.items():
        if not key.startswith(SPLITS + "/"):
            continue
        _, name, fold, side = key.split("/")
        if not (fold.isascii() and fold.isdecimal() and len(fold) < 7):
            raise BadFile(f"{path}: fold {fold!r} of {name!r} must be a number.")
        found.setdefault(name, {}).setdefault(int(fold), {})[side] = array
    for name, folds in found.items():
        if sorted(folds) != list(range(len(folds))):
            raise BadFile(f"{path}: the folds of {name!r} must count from 0.")
    return {
        name: [(folds[i]["train"], folds[i]["test"]) for i in range(len(folds))]
        for name, folds in found.items()
    }
