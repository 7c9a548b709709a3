"""Write docs/results.md: ours and the published figures, first where we are behind.

    python -m tools.results_page
    python -m tools.results_page --store results.db

Everything on it comes out of a store, and every number has its command beside it.
Without a store the committed results are read. No run is computed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mipl.files import write_text
from mipl.paper.artefact import Artefact, Product
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Cell, Spot, compared
from mipl.paper.entrants import OURS
from mipl.paper.index import ARTEFACTS
from mipl.paper.sheet import Entry, Score, Sheet
from mipl.reports.entry_text import MARKS, share
from mipl.reports.markdown import escaped, sheet_lines, table_lines
from mipl.runs.result import DIVERGED, FAILED, FINISHED, STATES
from mipl.runs.results_csv import import_file
from mipl.runs.store import Store
from tools.answers import known_cells, what_holds, what_is_empty, wins
from tools.missing import missing_lines
from tools.study import RESULTS

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
COMMAND = "make results"
_INTRO = (
    "Every run is a row of the results that this page is made of; nothing on it was "
    "typed by hand. A command computes what is missing of its line, and of the method "
    "that it is compared with, and shows both again; `--known` only shows. Bold needs "
    "the whole table. Published figures were measured on the authors' bags "
    "and ours on those that the column *here* tells of, so they are orientation and "
    "not the same experiment."
)
_BETTER = (
    "Methods of this library, variants and other settings of MIPLMA among them, whose "
    "mean is above that of ours on the splits that both have; ○ significantly so."
)
_AHEAD = (
    "On the splits that both have, {} cells of other methods here and of other "
    "settings of ours are above ours, {} of them significantly: "
    "[which](#where-another-method-is-better-here)."
)
_BELOW = (
    "Methods, as this library builds them, whose mean is below the published one by "
    "more than two of the larger standard deviation, which counts as at least .01: one "
    "split has none."
)
_LEAST = 0.01
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
    seen = _Seen()
    lines = ["# Results", ""]
    cells = known_cells(store, artefacts, selection)
    better = _better(products, selection.paired)
    sheets = [(one.name, sheet) for one in first for sheet in products[one.name].sheets]
    for name, sheet in sheets[:1]:
        lines += [f"## {escaped(sheet.title)}", "", wins(cells, selection), ""]
        lines += [_AHEAD.format(len(better), sum(map(_is_loss, better))), ""]
        lines += [*_shown(name, sheet, seen), ""]
    lines += ["## What of the paper holds here", "", *what_holds(cells, selection), ""]
    empty = what_is_empty(cells, artefacts, selection)
    lines += ["## What was not measured", "", *empty, ""]
    lines += ["## How to read this page", "", _INTRO, "", *_totals(store, made_by), ""]
    for name, sheet in sheets[1:]:
        lines += [f"## {escaped(sheet.title)}", "", *_shown(name, sheet, seen), ""]
    lines += ["## Where another method is better here", ""]
    lines += [*_better_lines(better), ""]
    lines += ["## Lower here than published", "", *_lower(products.values()), ""]
    for one in others:
        lines += _section(products[one.name], seen)
    missing = missing_lines(store, artefacts, selection)
    lines += ["## What is missing", "", *missing]
    return "\n".join(lines).rstrip() + "\n"


@dataclass
class _Seen:
    """What stands on the page already, so that nothing is said twice."""

    notes: set[str] = field(default_factory=set)
    spots: set[Spot] = field(default_factory=set)

    def fresh(self, notes: tuple[str, ...]) -> tuple[str, ...]:
        new = tuple(note for note in notes if note not in self.notes)
        self.notes.update(new)
        return new


def command(name: str, scores: Sequence[Score], leader: str | None = None) -> str:
    """Return what computes and shows some cells of one r, a leader's beside them.

    Examples
    --------
    >>> from mipl.paper.cells import Cell
    >>> from mipl.paper.entrants import OURS
    >>> from mipl.datasets.published_sets import SIVAL
    >>> command("table2", [Score(Cell(Spot(OURS, SIVAL, 2)))])
    'mipl reproduce table2 --method miplma --data sival-mipl --r 2'
    """
    spots = [score.cell.spot for score in scores]
    ids = [*([] if leader is None else [leader]), *(s.entrant.method for s in spots)]
    methods = dict.fromkeys(f" --method {id}" for id in ids)
    sources = dict.fromkeys(f" --data {spot.source.id}" for spot in spots)
    counts = dict.fromkeys(f" --r {spot.r}" for spot in spots if spot.r is not None)
    data = "".join(sources) if len(sources) == 1 else ""
    return f"mipl reproduce {name}{''.join(methods)}{data}{''.join(counts)}"


def _totals(store: Store, made_by: str) -> list[str]:
    results = store.results(STATES)
    ended = Counter(one.state for one in results)
    hours = sum(one.seconds for one in results) / _HOUR
    return [
        f"{ended[FINISHED]} finished runs, {ended[DIVERGED]} that diverged and "
        f"{ended[FAILED]} that failed: {hours:.1f} hours of one core. Written by:",
        "",
        f"    {made_by}",
    ]


def _section(product: Product, seen: _Seen) -> list[str]:
    lines = [f"## {product.name}: {escaped(product.title)}", ""]
    lines += [f"    {product.command}", ""]
    for sheet in product.sheets:
        lines += [*_shown(product.name, sheet, seen), ""]
    if not product.sheets:
        page = f"`{product.command} --format html` draws it on a page"
        done = product.runs - product.missing - product.diverged - product.bare
        lost = f", {product.diverged} diverged" if product.diverged else ""
        lost += f", {product.bare} came without curves" if product.bare else ""
        lines += [f"{done} of {product.runs} runs are there{lost}; {page}.", ""]
    return lines


def _shown(name: str, sheet: Sheet, seen: _Seen) -> list[str]:
    """Return a table of the rows with results, each with its command."""
    scores = [_scores(row) for row in sheet.rows]
    if not any(scores):
        return sheet_lines(replace(sheet, notes=seen.fresh(sheet.notes)))
    known = [any(_ended(s.cell) for s in found) for found in scores]
    spots = {s.cell.spot for found in scores for s in found if _ended(s.cell)}
    if not spots:
        return ["Nothing of it was computed yet."]
    if spots <= seen.spots:
        return ["Nothing but what stands above was computed yet."]
    seen.spots |= spots
    # Alone, a method would be compared with nothing: the first one goes with it.
    leader = next(found for found in scores if found)[0].cell.spot.entrant.method
    rows = tuple(
        (*row, command(name, found, leader))
        for row, found, there in zip(sheet.rows, scores, known, strict=True)
        if there
    )
    notes = seen.fresh(sheet.notes)
    left_out = known.count(False)
    if left_out:
        notes = (*notes, f"{left_out} rows without any result yet are left out.")
    heads = (*sheet.heads, "command")
    return sheet_lines(replace(sheet, heads=heads, rows=rows, notes=notes))


def _ended(cell: Cell) -> bool:
    return bool(cell.values) or cell.diverged > 0


def _scores(row: tuple[Entry, ...]) -> list[Score]:
    return [entry for entry in row if isinstance(entry, Score)]


def _all_scores(sheet: Sheet) -> list[Score]:
    return [score for row in sheet.rows for score in _scores(row)]


def _better(products: Mapping[str, Product], paired: bool) -> list[list[str]]:
    """Return the methods whose mean here is above ours on the same splits."""
    found: dict[Spot, tuple[float, list[str]]] = {}
    # Ours may stand in another table than the method: variants have their own.
    every: dict[Spot, tuple[str, Score]] = {}
    for name, product in products.items():
        for score in (one for sheet in product.sheets for one in _all_scores(sheet)):
            every.setdefault(score.cell.spot, (name, score))
    for spot, (name, score) in every.items():
        _, ours = every.get(Spot(OURS, spot.source, spot.r), ("", None))
        ahead = None if ours is None else _ahead(score.cell, ours.cell)
        if ours is not None and ahead is not None and ahead > 0:
            lost = compared(ours.cell, score.cell, paired) == "loss"
            gap = f"{share(ahead, sign=True)} {MARKS['loss'] if lost else ''}".rstrip()
            again = command(name, [score], OURS.method)
            found[spot] = (-ahead, [*_where(score), gap, again])
    return [told for _, told in sorted(found.values())]


def _better_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return ["None of those measured."]
    heads = ["method", "data set", "r", "here", "its accuracy", "above ours", "command"]
    return [_BETTER, "", *table_lines(heads, rows)]


def _is_loss(row: Sequence[str]) -> bool:
    return row[-2].endswith(MARKS["loss"])


def _ahead(cell: Cell, ours: Cell) -> float | None:
    """Return how far a method is ahead of ours on the splits that both have."""
    shared = cell.values.keys() & ours.values.keys()
    if not shared:
        return None
    return sum(cell.values[s] - ours.values[s] for s in shared) / len(shared)


def _where(score: Score) -> list[str]:
    """Return method, data set, r, what the data are, and the accuracy."""
    spot = score.cell.spot
    return [
        spot.entrant.title,
        spot.source.title,
        "" if spot.r is None else str(spot.r),
        spot.source.here,
        f"{share(score.cell.mean or 0.0)} ({len(score.cell.values)})",
    ]


def _lower(products: Iterable[Product]) -> list[str]:
    """List the methods that do worse here than their authors said."""
    found: dict[Spot, tuple[float, list[str]]] = {}
    for product in products:
        every = [score for sheet in product.sheets for score in _all_scores(sheet)]
        for score in filter(_clearly_lower, every):
            gap = score.difference or 0.0
            told = [
                *_where(score),
                share(score.published.mean) if score.published else "",
                share(gap, sign=True),
                command(product.name, [score]),
            ]
            found.setdefault(score.cell.spot, (gap, told))
    heads = ["method", "data set", "r", "here", "ours", "published", "gap", "command"]
    rows = [told for _, told in sorted(found.values())]
    return (
        [_BELOW, "", *table_lines(heads, rows)] if rows else ["None of those measured."]
    )


def _clearly_lower(score: Score) -> bool:
    if score.difference is None or score.published is None:
        return False
    spread = max(score.cell.std or 0.0, score.published.std or 0.0, _LEAST)
    return score.difference < -2 * spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--store", type=Path, help="instead of the committed results")
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(given.store or Path(folder, "results.db"), create=not given.store)
        if given.store is None:
            import_file(RESULTS / "runs.csv", store)
        page = results_page(store, list(ARTEFACTS.values()), Selection(), COMMAND)
    write_text(given.out, page)
    print(f"written: {given.out}")


if __name__ == "__main__":
    main()
