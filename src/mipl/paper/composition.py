"""What MIPLMA is counted against: the cells of the paper's table of wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mipl.datasets.published_sets import BENCHMARKS, DEEP, SIFT, TISSUE
from mipl.paper.cells import Cell, Spot, compared, spots
from mipl.paper.entrants import DEMIPL, ELIMIPL, MIL, MIPLGP, PLL, RIVALS, Entrant
from mipl.paper.sheet import Tally

ROWS = {"1": "r = 1", "2": "r = 2", "3": "r = 3", "crc": "CRC-MIPL"}
FAMILIES = {"mil": "MIL", "pll": "PLL", "mipl": "MIPL"}
_MEMBERS = {"pll": PLL, "mipl": RIVALS}


def against(row: str, family: str) -> list[Spot]:
    """Return the cells that one entry of the table counts.

    Examples
    --------
    >>> [len(against(row, "pll")) for row in ROWS]
    [104, 104, 104, 104]
    >>> len(against("crc", "mipl")), len(against("1", "mil")), len(against("2", "mil"))
    (15, 28, 0)
    """
    if family == "mil":
        return spots(MIL, BENCHMARKS, (1,)) if row == "1" else []
    if row != "crc":
        return spots(_MEMBERS[family], BENCHMARKS, (int(row),))
    found = spots(_MEMBERS[family], TISSUE)
    if family == "mipl":
        found.remove(Spot(MIPLGP, SIFT, None))  # It ran out of the authors' memory.
        found += spots((ELIMIPL, DEMIPL), DEEP)
    return found


def everything() -> list[Spot]:
    """Return the cells of the whole table."""
    return [
        spot for row in ROWS for family in FAMILIES for spot in against(row, family)
    ]


def with_leader(leader: Entrant, rivals: Iterable[Spot]) -> list[Spot]:
    """Return those cells, and before them the leader's own on the same data."""
    rivals = list(rivals)
    own = dict.fromkeys(Spot(leader, spot.source, spot.r) for spot in rivals)
    return [*own, *rivals]


def tally(
    leader: Entrant,
    rivals: Iterable[Spot],
    cells: Mapping[Spot, Cell],
    paired: bool = True,
) -> Tally:
    """Count the verdicts of a leader against rivals, in the cells selected."""
    found = [
        compared(cells[Spot(leader, spot.source, spot.r)], cells[spot], paired)
        for spot in rivals
        if spot in cells and Spot(leader, spot.source, spot.r) in cells
    ]
    win, tie, loss, untested = map(found.count, ("win", "tie", "loss", ""))
    return Tally(win, tie, loss, untested)
