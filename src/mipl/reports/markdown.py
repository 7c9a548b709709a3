"""Sheets as Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mipl.paper.artefact import Product
from mipl.paper.sheet import Sheet
from mipl.plain_text import plain
from mipl.reports.entry_text import EntryText, entry_text, gaps

_SPECIAL = re.compile(r"([\\|*_`<>\[\]$]|&(?=[#A-Za-z]))")


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is.

    Examples
    --------
    >>> print(escaped("a|b <i> *c*"))
    a\|b \<i\> \*c\*
    """
    return _SPECIAL.sub(r"\\\1", plain(" ".join(text.split())))


def _cell(entry: EntryText) -> str:
    first, *others = map(escaped, entry.lines)
    first = f"**{first}**" if entry.bold and first else first
    return "<br>".join([first.replace("~", r"\~"), *others])


def line(cells: Sequence[str]) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |"


def table_lines(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table of cells that are Markdown already."""
    return [line(heads), line(["---"] * len(heads)), *map(line, rows)]


def sheet_lines(sheet: Sheet) -> list[str]:
    """Return the lines of a table, notes below it; notes alone where it is empty."""
    notes = [text for note in sheet.notes for text in ("", escaped(note))]
    if not sheet.rows:
        return notes[1:]
    rows = ([_cell(entry_text(entry)) for entry in row] for row in sheet.rows)
    return [*table_lines([escaped(head) for head in sheet.heads], rows), *notes]


def product_lines(product: Product, level: int = 2) -> list[str]:
    """Return a section: heading, command, tables."""
    lines = [f"{'#' * level} {product.name}: {escaped(product.title)}", ""]
    lines += [f"    {product.command}", ""]
    if gaps(product):
        lines += [f"{gaps(product)}.", ""]
    for sheet in product.sheets:
        if sheet.title != product.title:
            lines += [f"{'#' * (level + 1)} {escaped(sheet.title)}", ""]
        lines += [*sheet_lines(sheet), ""]
    return lines


def as_markdown(products: Sequence[Product]) -> str:
    """Return artefacts as one Markdown document."""
    lines = [line for product in products for line in product_lines(product)]
    return "\n".join(lines).rstrip() + "\n"
