"""What stands beside the numbers of bags: ids, positions, labels, addresses, shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from mipl.data.arrays import entries, numbers
from mipl.data.features import Features
from mipl.data.frozen import Array, frozen
from mipl.errors import MiplError

METADATA = (
    "bag_ids", "coords", "instance_labels", "uris", "instance_shape", "features",
)  # fmt: skip


def checked(given: dict[str, Any], n_bags: int, n_rows: int, d: int) -> list[Any]:
    """Return the values in the order of ``METADATA``; what is None stays None."""
    ids, coords, labels, uris, shape, features = (given[name] for name in METADATA)
    return [
        entries("bag_ids", ids, n_bags),
        _as_coords(coords, n_rows),
        entries("instance_labels", labels, n_rows),
        entries("uris", uris, n_bags),
        _as_shape(shape, d),
        _as_features(features, d),
    ]


def bag_name(ids: Array | None, index: int) -> str:
    """Return how messages call a bag: its number, and its id where it has one."""
    if ids is None or index >= len(ids):
        return f"bag {index}"
    return f"bag {index} ({str(ids[index])!r})"


def _as_coords(values: Any, n: int) -> Array | None:
    if values is None:
        return None
    array = numbers(values, "coords")
    if array.ndim != 2 or len(array) != n or not np.isfinite(array).all():
        raise MiplError(
            f"coords must be finite numbers of shape ({n}, c), a row per instance; "
            f"got shape {array.shape}, or NaN or inf among them."
        )
    return frozen(array)


def _as_shape(shape: tuple[int, ...] | None, d: int) -> tuple[int, ...] | None:
    if shape is None:
        return None
    shape = tuple(int(side) for side in shape)
    if min(shape, default=0) < 1 or int(np.prod(shape)) != d:
        raise MiplError(
            f"instance_shape {shape} must hold as many numbers as an instance, {d}."
        )
    return shape


def _as_features(value: Any, d: int) -> Features | None:
    if value is None:
        return None
    features = value if isinstance(value, Features) else Features(value)
    if features.names is not None and len(features.names) != d:
        raise MiplError(
            f"there are {len(features.names)} names for {d} features; give one for "
            "each."
        )
    return features
