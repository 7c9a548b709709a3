"""Folders with a file per bag (or per slide of a patient) and a label table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.errors import BadFile, MiplError
from mipl.files import existing
from mipl.io import dataset_record as records
from mipl.io.folders import bag_files as files
from mipl.io.folders.folder_write import LABELS, RECORD, write
from mipl.io.tables import label_columns as ours
from mipl.io.tables.columns import Columns
from mipl.io.tables.label_options import LabelOptions
from mipl.io.tables.label_table import LabelTable, read_label_table
from mipl.io.tables.table_file import read_columns

__all__ = ["read", "sniff", "write"]

_TABLES = (".csv", ".parquet")


def sniff(path: Path) -> bool:
    """Tell whether this is a folder."""
    return path.is_dir()


def read(
    path: str | Path, *, labels: str | Path | None = None, **columns: Any
) -> Dataset:
    """Read a folder of bag files and its label table.

    The files lie in the folder itself or in ``features``, ``feats``, ``h5_files`` or
    ``features_...`` below it: .npy with (n, d) numbers, or HDF5 with ``features`` or
    ``feats``, and ``coords``. Each is called as its bag, unless a column ``file`` of
    the label table says otherwise; several rows of a bag name files to be joined.
    Folders ``coords``, ``inst_labels`` and ``labels`` beside ``features``, with one
    .npy per bag, are read, too. HDF5 files are opened in a fenced child process only.

    Parameters
    ----------
    path : folder
    labels : path, optional
        The label table; by default ``labels.csv`` or the only table in the folder.
    **columns
        ``bag_id``, ``file``, ``candidates``, ``label``, ``group``, ``split``,
        ``classes``, ``annotations``, ``annotators``, ``rule``, ``unsure``: see
        ``LabelOptions``.
    """
    root = existing(path)
    record = ours.from_record(root / RECORD)
    options = ours.with_classes(LabelOptions.of(columns), record)
    folder = files.features_folder(root)
    source = _label_source(root, folder, labels, options)
    if source is not None:
        ours.check_header(source, record, RECORD)
    table = read_label_table(source, options, types=(record or {}).get("types"))
    paths = _paths(table, folder, root)
    contents = [files.read_bag(paths[key]) for key in table.keys]
    table.check_sizes(np.array([len(bag.features) for bag in contents]), root)
    return _dataset(root, table, paths, contents, record)


def _label_source(
    root: Path, folder: Path, labels: str | Path | None, options: LabelOptions
) -> Columns | None:
    if labels is not None:
        return read_columns(labels)
    tables = [file for file in sorted(root.iterdir()) if file.suffix in _TABLES]
    tables = [file for file in tables if file.stem == "labels"] or tables
    if len(tables) == 1:
        return read_columns(tables[0])
    if (root / "labels").is_dir() and not tables:
        return _label_files(root, folder)
    if options.annotations is not None and not tables:
        return None
    what = "several tables" if tables else "no label table"
    raise MiplError(
        f"{root} holds {what}; put {LABELS} there or name one with labels= or "
        "annotations=."
    )


def _label_files(root: Path, folder: Path) -> Columns:
    """Read one label per bag from ``labels/bag.npy``."""
    found = files.bag_files(folder)
    values = []
    for name in found:
        value = files.read_array(existing(root / "labels" / f"{name}.npy"))
        if value.size != 1:
            raise BadFile(
                f"{root / 'labels' / name}.npy must hold one label; its shape is "
                f"{value.shape}."
            )
        values.append(value.item())
    cells = {"bag_id": list(found), "label": values}
    return Columns(root / "labels", cells, range(1, len(found) + 1), "file")


def _paths(table: LabelTable, folder: Path, root: Path) -> dict[str, list[Path]]:
    """Return the files of each bag; without a file column, bags and files match."""
    if table.files is not None:
        named = zip(table.keys, table.files, strict=True)
        return {
            key: [files.locate(n, (folder, root)) for n in own] for key, own in named
        }
    found = files.bag_files(folder)
    for key in table.keys:
        if key not in found:
            raise BadFile(f"bag {key[:80]!r} has a label but no file in {folder}.")
    for name in found.keys() - set(table.keys):
        raise BadFile(f"{found[name]} has no row in the label table; add or move it.")
    return {key: [found[key]] for key in table.keys}


def _dataset(
    root: Path,
    table: LabelTable,
    paths: dict[str, list[Path]],
    contents: list[files.BagContent],
    record: dict[str, Any] | None,
) -> Dataset:
    details: dict[str, Any] = {"name": root.resolve().name}
    uris: Any = ["|".join(map(str, paths[key])) for key in table.keys]
    shape = None
    if record is not None:
        details, shape = records.details(record), records.shape_of(record)
        uris = table.uris
    bags = Bags(
        [content.features for content in contents],
        bag_ids=ours.bag_ids(table.keys, record, root),
        coords=files.joined([content.coords for content in contents]),
        instance_labels=files.joined([content.labels for content in contents]),
        uris=uris if table.uris is None else table.uris,
        instance_shape=shape,
    )
    return table.dataset(bags, **details)
