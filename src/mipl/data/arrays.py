"""Numbers and texts that a user gives, read as arrays or refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mipl.data.frozen import Array, frozen
from mipl.errors import BadBags, BadType, MiplError

Namer = Callable[[int], str]


@runtime_checkable
class Rows(Protocol):
    """Instances that stay on disk until they are asked for.

    A class that keeps this protocol has no ``__array__``, so that nothing reads it
    whole by accident; its objects can be pickled and open their file anew.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers on disk."""

    def __getitem__(self, rows: slice) -> Array:
        """Read a run of rows."""

    def select(self, starts: Array, stops: Array) -> Rows:
        """Return the rows of these runs, one after another, still on disk."""


def on_disk(rows: Any) -> bool:
    """Tell whether these instances keep the ``Rows`` protocol."""
    # A torch tensor has a select of its own, but it is an array.
    return not hasattr(rows, "__array__") and isinstance(rows, Rows)


def numbers(value: Any, what: str) -> Array:
    """Read anything array-like as an array of real numbers."""
    if hasattr(value, "toarray"):
        raise BadType(f"{what} must be dense; got a sparse matrix: use x.toarray().")
    if np.ma.is_masked(value):
        raise MiplError(f"{what} must be complete; got masked values: fill or drop.")
    try:
        array = np.asarray(value)
    except (ValueError, RuntimeError):
        raise MiplError(
            f"{what} must be a regular array; got rows of different lengths or a "
            "type that NumPy cannot read: give every instance the same features."
        ) from None
    if array.dtype == object:
        array = _from_objects(array, what)
    if array.dtype.kind == "c":
        raise MiplError(f"Complex data not supported: {what} must hold real numbers.")
    if array.dtype.kind not in "biuf":
        raise BadType(f"{what} must hold numbers; got dtype {array.dtype}.")
    return array


def _from_objects(array: Array, what: str) -> Array:
    try:
        return array.astype(np.float64)
    except TypeError as error:
        raise BadType(f"{what} must hold numbers only: {str(error)[:80]}.") from None
    except (ValueError, OverflowError) as error:
        raise MiplError(f"{what} must hold numbers only: {str(error)[:80]}.") from None


def texts(name: str, values: Any) -> Array:
    """Read a flat list of numbers or text; other objects become text."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise MiplError(f"{name} must be a flat list; got a ragged one.") from None
    if array.ndim == 1 and array.dtype == object:
        array = np.array([str(value) for value in array], dtype=np.str_)
    if array.ndim != 1 or array.dtype.kind not in "biufU":
        raise MiplError(
            f"{name} must be a flat list of numbers or text; "
            f"got {array.dtype} of shape {array.shape}."
        )
    return frozen(array)


def entries(name: str, values: Any, n: int) -> Array | None:
    """Read exactly ``n`` numbers or texts; None stays None."""
    if values is None:
        return None
    array = texts(name, values)
    if len(array) != n:
        raise MiplError(f"{name} must have {n} entries; got {len(array)}.")
    return array


def as_rows(data: Any) -> tuple[Array, tuple[int, ...] | None]:
    """Return (N, d) float32 rows, and the shape of instances with several axes."""
    array = numbers(data, "the instances")
    if array.ndim < 2:
        raise MiplError(f"instances must be (N, d) rows; got shape {array.shape}.")
    shape = array.shape[1:] if array.ndim > 2 else None
    array = array.reshape(len(array), int(np.prod(array.shape[1:])))
    if array.shape[1] == 0:
        raise MiplError(
            f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    with np.errstate(over="ignore"):  # What overflows is named by the finite check.
        return frozen(array, np.float32), shape


def check_finite(
    rows: Array, offsets: Array, name: Namer, numbers: Array | None = None
) -> None:
    """Refuse NaN and infinity, with the bag, the instance and the feature.

    Where these are not all rows, ``numbers`` says which they are.
    """
    # In float64 a sum of float32 cannot overflow: it is finite if every number is.
    with np.errstate(invalid="ignore"):
        if np.isfinite(np.sum(rows, dtype=np.float64)):
            return
    bad_rows = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    first = rows[bad_rows[0]]
    feature = int(np.flatnonzero(~np.isfinite(first))[0])
    value = "NaN" if np.isnan(first[feature]) else "inf, or too large for float32,"
    if numbers is not None:
        bad_rows = numbers[bad_rows]
    row = int(bad_rows[0])
    bag = int(np.searchsorted(offsets, row, side="right")) - 1
    raise BadBags(
        f"{name(bag)} holds {value} at instance {row - offsets[bag]}, "
        f"feature {feature}; every number must be finite: replace or drop it.",
        "non-finite",
        np.unique(np.searchsorted(offsets, bad_rows, side="right") - 1).tolist(),
        name,
    )
