"""Parquet tables, through the optional pyarrow; pages carry checksums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError, MissingExtra
from mipl.files import existing
from mipl.io.size_claims import refuse_absurd
from mipl.io.tables.columns import Columns
from mipl.io.tables.csv_file import Choose

MAGIC = b"PAR1"
_BYTES_PER_CELL = 4
_SAVED_INDEX = "__index_level_"


def read_columns(path: str | Path) -> Columns:
    """Read a whole Parquet table as Python values."""
    path = existing(path)
    with _opened(path) as (table, names):
        cells = {name: table.column(name).to_pylist() for name in names}
    return Columns(path, cells, range(1, table.num_rows + 1), "row")


def read_long(path: Path, choose: Choose) -> tuple[Columns, list[str], Array]:
    """Read a long table: some columns as values, the features as (N, d) float32."""
    pa = _pyarrow().types
    with _opened(path) as (table, names):
        plain = (pa.is_integer, pa.is_floating, pa.is_boolean)
        numeric = {
            n for n in names if any(t(table.schema.field(n).type) for t in plain)
        }
        kept, features = choose(names, numeric)
        cells = {name: table.column(name).to_pylist() for name in kept}
        columns = Columns(path, cells, range(1, table.num_rows + 1), "row")
        rows = np.empty((table.num_rows, len(features)), np.float32)
        for i, name in enumerate(features):
            if name not in numeric:
                raise BadFile(
                    f"{path}, column {name!r} must hold numbers to be a feature; "
                    f"it holds {table.schema.field(name).type}."
                )
            with np.errstate(over="ignore"):  # Who knows the bags names what overflows.
                rows[:, i] = table.column(name).to_numpy()
    return columns, features, rows


def put_pieces(path: Path, pieces: Iterable[Mapping[str, Any]]) -> None:
    """Write a Parquet table, given as runs of rows, to a place that has no file yet."""
    pa = _pyarrow()
    writer = None
    try:
        for piece in pieces:
            table = pa.table({name: pa.array(v) for name, v in piece.items()})
            writer = writer or pa.parquet.ParquetWriter(
                path, table.schema, write_page_checksum=True
            )
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, list[str]]]:
    """Give the table and its column names; tell damage in one sentence."""
    pa = _pyarrow()
    try:
        with pa.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            cells = file.metadata.num_rows * file.metadata.num_columns
            refuse_absurd(path, cells * _BYTES_PER_CELL)
            # One thread: a damaged file must not race the error that reports it.
            table = file.read(use_threads=False)
        table.validate(full=True)
        names = [n for n in table.column_names if not n.startswith(_SAVED_INDEX)]
        if len(set(names)) < len(names):
            raise BadFile(f"{path} names a column twice.")
        yield table, names
    except MiplError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, MemoryError) as error:
        text = " ".join(str(error).split())[:200]
        raise BadFile(f"{path} is damaged or no Parquet table: {text}.") from error


def _pyarrow() -> ModuleType:
    try:
        import_module("pyarrow.parquet")
        return import_module("pyarrow")
    except ImportError:
        raise MissingExtra.of("Parquet", "pyarrow", "tables") from None
