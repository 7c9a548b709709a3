"""Layout: which cells are a row of a table, and which a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mipl.errors import MiplError
from mipl.paper.cells import Cell, Spot

T = TypeVar("T")


@dataclass(frozen=True)
class TableAxis:
    """What rows or columns are told by.

    Attributes
    ----------
    head : str
        Of the column of its texts, where it tells rows.
    of : function of a Spot
        The text of a cell's row or column; "" where it has none.
    told : str
        What stands before the text in the head of a column.
    """

    head: str
    of: Callable[[Spot], str]
    told: str = ""


METHOD = TableAxis("method", lambda spot: spot.entrant.title)
DATA = TableAxis("data", lambda spot: spot.source.title)
FALSE_LABELS = TableAxis(
    "r", lambda spot: "" if spot.r is None else str(spot.r), "r = "
)


@dataclass(frozen=True)
class Grid:
    """Places of a table, each with the cell that stands there.

    Attributes
    ----------
    heads : of the texts of a row, then of the columns
    rows : the texts of each row
    spots : for each row, a Spot or None for each column
    groups : what the first of several axes says of each column; else empty
    """

    heads: tuple[tuple[str, ...], tuple[str, ...]]
    rows: tuple[tuple[str, ...], ...]
    spots: tuple[tuple[Spot | None, ...], ...]
    groups: tuple[str, ...] = ()


def lay_out(
    cells: Mapping[Spot, Cell],
    rows: Sequence[TableAxis],
    columns: Sequence[TableAxis],
) -> Grid:
    """Put cells in rows and columns, in their order; an axis without texts is left out.

    Examples
    --------
    >>> from mipl.datasets.published_sets import BIRDSONG, SIVAL
    >>> from mipl.paper.entrants import DEMIPL, OURS
    >>> spots = [Spot(who, on, 1) for who in (OURS, DEMIPL) for on in (BIRDSONG, SIVAL)]
    >>> grid = lay_out({spot: Cell(spot) for spot in spots}, [METHOD], [DATA])
    >>> grid.heads, grid.rows
    ((('method',), ('Birdsong-MIPL', 'SIVAL-MIPL')), (('MIPLMA (ours)',), ('DEMIPL',)))
    """
    rows = [axis for axis in rows if any(map(axis.of, cells))]
    columns = [axis for axis in columns if any(map(axis.of, cells))]
    places: dict[tuple[tuple[str, ...], str], Spot] = {}
    for spot in cells:
        row = tuple(axis.of(spot) for axis in rows)
        texts = (f"{axis.told}{text}" for axis in columns if (text := axis.of(spot)))
        place = row, ", ".join(texts)
        if place in places:
            raise _crowded(places[place], spot)
        places[place] = spot
    lines = list(dict.fromkeys(row for row, _ in places))
    names = list(dict.fromkeys(column for _, column in places))
    first = {column: columns[0].of(spot) for (_, column), spot in places.items()}
    groups = tuple(first[name] for name in names) if len(columns) > 1 else ()
    return Grid(
        (tuple(axis.head for axis in rows), tuple(names)),
        tuple(lines),
        tuple(tuple(places.get((row, name)) for name in names) for row in lines),
        groups,
    )


def _crowded(one: Spot, other: Spot) -> MiplError:
    """Tell what would have to be among the rows or columns for two cells to part."""
    parts = {
        "method": one.entrant != other.entrant,
        "data": one.source != other.source,
        "r": one.r != other.r,
    }
    missing = " and ".join(name for name, differs in parts.items() if differs)
    return MiplError(
        f"{one.entrant.title} on {one.source.title} and {other.entrant.title} on "
        f"{other.source.title} would stand in one place of the table; add {missing} to "
        "--rows or --columns, or select fewer."
    )
