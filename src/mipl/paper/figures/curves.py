"""Curves: how MIPLMA's loss, margins and label weights move, epoch by epoch."""

from __future__ import annotations

from dataclasses import dataclass

from mipl.datasets.published_sets import BENCHMARKS, DIGITS
from mipl.paper.artefact import History, Product
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot, planned, selected, spots
from mipl.paper.entrants import ours
from mipl.runs.result import DIVERGED, Curves
from mipl.runs.run import Run
from mipl.runs.store import SETTLED, Store

NAMES = ("loss", "margin_mean", "margin_violation_rate", "resolved")


@dataclass(frozen=True)
class TrainingCurves:
    """The curves that the runs of MIPLMA have left in the store."""

    name: str
    title: str

    def plan(self, selection: Selection) -> list[Run]:
        """Return the runs of MIPLMA, which tables need, too."""
        return planned(self._spots(selection), selection)

    def build(self, store: Store, selection: Selection) -> Product:
        """Return the histories of each data set and r."""
        found: dict[str, list[tuple[str, list[History]]]] = {}
        runs = self.plan(selection)
        answers = store.answers(runs, SETTLED)
        curves = {run: history(store.curves(one)) for run, one in answers.items()}
        for spot in selected(self._spots(selection), selection):
            whole = [curves[r] for r in spot.runs(selection) if curves.get(r)]
            if whole:
                title = f"{spot.source.title}, r = {spot.r}"
                found.setdefault(title, []).append((spot.entrant.title, whole))
        diverged = sum(one.state == DIVERGED for one in answers.values())
        return Product(
            self.name,
            self.title,
            runs=len(runs),
            missing=len(runs) - len(answers),
            diverged=diverged,
            bare=sum(not one for one in curves.values()) - diverged,
            curves=tuple(found.items()),
        )

    def _spots(self, selection: Selection) -> list[Spot]:
        return spots(ours(selection), (*BENCHMARKS, DIGITS))


def history(curves: Curves) -> History:
    """Turn lists by name into figures by epoch; none where a name or a value lacks.

    Examples
    --------
    >>> history(dict.fromkeys(NAMES, [0.5, 0.4]))[1]["loss"]
    0.4
    >>> history({"loss": [0.5]})
    []
    """
    columns = [[v for v in curves.get(name, []) if v is not None] for name in NAMES]
    if len({len(column) for column in columns}) > 1:
        return []
    return [dict(zip(NAMES, row, strict=True)) for row in zip(*columns, strict=True)]


FIGURE = TrainingCurves("curves", "Training curves of MIPLMA")
