"""Writing of long tables: instances, their label table, and a JSON record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.io.file_set import written_together
from mipl.io.tables import csv_file, parquet_file
from mipl.io.tables import label_columns as ours
from mipl.io.tables.instance_table import COORD, INSTANCE_LABEL
from mipl.plain_text import as_cell

INSTANCES, LABELS = "instances", "labels"
_PIECE = 1 << 14


def labels_path(path: Path) -> Path:
    """Return where the label table of a long table stands."""
    return path.with_name(f"{path.stem}.labels{path.suffix}")


def record_path(path: Path) -> Path:
    """Return where the JSON record of a long table stands."""
    return path.with_name(f"{path.name}.json")


def write(dataset: Dataset, path: str | Path) -> None:
    """Write ``name.csv`` (or ``.parquet``), ``name.labels.csv`` and ``name.csv.json``.

    The JSON file keeps what tables have no place for: types, facts, licence, source.
    Splits come back sorted.
    """
    path = Path(path)
    labels = ours.label_columns(dataset)
    features = _feature_names(dataset)
    own = list(next(_pieces(dataset.bags))[0])
    record = ours.to_record(
        dataset,
        labels,
        features=features,
        coords=[name for name in own if name.startswith(COORD)],
        instances=[*own, *features],
    )
    parquet = path.suffix.lower() == ".parquet"
    with written_together(path, record_path(path)) as new:
        new.about = json.loads(record)
        ours.put_columns(new.place(LABELS, labels_path(path)), labels, parquet)
        place, pieces = new.place(INSTANCES, path), _pieces(dataset.bags)
        if parquet:
            tables = (
                columns | dict(zip(features, rows.T, strict=True))
                for columns, rows in pieces
            )
            parquet_file.put_pieces(place, tables)
        else:
            rows = chain.from_iterable(map(_csv_rows, pieces))
            heads = [as_cell(name) for name in (*own, *features)]
            csv_file.put_rows(place, chain([heads], rows))


def _pieces(bags: Bags) -> Iterator[tuple[dict[str, Array], Array]]:
    """Give runs of rows: the columns that are no features, and the features."""
    names, done = ours.bag_names(bags), 0
    for piece in bags.pieces(_PIECE):
        columns = {"bag_id": np.repeat(names[done : done + len(piece)], piece.sizes)}
        if piece.instance_labels is not None:
            columns[INSTANCE_LABEL] = ours.writable(
                piece.instance_labels, INSTANCE_LABEL
            )
        if piece.coords is not None:
            for c, values in enumerate(piece.coords.T):
                columns[f"{COORD}{c}"] = ours.writable(values, "coords")
        yield columns, piece.instances
        done += len(piece)


def _csv_rows(piece: tuple[dict[str, Array], Array]) -> Iterator[list[Any]]:
    columns, rows = piece
    cells = zip(*(ours.cells_of(values) for values in columns.values()), strict=True)
    for own, row in zip(cells, rows.tolist(), strict=True):
        # Nine digits bring every float32 back, through a float64, too.
        yield [*own, *(f"{value:.9g}" for value in row)]


def _feature_names(dataset: Dataset) -> list[str]:
    """Return the names the features were read with, where they still fit."""
    told = dataset.facts.get("features")
    taken = {"bag_id", INSTANCE_LABEL}
    fits = (
        isinstance(told, (list, tuple))
        and len(told) == len(set(told)) == dataset.bags.n_features
        and all(isinstance(name, str) and name == name.strip() for name in told)
        and not any(name in taken or name.startswith(COORD) for name in told)
    )
    if fits:
        return csv_file.writable(list(told), "a feature name")  # type: ignore[arg-type]
    return [f"f{i}" for i in range(dataset.bags.n_features)]
