r"""Sheets as a LaTeX document that compiles by itself.

Needed are the packages booktabs, longtable and geometry. Columns are in line after a
second run of the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from unicodedata import normalize

from mipl.paper.artefact import Product
from mipl.paper.sheet import FIGURES, Sheet
from mipl.reports.entry_text import EntryText, entry_text

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
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "…": r"\ldots{}",
    "λ": r"$\lambda$",
    "τ": r"$\tau$",
    "²": "$^2$",
    "³": "$^3$",
    "×": r"$\times$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ı": r"\i{}",
    "⁽": r"$^($",
    "⁾": r"$^)$",
    "⁰": r"$^0$",
}
# Of letters that are one of ASCII with an accent, in every encoding of fonts.
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}
# Letters to a line of the page, in print that becomes smaller.
_SIZES = ((170, ""), (200, r"\scriptsize"))
_SMALLEST = r"\tiny"
_BETWEEN = 3  # Letters that the space between two columns takes.
_START = r"""\documentclass{article}
\usepackage[a4paper,landscape,margin=15mm]{geometry}
\usepackage{booktabs,longtable}
\begin{document}
\footnotesize
\LTcapwidth=\linewidth
"""


_NEEDED = r"% In the preamble: \usepackage{booktabs,longtable}" + "\n"


def escaped(text: str) -> str:
    r"""Return text that LaTeX shows as it is; what it cannot show becomes "?".

    Examples
    --------
    >>> print(escaped("50 % of a_1 ± .2"))
    50 \% of a\_1 $\pm$ .2
    >>> print(escaped("Gänse"))
    G\"{a}nse
    """
    # A letter and its accent may come as one sign or as two.
    line = normalize("NFC", " ".join(text.split()))
    return "".join(map(_shown, line))


def _shown(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if sign.isascii():
        return sign if sign.isprintable() else "?"
    letter, *accents = list(normalize("NFD", sign))
    if not letter.isascii() or len(accents) != 1 or accents[0] not in _ACCENTS:
        return "?"
    without_dot = {"i": r"\i", "j": r"\j"} if accents[0] not in "\u0327" else {}
    return rf"\{_ACCENTS[accents[0]]}{{{without_dot.get(letter, letter)}}}"


def _cell(entry: EntryText) -> str:
    first, *others = map(escaped, entry.lines)
    first = rf"\textbf{{{first}}}" if entry.bold else first
    if not others:
        return first
    lines = r" \\ ".join([first, *others])
    return rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{lines}\end{{tabular}}"


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _size(rows: Sequence[Sequence[EntryText]]) -> str:
    """Return the command for print in which the rows fit the page."""
    columns = zip(*rows, strict=True)
    widest = (max(len(line) for cell in c for line in cell.lines) for c in columns)
    letters = sum(width + _BETWEEN for width in widest)
    return next((size for most, size in _SIZES if letters <= most), _SMALLEST)


def sheet_lines(sheet: Sheet) -> list[str]:
    """Return the lines of a table that may go over several pages."""
    head = [r"\toprule", _row([escaped(one) for one in sheet.heads]), r"\midrule"]
    rows = [[entry_text(entry) for entry in row] for row in sheet.rows]
    heads = [EntryText((one,)) for one in sheet.heads]
    return [
        rf"\begingroup{_size([heads, *rows])}",
        rf"\begin{{longtable}}{{{'l' * len(sheet.heads)}}}",
        rf"\caption{{{escaped(sheet.title)}}} \\",
        *head,
        r"\endfirsthead",
        *head,
        r"\endhead",
        *(rf"{_row([_cell(e) for e in row])}\addlinespace[2pt]" for row in rows),
        r"\bottomrule",
        r"\end{longtable}",
        r"\endgroup",
        *(rf"\noindent {escaped(note)}\par" for note in sheet.notes),
    ]


def tabular_lines(sheet: Sheet) -> list[str]:
    r"""Return the lines of a table for a float of one's own, with its notes.

    Texts are to the left, figures centred; caption and label are the document's.
    """
    rows = [[_cell(entry_text(entry)) for entry in row] for row in sheet.rows]
    columns = zip(*sheet.rows, strict=True)
    figures = [any(isinstance(entry, FIGURES) for entry in one) for one in columns]
    notes = [
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
        *(rf"{escaped(note)}\par" for note in sheet.notes),
        r"\end{minipage}",
    ]
    return [
        rf"\begin{{tabular}}{{@{{}}{''.join('lc'[one] for one in figures)}@{{}}}}",
        r"\toprule",
        *_heads(sheet),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(notes if sheet.notes else []),
    ]


def _heads(sheet: Sheet) -> list[str]:
    """Return the line of heads, below one of their groups where there are some."""
    if not sheet.groups:
        return [_row([escaped(head) for head in sheet.heads])]
    above, rules, first = [], [], 1
    for name, same in groupby(sheet.groups):
        width = len(list(same))
        if name:
            above.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped(name)}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
        else:
            above += [""] * width
        first += width
    pairs = zip(sheet.heads, sheet.groups, strict=True)
    below = [escaped(head.removeprefix(f"{group}, ")) for head, group in pairs]
    return [_row(above), " ".join(rules), _row(below)]


def as_latex_tabular(products: Sequence[Product]) -> str:
    r"""Return tables without floats, for the \input of a document of one's own."""
    lines = [line for p in products for s in p.sheets for line in tabular_lines(s)]
    return "% In the preamble: \\usepackage{booktabs}\n" + "\n".join(lines) + "\n"


def as_latex(products: Sequence[Product]) -> str:
    """Return artefacts as one LaTeX document."""
    return _START + _tables(products) + "\\end{document}\n"


def as_latex_fragment(products: Sequence[Product]) -> str:
    r"""Return artefacts as LaTeX for a document of one's own, which \input takes."""
    return _NEEDED + _tables(products)


def _tables(products: Sequence[Product]) -> str:
    lines = [line for p in products for s in p.sheets for line in sheet_lines(s)]
    return "\n".join(lines) + "\n"
