"""Tables with a row per bag, whatever repeats in the file, and what several tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mipl.errors import BadBags, BadFile, MiplError
from mipl.io.tables.columns import Columns
from mipl.io.tables.label_options import LabelOptions
from mipl.io.tables.split_columns import split_columns

if TYPE_CHECKING:
    from mipl.io.tables.annotations import VoteTable

_TOLD_ELSEWHERE = ("label", "group", "split", "uri")


@dataclass(frozen=True, eq=False)
class BagRows:
    """A table with one row per bag, its column of bag ids, and the files it names."""

    table: Columns
    bag: str
    files: dict[str, list[str]] | None = None

    @property
    def keys(self) -> list[str]:
        """The bag ids, as text."""
        return self.table.text(self.bag)

    def completed(self, other: BagRows, options: LabelOptions) -> BagRows:
        """Return the same with the columns that only the other table has."""
        lacking = [
            options.find(other.table, role)
            for role in _TOLD_ELSEWHERE
            if options.find(self.table, role) is None
        ]
        if not split_columns(self.table):
            folds = split_columns(other.table).values()
            lacking += [column for found in folds for column in found.values()]
        place = {key: row for row, key in enumerate(other.keys)}
        rows = [place.get(key) for key in self.keys]
        cells = {
            name: [None if row is None else values[row] for row in rows]
            for name, values in other.table.cells.items()
            if name in lacking and name not in self.table.cells
        }
        table = replace(self.table, cells={**self.table.cells, **cells})
        return BagRows(table, self.bag, self.files or other.files)


def bag_column(table: Columns, options: LabelOptions) -> str:
    """Return the column of bag ids, which every table must have."""
    bag = options.column(table, "bag_id")
    if bag is None:
        raise MiplError(
            f"{table.path} has no column of bag ids; name it with bag_id=, its "
            f"columns are {', '.join(table.cells)[:200]}."
        )
    return bag


def bag_rows(table: Columns, options: LabelOptions, meant: Iterable[str]) -> BagRows:
    """Take one row of each bag; only a bag of several files may have more.

    What the columns ``meant`` say of the bag must then be the same in all of them.
    """
    bag, file = bag_column(table, options), options.find(table, "file")
    ids = table.text(bag)
    first = _first_rows(ids)
    if file is None:
        _refuse_repeated(table, ids)
        return BagRows(table.take(list(first.values())), bag)
    _check_repeated(table, ids, first, set(meant) - {file})
    files: dict[str, list[str]] = {key: [] for key in first}
    for key, path in zip(ids, table.text(file), strict=True):
        files[key].append(path)
    return BagRows(table.take(list(first.values())), bag, files)


def bag_rows_of_votes(votes: VoteTable, options: LabelOptions) -> BagRows:
    """Take one row of each bag from a table with a row per vote."""
    table, bag = votes.table, votes.bag
    if options.label is not None and options.label in votes.columns:
        raise MiplError(
            f"{table.path}: column {options.label!r} holds the votes; label= names a "
            "column of true labels, so leave it out."
        )
    ids = table.text(bag)
    first = _first_rows(ids)
    roles = [options.find(table, role) for role in (*_TOLD_ELSEWHERE, "file")]
    _check_repeated(table, ids, first, {name for name in roles if name is not None})
    rows = BagRows(table.take(list(first.values())), bag)
    file = options.find(table, "file")
    if file is None:
        return rows
    named = zip(rows.keys, rows.table.text(file), strict=True)
    return replace(rows, files={key: [path] for key, path in named})


def _first_rows(ids: list[str]) -> dict[str, int]:
    """Return the first row of each bag."""
    first: dict[str, int] = {}
    for row, key in enumerate(ids):
        first.setdefault(key, row)
    return first


def _refuse_repeated(table: Columns, ids: list[str]) -> None:
    first = _first_rows(ids)
    again = [row for row, key in enumerate(ids) if first[key] != row]
    if again:
        raise BadBags(
            f"{table.place(again[0])}: bag {ids[again[0]][:40]!r} had a row before.",
            "duplicate-ids",
            again,
            lambda row: f"{ids[row][:40]!r} in {table.unit} {table.numbers[row]}",
        )


def _check_repeated(
    table: Columns, ids: list[str], first: dict[str, int], meant: set[str]
) -> None:
    """Refuse columns that say two things of one bag."""
    for row, key in enumerate(ids):
        for name in sorted(meant):
            if table.cells[name][row] != table.cells[name][first[key]]:
                raise BadFile(
                    f"{table.place(row, name)} must repeat {table.place(first[key])} "
                    f"for bag {key[:40]!r}; they differ."
                )
