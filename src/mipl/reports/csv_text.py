"""Sheets as CSV: a row per score, so that a program can read them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from mipl.paper.artefact import Product


def as_csv(products: Sequence[Product]) -> str:
    """Return artefacts as one CSV text; columns that one of them lacks stay empty."""
    rows = [
        {"artefact": product.name, **record}
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
