"""What a reader asks first: where behind, what holds of the paper, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mipl.paper.artefact import AccuracyArtefact, Artefact
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import SPLITS, Cell, Spot, measured
from mipl.paper.claim import FAILS, HOLDS, IN_PART, UNKNOWN, Claim, Count
from mipl.paper.composition import everything, tally, with_leader
from mipl.paper.entrants import ours
from mipl.paper.published import counts
from mipl.paper.statements import claims
from mipl.paper.tables.claims import rests_on, said
from mipl.reports.markdown import escaped, table_lines
from mipl.runs.store import Store
from tools.missing import column

_FEW = 3  # Splits below which a cell tells little.
_WINS = (
    "Significant wins, ties and losses of {leader} over the paper's {of} cells: "
    "**{win} / {tie} / {loss}**, {untested} not tested yet (the paper: {printed}). "
    "`mipl reproduce tableA4`"
)
_HOLDS = (
    "{holds} of the {of} statements that can be counted hold here, {part} in part "
    "(in more than half of the comparisons, and in fewer than the paper says), "
    "{fails} do not, {unknown} were not measured. A statement about few of its cells "
    "is about those: how many stands behind it. `mipl reproduce claims`"
)
_SPLITS = (
    "The paper has ten splits of every cell. Cells of each table without any run, with "
    f"fewer than {_FEW} splits, and with fewer than ten "
    "(tableA4 counts those of the others):"
)
_EMPTY = "Without any run:"


def known_cells(
    store: Store, artefacts: Sequence[Artefact], selection: Selection
) -> dict[Spot, Cell]:
    """Return all cells that the answers below are about; a store is asked once."""
    leader = ours(selection)[0]
    found = [spot for claim in claims(leader) for spot in claim.spots]
    found += with_leader(leader, everything())
    for one in _tables(artefacts):
        found += one.spots(selection)
    return measured(store, dict.fromkeys(found), selection)


def _tables(artefacts: Sequence[Artefact]) -> list[AccuracyArtefact]:
    return [
        one
        for one in artefacts
        if isinstance(one, AccuracyArtefact) and one.name.startswith("table")
    ]


def wins(cells: Mapping[Spot, Cell], selection: Selection) -> str:
    """Return win/tie/loss over all cells of the paper that are measured."""
    leader = ours(selection)[0]
    rivals = everything()
    found = tally(leader, rivals, cells, selection.paired)
    printed = [sum(one) for one in zip(*(c[2:] for c in counts()), strict=True)]
    return _WINS.format(
        leader=leader.title,
        of=len(rivals),
        win=found.win,
        tie=found.tie,
        loss=found.loss,
        untested=found.untested,
        printed=" / ".join(map(str, printed)),
    )


@dataclass(frozen=True)
class Answer:
    """A statement of the paper, and what came out here."""

    claim: Claim
    found: Count
    verdict: str
    basis: str

    @property
    def line(self) -> list[str]:
        """Its row."""
        claim, percent = self.claim, "%" in self.claim.says
        printed = claim.count_published()
        paper = claim.says + (f" ({said(printed)})" if printed else "")
        here = said(self.found, percent)
        return [
            self.verdict,
            escaped(claim.statement),
            escaped(paper),
            here,
            self.basis,
        ]


def answers(cells: Mapping[Spot, Cell], selection: Selection) -> list[Answer]:
    """Return each statement with its verdict, what does not hold first."""
    found = []
    for claim in claims(ours(selection)[0]):
        count = claim.count(cells, selection.paired)
        basis = rests_on(claim.basis(cells, selection.paired))
        found.append(Answer(claim, count, claim.verdict(count), basis))
    order = (FAILS, IN_PART, HOLDS, UNKNOWN)
    return sorted(found, key=lambda one: order.index(one.verdict))


def what_holds(cells: Mapping[Spot, Cell], selection: Selection) -> list[str]:
    """Return which of the paper's statements hold, a line each."""
    found = answers(cells, selection)
    told = [one.verdict for one in found]
    summary = _HOLDS.format(
        of=len(told),
        holds=told.count(HOLDS),
        part=told.count(IN_PART),
        fails=told.count(FAILS),
        unknown=told.count(UNKNOWN),
    )
    heads = ["here it", "statement", "the paper", "here", "rests on"]
    return [summary, "", *table_lines(heads, [one.line for one in found])]


def what_is_empty(
    cells: Mapping[Spot, Cell], artefacts: Sequence[Artefact], selection: Selection
) -> list[str]:
    """Return how many cells of the paper's tables lack splits, and which lack all."""
    rows: list[list[str]] = []
    empty: dict[Spot, None] = {}
    for one in _tables(artefacts):
        own = [spot for spot in one.spots(selection) if spot in cells]
        if own:
            rows.append([one.name, *_lacking([cells[spot] for spot in own])])
        empty.update(dict.fromkeys(spot for spot in own if not _splits(cells[spot])))
    heads = ["", "cells", "no run", f"fewer than {_FEW} splits", "fewer than ten"]
    lines = [_SPLITS, "", *table_lines(heads, rows)]
    lists = [f"- {line}" for line in _by_method(empty)]
    return [*lines, "", _EMPTY, "", *lists] if lists else lines


def _splits(cell: Cell) -> int:
    """Return on how many splits it was tried; some may have diverged."""
    return len(cell.values) + cell.diverged


def _lacking(cells: Iterable[Cell]) -> list[str]:
    """Return how many cells there are, and how many lack all, most or some splits."""
    known = [_splits(cell) for cell in cells]
    few = sum(0 < splits < _FEW for splits in known)
    some = sum(_FEW <= splits < len(SPLITS) for splits in known)
    return [str(number) for number in (len(known), known.count(0), few, some)]


def _by_method(empty: Iterable[Spot]) -> list[str]:
    """Return a line for each list of data sets: the methods that lack these."""
    lacks: dict[str, dict[str, list[str]]] = {}
    for spot in empty:
        of_method = lacks.setdefault(spot.entrant.title, {})
        r = "" if spot.r is None else str(spot.r)
        of_method.setdefault(column(spot.source), []).append(r)
    methods: dict[str, list[str]] = {}
    for title, sources in lacks.items():
        told = [f"{name}{_of_r(r)}" for name, r in sources.items()]
        methods.setdefault(", ".join(told), []).append(title)
    return [f"{escaped(where)}: {', '.join(who)}" for where, who in methods.items()]


def _of_r(numbers: Sequence[str]) -> str:
    """Return which numbers of false labels are meant; all three need no word.

    Examples
    --------
    >>> _of_r(["1", "3"]), _of_r(["1", "2", "3"]), _of_r([""])
    (' (r = 1, 3)', '', '')
    """
    told = list(dict.fromkeys(number for number in numbers if number))
    return f" (r = {', '.join(told)})" if 0 < len(told) < 3 else ""
