"""A small table in memory: named columns that know their place in the file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError, unknown
from mipl.plain_text import is_decimal


@dataclass(frozen=True)
class Columns:
    """Columns of a table file, cell by cell, as text (CSV) or values (Parquet).

    Parameters
    ----------
    path : Path
        The file, for messages.
    cells : mapping of column name to a list of cells
    numbers : sequence of int
        The line (CSV) or row (Parquet) of each entry, as people count.
    unit : str
        ``"line"`` or ``"row"``.
    others : sequence of str
        Columns of the file that are not kept here, for messages.

    Examples
    --------
    >>> table = Columns(Path("a.csv"), {"bag_id": ["p", "q"]}, range(2, 4))
    >>> table.place(1, "bag_id")
    "a.csv, line 3, column 'bag_id'"
    """

    path: Path
    cells: Mapping[str, list[Any]]
    numbers: Sequence[int]
    unit: str = "line"
    others: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.numbers)

    def place(self, row: int, column: str | None = None) -> str:
        """Return how messages call a row, or a cell."""
        cell = "" if column is None else f", column {column!r}"
        return f"{self.path}, {self.unit} {self.numbers[row]}{cell}"

    def take(self, rows: Sequence[int]) -> Columns:
        """Return these rows, in this order."""
        cells = {name: [v[row] for row in rows] for name, v in self.cells.items()}
        return replace(self, cells=cells, numbers=[self.numbers[row] for row in rows])

    def find(self, *names: str) -> str | None:
        """Return the first of these names that is a column, in whatever case."""
        known = {name.lower(): name for name in reversed(list(self.cells))}
        return next(
            (known[name.lower()] for name in names if name.lower() in known), None
        )

    def need(self, name: str) -> str:
        """Return the name if it is a column; tell the likeliest one otherwise."""
        if name not in self.cells:
            problem = unknown("column", name, {*self.cells, *self.others})
            raise MiplError(f"{self.path}: {problem}")
        return name

    def text(self, name: str) -> list[str]:
        """Return a column as text; every cell must hold something."""
        cells = self.cells[name]
        for row, cell in enumerate(cells):
            if is_missing(cell):
                raise BadFile(f"{self.place(row, name)} is empty; fill it in.")
        return [as_text(cell) for cell in cells]

    def typed(self, name: str, dtype: str | None = None) -> Array:
        """Return a column as numbers where all its cells are, else as text."""
        texts = self.text(name)
        try:
            return typed(texts, dtype)
        except (ValueError, OverflowError) as error:
            raise BadFile(
                f"{self.path}, column {name!r} must hold {dtype}: {error}."
            ) from None

    def floats(self, name: str) -> list[float]:
        """Return a column as finite numbers."""
        values = [as_number(cell) for cell in self.cells[name]]
        for row, value in enumerate(values):
            if value is None:
                cell = str(self.cells[name][row])[:40]
                raise BadFile(
                    f"{self.place(row, name)} must be a finite number; it is {cell!r}."
                )
        return [value for value in values if value is not None]


def is_missing(cell: Any) -> bool:
    """Tell whether a cell holds nothing."""
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


def as_text(cell: Any) -> str:
    """Return a cell as the text by which ids and labels are compared."""
    return str(int(cell)) if isinstance(cell, bool) else str(cell)


def as_number(cell: Any) -> float | None:
    """Return a cell as a finite number, or None where it is none."""
    if isinstance(cell, str) and not is_decimal(cell):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def numbered(texts: Sequence[str]) -> tuple[list[str], Array]:
    """Return the different texts in order of appearance, and the number of each.

    Examples
    --------
    >>> names, numbers = numbered(["q", "p", "q"])
    >>> names, numbers.tolist()
    (['q', 'p'], [0, 1, 0])
    """
    number: dict[str, int] = {}
    codes = [number.setdefault(text, len(number)) for text in texts]
    return list(number), np.array(codes, dtype=np.int64)


def typed(texts: Sequence[str], dtype: str | None = None) -> Array:
    """Return texts as whole numbers or numbers where all of them are, else as text.

    With ``dtype``, the type a column was written from, they must be of that type.

    Examples
    --------
    >>> typed(["3", "10"]).tolist(), typed(["03", "10"]).tolist()
    ([3, 10], ['03', '10'])
    """
    if dtype is not None:
        return _cast(texts, np.dtype(dtype))
    for kind in (int, float):
        try:
            values = [kind(text) for text in texts]
            # '03' and '1e3' are names, not numbers: they would come back changed.
            if all(str(v) == t for v, t in zip(values, texts, strict=True)):
                array = np.array(values)
                if array.dtype.kind in "if" and np.isfinite(array).all():
                    return array
        except (ValueError, OverflowError):
            continue
    return np.array(texts, dtype=str)


def _cast(texts: Sequence[str], dtype: np.dtype[Any]) -> Array:
    if dtype.kind == "U":
        return np.array(texts, dtype=str)
    number = float if dtype.kind == "f" else int
    if not all(is_decimal(text) for text in texts):
        bad = next(text for text in texts if not is_decimal(text))
        raise ValueError(f"could not convert {bad[:40]!r} to a number")
    values = np.array([number(text) for text in texts], dtype=dtype)
    if dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError("a number is not finite")
    return values
