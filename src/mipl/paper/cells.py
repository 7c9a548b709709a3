"""Cells: a method on a data set with so many false labels, over splits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mipl.datasets.published_sets import PublishedSet
from mipl.metrics.significance import TTest, t_test
from mipl.paper.artefact_selection import Selection
from mipl.paper.published import PublishedAccuracy
from mipl.runs.result import DIVERGED
from mipl.runs.run import Run
from mipl.runs.store import SETTLED, Store

if TYPE_CHECKING:
    from mipl.paper.entrants import Entrant

SPLITS = tuple(range(10))


@dataclass(frozen=True)
class Spot:
    """Where a cell stands: ``r`` is None where the candidates are the data's own."""

    entrant: Entrant
    source: PublishedSet
    r: int | None

    @property
    def published(self) -> PublishedAccuracy | None:
        """What was published for it."""
        return self.entrant.published(self.source, self.r)

    def runs(self, selection: Selection) -> list[Run]:
        """Return its runs, one per split."""
        first = self.entrant.run(self.source, self.r, 0, selection)
        splits = selection.keep("splits", SPLITS)
        return [replace(first, split=split) for split in splits]


@dataclass(frozen=True)
class Cell:
    """What was measured: the accuracy by split.

    Attributes
    ----------
    spot : Spot
    values : mapping of split, or of split and seed, to accuracy
        Or to another figure.
    wanted : int
        Number of splits planned.
    diverged : int
        Number of runs that diverged, which have no accuracy.
    """

    spot: Spot
    values: Mapping[Any, float] = field(default_factory=dict)
    wanted: int = len(SPLITS)
    diverged: int = 0

    @property
    def mean(self) -> float | None:
        """Mean over the splits; None where nothing was measured."""
        return float(np.mean(list(self.values.values()))) if self.values else None

    @property
    def std(self) -> float | None:
        """Standard deviation with ddof 0, as the paper prints it."""
        return float(np.std(list(self.values.values()))) if self.values else None

    @property
    def missing(self) -> int:
        """Number of runs that would fill it."""
        return self.wanted - len(self.values) - self.diverged


def spots(
    entrants: Iterable[Entrant],
    sources: Sequence[PublishedSet],
    counts: tuple[int, ...] | None = None,
) -> list[Spot]:
    """Return each method on each data set; ``counts`` limits the false labels.

    Examples
    --------
    >>> from mipl.paper.entrants import RIVALS
    >>> from mipl.datasets.published_sets import BENCHMARKS, TISSUE
    >>> len(spots(RIVALS, BENCHMARKS)), len(spots(RIVALS, TISSUE))
    (36, 12)
    """
    return [
        Spot(entrant, source, r)
        for entrant in entrants
        for source in sources
        for r in (source.counts if counts is None else counts) or (None,)
    ]


def selected(found: Iterable[Spot], selection: Selection) -> list[Spot]:
    """Return those that a selection of methods, data sets and r leaves.

    Methods that join a table select none of its own: where no others are named, all of
    these stay beside them.
    """
    found = list(found)
    joined = {spot.entrant.method for spot in found if spot.entrant.joined}
    named = set(selection.methods or ()) - joined
    every = selection.methods is None or bool(joined and not named)
    return [
        spot
        for spot in found
        if (every or spot.entrant.joined or spot.entrant.method in named)
        and selection.keep("data", [spot.source.id, spot.source.name])
        and (spot.r is None or selection.keep("r", [spot.r]))
    ]


def planned(found: Iterable[Spot], selection: Selection) -> list[Run]:
    """Return the runs of the cells that are selected, none twice."""
    chosen = selected(found, selection)
    return list(dict.fromkeys(run for spot in chosen for run in spot.runs(selection)))


def measured(
    store: Store, found: Iterable[Spot], selection: Selection
) -> dict[Spot, Cell]:
    """Return what a store knows of the cells that are selected."""
    chosen = selected(found, selection)
    answers = store.answers(planned(chosen, selection), SETTLED)
    cells = {}
    for spot in chosen:
        runs = spot.runs(selection)
        known = [answers[run] for run in runs if run in answers]
        cells[spot] = Cell(
            spot,
            {
                one.run.split: one.accuracy
                for one in known
                if one.run.split is not None and one.accuracy is not None
            },
            len(runs),
            sum(one.state == DIVERGED for one in known),
        )
    return cells


def compared(a: Cell, b: Cell, paired: bool = True) -> str:
    """Return "win", "tie" or "loss" of a against b at .05; "" where it is not known.

    Paired tests take the splits that both have.

    Examples
    --------
    >>> from mipl.paper.entrants import DEMIPL, OURS
    >>> from mipl.datasets.published_sets import SIVAL
    >>> ours = Cell(Spot(OURS, SIVAL, 1), {0: 0.81, 1: 0.84, 2: 0.79, 3: 0.1})
    >>> theirs = Cell(Spot(DEMIPL, SIVAL, 1), {0: 0.78, 1: 0.80, 2: 0.77})
    >>> compared(ours, theirs), compared(ours, theirs, paired=False)
    ('win', 'tie')
    """
    test = tested(a, b, paired)
    return "" if test is None else decided(test, test.p_value)


def decided(test: TTest, p_value: float, level: float = 0.05) -> str:
    """Return what a test says, with a p-value that may be corrected.

    Examples
    --------
    >>> decided(TTest(2.5, 0.03), 0.03), decided(TTest(2.5, 0.03), 0.06)
    ('win', 'tie')
    """
    if p_value >= level:
        return "tie"
    return "win" if test.statistic > 0 else "loss"


def tested(a: Cell, b: Cell, paired: bool = True) -> TTest | None:
    """Return the t-test of a against b, on the splits that both have if it is paired.

    None where there are fewer than two.
    """
    shared = sorted(a.values.keys() & b.values.keys())
    x = [a.values[s] for s in shared] if paired else [*a.values.values()]
    y = [b.values[s] for s in shared] if paired else [*b.values.values()]
    return t_test(x, y, paired=paired) if min(len(x), len(y)) > 1 else None
