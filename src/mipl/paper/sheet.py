"""Sheet: a table whose entries are text, accuracies, counts of wins or distances.

Nothing here knows how a page looks; ``mipl.reports`` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mipl.paper.cells import Cell
    from mipl.paper.published import HighestAccuracy, PublishedAccuracy


@dataclass(frozen=True)
class Score:
    """Accuracy over splits, beside the published one.

    Attributes
    ----------
    cell : Cell
    best : bool
        Whether no other mean in its column, for the same r, is higher.
    verdict : {"win", "tie", "loss", ""}
        Of ours against it; "" where that was not tested.
    p_value : float or None
        Of the test, corrected where the table says so.
    counted : bool
        Whether the number of splits is shown with it.
    """

    cell: Cell
    best: bool = False
    verdict: str = ""
    p_value: float | None = None
    counted: bool = True

    @property
    def published(self) -> PublishedAccuracy | None:
        """What was published for it."""
        return self.cell.spot.published

    @property
    def difference(self) -> float | None:
        """Ours minus published; None where either is missing."""
        if self.cell.mean is None or self.published is None:
            return None
        return self.cell.mean - self.published.mean

    def record(self) -> dict[str, Any]:
        """Return it as plain values, for a row of a CSV file."""
        spot, published = self.cell.spot, self.published
        return {
            "method": spot.entrant.method,
            "variant": spot.entrant.variant,
            "data": spot.source.id,
            "r": spot.r,
            "mean": _short(self.cell.mean),
            "std": _short(self.cell.std),
            "splits": len(self.cell.values),
            "missing": self.cell.missing,
            "diverged": self.cell.diverged,
            "published": published and published.mean,
            "published_std": published and published.std,
            "difference": _short(self.difference),
            "best": self.best,
            "ours_against_it": self.verdict,
            "p_value": self.p_value,
        }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


@dataclass(frozen=True)
class Tally:
    """Wins, ties and losses, beside the published ones.

    ``untested`` counts the cells without two splits in common.
    """

    win: int
    tie: int
    loss: int
    untested: int
    published: tuple[int, int, int] | None = None

    def record(self) -> dict[str, int]:
        """Return the counts by name."""
        counts = {"win": self.win, "tie": self.tie, "loss": self.loss}
        published = zip(counts, self.published or (), strict=False)
        return {
            **counts,
            "untested": self.untested,
            **{f"published {name}": count for name, count in published},
        }


@dataclass(frozen=True)
class Gap:
    """A figure of the literature, and how far ours lies above it."""

    cell: Cell
    highest: HighestAccuracy

    @property
    def value(self) -> float | None:
        """Ours minus it; None where ours was not measured."""
        return None if self.cell.mean is None else self.cell.mean - self.highest.mean

    def record(self, head: str) -> dict[str, Any]:
        """Return it as plain values under the head of its column."""
        best = self.highest
        return {
            head: best.mean,
            f"{head} std": best.std,
            f"{head} by": f"{best.method}, {best.source}",
            f"{head} mark": best.mark,
            f"ours minus {head}": _short(self.value),
        }


Entry = str | Score | Tally | Gap
FIGURES = (Score, Tally, Gap)  # Entries that are no text.


@dataclass(frozen=True)
class Sheet:
    """A table: a head per column, then rows of as many entries.

    ``groups`` names for each column what it begins with and shares with its neighbours,
    "" for none; () where no column does.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

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
