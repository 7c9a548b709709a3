"""Long tables, CSV or Parquet: one row per instance, and a label table beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.data.features import Features
from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError
from mipl.files import existing
from mipl.io import dataset_record as records
from mipl.io.file_set import read_together
from mipl.io.left_out import LeftOut
from mipl.io.tables import label_columns as ours
from mipl.io.tables.columns import Columns
from mipl.io.tables.instance_table import InstanceOptions, InstanceTable, read_instances
from mipl.io.tables.label_options import LabelOptions
from mipl.io.tables.label_table import LabelTable, read_label_table
from mipl.io.tables.long_table_write import (
    INSTANCES,
    LABELS,
    labels_path,
    record_path,
    write,
)
from mipl.io.tables.table_file import is_parquet, read_columns

__all__ = ["read", "read_bags", "sniff", "write"]

_START = 1 << 12


def sniff(path: Path) -> bool:
    """Tell by content whether this is a Parquet file or begins like a CSV table."""
    if not path.is_file():
        return False
    if is_parquet(path):
        return True
    with path.open("rb") as handle:
        first = handle.read(_START).split(b"\n")[0]
    try:
        text = first.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # A character may be cut in two where the start ends.
        text = first[: error.start].decode() if error.start > _START - 4 else "\0"
    return "\0" not in text and any(mark in text for mark in ",;\t")


def read(
    path: str | Path,
    left: LeftOut | None = None,
    *,
    labels: str | Path | None = None,
    features: Sequence[str] | None = None,
    coords: Sequence[str] | None = None,
    **columns: Any,
) -> Dataset:
    """Read a long table and its label table.

    Rows of one bag need not stand together; bags come in the order of first
    appearance. Without a label table, candidates and labels are looked for among the
    columns of the long table, where they must be the same in all rows of a bag.

    Parameters
    ----------
    path : CSV or Parquet file
        One row per instance: a column ``bag_id``, columns of numbers (the features),
        and where known ``instance_label`` and coordinates.
    left : LeftOut, optional
        Takes the bags that cannot be used; otherwise they are refused.
    labels : path, optional
        The label table; by default ``name.labels.csv`` (or ``.parquet``) beside
        ``name.csv``.
    features, coords : lists of column names, optional
        By default all columns of numbers are features, except x and y, or start and
        end, where other columns are left.
    **columns
        ``bag_id``, ``candidates``, ``label``, ``group``, ``split``, ``classes``,
        ``annotations``, ``annotators``, ``rule``, ``unsure``: see ``LabelOptions``.
    """
    path = existing(path)
    left = LeftOut("raise", path) if left is None else left

    def whole(places: Mapping[str, Path]) -> Dataset:
        left.begin()
        record = _record_of(path)
        options = ours.with_classes(
            LabelOptions.of(columns, "features", "coords", without=["file"]), record
        )
        instances = _instances(
            places[INSTANCES], options, features, coords, record, left
        )
        source = _label_source(path, labels, places.get(LABELS), options, instances)
        if source is not None and source is not instances.per_bag:
            ours.check_header(source, record, record_path(path).name)
        types = (record or {}).get("types", {})
        beside = None if source is instances.per_bag else instances.per_bag
        table = read_label_table(source, options, instances.keys, types, beside, left)
        left.settle(len({*instances.keys, *left.reasons}))
        table = table.take(left.usable(table.keys))
        instances = instances.take(left.usable(instances.keys))
        table.check_sizes(np.diff(instances.offsets), path)
        return _dataset(path, instances, table, record)

    members = {INSTANCES: path}
    if labels is None:
        members[LABELS] = labels_path(path)
    return read_together(record_path(path), members, whole)


def read_bags(
    path: str | Path,
    left: LeftOut | None = None,
    *,
    labels: str | Path | None = None,
    features: Sequence[str] | None = None,
    coords: Sequence[str] | None = None,
    **columns: Any,
) -> Bags:
    """Read the bags of a long table; labels are neither needed nor read."""
    path = existing(path)
    left = LeftOut("raise", path) if left is None else left

    def whole(places: Mapping[str, Path]) -> Bags:
        left.begin()
        record = _record_of(path)
        options = ours.with_classes(
            LabelOptions.of(columns, "features", "coords", without=["file"]), record
        )
        instances = _instances(
            places[INSTANCES], options, features, coords, record, left
        )
        left.settle(len(instances.keys))
        return _bags(path, instances.take(left.usable(instances.keys)), record)

    return read_together(record_path(path), {INSTANCES: path}, whole)


def _instances(
    path: Path,
    options: LabelOptions,
    features: Sequence[str] | None,
    coords: Sequence[str] | None,
    record: dict[str, Any] | None,
    left: LeftOut,
) -> InstanceTable:
    stored = record or {}
    chosen = InstanceOptions(
        options,
        features=features or stored.get("features"),
        coords=stored.get("coords") if coords is None else coords,
        names=stored.get("instances"),
    )
    return read_instances(path, chosen, left, stored.get("types", {}))


def _record_of(path: Path) -> dict[str, Any] | None:
    record = ours.from_record(record_path(path))
    if record is None:
        return None
    lists = [record.get(name) for name in ("features", "coords", "instances")]
    if not all(isinstance(names, list) for names in lists):
        raise BadFile(f"{record_path(path)} is damaged: its columns are wrong.")
    return record


def _label_source(
    path: Path,
    labels: str | Path | None,
    written: Path | None,
    options: LabelOptions,
    instances: InstanceTable,
) -> Columns | None:
    if labels is not None:
        return read_columns(labels)
    for beside in (written, *_other_labels(path)):
        if beside is not None and beside.is_file():
            return read_columns(beside)
    if len(instances.per_bag.cells) > 1:
        return instances.per_bag
    if options.annotations is not None:
        return None
    raise MiplError(
        f"{path} has no label table; put {labels_path(path).name} beside it, or name "
        "one with labels= or annotations=."
    )


def _other_labels(path: Path) -> list[Path]:
    return [path.with_name(f"{path.stem}.labels{s}") for s in (".csv", ".parquet")]


def _dataset(
    path: Path,
    instances: InstanceTable,
    table: LabelTable,
    record: dict[str, Any] | None,
) -> Dataset:
    details: dict[str, Any] = {
        "name": path.stem,
        "facts": {"features": instances.features, "coords": instances.coord_names},
    }
    if record is not None:
        details = records.details(record)
    return table.dataset(_bags(path, instances, record, table.uris), **details)


def _bags(
    path: Path,
    instances: InstanceTable,
    record: dict[str, Any] | None,
    uris: Array | None = None,
) -> Bags:
    return Bags(
        instances.rows,
        instances.offsets,
        bag_ids=ours.bag_ids(instances.keys, record, path),
        coords=instances.coords,
        instance_labels=instances.instance_labels,
        uris=uris,
        instance_shape=None if record is None else records.shape_of(record),
        features=Features(instances.features)
        if record is None
        else Features.of_facts(record["facts"], len(instances.features)),
    )
