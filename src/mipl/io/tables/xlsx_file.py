"""Excel tables (.xlsx), through the optional openpyxl: one sheet, values only."""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from mipl.errors import BadFile, MiplError, MissingExtra
from mipl.files import existing_file
from mipl.io.arrays import zip_file
from mipl.io.tables.columns import Columns, as_number, is_missing

_ZIP = b"PK\x03\x04"
_WORKBOOK = "xl/workbook.xml"


def is_xlsx(path: Path) -> bool:
    """Tell by content whether a file is an Excel workbook."""
    with path.open("rb") as handle:
        if handle.read(4) != _ZIP:
            return False
    with zip_file.opened(path) as archive:
        return _WORKBOOK in archive.namelist()


def read_columns(path: str | Path) -> Columns:
    """Read the only sheet of a workbook that holds anything.

    Cells are what Excel shows of formulas when it saves; nothing is computed.
    """
    path = existing_file(path)
    name, rows = _sheet(path)
    while rows and all(is_missing(cell) for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise BadFile(f"{path} holds no cells.")
    header, *body = rows
    width = max(i for i, cell in enumerate(header) if not is_missing(cell)) + 1
    names = [str(cell).strip() if not is_missing(cell) else "" for cell in header]
    names = names[:width]
    _check_names(path, name, names)
    for number, row in enumerate(body, 2):
        if all(is_missing(cell) for cell in row):
            raise BadFile(f"{path}, row {number} is empty; remove it.")
        if any(not is_missing(cell) for cell in row[width:]):
            raise BadFile(f"{path}, row {number} has cells beside its {width} columns.")
    cells = {
        title: [_cell(row[i]) if i < len(row) else None for row in body]
        for i, title in enumerate(names)
    }
    return Columns(path, cells, range(2, len(body) + 2), "row")


def _sheet(path: Path) -> tuple[str, list[tuple[Any, ...]]]:
    """Return the name and the rows of the sheet that holds something."""
    openpyxl = _openpyxl()
    with zip_file.opened(path):
        pass  # Its sizes are honest, and openpyxl may unpack it.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Of styles and extensions, not of cells.
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            try:
                sheets = {
                    sheet.title: list(sheet.iter_rows(values_only=True))
                    for sheet in book.worksheets
                }
            finally:
                book.close()
    except MemoryError:
        raise BadFile(f"{path} needs more memory than there is.") from None
    except Exception as error:  # Whatever openpyxl stumbles over.
        text = " ".join(str(error).split())[:100]
        raise BadFile(f"{path} is damaged or no Excel table: {text}.") from None
    filled = {
        name: rows
        for name, rows in sheets.items()
        if any(not is_missing(cell) for row in rows for cell in row)
    }
    if len(filled) > 1:
        raise MiplError(
            f"{path} has several sheets, {', '.join(filled)[:200]}; save the one with "
            "the labels as a file of its own."
        )
    return next(iter(filled.items()), ("", []))


def _check_names(path: Path, sheet: str, names: list[str]) -> None:
    if not all(names):
        raise BadFile(
            f"{path}, row 1 of {sheet!r} must name every column: {names[:5]}."
        )
    repeated = [name for i, name in enumerate(names) if name in names[:i]]
    if repeated:
        raise BadFile(f"{path}, row 1 names column {repeated[0]!r} twice.")
    if all(as_number(name) is not None for name in names):
        raise BadFile(
            f"{path}, row 1 must name the columns; it holds numbers: add a header."
        )


def _cell(value: Any) -> Any:
    """Return a cell as the other tables have it: Excel keeps 3 as 3.0 at times."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.strip() if isinstance(value, str) else value


def _openpyxl() -> ModuleType:
    try:
        return import_module("openpyxl")
    except ImportError:
        raise MissingExtra.of("Excel", "openpyxl", "tables") from None
