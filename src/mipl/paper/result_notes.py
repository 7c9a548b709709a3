"""What stands below a table of results: splits, tests and settings in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mipl.paper.cells import Cell, Spot
from mipl.paper.sheet import Score
from mipl.paper.store_cells import ResultChoice

_MOST = 12  # Settings that notes tell of.


def meaning(
    choice: ResultChoice, scores: Mapping[Spot, Score], alike: bool
) -> list[str]:
    """Say what an entry is, and over which splits, where those are the same for all."""
    cells = [one.cell for one in scores.values()]
    figure = choice.figure.replace("_", " ")
    where = f"over {splits_in_words(cells[0])}" if alike else "splits in brackets"
    told = with_r(scores)
    best = "lowest" if choice.lower else "highest"
    notes = [
        f"Mean ± standard deviation (ddof 0) of the {figure} on test bags"
        f"{f' with {told}' if told else ''}, {where}; bold: the {best} for each data "
        "set and r."
    ]
    if any(cell.diverged for cell in cells):
        notes.append("Runs that diverged have no figure and no part in a mean.")
    return notes


def significance(
    choice: ResultChoice, scores: Mapping[Spot, Score], paired: bool, corrected: bool
) -> list[str]:
    """Name the test, its correction and what marks say; nothing where there is none."""
    count = sum(one.p_value is not None for one in scores.values())
    if not count:
        return []
    first = next(iter(scores)).entrant.title
    below, above = ("above", "below") if choice.lower else ("below", "above")
    how = (
        f"p-values corrected by Holm over {count} comparisons"
        if corrected
        else f"p-values of {count} comparisons, not corrected"
    )
    return [
        f"● significantly {below} {first}, ○ significantly {above} it, ~ neither: "
        f"{'paired' if paired else 'unpaired'} two-sided t-test at .05, {how}. Splits "
        "share training bags, so that such tests are generous."
    ]


def settings(scores: Mapping[Spot, Score], varied: Sequence[str]) -> list[str]:
    """Tell the arguments that are neither defaults nor varied, in one note."""
    told: dict[str, str] = {}
    for spot in scores:
        values = [(n, v) for n, v in spot.entrant.arguments.items() if n not in varied]
        given = ", ".join(
            f"{name.replace('__', '.')} = {value}" for name, value in values
        )
        if given:
            told[spot.entrant.title] = given.replace(
                "published = True",
                "settings published for the data, where there are some",
            )
    by_settings: dict[str, list[str]] = {}
    for title, given in told.items():
        by_settings.setdefault(given, []).append(title)
    parts = [f"{', '.join(titles)}: {given}" for given, titles in by_settings.items()]
    if not parts:
        return []
    left = len(parts) - _MOST
    more = [f"{left} more settings"] if left > 0 else []
    return [f"Not by default: {'; '.join([*parts[:_MOST], *more])}."]


def with_r(spots: Iterable[Spot]) -> str:
    """Return the number of false labels, where it is one for all."""
    counts = [spot.r for spot in spots]
    return f"r = {counts[0]}" if set(counts) == {counts[0]} != {None} else ""


def splits_in_words(cell: Cell) -> str:
    """Return the splits of a cell.

    Examples
    --------
    >>> from mipl.datasets.published_sets import SIVAL
    >>> from mipl.paper.entrants import OURS
    >>> splits_in_words(Cell(Spot(OURS, SIVAL, 1), {(s, 0): 0.5 for s in range(10)}))
    'splits 0-9'
    """
    splits = sorted({split for split, _ in cell.values})
    seeds = {seed for _, seed in cell.values}
    whole = splits == list(range(splits[0], splits[-1] + 1)) and len(splits) > 2
    told = f"{splits[0]}-{splits[-1]}" if whole else ", ".join(map(str, splits))
    named = f"split{'s'[: len(splits) > 1]} {told}"
    return named if seeds == {0} else f"{named} with {len(seeds)} seeds"
