"""The native ``*.bags.h5`` file: its schema, its fingerprint, and its check.

The writer and the child that checks share this module, so that both mean the same.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mipl.fenced.frames import SHAPE, Array, Budget, Frame, Refused
from mipl.fenced.hdf5_library import h5py
from mipl.fenced.hdf5_safe import attribute, member, numbers, open_hdf5, sound, subgroup

SCHEMA = "mipl dataset"
FEATURES = "features"
SPLITS = "splits"
FACTS = "facts"
ABOUT = "about"
REQUIRED = ("offsets", "candidates", "classes")
OPTIONAL = (
    "bag_id", "coords", "facts", "group", "instance_label", "label", "uri", "weights",
)  # fmt: skip
ATTRIBUTES = ("schema", "version", "name", "licence", "source", "instance_shape")
_PIECE = 8 << 20  # Bytes of features held in memory at a time.
_MOST_INFLATION = 1100  # No filter of HDF5 that we know packs tighter than zlib.


class Fingerprint:
    """One sha256 over names, types, shapes and bytes of all parts, in a fixed order."""

    def __init__(self) -> None:
        self._total = hashlib.sha256()

    def add(self, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        """Begin a part; its bytes follow in pieces."""
        text = json.dumps([name, dtype.newbyteorder("<").str, list(shape)])
        self._total.update(text.encode())

    def bytes(self, array: Array) -> None:
        """Add a piece of a part."""
        little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        self._total.update(little.reshape(-1).view(np.uint8).data)

    def text(self, name: str, text: str) -> None:
        """Add a named text."""
        self._total.update(json.dumps([name, text]).encode())

    def hex(self) -> str:
        """Return the hash of all that was added."""
        return self._total.hexdigest()


def step_rows(shape: tuple[int, ...], itemsize: int, chunk: int) -> int:
    """Return how many rows to hold at a time: whole chunks of about 8 MiB."""
    row = max(1, shape[1] * itemsize)
    return max(1, _PIECE // (row * chunk)) * chunk


def check_bags(file: int, budget: Budget, verify: bool) -> Iterator[Frame]:
    """Give all but the features of a native file, which is checked as a whole.

    With ``verify`` every chunk of the features is read, which tests the checksums, and
    the fingerprint is compared.
    """
    with open_hdf5(file) as top:
        _check_schema(top)
        fingerprint = Fingerprint()
        features = _features(top)
        if verify:
            _read_through(features, fingerprint)
        yield Frame(SHAPE, FEATURES, features.shape, features.dtype.str[1:])
        about = {name: _plain(attribute(top, name)) for name in ATTRIBUTES}
        for name in ATTRIBUTES:
            fingerprint.text(name, json.dumps(about[name]))
        for name, item in _parts(top):
            frame = _part(name, item, budget, fingerprint)
            if name == FACTS and frame.array is not None:
                about[FACTS] = json.loads(frame.array.tobytes())
            else:
                yield frame
        texts = dict.fromkeys(("name", "licence", "source"), "not stated")
        known = {name: value for name, value in about.items() if value is not None}
        yield Frame.of_text(ABOUT, json.dumps({**texts, FACTS: {}, **known}))
        stated = attribute(top, "sha256")
        if verify and stated is not None and stated != fingerprint.hex():
            raise Refused("it is damaged (its content does not match its sha256)")


def _check_schema(top: h5py.File) -> None:
    if attribute(top, "schema") != SCHEMA or member(top, FEATURES) is None:
        raise Refused(
            "it is an HDF5 file but no *.bags.h5 file (it lacks schema and features); "
            "HDF5 files of single bags are read by their folder"
        )


def _plain(value: Any) -> Any:
    """Turn an attribute into JSON values."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _features(top: h5py.File) -> h5py.Dataset:
    features = sound(member(top, FEATURES), FEATURES)
    kind, size = features.dtype.kind, features.dtype.itemsize
    if features.ndim != 2 or kind != "f" or size > 8 or 0 in features.shape:
        raise Refused(
            f"its features are {features.dtype} of shape {features.shape}; they must "
            "be (N, d) floating-point numbers"
        )
    claimed = math.prod(features.shape) * size
    if claimed > _MOST_INFLATION * (features.id.get_storage_size() + 1024):
        raise Refused(f"its features claim {claimed:,} bytes, which it does not hold")
    return features


def _read_through(features: h5py.Dataset, fingerprint: Fingerprint) -> None:
    chunk = features.chunks[0] if features.chunks else 1
    rows = step_rows(features.shape, features.dtype.itemsize, chunk)
    fingerprint.add(FEATURES, features.dtype, features.shape)
    for start in range(0, features.shape[0], rows):
        fingerprint.bytes(features[start : start + rows])


def _parts(top: h5py.File) -> Iterator[tuple[str, Any]]:
    """Give the named arrays in the order of the fingerprint."""
    for name in sorted((*REQUIRED, *OPTIONAL)):
        item = member(top, name)
        if item is None and name in REQUIRED:
            raise Refused(f"it lacks {name!r}")
        if item is not None:
            yield name, item
    if member(top, SPLITS) is None:
        return
    splits = subgroup(top, SPLITS)
    for name in sorted(splits):
        folds = subgroup(splits, name)
        for fold in sorted(folds):
            sides = subgroup(folds, fold)
            for side in ("test", "train"):
                path = f"{SPLITS}/{name}/{fold}/{side}"
                yield path, sound(member(sides, side), path)


def _part(name: str, item: Any, budget: Budget, fingerprint: Fingerprint) -> Frame:
    """Frame one array; names are sent as a JSON list."""
    item = sound(item, name)
    if item.dtype.kind not in "SO":
        array = numbers(item, name, budget)
        fingerprint.add(name, array.dtype, array.shape)
        fingerprint.bytes(array)
        return Frame.of_array(name, array)
    budget.take(item.size * item.dtype.itemsize, f"array {name!r}")
    if item.dtype.kind == "S":
        array = item[()]
        fingerprint.add(name, array.dtype, array.shape)
        fingerprint.bytes(array)
    if h5py.check_string_dtype(item.dtype) is None:
        raise Refused(f"its array {name!r} holds neither numbers nor text")
    if item.ndim != 1:
        raise Refused(f"its array {name!r} must be a list of names")
    return Frame.of_text(name, json.dumps(item.asstr(errors="replace")[()].tolist()))
