"""Writing of folders: a .npy file per bag, and a label table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mipl.atomic_folders import atomic_folder
from mipl.data.frozen import Array
from mipl.files import write_text
from mipl.io import dataset_record as records
from mipl.io.folders.layouts import COORDS, FEATURES
from mipl.io.folders.layouts import INSTANCE_LABELS as KNOWN
from mipl.io.tables import label_columns as ours

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.data.dataset import Dataset

INSTANCE_LABELS = KNOWN[0]
LABELS, RECORD = "labels.csv", "dataset.json"
_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}")
_PIECE = 1 << 16


def write(dataset: Dataset, path: str | Path) -> None:
    """Write a new folder: ``features/bag.npy``, ``labels.csv`` and ``dataset.json``.

    Coordinates and instance labels go to ``coords`` and ``inst_labels``, as torchmil
    has them. The folder appears when it is complete.
    """
    bags = dataset.bags
    labels = ours.label_columns(dataset)
    names = _file_names(bags)
    labels = {"bag_id": labels.pop("bag_id"), "file": np.array(names), **labels}
    with atomic_folder(path, ()) as folder:
        for kind in (FEATURES, COORDS, INSTANCE_LABELS):
            (folder / kind).mkdir()
        for name, bag in zip(names, _one_by_one(bags), strict=True):
            _save(folder / FEATURES / name, bag.instances)
            _save(folder / COORDS / name, bag.coords)
            _save(folder / INSTANCE_LABELS / name, bag.instance_labels)
        for kind in (COORDS, INSTANCE_LABELS):
            if not any((folder / kind).iterdir()):
                (folder / kind).rmdir()
        ours.put_columns(folder / LABELS, labels)
        write_text(folder / RECORD, ours.to_record(dataset, labels))


def _file_names(bags: Bags) -> list[str]:
    """Return file names: the ids where they are safe on every system, else numbers."""
    names = [str(name) for name in ours.bag_names(bags).tolist()]
    safe = all(_SAFE.fullmatch(name) for name in names)
    if bags.bag_ids is None or not safe or len({n.lower() for n in names}) < len(names):
        names = [f"bag_{i:06d}" for i in range(len(bags))]
    return [f"{name}.npy" for name in names]


def _one_by_one(bags: Bags) -> Iterator[Bags]:
    for piece in bags.pieces(_PIECE):
        for i in range(len(piece)):
            yield piece[i : i + 1]


def _save(path: Path, values: Array | None) -> None:
    """Write one array; the folder is new, so nothing old can be torn."""
    if values is not None:
        array = records.plain_array(values, path.parent.name)
        np.save(path, array, allow_pickle=False)
