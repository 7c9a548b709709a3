"""Tables that verbs write, CSV or Parquet by their name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mipl.errors import MiplError
from mipl.io.tables.label_columns import write_columns

if TYPE_CHECKING:
    from mipl.data.frozen import Array

_SUFFIXES = (".csv", ".parquet")


def check_table_name(path: Path) -> None:
    """Refuse a name that ends in no kind of table, before time is spent."""
    if path.suffix.lower() not in _SUFFIXES:
        raise MiplError(f"a table must end in .csv or .parquet; got {path.name!r}.")


def write_table(path: Path, columns: Mapping[str, Array]) -> None:
    """Write columns of equal length."""
    check_table_name(path)
    write_columns(path, dict(columns))
