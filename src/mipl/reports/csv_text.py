"""Sheets as CSV: a row per score, so that a program can read them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from mipl.paper.artefact import Product
from mipl.plain_text import as_cell


def as_csv(products: Sequence[Product]) -> str:
    """Return artefacts as one CSV text; columns that one of them lacks stay empty."""
    rows = [
        {
            name: as_cell(value) if isinstance(value, str) else value
            for name, value in {"artefact": product.name, **record}.items()
        }
        for product in products
        for sheet in product.sheets
        for record in sheet.records()
    ]
    heads = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, heads, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
