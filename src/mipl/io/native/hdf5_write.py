"""Writing of the native file, in pieces, with checksums and a fingerprint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.blocks import Block, blocks
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.errors import MiplError, unknown
from mipl.fenced.bags_file import ATTRIBUTES, FEATURES, SPLITS, Fingerprint
from mipl.fenced.hdf5_library import h5py
from mipl.files import atomic_path
from mipl.io import dataset_record as records
from mipl.io.hdf5_target import new_hdf5

_CHUNK = 256 << 10  # Bytes; a random bag of usual size touches one or two chunks.
_PIECE = 32 << 20  # Bytes held in memory at a time.
_DTYPES = ("float16", "float32")
_COMPRESSIONS = ("gzip", "lzf")


def write(
    dataset: Dataset,
    path: str | Path,
    *,
    dtype: str | None = None,
    compression: str | None = None,
) -> None:
    """Write a data set as one ``*.bags.h5`` file.

    Bags on disk are copied in pieces, so they may be larger than memory.

    Parameters
    ----------
    dataset : Dataset
    path : file
    dtype : "float32" or "float16", optional
        Type of the features on disk. By default float16 stays float16, and all else is
        float32.
    compression : "gzip" or "lzf", optional
        Packs the features; smaller, and slower to read at random.
    """
    bags = dataset.bags
    if not len(bags):
        raise MiplError(f"there are no bags to write to {path}; give at least one.")
    if dtype is not None and dtype not in _DTYPES:
        raise unknown("type of features", dtype, _DTYPES)
    if compression is not None and compression not in _COMPRESSIONS:
        raise unknown("compression", compression, _COMPRESSIONS)
    if dtype is None:
        dtype = "float16" if bags.instances.dtype == np.float16 else "float32"
    record = json.loads(records.to_json(dataset))
    fingerprint = Fingerprint()
    expected = 0 if compression else bags.n_instances * bags.n_features
    expected *= np.dtype(dtype).itemsize
    with atomic_path(path) as temporary:
        # The latest form of HDF5 has checksums in all of its headers.
        with new_hdf5(temporary, expected, libver="latest") as (top, check):
            features = _new_features(top, bags, np.dtype(dtype), compression)
            for place, rows in _rows(bags, features, fingerprint):
                features[place] = rows
                check()
            _put_attributes(top, record, fingerprint)
            for name, array in _parts(dataset, record["facts"]):
                _put(top, name, array, fingerprint)
            top.attrs["sha256"] = np.bytes_(fingerprint.hex())


def _new_features(
    top: h5py.File, bags: Bags, dtype: np.dtype[Any], compression: str | None
) -> h5py.Dataset:
    shape = (bags.n_instances, bags.n_features)
    width = bags.n_features * dtype.itemsize
    return top.create_dataset(
        FEATURES,
        shape,
        dtype,
        chunks=(min(shape[0], max(1, _CHUNK // width)), shape[1]),
        compression=compression,
        shuffle=compression is not None,
        fletcher32=True,
    )


def _rows(
    bags: Bags, features: h5py.Dataset, fingerprint: Fingerprint
) -> Iterator[tuple[slice, Array]]:
    """Give the instances in pieces of whole chunks, so that none is written twice."""
    dtype, chunk = features.dtype, features.chunks[0]
    fingerprint.add(FEATURES, dtype, features.shape)
    width, start = bags.n_features * dtype.itemsize, 0
    for block in blocks(bags, max(1, _PIECE // (width * chunk)) * chunk):
        rows = _converted(block, dtype, bags)
        yield slice(start, start + len(rows)), rows
        fingerprint.bytes(rows)
        start += len(rows)


def _converted(block: Block, dtype: np.dtype[Any], bags: Bags) -> Array:
    with np.errstate(over="ignore"):
        rows: Array = block.rows.astype(dtype)
    bad = ~np.isfinite(rows).all(axis=1)
    if bad.any():
        place = np.searchsorted(block.starts, np.argmax(bad), side="right") - 1
        raise MiplError(
            f"{bags.name(int(block.bags[place]))} holds a number too large for "
            f"{dtype}; write dtype='float32'."
        )
    return rows


def _put_attributes(
    top: h5py.File, record: dict[str, Any], fingerprint: Fingerprint
) -> None:
    for name in ATTRIBUTES:
        value = record[name]
        fingerprint.text(name, json.dumps(value))
        if isinstance(value, str):
            # Text of fixed length lies in the header, which has a checksum.
            raw = value.encode()
            dtype = h5py.string_dtype("utf-8", max(1, len(raw)))
            top.attrs.create(name, raw, dtype=dtype)
        elif value is not None:
            top.attrs[name] = np.asarray(value, np.int64)


def _parts(dataset: Dataset, facts: Any) -> Iterator[tuple[str, Array]]:
    """Give what there is besides the features, in the order of the fingerprint."""
    bags, candidates = dataset.bags, dataset.candidates
    labels = dataset.labels
    parts = {
        "bag_id": bags.bag_ids,
        "candidates": candidates.matrix,
        "classes": candidates.classes,
        "coords": bags.coords,
        "facts": np.frombuffer(json.dumps(facts).encode(), np.uint8),
        "group": dataset.groups,
        "instance_label": bags.instance_labels,
        "label": None if labels is None else candidates.encode(labels),
        "offsets": bags.offsets,
        "uri": bags.uris,
        "weights": candidates.weights,
    }
    for name in sorted(parts):
        if parts[name] is not None:
            yield name, records.plain_array(parts[name], name)
    for name in sorted(dataset.splits):
        if not name or "/" in name or name in (".", ".."):
            raise MiplError(f"the split name {name!r} must be text without '/'.")
        folds = {str(i): split for i, split in enumerate(dataset.splits[name])}
        for fold in sorted(folds):
            yield f"{SPLITS}/{name}/{fold}/test", folds[fold].test
            yield f"{SPLITS}/{name}/{fold}/train", folds[fold].train


def _put(top: h5py.File, name: str, array: Array, fingerprint: Fingerprint) -> None:
    """Write one array in chunks with checksums; text in a fixed width."""
    if array.dtype.kind == "U":
        array = np.char.encode(array, "utf-8")
        array = array.astype(h5py.string_dtype("utf-8", max(1, array.dtype.itemsize)))
    row = max(1, array.nbytes // len(array))
    chunks = (max(1, min(len(array), _CHUNK // row)), *array.shape[1:])
    top.create_dataset(name, data=array, chunks=chunks, fletcher32=True)
    fingerprint.add(name, array.dtype, array.shape)
    fingerprint.bytes(array)
