"""Measurements as rows of CSV tables, saved as they come."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def load(path: Path) -> list[dict[str, str]]:
    """Read the rows measured so far."""
    if not path.exists():
        return []
    with path.open(newline="") as handle:
        return list(csv.DictReader(handle))


def append(path: Path, row: dict[str, Any]) -> None:
    """Add one row, with a header if the file is new.

    A column that the file lacks is added to it, empty in the rows before.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    old = _heads(path)
    heads = list(dict.fromkeys([*old, *row]))
    if heads != old:
        text = io.StringIO()
        writer = csv.DictWriter(text, heads)
        writer.writeheader()
        writer.writerows(load(path))
        path.write_text(text.getvalue(), newline="")
    with path.open("a", newline="") as handle:
        csv.DictWriter(handle, heads).writerow(row)


def _heads(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open(newline="") as handle:
        return next(csv.reader(handle), [])
