"""Figures of single bags: their attention, and their probabilities epoch by epoch.

A run with the argument ``watch`` keeps the attention of some test bags, one with
``training__record_bags`` the best probabilities of some training bags; both name bags
by their place in the split.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from mipl.datasets.published_sets import PublishedSet
from mipl.paper.artefact import Product
from mipl.paper.artefact_selection import Selection
from mipl.paper.entrants import Entrant, ours
from mipl.paper.panels import AttentionPanel, Panel, PanelGrid, TracePanel
from mipl.runs.result import DIVERGED, Curves
from mipl.runs.run import Run
from mipl.runs.store import SETTLED, Store

SPLIT = 0


@dataclass(frozen=True)
class Look:
    """One bag as one method sees it.

    Attributes
    ----------
    entrant : Entrant
    source : PublishedSet
    r : int or None
    places : tuple of int
        All bags that the run keeps, so that one run serves several panels.
    place : int
        The bag of this panel.
    title : str
    """

    entrant: Entrant
    source: PublishedSet
    r: int | None
    places: tuple[int, ...]
    place: int
    title: str

    def run(self, selection: Selection) -> Run:
        """Return the run that keeps the bag."""
        arguments = {**self.entrant.arguments, **self.kept()}
        entrant = replace(self.entrant, arguments=arguments)
        return entrant.run(self.source, self.r, SPLIT, selection)

    def kept(self) -> dict[str, Any]:
        """Return the argument that makes a run keep the bags."""
        raise NotImplementedError

    def panel(self, curves: Curves) -> Panel:
        """Return the panel; empty curves give an empty one."""
        raise NotImplementedError


class LookAtInstances(Look):
    """The attention of a test bag."""

    def kept(self) -> dict[str, Any]:
        """Return the argument that makes a run keep the attention."""
        return {"watch": list(self.places)}

    def panel(self, curves: Curves) -> AttentionPanel:
        """Return the scores, made to sum to 1, which changes those of DEMIPL only."""
        scores = _whole(curves.get(f"attention {self.place}"))
        if scores is None:
            return AttentionPanel(self.title, None, ())
        positive = _whole(curves.get(f"positive {self.place}")) or (0.0,) * len(scores)
        total = sum(scores)
        return AttentionPanel(
            self.title,
            tuple(score / total for score in scores) if total > 0 else scores,
            tuple(one > 0 for one in positive),
        )


class LookAtEpochs(Look):
    """The best probabilities of a training bag."""

    def kept(self) -> dict[str, Any]:
        """Return the argument that makes a run record the bags."""
        return {"training__record_bags": list(self.places)}

    def panel(self, curves: Curves) -> TracePanel:
        """Return the best candidate and the best other probability by epoch."""
        index = self.places.index(self.place)  # Runs number what they record.
        return TracePanel(
            self.title,
            _whole(curves.get(f"best_candidate {index}")),
            _whole(curves.get(f"best_other {index}")),
        )


def _whole(values: list[float | None] | None) -> tuple[float, ...] | None:
    """Return a curve without gaps, or None."""
    known = [value for value in values or [] if value is not None]
    return tuple(known) if known and len(known) == len(values or []) else None


@dataclass(frozen=True)
class WatchedFigure:
    """A figure of single bags, a panel for each look.

    Attributes
    ----------
    name, title : str
    looks : function of MIPLMA's reading
    columns : int
        Panels to a row.
    """

    name: str
    title: str
    looks: Callable[[Entrant], tuple[Look, ...]]
    columns: int

    def plan(self, selection: Selection) -> list[Run]:
        """Return the runs it is made of, one split each."""
        return list(dict.fromkeys(look.run(selection) for look in self._of(selection)))

    def build(self, store: Store, selection: Selection) -> Product:
        """Return the panels, empty where the store lacks a run or it diverged.

        There is no picture where all of them would be empty.
        """
        runs = self.plan(selection)
        answers = store.answers(runs, SETTLED)
        curves = {run: store.curves(one) for run, one in answers.items()}
        looks = self._of(selection)
        panels = [look.panel(curves.get(look.run(selection), {})) for look in looks]
        some = any(curves.values())
        diverged = sum(one.state == DIVERGED for one in answers.values())
        pictures = (PanelGrid(self.name, tuple(panels), self.columns),) if some else ()
        return Product(
            self.name,
            self.title,
            (),
            pictures,
            len(runs),
            len(runs) - len(answers),
            diverged,
            sum(not one for one in curves.values()) - diverged,
        )

    def _of(self, selection: Selection) -> list[Look]:
        return [
            look
            for look in self.looks(ours(selection)[0])
            if selection.keep("methods", [look.entrant.method])
            and selection.keep("data", [look.source.id, look.source.name])
        ]
