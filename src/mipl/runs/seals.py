"""Seals: the hash of each result, by which a changed figure is noticed.

They are rows of a table of their own, so that stores of earlier versions, which have
none, are read as they are, and earlier versions can write to a store that has it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

TABLE = """CREATE TABLE IF NOT EXISTS seals (
    key TEXT PRIMARY KEY,
    results TEXT NOT NULL,
    curves TEXT,
    predictions TEXT
)"""
_NUMBERS = ("accuracy", "seconds")
_COLUMNS = (
    *("key", "question", "method", "arguments", "data", "options", "content"),
    *("r", "split", "seed", "versions", "state", *_NUMBERS),
    *("figures", "message", "ended"),
)


def seal(row: Mapping[str, Any] | sqlite3.Row) -> str:
    """Return the hash of a row of results."""
    values = [row[name] for name in _COLUMNS]
    for place, name in enumerate(_COLUMNS):
        if name in _NUMBERS and isinstance(values[place], int):
            values[place] = float(values[place])  # As the file gives it back.
    return seal_text(json.dumps(values, default=repr))


def seal_text(text: object) -> str:
    """Return the hash of curves or predictions as they are written."""
    return sha256(str(text).encode(errors="surrogatepass")).hexdigest()


class Seals:
    """The seals in an opened store; where it has none, everything fits."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file
        query = "SELECT count(*) FROM sqlite_master WHERE name = 'seals'"
        self._there = bool(file.execute(query).fetchone()[0])

    def put(self, row: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        """Seal a result that is being written; a writer has made the table."""
        parts = {name: seal_text(text) for name, text in texts.items()}
        self._file.execute(
            "INSERT OR REPLACE INTO seals VALUES (?, ?, ?, ?)",
            (row["key"], seal(row), parts.get("curves"), parts.get("predictions")),
        )

    def of(self, key: str) -> sqlite3.Row | None:
        """Return the seals of a result, if it has any."""
        if not self._there:
            return None
        query = "SELECT * FROM seals WHERE key = ?"
        found: sqlite3.Row | None = self._file.execute(query, (key,)).fetchone()
        return found

    def fits(self, row: sqlite3.Row) -> bool:
        """Tell whether a row of results is as it was recorded, as far as is known."""
        kept = self.of(row["key"])
        return kept is None or kept["results"] == seal(row)

    def text_fits(self, table: str, key: str, text: object) -> bool:
        """Tell whether curves or predictions are as they were recorded."""
        kept = self.of(key)
        return kept is None or kept[table] in (None, seal_text(text))
