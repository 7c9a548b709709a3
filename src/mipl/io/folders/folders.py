"""Folders with a file per bag (or per slide of a patient) and a label table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bag_metadata import bag_name
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.features import Features
from mipl.data.frozen import Array
from mipl.data.half_rows import HalfRows
from mipl.errors import BadFile, MiplError
from mipl.files import existing
from mipl.io import dataset_record as records
from mipl.io.folders import bag_files as files
from mipl.io.folders import layouts
from mipl.io.folders.folder_write import LABELS, RECORD, write
from mipl.io.folders.tiles import tile_facts
from mipl.io.left_out import LeftOut
from mipl.io.tables import label_columns as ours
from mipl.io.tables.columns import Columns
from mipl.io.tables.label_options import LabelOptions
from mipl.io.tables.label_table import as_ids, bags_of_table, read_label_table
from mipl.io.tables.slide_table import joined_tables
from mipl.io.tables.table_file import SUFFIXES as TABLES
from mipl.io.tables.table_file import read_columns

__all__ = ["read", "read_bags", "sniff", "write"]


def sniff(path: Path) -> bool:
    """Tell whether this is a folder."""
    return path.is_dir()


def read(
    path: str | Path,
    left: LeftOut | None = None,
    *,
    labels: str | Path | None = None,
    slides: str | Path | None = None,
    **columns: Any,
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
    left : LeftOut, optional
        Takes the bags that cannot be used; otherwise they are refused.
    labels : path, optional
        The label table; by default ``labels.csv`` or the only table in the folder.
    slides : path, optional
        A table of patients and their files, where ``labels`` has a row per patient; the
        files of a patient are one bag, or each is its own with ``bag_id`` naming the
        column of the files.
    **columns
        ``bag_id``, ``file``, ``candidates``, ``label``, ``group``, ``split``,
        ``classes``, ``annotations``, ``annotators``, ``rule``, ``unsure``: see
        ``LabelOptions``.
    """
    root = existing(path)
    left = LeftOut("raise", root) if left is None else left
    record = ours.from_record(root / RECORD)
    options = ours.with_classes(LabelOptions.of(columns, "slides"), record)
    folder = layouts.features_folder(root)
    source, options = _label_source(root, folder, labels, slides, options, left)
    if source is not None:
        ours.check_header(source, record, RECORD)
    types = (record or {}).get("types")
    table = read_label_table(source, options, types=types, left=left)
    named = None
    if table.files is not None:
        named = dict(zip(table.keys, table.files, strict=True))
    paths = _paths(table.keys, named, folder, root, left)
    if named is None:
        _note_unlabelled(paths, folder, left)
    found = _read_bags(paths, left)
    left.settle(len({*table.keys, *left.reasons}))
    table = table.take(left.usable(table.keys))
    sizes = np.array([len(found.contents[key].features) for key in table.keys])
    table.check_sizes(sizes, root)
    details: dict[str, Any] = {
        "name": root.resolve().name,
        "facts": found.facts(folder),
    }
    if record is not None:
        details = records.details(record)
    bags = found.bags(table.keys, record, root, table.uris)
    return table.dataset(bags, **details)


def read_bags(
    path: str | Path,
    left: LeftOut | None = None,
    *,
    ids: str | Path | Sequence[Any] | None = None,
    labels: str | Path | None = None,
    slides: str | Path | None = None,
    **columns: Any,
) -> Bags:
    """Read the bags of a folder; labels are neither needed nor read.

    ``ids``, a list or a table, say which bags to read and in which order. Otherwise the
    ids of the label table do, where there is one, and its column ``file`` says which
    files they are; where there is none, every file is a bag.
    """
    root = existing(path)
    left = LeftOut("raise", root) if left is None else left
    record = ours.from_record(root / RECORD)
    options = LabelOptions.of(columns, "slides")
    folder = layouts.features_folder(root)
    if isinstance(ids, (str, Path)) and labels is None:
        labels, ids = ids, None
    named = None
    if labels is not None or slides is not None or (ids is None and _tables(root)):
        source, options = _label_source(root, folder, labels, slides, options, left)
        assert source is not None
        keys, named = bags_of_table(source, options)
    else:
        keys = list(layouts.bag_files(folder))
    if ids is not None:
        keys = as_ids(ids)
    wanted = "is asked for and has no file"
    found = _read_bags(_paths(keys, named, folder, root, left, wanted), left)
    left.settle(len(keys))
    kept = [keys[i] for i in left.usable(keys)]
    bags = found.bags(kept, record, root)
    facts = found.facts(folder) if record is None else record["facts"]
    return Bags(bags, features=Features.of_facts(facts, bags.n_features))


def has_labels(path: str | Path) -> bool:
    """Tell whether a folder has a label table, or labels in files of their own."""
    root = existing(path)
    return bool(_tables(root)) or (root / "labels").is_dir()


def read_open(path: str | Path, classes: Any, ids: Sequence[Any] | None) -> Dataset:
    """Read a folder without labels: every class is a candidate of each bag.

    ``ids`` says which bags to read; those that there are not are no mistake.
    """
    root = existing(path)
    folder = layouts.features_folder(root)
    every = layouts.bag_files(folder)
    paths = {key: [every[key]] for key in ids or () if key in every}
    paths = paths or {key: [file] for key, file in every.items()}
    left = LeftOut("raise", root)
    found = _read_bags(paths, left)
    left.settle(len(paths))
    bags = found.bags(list(paths), None, root)
    matrix = np.ones((len(bags), len(classes)), dtype=bool)
    candidates = Candidates.from_parts(matrix, classes)
    return Dataset(bags, candidates, facts=found.facts(folder))


