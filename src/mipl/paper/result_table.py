"""A table of whatever a store holds, in rows and columns of one's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mipl.errors import MiplError
from mipl.paper.artefact import Product
from mipl.paper.cells import Cell, Spot
from mipl.paper.entrants import Entrant
from mipl.paper.friedman_ranks import in_words, ranked
from mipl.paper.layout import DATA, FALSE_LABELS, METHOD, TableAxis
from mipl.paper.panels import PanelGrid
from mipl.paper.result_notes import meaning, settings, significance
from mipl.paper.score_table import scored, sheet_of
from mipl.paper.sheet import Entry, Score, Sheet, Tally
from mipl.paper.store_cells import (
    ResultChoice,
    argument_value,
    cells_of,
    results_of,
)
from mipl.runs.store import Store

AXES = {"method": METHOD, "data": DATA, "r": FALSE_LABELS}
_TALLY = "win/tie/loss"


@dataclass(frozen=True)
class TableRequest:
    """What a table is to look like.

    Attributes
    ----------
    rows, columns : "method", "data", "r" or the name of an argument
        Where no columns are given, data sets, with r where there are several.
    choice : ResultChoice
    test : str or None
        The method that all others are compared with, as ``choice.methods`` names it.
    paired : bool
    corrected : bool
        Whether p-values are corrected by Holm over all comparisons of the table.
    """

    rows: tuple[str, ...] = ("method",)
    columns: tuple[str, ...] | None = None
    choice: ResultChoice = field(default_factory=ResultChoice)
    test: str | None = None
    paired: bool = True
    corrected: bool = True

    @property
    def varied(self) -> tuple[str, ...]:
        """The arguments that rows or columns are told by."""
        names = (*self.rows, *(self.columns or ()))
        return tuple(name for name in names if name not in AXES)


def result_table(store: Store, request: TableRequest) -> Product:
    """Return the table, and the ranks where there are enough results.

    Examples
    --------
    >>> import tempfile
    >>> from mipl.runs.result import Result
    >>> from mipl.runs.run import Run
    >>> def result(method, split):
    ...     accuracy = 0.7 + 0.1 * (method == "miplma") + 0.01 * split
    ...     run = Run(method, "digits-mipl", split=split)
    ...     return Result(run, "finished", accuracy, 1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.db", create=True)
    ...     for split in range(3):
    ...         _ = store.record(result("miplma", split))
    ...         _ = store.record(result("demipl", split))
    ...     made = result_table(store, TableRequest(test="miplma"))
    >>> made.sheets[0].heads
    ('method', 'Digits-MIPL', 'win/tie/loss')
    >>> made.sheets[0].rows[1][1].verdict
    'win'
    """
    cells = measured_cells(store, request)
    columns = request.columns or _usual_columns(cells, request.rows)
    compare, lower = request.test is not None, request.choice.lower
    scores = scored(cells, request.paired, compare, request.corrected, lower)
    alike = _equally_often(cells)
    scores = {s: replace(one, counted=not alike) for s, one in scores.items()}
    axes = _axes(request.rows), _axes(columns)
    ranks = ranked(cells, lower) if compare else None
    notes = (*meaning(request.choice, scores, alike), *settings(scores, request.varied))
    if compare:
        notes = (
            *notes,
            *significance(request.choice, scores, request.paired, request.corrected),
        )
    if ranks is not None:
        notes = (*notes, f"Friedman: {in_words(ranks)}")
    sheet = sheet_of(_title(request), scores, *axes, notes)
    if compare and "method" in (*request.rows, *columns):
        sheet = _with_tally(sheet, request, next(iter(cells)).entrant)
    return Product(
        "results",
        sheet.title,
        (sheet,),
        () if ranks is None else (PanelGrid("ranks", (ranks,)),),
        sum(cell.wanted for cell in cells.values()),
        sum(cell.missing for cell in cells.values()),
        sum(cell.diverged for cell in cells.values()),
    )


def measured_cells(store: Store, request: TableRequest) -> dict[Spot, Cell]:
    """Return the cells that a table shows, those it compares with first."""
    choice = replace(request.choice, varied=request.varied)
    cells = cells_of(results_of(store, choice), choice.figure)
    if request.test is None:
        return cells
    alone = replace(choice, methods=(request.test,), varied=())
    leader = next(iter(results_of(store, alone))).entrant
    mine = [s for s in cells if _same(s, leader.method, leader.arguments)]
    if not mine:
        raise MiplError(
            f"{request.test} of --test is not among the methods of this table; add it "
            "by --method."
        )
    return {spot: cells[spot] for spot in dict.fromkeys([*mine, *cells])}


def _same(spot: Spot, method: str, arguments: Mapping[str, object]) -> bool:
    return spot.entrant.method == method and spot.entrant.arguments == arguments


def _usual_columns(cells: Mapping[Spot, Cell], rows: Sequence[str]) -> tuple[str, ...]:
    several = len({spot.r for spot in cells}) > 1
    usual = ("data", "r") if several else ("data",)
    return tuple(name for name in usual if name not in rows) or ("method",)


def _axes(names: Sequence[str]) -> list[TableAxis]:
    return [AXES.get(name) or _argument(name) for name in names]


def _argument(name: str) -> TableAxis:
    said = name.replace("__", ".")

    def of(spot: Spot) -> str:
        value = argument_value(spot.entrant, name)
        return "" if value is None else str(value)

    return TableAxis(said, of, f"{said} = ")


def _equally_often(cells: Mapping[Spot, Cell]) -> bool:
    """Tell whether one number of splits, told once, is that of every cell."""
    return len({tuple(sorted(cell.values)) for cell in cells.values()}) == 1


def _title(request: TableRequest) -> str:
    return f"{request.choice.figure.replace('_', ' ').capitalize()} by " + " and ".join(
        name.replace("__", ".") for name in request.rows
    )


def _with_tally(sheet: Sheet, request: TableRequest, leader: Entrant) -> Sheet:
    """Add how often the method that is compared wins against each row, or column."""
    note = f"{_TALLY}: of the method compared with, against that of the row."
    if "method" in request.rows:
        rows = tuple((*row, _tally(row, leader)) for row in sheet.rows)
        groups = (*sheet.groups, "") if sheet.groups else ()
        heads, notes = (*sheet.heads, _TALLY), (*sheet.notes, note)
        return replace(sheet, heads=heads, rows=rows, notes=notes, groups=groups)
    told = sum(not isinstance(entry, Score) for entry in sheet.rows[0])
    columns = list(zip(*sheet.rows, strict=True))[told:]
    last = (_TALLY, *[""] * (told - 1), *(_tally(column, leader) for column in columns))
    note = note.replace("row", "column")
    return replace(sheet, rows=(*sheet.rows, last), notes=(*sheet.notes, note))


def _tally(entries: Sequence[Entry], leader: Entrant) -> Entry:
    scores = [one for one in entries if isinstance(one, Score)]
    scores = [one for one in scores if one.cell.spot.entrant != leader]
    found = [one.verdict for one in scores]
    if not any(found):
        return ""
    untested = sum(not one.verdict for one in scores)
    return Tally(found.count("win"), found.count("tie"), found.count("loss"), untested)
