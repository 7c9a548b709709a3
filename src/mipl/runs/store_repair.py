"""What is wrong in a store, and a copy of all that is whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from mipl.errors import BadFile, MiplError
from mipl.files import existing_file
from mipl.runs import database
from mipl.runs.result import STATES, Curves, Predictions, Result
from mipl.runs.seals import Seals
from mipl.runs.store import Store

_MOST_FAILURES = 1000  # Rows in succession that cannot be read end the search.


@dataclass(frozen=True)
class Checked:
    """What a store holds.

    Attributes
    ----------
    whole : int
        Results that can be read and are as they were recorded.
    unsealed : int
        Those among them whose figures have no seal: an earlier version wrote them.
    faults : tuple of str
        A sentence for each fault: of the file, and of single results.
    """

    whole: int
    unsealed: int
    faults: tuple[str, ...]


Whole = tuple[Result, Curves | None, Predictions | None]


def check(path: str | Path) -> Checked:
    """Read all of a store and tell what is damaged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.db", create=True)
    ...     check(store.path)
    Checked(whole=0, unsealed=0, faults=())
    """
    path = existing_file(path)
    faults = list(_file_faults(path))
    whole, unsealed = 0, 0
    with closing(_opened(path)) as file:
        for found in _each(path, file):
            if isinstance(found, str):
                faults.append(found)
            else:
                whole += 1
                with suppress(sqlite3.Error):
                    unsealed += Seals(file).of(found[0].key) is None
    return Checked(whole, unsealed, tuple(faults))


def repair(path: str | Path, out: str | Path) -> Checked:
    """Copy every whole result, with its curves and predictions, to a new store."""
    out = Path(out)
    if out.exists():
        raise MiplError(f"{out} exists; give the name of a new store.")
    found = check(path)
    target = Store(out, create=True)
    with closing(_opened(Path(path))) as file:
        each = _each(Path(path), file)
        target.record_all(one for one in each if not isinstance(one, str))
    return found


def _file_faults(path: Path) -> Iterator[str]:
    try:
        with closing(_opened(path)) as file:
            for (line,) in file.execute("PRAGMA integrity_check(20)"):
                if line != "ok":
                    yield f"the file {path} is damaged: {str(line)[:200]}."
    except sqlite3.Error as error:
        yield f"the file {path} is damaged: {error}."


def _opened(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=rw"
    file = sqlite3.connect(uri, uri=True, timeout=60, isolation_level=None)
    file.row_factory = sqlite3.Row
    try:
        file.execute("PRAGMA query_only = ON")
        file.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        file.close()
        raise BadFile(f"{path} is no store of results: {error}.") from None
    return file


def _each(path: Path, file: sqlite3.Connection) -> Iterator[Whole | str]:
    """Give each result with all that belongs to it, or what is wrong with it."""
    store = Store.unchecked(path)
    for number, row in _rows(file):
        if isinstance(row, str):
            yield f"row {number} of {path} cannot be read: {row}."
            continue
        try:
            result = store.read_row(file, row)
            if result.state not in STATES or result.key != row["key"]:
                raise BadFile(f"the result {str(row['key'])[:12]} is not what it says.")
            curves = store.read_part(file, "curves", result)
            said = store.read_part(file, "predictions", result)
            yield result, curves, said
        except (MiplError, sqlite3.Error) as error:
            yield str(error)


def _rows(file: sqlite3.Connection) -> Iterator[tuple[int, sqlite3.Row | str]]:
    """Give the rows of results by their numbers, and why one cannot be read."""
    failures = number = 0
    while failures < _MOST_FAILURES:
        query = "SELECT rowid AS number, * FROM results WHERE rowid > ? LIMIT 1"
        try:
            row = file.execute(query, (number,)).fetchone()
        except sqlite3.Error as error:
            failures += 1
            number += 1
            if failures == 1 or database.is_text_fault(error):
                yield number, str(error)
            continue
        if row is None:
            return
        failures, number = 0, row["number"]
        yield number, row