def _tables(root: Path) -> list[Path]:
    """Return the tables of a folder; one called labels makes the others not count."""
    tables = [file for file in sorted(root.iterdir()) if file.suffix in TABLES]
    return [file for file in tables if file.stem == "labels"] or tables


def _label_source(
    root: Path,
    folder: Path,
    labels: str | Path | None,
    slides: str | Path | None,
    options: LabelOptions,
    left: LeftOut,
) -> tuple[Columns | None, LabelOptions]:
    """Return the label table and what its columns mean."""
    tables = _tables(root)
    if slides is not None:
        return joined_tables(labels, slides, options, left)
    if labels is not None:
        return read_columns(labels), options
    if len(tables) == 1:
        return read_columns(tables[0]), options
    if (root / "labels").is_dir() and not tables:
        return _label_files(root, folder), options
    if options.annotations is not None and not tables:
        return None, options
    layouts.bag_files(folder)  # A folder without bags has no need of labels.
    what = "several tables" if tables else "no label table"
    raise MiplError(
        f"{root} holds {what}; put {LABELS} there or name one with labels= or "
        "annotations=."
    )


def _label_files(root: Path, folder: Path) -> Columns:
    """Read one label per bag from ``labels/bag.npy``; one that is not there is None."""
    found = layouts.bag_files(folder)
    values: list[Any] = []
    for name in found:
        file = root / "labels" / f"{name}.npy"
        if not file.is_file():
            values.append(None)
            continue
        value = files.read_array(file)
        if value.size != 1:
            raise BadFile(
                f"{root / 'labels' / name}.npy must hold one label; its shape is "
                f"{value.shape}."
            )
        values.append(value.item())
    cells = {"bag_id": list(found), "label": values}
    return Columns(root / "labels", cells, range(1, len(found) + 1), "file")


def _paths(
    keys: Sequence[str],
    named: Mapping[str, Sequence[str]] | None,
    folder: Path,
    root: Path,
    left: LeftOut,
    lacking: str = "has a label but no file",
) -> dict[str, list[Path]]:
    """Return the files of each bag; without names of files, bags and files match."""
    paths: dict[str, list[Path]] = {}
    found = layouts.bag_files(folder) if named is None else {}
    for key in keys:
        if named is None:
            file = layouts.file_of(key, found)
            if file is None:
                left.add(key, f"bag {key[:80]!r} {lacking} in {folder}")
            else:
                paths[key] = [file]
            continue
        try:
            paths[key] = [files.locate(name, (folder, root)) for name in named[key]]
        except BadFile as error:
            left.add(key, error)
    return paths


def _note_unlabelled(
    paths: Mapping[str, Sequence[Path]], folder: Path, left: LeftOut
) -> None:
    found = layouts.bag_files(folder)
    told = {layouts.file_of(name, found) for name in left.reasons}
    told |= {file for own in paths.values() for file in own}
    for name, file in found.items():
        if file not in told:
            left.add(name, f"{file} has no row in the label table")


@dataclass(frozen=True, eq=False)
class _Found:
    """The bags that could be read, by their ids."""

    paths: dict[str, list[Path]]
    contents: dict[str, files.BagContent]

    def bags(
        self,
        keys: Sequence[str],
        record: dict[str, Any] | None,
        root: Path,
        uris: Any = None,
    ) -> Bags:
        """Join the bags in this order."""
        chosen = [self.contents[key] for key in keys]
        if record is None and uris is None:
            uris = ["|".join(map(str, self.paths[key])) for key in keys]
        rows, offsets = _laid_out([content.features for content in chosen])
        return Bags(
            rows,
            offsets,
            bag_ids=ours.bag_ids(list(keys), record, root),
            coords=files.joined([content.coords for content in chosen]),
            instance_labels=files.joined([content.labels for content in chosen]),
            uris=uris,
            instance_shape=None if record is None else records.shape_of(record),
        )

    def facts(self, folder: Path) -> dict[str, Any]:
        """Return what the files tell of their tiles."""
        told = [(key, self.paths[key][0], c.told) for key, c in self.contents.items()]
        return tile_facts(told, folder)


def _laid_out(bags: list[Array]) -> tuple[Any, Array | None]:
    """Return the instances of bags; those of half precision stay so in memory."""
    if any(bag.dtype != np.float16 or bag.ndim != 2 for bag in bags):
        return bags, None
    offsets = np.concatenate([[0], np.cumsum([len(bag) for bag in bags])])
    return HalfRows(np.concatenate(bags)), offsets


def _read_bags(paths: dict[str, list[Path]], left: LeftOut) -> _Found:
    """Read the files; note those that cannot be, and those unlike the others."""
    contents: dict[str, files.BagContent] = {}
    for key, own in paths.items():
        try:
            contents[key] = files.read_bag(own)
        except BadFile as error:
            left.add(key, error)
    shapes = {key: bag.features.shape[1:] for key, bag in contents.items()}
    if not shapes:
        return _Found(paths, contents)
    usual = Counter(shapes.values()).most_common(1)[0][0]
    like = next(key for key, shape in shapes.items() if shape == usual)
    names = np.array(list(paths))
    for place, key in enumerate(paths):
        if key in shapes and shapes[key] != usual:
            left.add(
                key,
                f"{bag_name(names, place)} has instances of shape {shapes[key]}, "
                f"{like!r} of {usual}",
            )
    return _Found(paths, contents)
