"""Artefacts as one page that needs nothing outside itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from mipl.paper.artefact import Product
from mipl.paper.sheet import Sheet
from mipl.reports.entry_text import entry_text, gaps
from mipl.reports.html import PANELS, render
from mipl.reports.paper_figures import draw
from mipl.reports.plots import as_svg, draw_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PIXELS = 96  # Of a page, per inch.


def as_html(products: Sequence[Product]) -> str:
    """Return a page with tables, figures and curves."""
    return render(
        "results.html.j2",
        {
            "products": [_section(product) for product in products],
            "runs": sum(product.runs for product in products),
            "missing": sum(product.missing for product in products),
            "diverged": sum(product.diverged for product in products),
        },
    )


def _section(product: Product) -> dict[str, Any]:
    return {
        "name": product.name,
        "title": product.title,
        "command": product.command,
        "gaps": gaps(product),
        "sheets": [_table(sheet, product.title) for sheet in product.sheets],
        "pictures": [_picture(draw(one)) for one in product.pictures],
        "curves": [
            {"title": title, "picture": _picture(draw_curves(found, PANELS))}
            for title, found in product.curves
        ],
    }


def _picture(figure: Figure) -> dict[str, Any]:
    """Return a drawing, and the width it was drawn for: larger it is not shown."""
    width = round(figure.get_figwidth() * _PIXELS)
    return {"svg": Markup(as_svg(figure)), "width": width}


def _table(sheet: Sheet, above: str) -> dict[str, Any]:
    return {
        "title": "" if sheet.title == above else sheet.title,
        "heads": sheet.heads,
        "rows": [[entry_text(entry) for entry in row] for row in sheet.rows],
        "notes": sheet.notes,
    }
