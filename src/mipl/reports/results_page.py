"""The results page: ours and the published figures, first of all where we are behind.

Everything on it comes out of a store, and every number has its command beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mipl.experiments.artefact import Artefact, Selection
from mipl.experiments.estimate import estimate
from mipl.experiments.results import FINISHED, STATES
from mipl.experiments.sheet import Entry, Product, Score, Sheet
from mipl.experiments.store import Store
from mipl.reports.entries import share
from mipl.reports.markdown import escaped, sheet_lines, table_lines

_INTRO = (
    "Every run is a row of the results that this page is made of; nothing on it was "
    "typed by hand. A command computes what is missing of its line, and shows the line "
    "again; `--known` only shows. Published figures were measured on the authors' bags "
    "and ours on those that the column *here* tells of, so they are orientation and "
    "not the same experiment."
)
_BELOW = (
    "Methods of others, as this library builds them, whose mean is below the published "
    "one by more than two of the larger standard deviation."
)
_HOUR = 3600.0


def results_page(
    store: Store, artefacts: Sequence[Artefact], selection: Selection, made_by: str
) -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    store : Store
    artefacts : what to show; "highest", if it is among them, comes first
    selection : Selection
    made_by : str
        The command that writes the page.
    """
    first = [one for one in artefacts if one.name == "highest"]
    others = [one for one in artefacts if one.name != "highest"]
    products = {one.name: one.build(store, selection) for one in [*first, *others]}
    lines = ["# Results", "", _INTRO, "", *_totals(store, made_by), ""]
    for one in first:
        for sheet in products[one.name].sheets:
            lines += [f"## {escaped(sheet.title)}", "", *_shown(one.name, sheet), ""]
    lines += ["## Lower here than published", "", *_lower(products.values()), ""]
    for one in others:
        lines += _section(products[one.name])
    lines += ["## What is missing", "", *_missing(store, artefacts, selection)]
    return "\n".join(lines).rstrip() + "\n"


def command(name: str, score: Score) -> str:
    """Return what computes and shows one method on one data set or on several.

    Examples
    --------
    >>> from mipl.experiments.cells import Cell, Spot
    >>> from mipl.experiments.entrants import OURS
    >>> from mipl.experiments.sources import SIVAL
    >>> command("table2", Score(Cell(Spot(OURS, SIVAL, 2))))
    'mipl reproduce table2 --method miplma --r 2'
    """
    spot = score.cell.spot
    count = "" if spot.r is None else f" --r {spot.r}"
    return f"mipl reproduce {name} --method {spot.entrant.method}{count}"


def _totals(store: Store, made_by: str) -> list[str]:
    results = store.results(STATES)
    done = sum(one.state == FINISHED for one in results)
    hours = sum(one.seconds for one in results) / _HOUR
    return [
        f"{done} finished runs and {len(results) - done} that diverged or failed: "
        f"{hours:.1f} hours of one core. Written by:",
        "",
        f"    {made_by}",
    ]


def _section(product: Product) -> list[str]:
    lines = [f"## {product.name}: {escaped(product.title)}", ""]
    lines += [f"    {product.command}", ""]
    if product.pictures and not product.sheets:
        drawn = "draws it" if not product.missing else "computes and draws it"
        lines += [f"A figure of single bags: the command {drawn}.", ""]
    for sheet in product.sheets:
        lines += [*_shown(product.name, sheet), ""]
    return lines


def _shown(name: str, sheet: Sheet) -> list[str]:
    """Return a table of the rows with results, each with its command."""
    scores = [_scores(row) for row in sheet.rows]
    if not any(scores):
        return sheet_lines(sheet)
    known = [any(s.cell.values for s in found) for found in scores]
    rows = tuple(
        (*row, command(name, found[0]))
        for row, found, there in zip(sheet.rows, scores, known, strict=True)
        if there
    )
    left_out = known.count(False)
    notes = sheet.notes
    if left_out:
        notes = (*notes, f"{left_out} rows without any result yet are left out.")
    if not rows:
        return ["Nothing of it was computed yet."]
    return sheet_lines(
        replace(sheet, heads=(*sheet.heads, "command"), rows=rows, notes=notes)
    )


def _scores(row: tuple[Entry, ...]) -> list[Score]:
    return [entry for entry in row if isinstance(entry, Score)]


def _lower(products: Iterator[Product] | Sequence[Product]) -> list[str]:
    """List the rivals that do worse here than their authors said."""
    found: dict[str, tuple[float, list[str]]] = {}
    for product in products:
        scores = [
            s for sheet in product.sheets for row in sheet.rows for s in _scores(row)
        ]
        for score in filter(_clearly_lower, scores):
            spot, gap = score.cell.spot, score.difference or 0.0
            told = [
                spot.entrant.title,
                spot.source.title,
                "" if spot.r is None else str(spot.r),
                spot.source.here,
                f"{share(score.cell.mean or 0.0)} ({len(score.cell.values)})",
                share(score.published.mean) if score.published else "",
                share(gap, sign=True),
                command(product.name, score),
            ]
            found.setdefault(" ".join(told[:3]), (gap, told))
    if not found:
        return ["None of those measured."]
    heads = ["method", "data set", "r", "here", "ours", "published", "gap", "command"]
    rows = [told for _, told in sorted(found.values())]
    return [_BELOW, "", *table_lines(heads, rows)]


def _clearly_lower(score: Score) -> bool:
    if score.difference is None or score.published is None:
        return False
    spread = max(score.cell.std or 0.0, score.published.std or 0.0)
    return score.difference < -2 * spread


def _missing(
    store: Store, artefacts: Sequence[Artefact], selection: Selection
) -> list[str]:
    """List the runs that each artefact still lacks, and what they would cost."""
    rows = []
    for one in artefacts:
        plan = one.plan(selection)
        known = store.answers(plan)
        left = [run for run in plan if run not in known]
        if left:
            cost = estimate(left, store)
            hours = f"{cost.seconds / _HOUR:.1f}" if cost.unknown < len(left) else "?"
            cells = (one.name, str(len(plan)), str(len(left)), hours, str(cost.unknown))
            rows.append([*cells, f"mipl reproduce {one.name}"])
    heads = ["", "runs", "missing", "hours", "runs of unknown cost", "command"]
    note = (
        "Hours of one core, estimated by like runs that were computed; a run that "
        "several tables need is counted in each."
    )
    if not rows:
        return ["Nothing."]
    return [*table_lines(heads, rows), "", note]
