"""The formats that artefacts can be written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mipl.errors import unknown
from mipl.experiments.sheet import Product
from mipl.reports.csv_text import as_csv
from mipl.reports.latex import as_latex
from mipl.reports.markdown import as_markdown
from mipl.reports.results_html import as_html
from mipl.reports.terminal import as_text

FORMATS: Mapping[str, Callable[[Sequence[Product]], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "html": as_html,
}


def written(products: Sequence[Product], format: str) -> str:
    """Return artefacts in one of ``FORMATS``.

    Examples
    --------
    >>> from mipl.experiments.sheet import Sheet
    >>> sheet = Sheet("Animals", ("name", "legs"), (("cat", "4"),))
    >>> print(written([Product("zoo", "Animals", (sheet,))], "csv"))
    artefact,name,legs
    zoo,cat,4
    """
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    return FORMATS[format](products)
