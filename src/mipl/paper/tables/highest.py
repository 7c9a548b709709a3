"""Highest: ours beside the highest accuracy published anywhere, where behind first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mipl.datasets.published_sets import BENCHMARKS, DEEP, STAND_IN, TISSUE
from mipl.paper.artefact import AccuracyArtefact, Shown
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import SPLITS, Cell, Spot, spots
from mipl.paper.entrants import ours
from mipl.paper.published import HighestAccuracy, highest
from mipl.paper.score_table import (
    NOT_PLANNED,
    choices,
    marks,
    origins,
    scored,
)
from mipl.paper.sheet import Gap, Sheet

SOURCES = (*BENCHMARKS, *TISSUE, *DEEP)
_MARK = (
    "* not to be compared with ours: transductive (all test bags at once), or the best "
    "epoch by test labels; the highest figure without such help stands beside it."
)
_BEHIND = (
    "{behind} of {measured} cells measured are below the highest published figure; "
    "{few} of the {measured} have fewer than ten splits, and {left} cells were not "
    "measured. Stand-ins are not counted: they are other data than the published."
)


@dataclass(frozen=True)
class AgainstHighest(AccuracyArtefact):
    """MIPLMA beside the best figures of the literature."""

    def spots(self, selection: Selection) -> list[Spot]:
        """Return MIPLMA on every data set."""
        return spots(ours(selection), SOURCES)

    def show(self, cells: Mapping[Spot, Cell], selection: Selection) -> Shown:
        """Return the cells where we are behind, the farthest first, and then all."""
        readings = ours(selection)
        first = [spot for spot in cells if spot.entrant == readings[0]]
        gaps = {spot: [Gap(cells[spot], h) for h in _highest(spot)] for spot in first}
        alike = [spot for spot in first if spot.source.here != STAND_IN]
        below = [gaps[spot][0] for spot in alike if (gaps[spot][0].value or 0) < 0]
        behind = sorted(below, key=lambda gap: gap.value or 0)
        known = [cells[spot] for spot in alike if cells[spot].values]
        note = _BEHIND.format(
            behind=len(behind),
            measured=len(known),
            few=sum(len(cell.values) < len(SPLITS) for cell in known),
            left=len(alike) - len(known),
        )
        scores = scored(cells, selection.paired)
        heads = ("data set", "r", "here", *(one.title for one in readings))
        every = tuple(
            (
                spot.source.title,
                _count(spot),
                spot.source.here,
                *(
                    scores.get(Spot(e, spot.source, spot.r), NOT_PLANNED)
                    for e in readings
                ),
                *_pair(found),
            )
            for spot, found in gaps.items()
        )
        notes = (marks(selection), _MARK, *origins(SOURCES), *choices(cells))
        return (
            Sheet(
                "Where we are behind",
                ("data set", "r", "here", readings[0].title, "highest published"),
                tuple(
                    (
                        gap.cell.spot.source.title,
                        _count(gap.cell.spot),
                        gap.cell.spot.source.here,
                        scores[gap.cell.spot],
                        gap,
                    )
                    for gap in behind
                ),
                (note,),
            ),
            Sheet(
                "Every data set",
                (*heads, "highest published", "highest without help"),
                every,
                notes,
            ),
        ), ()


def _highest(spot: Spot) -> tuple[HighestAccuracy, ...]:
    return highest(spot.source.id, spot.r)


def _count(spot: Spot) -> str:
    return "" if spot.r is None else str(spot.r)


def _pair(found: list[Gap]) -> tuple[Gap | str, Gap | str]:
    """Return the highest, and the highest that may be compared where it is another."""
    first, *others = found
    return first, others[0] if others else "the same"


TABLE = AgainstHighest("highest", "MIPLMA beside the highest published accuracy")
