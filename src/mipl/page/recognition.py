"""What an import recognises in files that somebody brings, before anything is written.

Nothing is decided here that the readers do not decide: these are their words for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mipl.errors import MiplError
from mipl.generators.generator_catalog import CATALOGS, catalog_of
from mipl.generators.item import are_items
from mipl.io import layout_of
from mipl.io.tables.annotations import is_annotation_table
from mipl.io.tables.columns import Columns
from mipl.io.tables.label_options import USUAL, LabelOptions
from mipl.io.tables.table_file import SUFFIXES, read_columns, read_long

TABLE, FOLDER = "table", "folder"
#: What a column of a label table may be, in the words of the page.
ROLES = {
    "bag_id": "bag",
    "candidates": "candidates",
    "label": "true label",
    "group": "group (patient, site)",
    "split": "split",
    "file": "file name",
}
_MOST_TABLES = 50
_SHOWN_ROWS = 5


@dataclass(frozen=True)
class Recognised:
    """What there is and what its columns were taken for.

    Attributes
    ----------
    kind : str
        What ``mipl.io.layout_of`` says, or a kind of items of which bags are made.
    tables : tuple of str
        Files that may be label tables or tables of votes, from the source.
    labels : str
        The table that was taken, "" where the labels stand in the file itself.
    columns : tuple of str
        Its columns.
    roles : mapping
        The role of a column and its name, where one was found.
    rows : lists of text
        The first rows of the table.
    votes : bool
        Whether the table holds a vote in each row.
    """

    kind: str
    tables: tuple[str, ...] = ()
    labels: str = ""
    columns: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    rows: tuple[tuple[str, ...], ...] = ()
    votes: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return asdict(self)


def recognise(source: Path, options: Mapping[str, Any]) -> Recognised:
    """Look at a file or folder, and at the label table that is used with it.

    ``options`` are what the person has corrected so far, as readers take them.
    """
    kind = items_in(source) or layout_of(source)
    if kind not in (*CATALOGS, FOLDER, TABLE):
        return Recognised(kind)
    tables = tables_near(source)
    name = options.get("labels") or options.get("annotations") or ""
    if not name and kind != TABLE:
        name = _usual_table(tables)
    path = (_home(source) / name) if name else source
    table = _columns(path, kind == TABLE and not name)
    if table is None:
        return Recognised(kind, tables, name)
    read = LabelOptions(**{n: v for n, v in options.items() if n in ROLES})
    roles: dict[str, str] = {}
    for role in ROLES if kind == FOLDER else [one for one in ROLES if one != "file"]:
        found = _role(read, table, role)
        if found is not None:
            roles[role] = found
    shown = range(min(_SHOWN_ROWS, len(table)))
    rows = tuple(tuple(str(c[i])[:60] for c in table.cells.values()) for i in shown)
    votes = is_annotation_table(table)
    return Recognised(kind, tables, name, tuple(table.cells), roles, rows, votes)


def items_in(source: Path) -> str:
    """Return the kind of items that a folder holds, and nothing else; "" for none."""
    if not source.is_dir():
        return ""
    kinds = (kind for kind in CATALOGS if are_items(catalog_of(kind).items(), source))
    return next(kinds, "")


def generators_of(kind: str) -> list[str]:
    """Return the generators that need nothing but the items, the usual one first.

    Examples
    --------
    >>> generators_of("picture")[0], "deep" in generators_of("picture")
    ('sift', False)
    """
    names = [name for name in catalog_of(kind).paths if name != "deep"]
    return sorted(names, key=lambda name: name != "sift")


def tables_near(source: Path) -> tuple[str, ...]:
    """Return the tables beside a file, or in a folder, by the way to them."""
    home = _home(source)
    found = sorted(
        path.relative_to(home).as_posix()
        for path in home.iterdir()
        if path.suffix.lower() in SUFFIXES and path != source and path.is_file()
    )
    return tuple(found[:_MOST_TABLES])


def reader_options(source: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as readers take them: tables by their paths, nothing empty.

    Examples
    --------
    >>> reader_options(Path("a.csv"), {"label": "truth", "group": "", "rule": "2"})
    {'label': 'truth', 'rule': 2}
    """
    told = {name: value for name, value in options.items() if value not in ("", None)}
    for name in ("labels", "annotations"):
        if name in told:
            if told[name] not in tables_near(source):
                raise MiplError(f"{told[name]!r} is no table beside the data.")
            told[name] = _home(source) / str(told[name])
    rule = told.get("rule")
    if isinstance(rule, str) and rule.isdecimal():
        told["rule"] = int(rule)
    return {name: value for name, value in told.items() if value != []}


def _home(source: Path) -> Path:
    return source if source.is_dir() else source.parent


def _usual_table(tables: tuple[str, ...]) -> str:
    """Return the table that readers take where none is named."""
    if "labels.csv" in tables:
        return "labels.csv"
    return tables[0] if len(tables) == 1 else ""


class _Header(Exception):
    """Ends the reading of a long table behind its header."""


def _columns(path: Path, long: bool) -> Columns | None:
    """Return a table; of a long one, which may be large, the names alone."""
    if path.is_dir():
        return None
    if not long:
        return read_columns(path)
    seen: list[str] = []

    def stop(names: list[str], numeric: set[str]) -> tuple[list[str], list[str]]:
        seen.extend(names)
        raise _Header

    try:
        read_long(path, stop)
    except _Header:
        pass
    return Columns(path, {name: [] for name in seen}, [])


def _role(options: LabelOptions, table: Columns, role: str) -> str | None:
    told = getattr(options, role)
    if isinstance(told, str):
        return told if told in table.cells else None
    return None if told is not None else table.find(*USUAL[role])
