"""What a Dataset is besides its arrays, as JSON text beside or inside a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset

_SCHEMA = "mipl dataset"
_VERSION = 1
_TEXTS = ("name", "licence", "source")


def to_json(dataset: Dataset, **more: Any) -> str:
    """Return name, licence, source, facts and instance shape, and ``more``, as JSON.

    Examples
    --------
    >>> from mipl import Dataset
    >>> data = Dataset(np.zeros((2, 1)), [0, 1], name="toy")
    >>> from_json(to_json(data, kind="npz"), "here")["name"]
    'toy'
    """
    shape = dataset.bags.instance_shape
    record = {
        "schema": _SCHEMA,
        "version": _VERSION,
        **{name: getattr(dataset, name) for name in _TEXTS},
        "facts": dict(dataset.facts),
        "instance_shape": None if shape is None else list(shape),
        **more,
    }
    try:
        return json.dumps(record, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise MiplError(
            f"the facts of {dataset.name!r} cannot be written as JSON: {error}."
        ) from None


def from_json(text: str, where: str) -> dict[str, Any]:
    """Return the checked record; ``where`` is how messages call its place."""
    try:
        record = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{where} is not JSON: {str(error)[:100]}.") from None
    if not isinstance(record, dict) or record.get("schema") != _SCHEMA:
        raise BadFile(f"{where} must be a JSON object with schema {_SCHEMA!r}.")
    if record.get("version") != _VERSION:
        raise BadFile(
            f"{where} has version {str(record.get('version'))[:20]}; this program "
            f"reads version {_VERSION}: update mipl."
        )
    shape = record.get("instance_shape")
    whole = shape is None or (
        isinstance(shape, list)
        and all(type(side) is int and side > 0 for side in shape)
    )
    texts = all(isinstance(record.get(name), str) for name in _TEXTS)
    if not whole or not texts or not isinstance(record.get("facts"), dict):
        raise BadFile(f"{where} is damaged: name, facts or instance_shape are wrong.")
    return record


def details(record: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``Dataset`` that a record holds."""
    return {name: record[name] for name in (*_TEXTS, "facts")}


def shape_of(record: dict[str, Any]) -> tuple[int, ...] | None:
    """Return the instance shape that a record holds."""
    shape = record.get("instance_shape")
    return None if shape is None else tuple(shape)


def plain_array(values: Any, what: str) -> Array:
    """Return an array of a data set as every format can hold it, or refuse.

    Examples
    --------
    >>> plain_array(np.array([1.5], dtype=np.longdouble), "groups").dtype
    dtype('float64')
    """
    array = np.asarray(values)
    if array.dtype.kind == "U":
        _refuse_broken_text(array, what)
    wide = array.dtype.kind == "f" and array.dtype.itemsize > 8
    return array.astype(np.float64) if wide else array


def _refuse_broken_text(array: Array, what: str) -> None:
    try:
        "".join(array.ravel().tolist()).encode()
    except UnicodeEncodeError as error:
        raise MiplError(f"{what} holds text that is not Unicode: {error}.") from None


def _plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it holds {name}")
