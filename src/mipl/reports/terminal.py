"""Sheets for a terminal, with rich."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mipl.errors import MissingExtra
from mipl.paper.artefact import Product
from mipl.paper.sheet import Sheet
from mipl.plain_text import plain
from mipl.reports.entry_text import EntryText, entry_text, gaps

try:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
except ImportError:
    raise MissingExtra.of("a table for terminals", "rich", "cli") from None

if TYPE_CHECKING:
    from rich.console import RenderableType

_WIDTH = 200  # Of a file; a terminal has its own.


def _cell(entry: EntryText) -> Text:
    first, *others = entry.lines
    text = Text(plain(first), "bold" if entry.bold else "")
    for line in others:
        text.append(f"\n{plain(line)}", "dim")
    return text


def sheet_table(sheet: Sheet) -> Table:
    """Return a table whose entries may have two lines."""
    grid = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for head in sheet.heads:
        grid.add_column(Text(plain(head)), overflow="fold")
    for row in sheet.rows:
        grid.add_row(*(_cell(entry_text(entry)) for entry in row))
    return grid


def renderables(product: Product) -> Iterator[RenderableType]:
    """Yield what a console prints of an artefact, part by part."""
    yield Text(plain(f"{product.name}: {product.title}"), "bold")
    for sheet in product.sheets:
        if sheet.title != product.title:
            yield Text(plain(sheet.title), "italic")
        yield from sheet_parts(sheet)
    if gaps(product):
        command = f"; {product.command} computes them" if product.missing else ""
        yield Text(plain(f"{gaps(product)}{command}."))


def sheet_parts(sheet: Sheet) -> Iterator[RenderableType]:
    """Yield what a console prints of a table: entries, then notes."""
    yield sheet_table(sheet)
    for note in sheet.notes:
        yield Text(plain(note), "dim")


def sheet_text(sheet: Sheet) -> str:
    """Return a table as plain text."""
    return _text([sheet_parts(sheet)])


def as_text(products: Sequence[Product]) -> str:
    """Return artefacts as plain text, as a file holds it."""
    return _text(map(renderables, products))


def _text(pieces: Iterable[Iterable[RenderableType]]) -> str:
    console = Console(file=io.StringIO(), width=_WIDTH, color_system=None)
    for piece in pieces:
        console.print(*piece, sep="\n", end="\n\n")
    file = console.file
    assert isinstance(file, io.StringIO)
    lines = (line.rstrip() for line in file.getvalue().splitlines())
    return "\n".join(lines).rstrip() + "\n"
