r"""Sheets as a LaTeX document that compiles by itself.

Needed are the packages booktabs, longtable and geometry.
"""

from __future__ import annotations

from collections.abc import Sequence

from mipl.experiments.sheet import Product, Sheet
from mipl.reports.entries import Told, told

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"$\sim$",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "±": r"$\pm$",
    "●": r"$\bullet$",
    "○": r"$\circ$",
    "–": "--",
    "λ": r"$\lambda$",
    "τ": r"$\tau$",
    "⁽": r"$^($",
    "⁾": r"$^)$",
    "⁰": r"$^0$",
}
_MANY = 8  # Columns; more fit the page only in small print.
_START = r"""\documentclass{article}
\usepackage[a4paper,landscape,margin=15mm]{geometry}
\usepackage{booktabs,longtable}
\begin{document}
\footnotesize
"""


def escaped(text: str) -> str:
    r"""Return text that LaTeX shows as it is; what it cannot show becomes "?".

    Examples
    --------
    >>> print(escaped("50 % of a_1 ± .2"))
    50 \% of a\_1 $\pm$ .2
    """
    shown = [_SPECIAL.get(c, c if c.isascii() else "?") for c in " ".join(text.split())]
    return "".join(shown)


def _cell(entry: Told) -> str:
    first, *others = map(escaped, entry.lines)
    first = rf"\textbf{{{first}}}" if entry.bold else first
    lines = r" \\ ".join([first, *others])
    return rf"\shortstack[l]{{{lines}}}" if others else first


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def sheet_lines(sheet: Sheet) -> list[str]:
    """Return the lines of a table that may go over several pages."""
    head = [r"\toprule", _row([escaped(one) for one in sheet.heads]), r"\midrule"]
    many = len(sheet.heads) > _MANY
    return [
        r"\begingroup" + (r"\scriptsize\tabcolsep=3pt" if many else ""),
        rf"\begin{{longtable}}{{{'l' * len(sheet.heads)}}}",
        rf"\caption{{{escaped(sheet.title)}}} \\",
        *head,
        r"\endfirsthead",
        *head,
        r"\endhead",
        *(_row([_cell(told(entry)) for entry in row]) for row in sheet.rows),
        r"\bottomrule",
        r"\end{longtable}",
        r"\endgroup",
        *(rf"\noindent {escaped(note)}\par" for note in sheet.notes),
    ]


def as_latex(products: Sequence[Product]) -> str:
    """Return artefacts as one LaTeX document."""
    lines = [line for p in products for s in p.sheets for line in sheet_lines(s)]
    return _START + "\n".join(lines) + "\n\\end{document}\n"
