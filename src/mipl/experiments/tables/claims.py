"""Claims: what the text says, with our count beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mipl.experiments.artefact import Selection
from mipl.experiments.cells import Cell, Spot
from mipl.experiments.claim import Claim, Count
from mipl.experiments.entrants import ours
from mipl.experiments.from_cells import FromCells, Shown
from mipl.experiments.score_table import t_test_name
from mipl.experiments.sheet import Sheet
from mipl.experiments.statements import claims

_HEADS = ("statement", "the paper says", "its tables say", "ours", "not known yet")
_NOTE = (
    "Ours is {leader}. A comparison counts where both sides have splits in common, and "
    "is made on those; significant: {test}."
)
_OWN_COUNT = "Where the paper's text and its own tables disagree, both are given."


@dataclass(frozen=True)
class Claims(FromCells):
    """The statements of the text that can be counted."""

    def spots(self, selection: Selection) -> list[Spot]:
        """Return all cells that some statement needs."""
        every = (s for claim in claims(ours(selection)[0]) for s in claim.spots)
        return list(dict.fromkeys(every))

    def show(self, cells: Mapping[Spot, Cell], selection: Selection) -> Shown:
        """Count every statement."""
        leader = ours(selection)[0]
        rows = (_row(c, c.count(cells, selection.paired)) for c in claims(leader))
        note = _NOTE.format(leader=leader.title, test=t_test_name(selection))
        return (Sheet(self.title, _HEADS, tuple(rows), (note, _OWN_COUNT)),), ()


def _row(claim: Claim, found: Count) -> tuple[str, ...]:
    printed = claim.count_published()
    percent = "%" in claim.says
    return (
        claim.statement,
        claim.says,
        said(printed, percent) if printed else "-",
        said(found, percent),
        str(found.unknown or ""),
    )


def said(found: Count, percent: bool = False) -> str:
    """Return a count in words.

    Examples
    --------
    >>> said(Count(33, 36, 0)), said(Count(39, 51, 0), True), said(Count(0, 0, 9))
    ('33 of 36', '39 of 51 (76.5 %)', '-')
    """
    if not found.of:
        return "-"
    share = f" ({100 * found.true / found.of:.1f} %)" if percent else ""
    return f"{found.true} of {found.of}{share}"


TABLE = Claims("claims", "What the text says, counted")
