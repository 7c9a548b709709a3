"""Lists of bags and arrays of bags, laid out as flat rows with offsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.arrays import Namer, numbers, on_disk
from mipl.data.frozen import Array
from mipl.errors import BadBags, BadType, MiplError


def stack(data: Any, name: Namer) -> tuple[Array, Array]:
    """Return the instances of all bags one after another, and where each begins."""
    if on_disk(data):
        raise MiplError("instances on disk need offsets; give Bags(rows, offsets).")
    if hasattr(data, "to_numpy"):
        data = data.to_numpy()
    if hasattr(data, "toarray") or _is_plain_array(data):
        return _stack_array(numbers(data, "the array of bags"), name)
    listlike = hasattr(data, "__len__") and hasattr(data, "__getitem__")
    if not listlike or isinstance(data, (Mapping, str, bytes)):
        raise BadType(
            f"bags must be a list of (n_i, d) arrays, a 3-D or a 2-D array; "
            f"got a {type(data).__name__}."
        )
    return _stack_list([numbers(bag, name(i)) for i, bag in enumerate(data)], name)


def _is_plain_array(data: Any) -> bool:
    """Tell arrays of numbers from lists, and from object arrays, which are lists."""
    if not hasattr(data, "__array__"):
        return False
    return str(getattr(data, "dtype", "")) != "object" or np.ndim(data) == 0


def _stack_array(data: Array, name: Namer) -> tuple[Array, Array]:
    if data.ndim < 2:
        raise MiplError(
            f"Reshape your data: bags must be a list of (n_i, d) arrays, a 3-D or a "
            f"2-D array; got shape {data.shape}."
        )
    if len(data) == 0:
        raise MiplError("there are no bags (0 samples); give at least one.")
    if data.ndim == 2:
        return data, np.arange(len(data) + 1)
    m, n = data.shape[:2]
    if n == 0:
        raise _no_instances(range(m), name)
    return data.reshape(m * n, *data.shape[2:]), np.arange(m + 1) * n


def _stack_list(bags: list[Array], name: Namer) -> tuple[Array, Array]:
    depths = {bag.ndim for bag in bags}
    if depths in (set(), {0}):
        return _stack_array(np.zeros((0, 1)) if not bags else np.array(bags), name)
    if depths == {1}:  # A list of vectors is a 2-D array: bags of one instance.
        bags = [bag[None] for bag in bags]
    empty = [i for i, bag in enumerate(bags) if bag.ndim > 1 and len(bag) == 0]
    if empty:
        raise _no_instances(empty, name)
    for i, bag in enumerate(bags):
        if bag.ndim < 2:
            raise MiplError(
                f"{name(i)} has shape {bag.shape}; it must be (n_i, d): "
                "one row per instance."
            )
        if bag.shape[1:] != bags[0].shape[1:]:
            raise MiplError(
                f"{name(i)} has instances of shape {bag.shape[1:]}, {name(0)} of "
                f"{bags[0].shape[1:]}; all instances must have the same features."
            )
    with np.errstate(over="ignore"):  # What overflows is named by the finite check.
        rows = np.concatenate(bags, dtype=np.float32, casting="unsafe")
    rows.flags.writeable = False  # Nobody else holds it, so it need not be copied.
    return rows, np.concatenate([[0], np.cumsum([len(bag) for bag in bags])])


def as_offsets(offsets: Any, n: int, name: Namer) -> npt.NDArray[np.int64]:
    """Check where bags begin: from 0 up to the number of instances ``n``."""
    array = np.asarray(offsets)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) == 0:
        raise MiplError(
            f"offsets must be a 1-D array of integers that rises from 0 to {n}; "
            f"got {array.dtype} of shape {array.shape}."
        )
    array = array.astype(np.int64)
    if array[0] != 0 or array[-1] != n:
        raise MiplError(
            f"offsets must rise from 0 to the number of instances {n}; "
            f"they go from {array[0]} to {array[-1]}."
        )
    steps = np.diff(array)
    if (steps < 0).any():
        raise MiplError(
            f"{name(int(np.argmax(steps < 0)))} ends before it begins; "
            "offsets must rise from bag to bag."
        )
    if (steps == 0).any():
        raise _no_instances(np.flatnonzero(steps == 0).tolist(), name)
    if len(steps) == 0:
        raise MiplError("there are no bags; give at least one.")
    return array


def _no_instances(empty: Sequence[int], name: Namer) -> BadBags:
    return BadBags(
        f"{name(empty[0])} has no instances; a bag needs at least one: "
        "drop it and its candidates.",
        "empty-bags",
        empty,
        name,
    )
