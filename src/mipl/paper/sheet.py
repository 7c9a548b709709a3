"""Sheet: a table of an artefact as plain values.

Nothing here knows how a page looks; ``mipl.reports`` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mipl.paper.cells import Cell
from mipl.paper.sheet_entries import Entry, Gap, Score, Tally


@dataclass(frozen=True)
class Sheet:
    """A table: a head per column, then rows of as many entries."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """Return plain values for a CSV file: a row per score, or per row of text."""
        found = []
        for row in self.rows:
            by_head = dict(zip(self.heads, row, strict=True))
            gaps = {h: gap for h, gap in by_head.items() if isinstance(gap, Gap)}
            scores = [
                entry.record() | _beside(entry.cell, gaps)
                for entry in row
                if isinstance(entry, Score)
            ]
            found += scores or [_plain(by_head)]
        return found


def _beside(cell: Cell, gaps: Mapping[str, Gap]) -> dict[str, Any]:
    """Return the figures of the literature in a row, and how far a cell is above."""
    told: dict[str, Any] = {}
    for head, gap in gaps.items():
        told |= Gap(cell, gap.highest).record(head)
    return told


def _plain(row: Mapping[str, Entry]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for head, entry in row.items():
        if isinstance(entry, Tally):
            told |= {f"{head} {name}": count for name, count in entry.record().items()}
        elif isinstance(entry, str):
            told[head] = entry
    return told
