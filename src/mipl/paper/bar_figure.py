"""BarFigure: accuracies of a few methods as bars, a panel per data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mipl.datasets.published_sets import PublishedSet
from mipl.paper.artefact import Shown, point
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Cell, Spot
from mipl.paper.panels import BarPanel, PanelGrid
from mipl.paper.score_table import ScoreTable


@dataclass(frozen=True)
class BarFigure(ScoreTable):
    """A table of accuracies that is also drawn.

    Attributes
    ----------
    panels : groups of PublishedSet with a title
        Data sets with false labels have a panel each, with a group of bars per r; the
        others share one, with a group per data set.
    columns : int
        Panels to a row.
    """

    panels: tuple[tuple[str, tuple[PublishedSet, ...]], ...] = ()
    columns: int = 1

    def show(self, cells: Mapping[Spot, Cell], selection: Selection) -> Shown:
        """Return the numbers, and the bars."""
        sheets, ranks = super().show(cells, selection)
        drawn = [bars(title, sources, cells) for title, sources in self.panels]
        kept = tuple(panel for panel in drawn if panel.groups)
        some = any(cell.values for cell in cells.values())
        pictures = (PanelGrid(self.name, kept, self.columns),) if some else ()
        return sheets, (*pictures, *ranks)


def bars(
    title: str, sources: tuple[PublishedSet, ...], cells: Mapping[Spot, Cell]
) -> BarPanel:
    """Return a panel: a group for each data set and r, a bar for each method."""
    entrants = dict.fromkeys(spot.entrant for spot in cells)
    groups = dict.fromkeys((s.source, s.r) for s in cells if s.source in sources)
    return BarPanel(
        title,
        tuple(source.title if r is None else f"r = {r}" for source, r in groups),
        tuple(
            (e.title, tuple(point(cells.get(Spot(e, *group))) for group in groups))
            for e in entrants
        ),
    )
