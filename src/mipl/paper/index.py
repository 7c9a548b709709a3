"""Every table and figure of the paper, by name."""

from __future__ import annotations

from mipl.errors import unknown
from mipl.paper.artefact import Artefact
from mipl.paper.figures import curves, fig1, fig3, fig_a1, fig_a2, fig_a3, fig_a4
from mipl.paper.tables import (
    claims,
    digits,
    highest,
    later,
    table1,
    table2,
    table3,
    table4,
    table5,
    table6,
    table_a1,
    table_a2,
    table_a3,
    table_a4,
    table_a5,
    variants,
)

_EVERY: tuple[Artefact, ...] = (
    table1.TABLE,
    table2.TABLE,
    table3.TABLE,
    table4.TABLE,
    table5.TABLE,
    table6.TABLE,
    table_a1.TABLE,
    table_a2.TABLE,
    table_a3.TABLE,
    table_a4.TABLE,
    table_a5.TABLE,
    fig1.FIGURE,
    fig3.FIGURE,
    fig_a1.FIGURE,
    fig_a2.FIGURE,
    fig_a3.FIGURE,
    fig_a4.FIGURE,
    claims.TABLE,
    highest.TABLE,
    later.TABLE,
    variants.TABLE,
    digits.TABLE,
    curves.FIGURE,
)
ARTEFACTS = {one.name: one for one in _EVERY}


def artefact(name: str) -> Artefact:
    """Return a table or figure by its name.

    Examples
    --------
    >>> artefact("tableA4").title
    'Win/tie/loss of MIPLMA against the other methods'
    """
    if name not in ARTEFACTS:
        raise unknown("table or figure", name, ARTEFACTS)
    return ARTEFACTS[name]
