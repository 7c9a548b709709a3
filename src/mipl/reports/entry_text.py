"""The entries of a sheet as short lines of text, the same in every format."""

from __future__ import annotations

from typing import NamedTuple

from mipl.paper.artefact import Product
from mipl.paper.sheet import Entry, Gap, Score, Tally

MARKS = {"win": "●", "loss": "○", "tie": "~", "": ""}


class EntryText(NamedTuple):
    """An entry in lines; ``bold`` is about the first."""

    lines: tuple[str, ...]
    bold: bool = False


def share(value: float, sign: bool = False) -> str:
    """Return an accuracy with three digits, without its leading zero, as papers do.

    Examples
    --------
    >>> share(0.8024), share(1.0), share(-0.0216, sign=True), share(0.0, sign=True)
    ('.802', '1.000', '-.022', '+.000')
    """
    text = f"{value:+.3f}" if sign else f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 0.9995 else text


def spread(mean: float, std: float | None) -> str:
    """Return mean and standard deviation, where there is one."""
    return share(mean) if std is None else f"{share(mean)}±{share(std)}"


def entry_text(entry: Entry) -> EntryText:
    """Return the lines of an entry.

    Examples
    --------
    >>> entry_text(Tally(9, 2, 1, 0, (8, 3, 1)))
    EntryText(lines=('9/2/1', 'paper 8/3/1'), bold=False)
    """
    if isinstance(entry, Score):
        return EntryText(_score_lines(entry), entry.best)
    if isinstance(entry, Tally):
        return EntryText(_tally_lines(entry))
    if isinstance(entry, Gap):
        return EntryText(_gap_lines(entry))
    return EntryText((entry,))


def gaps(product: Product) -> str:
    """Say how many runs of an artefact have no accuracy; "" where all have one.

    Examples
    --------
    >>> gaps(Product("table2", "", runs=36, missing=4, diverged=2))
    '2 of 36 runs diverged, 4 of 36 runs are missing'
    """
    told = []
    if product.diverged:
        told.append(f"{product.diverged} of {product.runs} runs diverged")
    if product.bare:
        told.append(f"{product.bare} of {product.runs} runs came without curves")
    if product.missing:
        told.append(f"{product.missing} of {product.runs} runs are missing")
    return ", ".join(told)


def _score_lines(score: Score) -> tuple[str, ...]:
    cell, published = score.cell, score.published
    lines = []
    if cell.mean is None:
        diverged = f"{cell.diverged} diverged" if cell.diverged else ""
        missing = f"{cell.missing} runs missing" if cell.missing else ""
        lines.append(", ".join(filter(None, (diverged, missing))))
    else:
        n = len(cell.values)
        of = f" of {cell.wanted}" if n < cell.wanted else ""
        of += f", {cell.diverged} diverged" if cell.diverged else ""
        figure = spread(cell.mean, cell.std if n > 1 else None)
        number = f" ({n}{of})" if score.counted or of else ""
        lines.append(f"{figure}{number} {MARKS[score.verdict]}".rstrip())
    if published is not None:
        gap = score.difference
        end = "" if gap is None else f", {share(gap, sign=True)}"
        lines.append(f"paper {spread(published.mean, published.std)}{end}")
    return tuple(lines)


def _tally_lines(tally: Tally) -> tuple[str, ...]:
    lines = [f"{tally.win}/{tally.tie}/{tally.loss}"]
    if tally.untested:
        lines.append(f"{tally.untested} not tested")
    if tally.published is not None:
        lines.append(f"paper {'/'.join(map(str, tally.published))}")
    return tuple(lines)


def _gap_lines(gap: Gap) -> tuple[str, ...]:
    best = gap.highest
    star = "*" if best.mark else ""
    figure = f"{spread(best.mean, best.std)}{star}"
    if gap.value is not None:
        figure += f", ours {share(gap.value, sign=True)}"
    why = f"; {best.mark}" if best.mark else ""
    return figure, f"{best.method}, {best.source}{why}"
