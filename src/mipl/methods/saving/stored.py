"""Stored: what a saved model holds, handed out piece by piece and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from mipl.data.frozen import Array
from mipl.data.label_sets import as_classes
from mipl.errors import BadFile

_MOST_BYTES = 1 << 28


class Stored:
    """Arrays and facts of a saved model.

    Each is asked for once, with the shape and type it must have; what nobody asked for
    is foreign, and ``check_empty`` refuses it.

    Examples
    --------
    >>> stored = Stored({"w": np.zeros((2, 3))}, {"tau": 0.5})
    >>> stored.fact("tau", float), stored.array("w", (None, 3), np.float64).shape
    (0.5, (2, 3))
    >>> stored.check_empty()
    """

    def __init__(self, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> None:
        self._arrays = dict(arrays)
        self._facts = dict(facts)

    def fact(self, name: str, kind: Any) -> Any:
        """Take a fact of this type."""
        if name not in self._facts:
            raise BadFile(f"its {name} is missing.")
        value = self._facts.pop(name)
        try:
            return TypeAdapter(kind).validate_python(value, strict=True)
        except ValidationError as error:
            message = error.errors()[0]["msg"]
            raise BadFile(f"its {name} is damaged: {message}.") from None

    def later_fact(self, name: str, kind: Any, absent: Any) -> Any:
        """Take a fact that models saved by earlier versions lack."""
        return self.fact(name, kind) if name in self._facts else absent

    def array(self, name: str, shape: tuple[int | None, ...], *dtypes: Any) -> Array:
        """Take an array of this shape (None: any length) and one of these types."""
        if name not in self._arrays:
            raise BadFile(f"its array {name!r} is missing.")
        array = self._arrays.pop(name)
        fits = len(shape) == array.ndim and all(
            wanted in (None, length)
            for wanted, length in zip(shape, array.shape, strict=True)
        )
        if not fits or array.dtype not in dtypes:
            kinds = " or ".join(str(np.dtype(dtype)) for dtype in dtypes)
            wanted = tuple("any" if n is None else n for n in shape)
            raise BadFile(
                f"its array {name!r} must be {kinds} of shape {wanted}; "
                f"it is {array.dtype} of shape {array.shape}."
            )
        return array

    def holds(self, name: str) -> bool:
        """Tell whether an array of this name is there."""
        return name in self._arrays

    def part(self, name: str) -> Stored:
        """Take the arrays and facts under a name, as if they were a model's own."""
        start = f"{name}."
        names = [key for key in self._arrays if key.startswith(start)]
        arrays = {key.removeprefix(start): self._arrays.pop(key) for key in names}
        return Stored(arrays, self.fact(name, dict[str, Any]))

    def check_empty(self) -> None:
        """Refuse what nobody has asked for."""
        foreign = sorted([*self._arrays, *self._facts])
        if foreign:
            raise BadFile(f"it holds the unknown part {foreign[0][:60]!r}.")


def classes_as_fact(classes: Array) -> dict[str, Any]:
    """Return class names as JSON values that keep their type.

    Examples
    --------
    >>> classes_as_fact(np.array(["elm", "oak"]))
    {'dtype': '<U3', 'values': ['elm', 'oak']}
    """
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def classes_from_fact(fact: Mapping[str, Any]) -> Array:
    """Return the class names that ``classes_as_fact`` has written."""
    try:
        dtype, values = np.dtype(fact["dtype"]), fact["values"]
        if dtype.kind not in "biufU" or len(values) * dtype.itemsize > _MOST_BYTES:
            raise ValueError
        classes = as_classes(np.array(values, dtype=dtype))
        if classes.tolist() != values or classes.dtype != dtype:
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise BadFile("its class names are damaged.") from None
    return classes
