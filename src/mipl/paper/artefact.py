"""Artefact: what a table or a figure of the paper offers, and what it is built to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Cell, Spot, measured, planned
from mipl.paper.panels import PanelGrid, Point
from mipl.paper.sheet import Sheet
from mipl.runs.run import Run
from mipl.runs.store import Store

Shown = tuple[tuple[Sheet, ...], tuple[PanelGrid, ...]]
History = list[dict[str, float]]  # One dict per epoch.


@dataclass(frozen=True)
class Product:
    """What an artefact was built to.

    Attributes
    ----------
    name, title : str
    sheets : tuple of Sheet
    pictures : tuple of PanelGrid
    runs, missing, diverged : int
        Runs it is made of, how many of them the store lacks, and how many diverged.
    bare : int
        Runs whose accuracy alone is known, as from a table, where curves are shown.
    curves : pairs of a title and the histories of methods
        Figures by epoch, for a page that can draw them.
    options : str
        By which its runs were selected.
    """

    name: str
    title: str
    sheets: tuple[Sheet, ...] = ()
    pictures: tuple[PanelGrid, ...] = ()
    runs: int = 0
    missing: int = 0
    diverged: int = 0
    bare: int = 0
    curves: tuple[tuple[str, list[tuple[str, list[History]]]], ...] = ()
    options: str = ""

    @property
    def command(self) -> str:
        """What a reader types to make it again."""
        return f"mipl reproduce {self.name} {self.options}".rstrip()


class Artefact(Protocol):
    """A table, a figure or a list of claims."""

    @property
    def name(self) -> str:
        """As in ``mipl reproduce NAME``."""
        ...

    @property
    def title(self) -> str:
        """One line."""
        ...

    def plan(self, selection: Selection) -> list[Run]:
        """Return the runs it is made of; content and versions stay empty."""
        ...

    def build(self, store: Store, selection: Selection) -> Product:
        """Return tables and figures of what the store holds, gaps where it lacks."""
        ...


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


def point(cell: Cell | None) -> Point:
    """Return what a picture shows of a cell; one split alone has no spread.

    Examples
    --------
    >>> from mipl.paper.entrants import OURS
    >>> from mipl.datasets.published_sets import BIRDSONG
    >>> point(Cell(Spot(OURS, BIRDSONG, 1), {0: 0.75}))
    Point(mean=0.75, std=None)
    """
    if cell is None:
        return Point(None, None)
    return Point(cell.mean, cell.std if len(cell.values) > 1 else None)
