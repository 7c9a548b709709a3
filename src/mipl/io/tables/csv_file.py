"""CSV text, read strictly: every line has the columns of the first."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError
from mipl.files import atomic_path, existing
from mipl.io.tables.columns import Columns, as_number
from mipl.plain_text import from_cell, is_decimal

_SAMPLE = 1000
_BUFFER = 1 << 20
_QUOTED = re.compile(r'"[^"]*"')
_EMPTY = ("", "NA")
_NOT_FINITE = ("nan", "inf", "-inf", "+inf", "infinity", "-infinity", "+infinity")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

Choose = Callable[[list[str], set[str]], tuple[list[str], list[str]]]


def read_columns(path: str | Path) -> Columns:
    """Read a whole CSV table as text cells.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_rows(Path(folder, "a.csv"), [["bag_id", "label"], ["p", "oak"]])
    ...     dict(read_columns(Path(folder, "a.csv")).cells)
    {'bag_id': ['p'], 'label': ['oak']}
    """
    path = existing(path)
    rows = _rows(path)
    names = next(rows)
    body = list(rows)
    cells = {
        name: [from_cell(row[i]) for row in body]
        for i, name in enumerate(names)
        if name
    }
    return Columns(path, cells, range(2, len(body) + 2))


def read_long(path: Path, choose: Choose) -> tuple[Columns, list[str], Array]:
    """Read a long table in one pass: some columns as text, the features as numbers.

    Parameters
    ----------
    path : Path
    choose : callable
        Given all names and the set of those whose first thousand cells hold a number,
        returns the names to keep as text and the names of the features.

    Returns
    -------
    columns : Columns of the text
    features : names of the features
    rows : (N, d) float32; NaN where a cell is empty, infinite where it is too large
    """
    rows = _rows(path)
    names = next(rows)
    head = list(islice(rows, _SAMPLE))
    if not head:
        raise BadFile(f"{path} has no rows below its header.")
    numeric = {
        name
        for i, name in enumerate(names)
        if name and any(as_number(row[i]) is not None for row in head)
    }
    kept, features = choose([name for name in names if name], numeric)
    position = {name: i for i, name in enumerate(names)}
    pick_text = _picker([position[name] for name in kept])
    pick_numbers = _picker([position[name] for name in features])
    texts, numbers = [], _Numbers(path, features)
    for row in chain(head, rows):
        texts.append(pick_text(row))
        numbers.add(pick_numbers(row))
    cells = {name: [from_cell(t[i]) for t in texts] for i, name in enumerate(kept)}
    return Columns(path, cells, range(2, len(texts) + 2)), features, numbers.done()


def write_rows(path: str | Path, rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV table atomically, a list of cells per line."""
    with atomic_path(path) as temporary:
        put_rows(temporary, rows)


def put_rows(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV table to a place that has no file yet."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, lineterminator="\n").writerows(rows)


def writable(texts: Sequence[str], what: str) -> list[str]:
    """Return texts that come back from a CSV cell as they were, or refuse."""
    for text in texts:
        if text == "" or _CONTROL.search(text):
            raise MiplError(
                f"{what} holds {text[:40]!r}, which a table cannot hold: it must be "
                "text without control characters; write .bags.h5 or .npz instead."
            )
    return list(texts)


class _Numbers:
    """Collects rows of numbers; names line and column of a cell that is text."""

    def __init__(self, path: Path, names: list[str]) -> None:
        self.path, self.names = path, names
        self.buffer = array("d")
        self.chunks: list[Array] = []
        self.n_rows = 0  # before the buffer

    def add(self, row: Sequence[str]) -> None:
        before = len(self.buffer)
        try:
            if not (text := ",".join(row)).isascii() or "_" in text:
                raise ValueError  # Python's numbers are more than those of tables.
            self.buffer.extend(map(float, row))
        except ValueError:
            del self.buffer[before:]
            self.buffer.extend(self._slowly(before // len(self.names), row))
        if len(self.buffer) >= _BUFFER:
            self._flush()

    def done(self) -> Array:
        self._flush()
        return np.concatenate(self.chunks)

    def _flush(self) -> None:
        values = np.frombuffer(self.buffer).reshape(-1, len(self.names))
        with np.errstate(over="ignore"):  # Who knows the bags names what overflows.
            rows = values.astype(np.float32)
        self.chunks.append(rows)
        self.n_rows += len(rows)
        self.buffer = array("d")

    def _slowly(self, row: int, cells: Sequence[str]) -> Iterator[float]:
        """Give the numbers of a row in which some cells are empty, or text."""
        for name, cell in zip(self.names, cells, strict=True):
            if cell.strip() in _EMPTY:
                yield math.nan
            elif is_decimal(cell) or cell.strip().lower() in _NOT_FINITE:
                yield float(cell)
            else:
                raise BadFile(
                    f"{self.path}, line {self.n_rows + row + 2}, column {name!r} must "
                    f"be a finite number; it is {cell[:40]!r}. Name the feature "
                    "columns with features= if it is none of them."
                )


def _picker(positions: list[int]) -> Callable[[list[str]], Sequence[str]]:
    if not positions:
        return itemgetter(slice(0, 0))
    start, stop = positions[0], positions[0] + len(positions)
    if positions == list(range(start, stop)):
        return itemgetter(slice(start, stop))
    return itemgetter(*positions)


def _rows(path: Path) -> Iterator[list[str]]:
    """Give the column names, then the rows, each as long as the names."""
    with path.open(encoding="utf-8-sig", newline="") as handle:
        try:
            yield from _checked(path, handle)
        except UnicodeDecodeError as error:
            raise BadFile(
                f"{path} is not UTF-8 text ({error.reason}); save it as CSV in UTF-8."
            ) from None
        except csv.Error as error:
            raise BadFile(f"{path} is not a CSV table: {error}.") from None


def _checked(path: Path, handle: IO[str]) -> Iterator[list[str]]:
    lines = _lines(path, handle)
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=_delimiter(first), strict=True)
    names = _names(path, next(reader, []))
    yield names
    ended = 0
    for number, row in enumerate(reader, 2):
        if reader.line_num != number:
            raise BadFile(f"{path}, line {number}: a quoted cell runs over its line.")
        if not row:
            ended = ended or number
            continue
        if ended:
            raise BadFile(f"{path}, line {ended} is empty; remove it.")
        if len(row) != len(names):
            raise BadFile(
                f"{path}, line {number} has {len(row)} cells for {len(names)} columns."
            )
        yield row


def _lines(path: Path, handle: IO[str]) -> Iterator[str]:
    for number, line in enumerate(handle, 1):
        if "\0" in line:
            raise BadFile(f"{path}, line {number} holds a zero byte; it is no text.")
        yield line


def _delimiter(header: str) -> str:
    """Return the first of comma, semicolon and tab outside quotes."""
    found = re.search("[,;\t]", _QUOTED.sub("", header))
    return found.group() if found else ","


def _names(path: Path, header: list[str]) -> list[str]:
    """Check the column names; only the first may be nameless (a saved index)."""
    names = [from_cell(name.strip()) for name in header]
    if not names or not all(names[1:]) or names == [""]:
        raise BadFile(f"{path}, line 1 must name every column; it is {header[:5]}.")
    if len(set(names)) < len(names):
        repeated = next(name for name, n in Counter(names).items() if n > 1)
        raise BadFile(f"{path}, line 1 names column {repeated!r} twice.")
    if all(as_number(name) is not None for name in names):
        raise BadFile(
            f"{path}, line 1 must name the columns; it holds numbers: add a header."
        )
    return names
