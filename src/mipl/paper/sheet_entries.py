"""Entries of a sheet: text, accuracies, counts of wins, distances to the highest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    """

    cell: Cell
    best: bool = False
    verdict: str = ""

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
