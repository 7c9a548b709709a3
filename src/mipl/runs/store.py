"""Store: results of runs in one SQLite file, for many processes at once.

Reading::

    store = Store("results.db")
    store.results(method="miplma", data="sival-mipl", r=1)  # a list of Result
    store.answers(plan)               # {run of the plan: its Result}, gaps left out
    store.curves(result)              # {"loss": [...], ...}, a number per epoch
    store.predictions(result)         # Predictions of the test bags, or None

Each call opens the file for itself, so that a store can be used by threads and handed
to processes; the file is the only state.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mipl.errors import BadFile, MiplError, unknown
from mipl.runs import database
from mipl.runs.result import (
    DIVERGED,
    FINISHED,
    Curves,
    Predictions,
    Result,
)
from mipl.runs.run import Facts, Run, read_run
from mipl.runs.seals import Seals

# What is known for good: the same run would end in the same way.
SETTLED = (FINISHED, DIVERGED)

_FACTS = ("arguments", "options", "versions")
_RUN = ("method", "data", "content", "r", "split", "seed")
_PARTS: dict[str, Any] = {"curves": Curves, "predictions": Predictions}
_WHERE = ("key", "method", "arguments", "data", "options", "r", "split", "seed")


class Store:
    """Results of runs in one SQLite file.

    Parameters
    ----------
    path : path
    create : bool
        Make the file where there is none.

    Examples
    --------
    >>> import tempfile
    >>> run = Run("miplma", "sival-mipl", r=2, split=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.db", create=True)
    ...     store.record(Result(run, "finished", 0.75, 12.5))
    ...     store.record(Result(run, "finished", 0.75, 12.5))
    ...     [(one.run.split, one.accuracy) for one in store.results(r=2)]
    True
    False
    [(3, 0.75)]
    """

    def __init__(self, path: str | Path, create: bool = False) -> None:
        self.path = Path(path)
        database.prepare(self.path, create)

    def record(
        self,
        result: Result,
        curves: Curves | None = None,
        predictions: Predictions | None = None,
    ) -> bool:
        """Keep a result; False where the run was settled before, which then stands.

        When this returns, the result is on the disk.
        """
        return self.record_all([(result, curves, predictions)]) == 1

    def record_all(
        self,
        ended: Iterable[tuple[Result, Curves | None, Predictions | None]],
    ) -> int:
        """Keep many results in one step, or none; return how many were new."""
        with database.writing(self.path) as file:
            return sum(_recorded(file, *one) for one in ended)

    def results(
        self, states: Collection[str] = (FINISHED,), **where: Any
    ) -> list[Result]:
        """Return results, in the order in which they were recorded.

        Parameters
        ----------
        states : names of states
        **where
            What the run must be: ``method``, ``arguments``, ``data``, ``options``,
            ``r``, ``split``, ``seed``, ``key``; a value, or a list of values.
        """
        clauses, values = [_among("state", states)], [*states]
        for name, wanted in where.items():
            if name not in _WHERE:
                raise unknown("field of a run", name, _WHERE)
            several = wanted if isinstance(wanted, (list, tuple, set)) else [wanted]
            clauses.append(_among(name, several))
            values += [Facts(v).text if isinstance(v, Mapping) else v for v in several]
        query = f"SELECT * FROM results WHERE {' AND '.join(clauses)} ORDER BY rowid"
        with database.reading(self.path) as file:
            return [self.read_row(file, row) for row in file.execute(query, values)]

    def answers(
        self, runs: Iterable[Run], states: Collection[str] = (FINISHED,)
    ) -> dict[Run, Result]:
        """Return what is known of the runs of a plan, whatever versions computed it.

        A result answers a run where method, arguments, data, options, r, split and
        seed are the same, and the contents of the data as far as both are known.
        """
        found: dict[Run, Result] = {}
        with database.reading(self.path) as file:
            for run in runs:
                rows = [row for row in asked(file, run) if row["state"] in states]
                # The very same content before an unknown one, then the latest.
                rows.sort(key=lambda row: row["content"] == run.content)
                if rows:
                    found[run] = self.read_row(file, rows[-1])
        return found

    def forget_diverged(self, runs: Iterable[Run]) -> int:
        """Drop the results of runs that diverged, so that they can be tried again."""
        return self.forget(runs, (DIVERGED,))

    def forget(self, runs: Iterable[Run], states: Collection[str] = SETTLED) -> int:
        """Drop the results of runs that ended so, and return how many."""
        with database.writing(self.path) as file:
            rows = [row for run in runs for row in asked(file, run)]
            keys = {row["key"] for row in rows if row["state"] in states}
            for key in keys:
                _remove(file, key)
        return len(keys)

    def by_key(self, start: str) -> Result:
        """Return the one result whose key begins like this."""
        if not start or not set(start) <= set("0123456789abcdef"):
            raise MiplError(f"a key is made of the digits 0-9 and a-f; got {start!r}.")
        query = "SELECT * FROM results WHERE substr(key, 1, ?) = ? LIMIT 2"
        with database.reading(self.path) as file:
            rows = list(file.execute(query, (len(start), start)))
            if len(rows) == 1:
                return self.read_row(file, rows[0])
        what = "no result" if not rows else "more than one result"
        raise MiplError(
            f"{what} in {self.path} has a key that begins with {start}; "
            "mipl runs ls lists them."
        )

    def curves(self, result: Result) -> Curves:
        """Return the figures of each epoch, by name; empty where none were kept."""
        with database.reading(self.path) as file:
            return self.read_part(file, "curves", result) or {}

    def predictions(self, result: Result) -> Predictions | None:
        """Return what was said of the test bags; None where it was not kept."""
        with database.reading(self.path) as file:
            found: Predictions | None = self.read_part(file, "predictions", result)
            return found

    def read_part(self, file: sqlite3.Connection, table: str, result: Result) -> Any:
        """Return the curves or predictions of a result from an opened store."""
        query = f"SELECT {table} FROM {table} WHERE key = ?"
        row = file.execute(query, (result.key,)).fetchone()
        if row is None:
            return None
        if not Seals(file).text_fits(table, result.key, row[0]):
            raise self._damaged(result.key, f"its {table} were changed")
        try:
            return _reader(_PARTS[table]).validate_json(row[0])
        except ValidationError as error:
            raise self._damaged(result.key, error.errors()[0]["msg"]) from None

    def read_row(self, file: sqlite3.Connection, row: sqlite3.Row) -> Result:
        """Return the result that a row of an opened store holds."""
        if not Seals(file).fits(row):
            raise self._damaged(row["key"], "it was changed after it was recorded")
        try:
            facts = {name: json.loads(row[name]) for name in _FACTS}
            run = read_run(facts | {name: row[name] for name in _RUN})
            return Result(
                run,
                row["state"],
                row["accuracy"],
                row["seconds"],
                json.loads(row["figures"]),
                row["message"],
                row["ended"],
            )
        except (ValueError, TypeError) as error:
            raise self._damaged(row["key"], error) from None

    def _damaged(self, key: str, what: object) -> BadFile:
        return BadFile(f"the result {str(key)[:12]} in {self.path} is damaged: {what}")

    @classmethod
    def unchecked(cls, path: Path) -> Store:
        """Return a store that may be damaged, to read of it what can be read."""
        store = cls.__new__(cls)
        store.path = path
        return store


@cache
def _reader(kind: Any) -> TypeAdapter[Any]:
    """Return what checks a kind of value; to make it takes longer than to use."""
    return TypeAdapter(kind)


def _recorded(
    file: sqlite3.Connection,
    result: Result,
    curves: Curves | None,
    predictions: Predictions | None,
) -> bool:
    """Write a result, unless its run was settled before."""
    row = _row(result)
    # Whoever computed this run has ended with it.
    file.execute("DELETE FROM leases WHERE question = ?", (row["question"],))
    before = asked(file, result.run)
    if any(one["state"] in SETTLED for one in before):
        return False
    for one in before:  # It failed, and was tried again.
        _remove(file, one["key"])
    places = ", ".join(f":{name}" for name in row)
    file.execute(f"INSERT INTO results ({', '.join(row)}) VALUES ({places})", row)
    parts = {
        "curves": curves or None,
        "predictions": predictions and predictions.as_dict(),
    }
    texts = {
        table: json.dumps(values, allow_nan=False)
        for table, values in parts.items()
        if values is not None
    }
    for table, text in texts.items():
        file.execute(f"INSERT INTO {table} VALUES (?, ?)", (row["key"], text))
    Seals(file).put(row, texts)
    return True


def _remove(file: sqlite3.Connection, key: str) -> None:
    for table in ("results", "seals"):
        file.execute(f"DELETE FROM {table} WHERE key = ?", (key,))


def check_kept(run: Run) -> None:
    """Refuse a run whose result no store has a place for."""
    if run.split is None:
        raise MiplError(
            f"{run.method} on {run.data} has no test bags to be judged by, and a store "
            "keeps how runs were judged; give split."
        )
    if run.calibrate is not None:
        raise MiplError(
            f"a store keeps no calibration, and {run.method} on {run.data} asks for "
            "one; leave calibrate out, or write the run to a folder."
        )


def _row(result: Result) -> dict[str, Any]:
    run = result.run
    check_kept(run)
    facts = {name: getattr(run, name).text for name in _FACTS}
    return {
        "key": run.key,
        "question": run.question.key,
        **{name: getattr(run, name) for name in _RUN},
        **facts,
        "state": result.state,
        "accuracy": result.accuracy,
        "seconds": result.seconds,
        "figures": Facts(result.figures).text,
        "message": result.message,
        "ended": result.ended,
    }


def asked(file: sqlite3.Connection, run: Run) -> list[sqlite3.Row]:
    """Return the rows of a run, on data equal as far as both contents are known."""
    query = "SELECT * FROM results WHERE question = ? ORDER BY rowid"
    rows = file.execute(query, (run.question.key,))
    same = ("", run.content)
    return [row for row in rows if not run.content or row["content"] in same]


def _among(name: str, values: Collection[Any]) -> str:
    return f"{name} IN ({', '.join('?' * len(values))})"
