"""The columns of the label tables that we write, and what brings them back."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError
from mipl.files import atomic_path, read_bounded
from mipl.io import dataset_record as records
from mipl.io.file_set import LARGEST_RECORD
from mipl.io.tables import csv_file, parquet_file
from mipl.io.tables.candidate_columns import CANDIDATE, WEIGHT
from mipl.io.tables.columns import Columns, as_text, typed
from mipl.io.tables.label_options import LabelOptions
from mipl.io.tables.split_columns import columns_of
from mipl.plain_text import as_cell

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.data.dataset import Dataset

_DTYPE = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248]|U\d{1,6})")
_OF_BAGS = ("bag_ids", "uris", "coords", "instance_labels")


def bag_names(bags: Bags) -> Array:
    """Return the bag ids, or numbers where there are none; they must differ."""
    if bags.bag_ids is None:
        return np.arange(len(bags))
    names = records.plain_array(bags.bag_ids, "bag_ids")
    values, counts = np.unique(names, return_counts=True)
    if (counts > 1).any():
        raise MiplError(
            f"bag id {str(values[counts > 1][0])!r} is used twice; ids must differ to "
            "be written as a table."
        )
    return names


def label_columns(dataset: Dataset) -> dict[str, Array]:
    """Return the columns of the label table: ids, sizes, labels, sets, splits."""
    candidates = dataset.candidates
    names = [as_text(name).strip() for name in candidates.classes.tolist()]
    if len(set(names)) < len(names):
        raise MiplError("class names must differ by more than spaces in a table.")
    columns: dict[str, Any] = {
        "bag_id": bag_names(dataset.bags),
        "n_instances": dataset.bags.sizes,
        "label": dataset.labels,
        "group": dataset.groups,
        "uri": dataset.bags.uris,
    }
    for c, name in enumerate(names):
        columns[CANDIDATE + name] = candidates.matrix[:, c]
    if candidates.weights is not None:
        for c, name in enumerate(names):
            columns[WEIGHT + name] = candidates.weights[:, c]
    for name, splits in dataset.splits.items():
        columns.update(columns_of(splits, name, len(dataset)))
    csv_file.writable(list(columns), "a column name")
    return {
        name: writable(values, name)
        for name, values in columns.items()
        if values is not None
    }


def write_columns(path: Path, columns: dict[str, Array]) -> None:
    """Write a small table, Parquet or CSV by its suffix."""
    with atomic_path(path) as temporary:
        put_columns(temporary, columns, path.suffix.lower() == ".parquet")


def put_columns(path: Path, columns: dict[str, Array], parquet: bool = False) -> None:
    """Write a small table, CSV or Parquet, to a place that has no file yet."""
    if parquet:
        parquet_file.put_pieces(path, [columns])
    else:
        cells = (cells_of(values) for values in columns.values())
        heads = [as_cell(name) for name in columns]
        csv_file.put_rows(path, [heads, *zip(*cells, strict=True)])


def cells_of(values: Array) -> list[str]:
    """Return a column as the text of its cells."""
    texts = [as_text(value) for value in values.tolist()]
    return [as_cell(text) for text in texts] if values.dtype.kind == "U" else texts


def to_record(dataset: Dataset, labels: dict[str, Array], **more: Any) -> str:
    """Return the JSON text that brings back types, classes and facts of a table."""
    arrays = {name: getattr(dataset.bags, name) for name in _OF_BAGS}
    arrays["groups"] = dataset.groups
    types = {name: a.dtype.str for name, a in arrays.items() if a is not None}
    return records.to_json(
        dataset,
        types=types,
        classes=dataset.classes.tolist(),
        labels=list(labels),
        **more,
    )


def from_record(path: Path) -> dict[str, Any] | None:
    """Return the record at this path, if there is one, with its parts checked."""
    if not path.is_file():
        return None
    try:
        text = read_bounded(path, LARGEST_RECORD).decode()
    except UnicodeDecodeError:
        raise BadFile(f"{path} is not UTF-8 text; it is damaged.") from None
    record = records.from_json(text, str(path))
    types, classes, labels = (record.get(n) for n in ("types", "classes", "labels"))
    whole = (
        isinstance(types, dict)
        and types.keys() <= {*_OF_BAGS, "groups"}
        and all(_DTYPE.fullmatch(str(dtype)) for dtype in types.values())
        and isinstance(classes, list)
        and bool(classes)
        and len({type(name) for name in classes}) == 1
        and isinstance(classes[0], (str, int, float))
        and isinstance(labels, list)
    )
    if not whole:
        raise BadFile(f"{path} is damaged: types, classes or labels are wrong.")
    return record


def with_classes(options: LabelOptions, record: dict[str, Any] | None) -> LabelOptions:
    """Return the options with the classes that were written, unless told others."""
    if record is None or options.classes is not None:
        return options
    return replace(options, classes=record["classes"])


def bag_ids(keys: list[str], record: dict[str, Any] | None, path: Path) -> Array | None:
    """Return the bag ids as they were written; None where there were none."""
    if record is None:
        return typed(keys)
    dtype = record["types"].get("bag_ids")
    table = Columns(path, {"bag_id": keys}, range(len(keys)))
    return None if dtype is None else table.typed("bag_id", dtype)


def check_header(table: Columns, record: dict[str, Any] | None, beside: str) -> None:
    """Refuse a label table whose columns are not those that were written."""
    if record is not None and list(table.cells) != record["labels"]:
        raise BadFile(
            f"the columns of {table.path} are not those it was written with; if the "
            f"change is meant, delete {beside} beside it."
        )


def writable(values: Any, what: str) -> Array:
    """Return a column that comes back from a table as it was, or refuse."""
    array = records.plain_array(values, what)
    if array.dtype.kind == "U":
        csv_file.writable(array.tolist(), what)
    return array
