"""A table file, CSV, Parquet or Excel, told apart by its content."""

from __future__ import annotations

from pathlib import Path

from mipl.data.frozen import Array
from mipl.errors import BadFile
from mipl.files import existing
from mipl.io.tables import csv_file, parquet_file, xlsx_file
from mipl.io.tables.columns import Columns
from mipl.io.tables.csv_file import Choose

SUFFIXES = (".csv", ".parquet", ".xlsx")


def is_parquet(path: Path) -> bool:
    """Tell by content whether a file is a Parquet table."""
    with path.open("rb") as handle:
        return handle.read(4) == parquet_file.MAGIC


def read_columns(path: str | Path) -> Columns:
    """Read a whole table with at least one row."""
    path = existing(path)
    if not path.is_file():
        raise BadFile(f"{path} must be a CSV, Parquet or Excel table; it is a folder.")
    if xlsx_file.is_xlsx(path):
        return _filled(xlsx_file.read_columns(path))
    reader = parquet_file if is_parquet(path) else csv_file
    return _filled(reader.read_columns(path))


def read_long(path: Path, choose: Choose) -> tuple[Columns, list[str], Array]:
    """Read a long table of instances; see ``csv_file.read_long``."""
    reader = parquet_file if is_parquet(path) else csv_file
    columns, features, rows = reader.read_long(path, choose)
    return _filled(columns), features, rows


def _filled(columns: Columns) -> Columns:
    if not len(columns):
        raise BadFile(f"{columns.path} has no rows below its header.")
    return columns
