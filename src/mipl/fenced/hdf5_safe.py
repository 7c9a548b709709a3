"""HDF5 opened with suspicion: no links out of the file, no claims without bytes."""

from __future__ import annotations

import math
import os
from typing import Any

from mipl.fenced.frames import Array, Budget, Refused
from mipl.fenced.hdf5_library import h5py

# A file must not choose code: plugins for unknown filters are never loaded.
os.environ["HDF5_PLUGIN_PRELOAD"] = "::"

# Bytes that point to one text of variable length.
_VARIABLE_TEXT = 16


def open_hdf5(file: int) -> h5py.File:
    """Open the file behind a descriptor for reading."""
    try:
        return h5py.File(f"/dev/fd/{file}", "r", locking=False)
    except (OSError, RuntimeError, ValueError) as error:
        raise Refused(f"it is no readable HDF5 file ({str(error)[:120]})") from None


def member(group: h5py.Group, name: str) -> h5py.Group | h5py.Dataset | None:
    """Return what a group holds under a name; only hard links count."""
    link = group.get(name, getlink=True)
    if link is None:
        return None
    if not isinstance(link, h5py.HardLink):
        raise Refused(f"its entry {name!r} is a link to somewhere else")
    return group[name]


def subgroup(group: h5py.Group, name: str) -> h5py.Group:
    """Return a group inside a group."""
    item = member(group, name)
    if not isinstance(item, h5py.Group):
        raise Refused(f"its entry {name!r} is no group")
    return item


def sound(dataset: Any, what: str, resizable: bool = False) -> h5py.Dataset:
    """Return the data set if all its numbers are inside this file.

    Our files and MATLAB's never have room to grow, so there a shape below its largest
    was altered; other programs' may, and say so with ``resizable``.
    """
    if not isinstance(dataset, h5py.Dataset):
        raise Refused(f"its entry {what!r} is no array")
    if dataset.external or dataset.is_virtual:
        raise Refused(f"its array {what!r} lies in other files")
    shape = dataset.shape
    if shape is None:
        raise Refused(f"its array {what!r} has no shape")
    fixed = dataset.maxshape == shape
    if not (_whole(dataset) and (fixed or resizable)):
        raise Refused(f"its array {what!r} is not as large as its shape {shape} says")
    return dataset


def _whole(dataset: h5py.Dataset) -> bool:
    """Tell whether every number of the shape is stored."""
    if dataset.chunks is None:
        text = h5py.check_string_dtype(dataset.dtype)
        variable = text is not None and text.length is None
        size = _VARIABLE_TEXT if variable else dataset.dtype.itemsize
        return bool(dataset.id.get_storage_size() == dataset.size * size)
    steps = [
        -(-side // step)
        for side, step in zip(dataset.shape, dataset.chunks, strict=True)
    ]
    return bool(dataset.id.get_num_chunks() == math.prod(steps))


def numbers(dataset: Any, what: str, budget: Budget, resizable: bool = False) -> Array:
    """Read a whole array of real numbers."""
    dataset = sound(dataset, what, resizable)
    if dataset.dtype.kind not in "biuf" or dataset.dtype.itemsize > 8:
        raise Refused(f"its array {what!r} holds no plain numbers: {dataset.dtype}")
    budget.take(math.prod(dataset.shape) * dataset.dtype.itemsize, f"array {what!r}")
    array: Array = dataset[()]
    return array


def attribute(item: Any, name: str) -> Any:
    """Return an attribute as text or number, or None."""
    if name not in item.attrs:
        return None
    value = item.attrs[name]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
