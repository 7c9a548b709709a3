"""Results as CSV tables, and from one store to another."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mipl.errors import BadFile, MiplError
from mipl.files import read_bounded, write_text
from mipl.plain_text import as_cell, from_cell, is_decimal
from mipl.runs.result import FINISHED, STATES, Result
from mipl.runs.run import read_run
from mipl.runs.store import Store

_LARGEST = 1 << 28
_NEEDED = ("method", "arguments", "data", "split", "seed", "accuracy", "seconds")
_COLUMNS = (
    *("method", "arguments", "data", "options", "r", "split", "seed"),
    *("state", "accuracy", "seconds", "figures", "message", "ended"),
    *("content", "versions", "key"),
)
_MAPPINGS = ("arguments", "options", "figures", "versions")


@dataclass(frozen=True)
class Imported:
    """What became of the rows of a file.

    Attributes
    ----------
    added, known : int
        Results that are new, and those of runs that were settled before.
    """

    added: int
    known: int


def as_csv(results: Iterable[Result]) -> str:
    """Return results as a CSV table, which ``read_csv`` takes back.

    Examples
    --------
    >>> from mipl.runs.run import Run
    >>> result = Result(Run("miplma", "digits-mipl"), "finished", 0.75, 12.5)
    >>> as_csv([result]).splitlines()[0][:34]
    'method,arguments,data,options,r,sp'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for result in results:
        row = result.as_dict()
        row |= {name: json.dumps(row[name], sort_keys=True) for name in _MAPPINGS}
        row = {n: as_cell(v) if isinstance(v, str) else v for n, v in row.items()}
        writer.writerow(row)
    return text.getvalue()


def export(store: Store, results: Iterable[Result], path: Path) -> None:
    """Write results to a CSV table, or with curves and predictions to a store."""
    if path.suffix == ".csv":
        write_text(path, as_csv(results))
    elif path.suffix == ".db":
        _copy(store, results, Store(path, create=True))
    else:
        raise MiplError(f"results are written to .csv or .db; got {path.name!r}.")


def import_file(path: Path, store: Store) -> Imported:
    """Take results from a CSV table or from another store; what is known stands."""
    if path.suffix == ".csv":
        results = read_csv(path)
        added = store.record_all((result, None, None) for result in results)
        return Imported(added, len(results) - added)
    other = Store(path)
    results = other.results(STATES)
    added = _copy(other, results, store)
    return Imported(added, len(results) - added)


def _copy(source: Store, results: Iterable[Result], target: Store) -> int:
    if source.path.samefile(target.path):
        raise MiplError(f"{source.path} cannot be copied to itself; give another name.")
    return target.record_all(
        (result, source.curves(result), source.predictions(result))
        for result in results
    )


def read_csv(path: Path) -> list[Result]:
    """Return the results of a CSV table.

    The columns method, arguments (JSON), data, split, seed, accuracy and seconds are
    needed; the others that ``as_csv`` writes are read where they are there.
    """
    try:
        text = read_bounded(path, _LARGEST).decode()
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        rows = [
            {n: from_cell(v) if isinstance(v, str) else v for n, v in row.items()}
            for row in reader
        ]
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path} is not a CSV table: {error}.") from None
    for name in _NEEDED:
        if name not in (reader.fieldnames or ()):
            raise BadFile(
                f"{path} has no column {name!r}; it needs {_listed(_NEEDED)}."
            )
    return [_result(path, line, row) for line, row in enumerate(rows, 2)]


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _number(text: str) -> float:
    if not is_decimal(text):
        raise ValueError(f"{text[:40]!r} is not a number")
    return float(text)


def _whole(text: str) -> int:
    _number(text)
    return int(text)


def _check_cells(path: Path, line: int, row: Mapping[Any, Any]) -> None:
    """Refuse a line that is shorter or longer than the header."""
    if None in row or None in row.values():
        what = "more" if None in row else "fewer"
        raise BadFile(f"line {line} of {path} has {what} cells than the header.")


def _result(path: Path, line: int, row: Mapping[str, Any]) -> Result:
    _check_cells(path, line, row)
    try:
        values = {name: json.loads(row.get(name) or "{}") for name in _MAPPINGS}
        figures = values.pop("figures")
        run = read_run(
            values
            | {
                "method": row["method"],
                "data": row["data"],
                "content": row.get("content") or "",
                "r": _whole(row.get("r") or "1"),
                "split": _whole(row["split"]),
                "seed": _whole(row["seed"]),
            }
        )
        state = row.get("state") or FINISHED
        if state not in STATES:
            raise ValueError(f"the state {state!r} is unknown")
        accuracy = _number(row["accuracy"]) if row["accuracy"] else None
        if (accuracy is None) == (state == FINISHED):
            raise ValueError("a finished run, and no other, has an accuracy")
        seconds = _number(row["seconds"])
        if not 0 <= (accuracy or 0) <= 1 or not 0 <= seconds < float("inf"):
            raise ValueError("accuracy must be from 0 to 1, and seconds not negative")
        message, ended = row.get("message") or "", row.get("ended") or ""
        return Result(run, state, accuracy, seconds, figures, message, ended)
    except (ValueError, TypeError, RecursionError) as error:
        what = str(error).rstrip(".")
        raise BadFile(f"line {line} of {path} is no result: {what}.") from None
