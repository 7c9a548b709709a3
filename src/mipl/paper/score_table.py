"""ScoreTable: methods down, data sets across, published figures beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mipl.datasets.published_sets import MEANING, PublishedSet, own_sources
from mipl.methods.catalogue.registry import has_published, published
from mipl.metrics.significance import TTest, holm
from mipl.paper.artefact import AccuracyArtefact, Shown
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Cell, Spot, decided, spots, tested
from mipl.paper.entrants import RELEASED, Entrant, joining, ours
from mipl.paper.friedman_ranks import in_words, ranked
from mipl.paper.layout import DATA, FALSE_LABELS, METHOD, TableAxis, lay_out
from mipl.paper.panels import PanelGrid
from mipl.paper.sheet import Score, Sheet

NOT_PLANNED = "–"
_MARKS = (
    "Mean ± standard deviation (ddof 0) of the test accuracy, number of splits in "
    "brackets; below it the published figure, and ours minus it. Bold: the best for "
    "its data set and r. ● significantly below the first method, ○ significantly above "
    "it, ~ neither ({test}). Runs that diverged have no accuracy and no part in a mean."
)


@dataclass(frozen=True)
class ScoreTable(AccuracyArtefact):
    """A table of accuracies.

    Attributes
    ----------
    rivals : tuple of Entrant
        In the order of the rows, after the readings of MIPLMA.
    sources : tuple of PublishedSet
        The columns.
    counts : tuple of int, optional
        Numbers of false labels, where not all that the data sets are used with.
    leaders : tuple of Entrant, optional
        What stands first, where it is not MIPLMA as selected.
    without : pairs of Entrant and PublishedSet
        Cells that the paper leaves out.
    notes : tuple of str
    """

    rivals: tuple[Entrant, ...] = ()
    sources: tuple[PublishedSet, ...] = ()
    counts: tuple[int, ...] | None = None
    leaders: tuple[Entrant, ...] | None = None
    without: tuple[tuple[Entrant, PublishedSet], ...] = ()
    notes: tuple[str, ...] = ()

    def spots(self, selection: Selection) -> list[Spot]:
        """Return where its cells stand."""
        first = ours(selection) if self.leaders is None else self.leaders
        own = (*first, *self.rivals)
        others = own_sources(selection.data or (), selection.r)
        every = spots(
            (*own, *joining(selection, own)), (*self.sources, *others), self.counts
        )
        return [s for s in every if (s.entrant, s.source) not in self.without]

    def show(self, cells: Mapping[Spot, Cell], selection: Selection) -> Shown:
        """Return the table, and the ranks where there are enough results."""
        ranks = ranked(cells)
        told = (
            *origins(tuple(dict.fromkeys(s.source for s in cells))),
            *choices(cells),
        )
        notes = (marks(selection), *told, *self.notes)
        if ranks is not None:
            notes = (*notes, in_words(ranks))
        sheet = score_sheet(self.title, cells, notes, selection.paired)
        pictures = () if ranks is None else (PanelGrid(f"{self.name}-ranks", (ranks,)),)
        return (sheet,), pictures


def t_test_name(selection: Selection) -> str:
    """Return the name of the t-test that was selected."""
    return f"{'paired' if selection.paired else 'unpaired'} two-sided t-test at .05"


def marks(selection: Selection) -> str:
    """Explain what the entries of a table of accuracies say."""
    return _MARKS.format(test=t_test_name(selection))


def origins(sources: tuple[PublishedSet, ...]) -> list[str]:
    """Say what each data set is here, those of one kind together."""
    kinds = dict.fromkeys(source.here for source in sources)
    named = {k: ", ".join(s.title for s in sources if s.here == k) for k in kinds}
    return [f"{titles}: {MEANING[here]}." for here, titles in named.items()]


def choices(spots: Iterable[Spot]) -> list[str]:
    """Name the settings of the released MIPLMA that its authors did not print."""
    found: dict[str, list[str]] = {}
    for spot in spots:
        where = spot.source.name, spot.r or 1
        if spot.entrant == RELEASED and has_published(RELEASED.method, *where):
            row = published(RELEASED.method, *where)
            values = ", ".join(f"{name} {value}" for name, value in row.chosen.items())
            at = "" if spot.r is None else f" r = {spot.r}"
            if values:
                told = f"{values} ({row.choice})"
                found.setdefault(told, []).append(f"{spot.source.title}{at}")
    return [
        f"{RELEASED.title} on {'; '.join(places)}: {told}."
        for told, places in found.items()
    ]


def score_sheet(
    title: str,
    cells: Mapping[Spot, Cell],
    notes: tuple[str, ...] = (),
    paired: bool = True,
) -> Sheet:
    """Lay cells out: a row per method and r, a column per data set.

    The first method is compared with all others.
    """
    scores = scored(cells, paired)
    return sheet_of(title, scores, (METHOD, FALSE_LABELS), (DATA,), notes)


def sheet_of(
    title: str,
    scores: Mapping[Spot, Score],
    rows: Sequence[TableAxis],
    columns: Sequence[TableAxis],
    notes: tuple[str, ...] = (),
) -> Sheet:
    """Lay scores out in rows and columns told by any axes."""
    grid = lay_out({spot: one.cell for spot, one in scores.items()}, rows, columns)
    body = (
        (*texts, *(NOT_PLANNED if at is None else scores[at] for at in spots))
        for texts, spots in zip(grid.rows, grid.spots, strict=True)
    )
    groups = (*[""] * len(grid.heads[0]), *grid.groups) if grid.groups else ()
    heads = (*grid.heads[0], *grid.heads[1])
    return Sheet(title, heads, tuple(body), notes, groups)


def scored(
    cells: Mapping[Spot, Cell],
    paired: bool = True,
    compare: bool = True,
    corrected: bool = False,
    lower: bool = False,
) -> dict[Spot, Score]:
    """Mark the best of each data set and r, and compare the first method with all.

    Parameters
    ----------
    cells : mapping of Spot to Cell
    paired : bool
        Whether tests take differences split by split.
    compare : bool
        Whether there is a test at all.
    corrected : bool
        Whether its p-values are corrected by Holm, over all cells.
    lower : bool
        Whether lower figures are better.
    """
    if not cells:
        return {}
    tests = _tests(cells, paired) if compare else {}
    p_values = [test.p_value for test in tests.values()]
    told = dict(zip(tests, holm(p_values) if corrected else p_values, strict=True))
    sign = -1 if lower else 1
    best: dict[tuple[PublishedSet, int | None], float] = {}
    for spot, cell in cells.items():
        if cell.mean is not None:
            column = (spot.source, spot.r)
            best[column] = max(best.get(column, -math.inf), sign * cell.mean)
    found = {}
    for spot, cell in cells.items():
        mean, p = cell.mean, told.get(spot)
        top = mean is not None and sign * mean >= best[spot.source, spot.r] - 5e-4
        verdict = "" if p is None else decided(tests[spot], p)
        if lower:
            verdict = {"win": "loss", "loss": "win"}.get(verdict, verdict)
        found[spot] = Score(cell, top, verdict, p)
    return found


def _tests(cells: Mapping[Spot, Cell], paired: bool) -> dict[Spot, TTest]:
    """Return the test of the first method against each other, where there is one."""
    first = next(iter(cells)).entrant
    found = {}
    for spot, cell in cells.items():
        ours = cells.get(Spot(first, spot.source, spot.r))
        if ours is not None and ours is not cell:
            test = tested(ours, cell, paired)
            if test is not None:
                found[spot] = test
    return found
