"""SweepFigure: accuracies as one argument of MIPLMA moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mipl.datasets.published_sets import PublishedSet
from mipl.paper import panels
from mipl.paper.artefact import AccuracyArtefact, Shown, point
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Cell, Spot, spots
from mipl.paper.entrants import at, ours
from mipl.paper.panels import PanelGrid
from mipl.paper.score_table import marks, origins, score_sheet


@dataclass(frozen=True)
class SweepFigure(AccuracyArtefact):
    """A figure that follows one argument, a panel per data set.

    Attributes
    ----------
    argument, symbol : str
        Of MIPLMA, and what the paper calls it.
    values : tuple of float
    sources : tuple of PublishedSet
    """

    argument: str = ""
    symbol: str = ""
    values: tuple[float, ...] = ()
    sources: tuple[PublishedSet, ...] = ()

    def spots(self, selection: Selection) -> list[Spot]:
        """Return a cell for each value, data set and r."""
        leader = ours(selection)[0]
        entrants = [at(leader, self.argument, value) for value in self.values]
        return spots(entrants, self.sources)

    def show(self, cells: Mapping[Spot, Cell], selection: Selection) -> Shown:
        """Return a panel per data set, and the numbers."""
        sources = dict.fromkeys(spot.source for spot in cells)
        panels = tuple(self._panel(source, cells) for source in sources)
        notes = (marks(selection), *origins(self.sources))
        sheet = score_sheet(self.title, cells, notes, selection.paired)
        some = any(cell.values for cell in cells.values())
        drawn = (PanelGrid(self.name, panels, len(panels)),) if some else ()
        return (sheet,), drawn

    def _panel(
        self, source: PublishedSet, cells: Mapping[Spot, Cell]
    ) -> panels.SweepPanel:
        entrants = list(dict.fromkeys(spot.entrant for spot in cells))
        counts = dict.fromkeys(spot.r for spot in cells if spot.source == source)
        series = tuple(
            (f"r = {r}", tuple(point(cells.get(Spot(e, source, r))) for e in entrants))
            for r in counts
        )
        return panels.SweepPanel(source.title, self.symbol, self.values, series)
