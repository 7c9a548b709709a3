"""AccuracyArtefact: the base of every artefact that is made of accuracies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mipl.paper.artefact import Product
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Cell, Spot, measured, planned
from mipl.paper.panels import PanelGrid
from mipl.paper.sheet import Sheet
from mipl.runs.run import Run
from mipl.runs.store import Store

Shown = tuple[tuple[Sheet, ...], tuple[PanelGrid, ...]]


@dataclass(frozen=True)
class AccuracyArtefact:
    """An artefact made of cells: say which, and how they are shown.

    Attributes
    ----------
    name : str
        As in ``mipl reproduce NAME``.
    title : str
        One line.
    """

    name: str
    title: str

    def spots(self, selection: Selection) -> list[Spot]:
        """Return where its cells stand."""
        raise NotImplementedError

    def show(self, cells: Mapping[Spot, Cell], selection: Selection) -> Shown:
        """Return sheets and pictures of the cells."""
        raise NotImplementedError

    def plan(self, selection: Selection) -> list[Run]:
        """Return the runs it is made of."""
        return planned(self.spots(selection), selection)

    def build(self, store: Store, selection: Selection) -> Product:
        """Return it as far as the store knows its runs."""
        cells = measured(store, self.spots(selection), selection)
        sheets, pictures = self.show(cells, selection)
        return Product(
            self.name,
            self.title,
            sheets,
            pictures,
            sum(cell.wanted for cell in cells.values()),
            sum(cell.missing for cell in cells.values()),
            sum(cell.diverged for cell in cells.values()),
        )
