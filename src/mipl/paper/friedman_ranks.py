"""Friedman's test over the cells of a table."""

from __future__ import annotations

from collections.abc import Mapping

from mipl.datasets.published_sets import PublishedSet
from mipl.metrics.significance import friedman
from mipl.paper.cells import Cell, Spot
from mipl.paper.entrants import Entrant
from mipl.paper.panels import RankPanel

Column = tuple[PublishedSet, int | None]


def ranked(cells: Mapping[Spot, Cell], lower: bool = False) -> RankPanel | None:
    """Rank methods on pairs of data set and r on which all of them were measured.

    Of the methods that were measured on one pair, and all pairs that have these, those
    are taken that make the most cells; the first method is always among them. None
    where that leaves fewer than three methods, or fewer than two pairs. Of some figures
    the ``lower`` one is better.
    """
    means = {spot: cell.mean for spot, cell in cells.items() if cell.mean is not None}
    there: dict[Column, list[Entrant]] = {}
    for spot in means:
        there.setdefault((spot.source, spot.r), []).append(spot.entrant)
    first = next((spot.entrant for spot in cells), None)
    chosen: tuple[list[Entrant], list[Column]] = ([], [])
    for methods in (found for found in there.values() if first in found):
        columns = [c for c, found in there.items() if set(methods) <= set(found)]
        enough = len(methods) >= 3 and len(columns) >= 2
        if enough and len(methods) * len(columns) > len(chosen[0]) * len(chosen[1]):
            chosen = methods, columns
    methods, columns = chosen
    if not methods:
        return None
    sign = -1 if lower else 1
    test = friedman([[sign * means[Spot(e, *c)] for e in methods] for c in columns])
    every = len({(spot.source, spot.r) for spot in cells})
    share = f"{len(columns)} of {every}" if len(columns) < every else f"{every}"
    return RankPanel(
        f"mean rank over {share} pairs of data set and r, "
        f"Friedman p = {test.p_value:.2g}",
        tuple(entrant.title for entrant in methods),
        tuple(test.ranks.tolist()),
        test.critical_difference,
    )


def in_words(ranks: RankPanel) -> str:
    """Return ranks as a sentence, the best first.

    Examples
    --------
    >>> in_words(RankPanel("mean rank over 6 cells", ("a", "b"), (1.8, 1.2), 0.5))
    'mean rank over 6 cells, critical difference 0.50: b 1.20, a 1.80.'
    """
    pairs = sorted(zip(ranks.ranks, ranks.names, strict=True))
    told = ", ".join(f"{name} {rank:.2f}" for rank, name in pairs)
    return f"{ranks.title}, critical difference {ranks.distance:.2f}: {told}."
