"""What the figures may be computed from; anything else is refused in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_TOLERANCE = 1e-3  # Sums of many float32 probabilities are a little off.


def finite(name: str, values: Any, ndim: int) -> Floats:
    """Read finite numbers with this many axes and at least one entry."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise MiplError(f"{name} must hold numbers only.") from None
    if array.ndim != ndim or array.size == 0:
        raise MiplError(
            f"{name} must have {ndim} axes and at least one entry; "
            f"got shape {array.shape}."
        )
    bad = ~np.isfinite(array)
    if bad.any():
        row = int(np.nonzero(bad)[0][0])
        raise MiplError(f"{name} must be finite; row {row} holds NaN or infinity.")
    return array


def probabilities(p: Any) -> Floats:
    """Read (m, k) probabilities whose rows sum to one."""
    array = finite("p", p, 2)
    bad = (array < 0).any(axis=1) | (np.abs(array.sum(axis=1) - 1) > _TOLERANCE)
    if bad.any():
        raise MiplError(
            f"p must hold probabilities; row {int(np.argmax(bad))} "
            "is negative somewhere or does not sum to 1."
        )
    return array


def candidate_sets(candidates: Any, shape: tuple[int, ...]) -> Bools:
    """Read an (m, k) boolean matrix without empty rows."""
    matrix = np.asarray(candidates)
    if matrix.dtype != bool or matrix.shape != shape:
        raise MiplError(
            f"candidates must be a boolean matrix of shape {shape}, the shape of p; "
            f"got {matrix.dtype} of shape {matrix.shape}."
        )
    empty = ~matrix.any(axis=1)
    if empty.any():
        raise MiplError(f"candidate set of bag {int(np.argmax(empty))} is empty.")
    return matrix


def column_numbers(name: str, values: Any, n_bags: int, n_classes: int) -> Ints:
    """Read one class, as the number of its column, for each bag."""
    array = np.asarray(values)
    if array.shape != (n_bags,) or array.dtype.kind not in "iu":
        raise MiplError(
            f"{name} must be {n_bags} column numbers of p, one for each bag; "
            f"got {array.dtype} of shape {array.shape}."
        )
    outside = (array < 0) | (array >= n_classes)
    if outside.any():
        bag = int(np.argmax(outside))
        raise MiplError(
            f"{name} must be column numbers 0 to {n_classes - 1}; "
            f"bag {bag} has {array[bag]}."
        )
    return array.astype(np.int64)


def between_0_and_1(name: str, value: float) -> float:
    """Read a number strictly between 0 and 1."""
    if not 0 < value < 1:
        raise MiplError(f"{name} must lie between 0 and 1; got {value}.")
    return float(value)
