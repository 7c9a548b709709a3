"""The formats that artefacts can be written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mipl.errors import unknown
from mipl.paper.artefact import Product
from mipl.reports.csv_text import as_csv
from mipl.reports.latex import as_latex, as_latex_fragment
from mipl.reports.markdown import as_markdown
from mipl.reports.paper_figures import draw
from mipl.reports.plots import save
from mipl.reports.results_html import as_html
from mipl.reports.terminal import as_text

FORMATS: Mapping[str, Callable[[Sequence[Product]], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "latex-fragment": as_latex_fragment,
    "csv": as_csv,
    "html": as_html,
}


PICTURES = ("png", "svg", "pdf")


def save_pictures(products: Sequence[Product], folder: Path, kind: str) -> list[Path]:
    """Write the pictures of artefacts, one of ``PICTURES``, and return the files."""
    files = []
    for picture in (one for product in products for one in product.pictures):
        files.append(folder / f"{picture.name}.{kind}")
        save(draw(picture), files[-1])
    return files


def written(products: Sequence[Product], format: str) -> str:
    """Return artefacts in one of ``FORMATS``.

    Examples
    --------
    >>> from mipl.paper.sheet import Sheet
    >>> sheet = Sheet("Animals", ("name", "legs"), (("cat", "4"),))
    >>> print(written([Product("zoo", "Animals", (sheet,))], "csv"))
    artefact,name,legs
    zoo,cat,4
    """
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    return FORMATS[format](products)
