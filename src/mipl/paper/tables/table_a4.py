"""Table A4: how often MIPLMA wins, ties and loses, by family and number of labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from mipl.paper.artefact import AccuracyArtefact, Shown
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Cell, Spot
from mipl.paper.composition import (
    FAMILIES,
    ROWS,
    against,
    everything,
    tally,
    with_leader,
)
from mipl.paper.entrants import ours
from mipl.paper.published import counts
from mipl.paper.score_table import NOT_PLANNED, t_test_name
from mipl.paper.sheet import Entry, Sheet

_NOTE = (
    "Win/tie/loss of {leader} by the {test}, below it the published counts; cells "
    "without two splits in common are not tested yet."
)


@dataclass(frozen=True)
class Wins(AccuracyArtefact):
    """Counts by row and family, with totals."""

    def spots(self, selection: Selection) -> list[Spot]:
        """Return all cells that are counted, MIPLMA's first."""
        return with_leader(ours(selection)[0], everything())

    def show(self, cells: Mapping[Spot, Cell], selection: Selection) -> Shown:
        """Count them."""
        leader = ours(selection)[0]

        def entry(rows: Iterable[str], families: Iterable[str]) -> Entry:
            counted = [c for c in counts() if c.row in rows and c.family in families]
            rivals = [spot for c in counted for spot in against(c.row, c.family)]
            printed = [
                sum(column) for column in zip(*(c[2:] for c in counted), strict=True)
            ]
            if not rivals:
                return NOT_PLANNED
            found = tally(leader, rivals, cells, selection.paired)
            return replace(found, published=(printed[0], printed[1], printed[2]))

        rows: dict[tuple[str, ...], str] = {
            (row,): title for row, title in ROWS.items()
        }
        columns: dict[tuple[str, ...], str] = {
            (family,): title for family, title in FAMILIES.items()
        }
        rows[tuple(ROWS)] = columns[tuple(FAMILIES)] = "in total"
        note = _NOTE.format(leader=leader.title, test=t_test_name(selection))
        told = tuple((t, *(entry(r, f) for f in columns)) for r, t in rows.items())
        return (Sheet(self.title, ("", *columns.values()), told, (note,)),), ()


TABLE = Wins("tableA4", "Win/tie/loss of MIPLMA against the other methods")
