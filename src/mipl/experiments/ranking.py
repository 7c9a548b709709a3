"""Friedman's test over the cells of a table."""

from __future__ import annotations

from collections.abc import Mapping

from mipl.experiments.cells import Cell, Spot
from mipl.experiments.pictures import Ranks
from mipl.metrics.significance import friedman


def ranked(cells: Mapping[Spot, Cell]) -> Ranks | None:
    """Rank the methods that were measured wherever the first one was.

    None where that leaves fewer than three methods, or fewer than two pairs of data set
    and r.
    """
    means = {spot: cell.mean for spot, cell in cells.items() if cell.mean is not None}
    entrants = list(dict.fromkeys(spot.entrant for spot in means))
    if not entrants:
        return None
    columns = [(s.source, s.r) for s in means if s.entrant == entrants[0]]
    whole = [e for e in entrants if all(Spot(e, *c) in means for c in columns)]
    if len(whole) < 3 or len(columns) < 2:
        return None
    test = friedman([[means[Spot(e, *c)] for e in whole] for c in columns])
    return Ranks(
        f"mean rank over {len(columns)} cells, Friedman p = {test.p_value:.2g}",
        tuple(entrant.title for entrant in whole),
        tuple(test.ranks.tolist()),
        test.critical_difference,
    )


def in_words(ranks: Ranks) -> str:
    """Return ranks as a sentence, the best first.

    Examples
    --------
    >>> in_words(Ranks("mean rank over 6 cells", ("a", "b"), (1.8, 1.2), 0.5))
    'mean rank over 6 cells, critical difference 0.50: b 1.20, a 1.80.'
    """
    pairs = sorted(zip(ranks.ranks, ranks.names, strict=True))
    told = ", ".join(f"{name} {rank:.2f}" for rank, name in pairs)
    return f"{ranks.title}, critical difference {ranks.distance:.2f}: {told}."
