"""Claims: what the text says, with our count beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mipl.paper.artefact import AccuracyArtefact, Shown
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Cell, Spot
from mipl.paper.claim import Basis, Claim, Count
from mipl.paper.entrants import ours
from mipl.paper.score_table import t_test_name
from mipl.paper.sheet import Sheet
from mipl.paper.statements import claims

_HEADS = (
    "statement",
    "the paper says",
    "its tables say",
    "ours",
    "not compared",
    "ours rests on",
)
_NOTE = (
    "Ours is {leader}. A comparison counts where both sides have splits in common, and "
    "is made on those: how many cells and splits a count rests on stands behind it. "
    "Significant: {test}."
)
_OWN_COUNT = "Where the paper's text and its own tables disagree, both are given."


@dataclass(frozen=True)
class Claims(AccuracyArtefact):
    """The statements of the text that can be counted."""

    def spots(self, selection: Selection) -> list[Spot]:
        """Return all cells that some statement needs."""
        every = (s for claim in claims(ours(selection)[0]) for s in claim.spots)
        return list(dict.fromkeys(every))

    def show(self, cells: Mapping[Spot, Cell], selection: Selection) -> Shown:
        """Count every statement."""
        leader = ours(selection)[0]
        rows = (
            (
                *_row(c, c.count(cells, selection.paired)),
                rests_on(c.basis(cells, selection.paired)),
            )
            for c in claims(leader)
        )
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


def rests_on(found: Basis) -> str:
    """Return in words what a count rests on.

    Examples
    --------
    >>> rests_on(Basis(12, 48, (10, 1, 3))), rests_on(Basis(2, 6, (1,)))
    ('12 of 48 cells, 1-10 splits', '2 of 6 cells, 1 split')
    >>> rests_on(Basis(0, 6, ()))
    '0 of 6 cells'
    """
    told = f"{found.cells} of {found.of} cells"
    if not found.splits:
        return told
    fewest, most = min(found.splits), max(found.splits)
    range_ = f"{fewest}-{most}" if fewest < most else f"{most}"
    return f"{told}, {range_} split{'s' if most > 1 else ''}"


TABLE = Claims("claims", "What the text says, counted")
