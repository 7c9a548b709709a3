"""What is missing of tables and figures, and what it would cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mipl.datasets.published_sets import KMNIST, PublishedSet
from mipl.paper.artefact import AccuracyArtefact, Artefact
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot
from mipl.reports.markdown import escaped, table_lines
from mipl.runs.estimate import Costs, Estimate
from mipl.runs.result import DIVERGED
from mipl.runs.run import Run
from mipl.runs.store import SETTLED, Store

_HOUR, _MINUTE = 3600.0, 60.0
_NOTE = (
    "Time of one core, by like runs that were computed. ≈: the method was computed on "
    "other data only, of which those nearest in size tell; ?: nothing like it was "
    "computed. A run that several tables need is counted in each of them, and once "
    "below."
)
_CELLS = "Missing runs of each method and data set, over all r, and their time:"


def missing_lines(
    store: Store, artefacts: Sequence[Artefact], selection: Selection
) -> list[str]:
    """Return what each artefact lacks, then what each method lacks on each data set.

    Parameters
    ----------
    store : Store
    artefacts : sequence of Artefact
    selection : Selection
    """
    plans = {one.name: one.plan(selection) for one in artefacts}
    every = list(dict.fromkeys(run for plan in plans.values() for run in plan))
    known = store.answers(every, SETTLED)
    left = {run for run in every if run not in known}
    if not left:
        return ["Nothing."]
    costs, rows = Costs(store), []
    for name, plan in plans.items():
        absent = [run for run in plan if run in left]
        if absent:
            lost = sum(run in known and known[run].state == DIVERGED for run in plan)
            counts = map(str, (len(plan), len(absent), lost))
            cost = spent(costs.total(absent))
            rows.append([name, *counts, cost, f"mipl reproduce {name}"])
    heads = ["", "runs", "missing", "diverged", "time", "command"]
    spots = [
        spot
        for one in artefacts
        if isinstance(one, AccuracyArtefact)
        for spot in one.spots(selection)
    ]
    total = f"In total {len(left)} runs are missing: {spent(costs.total(left))}."
    cells = _cells(spots, left, costs, selection)
    return [*table_lines(heads, rows), "", _NOTE, "", total, "", _CELLS, "", *cells]


def _cells(
    spots: Iterable[Spot], left: set[Run], costs: Costs, selection: Selection
) -> list[str]:
    """Return a line per method and a column per data set."""
    found: dict[str, dict[str, dict[Run, None]]] = {}
    columns: dict[str, None] = {}
    for spot in spots:
        absent = [run for run in spot.runs(selection) if run in left]
        if absent:
            place = column(spot.source)
            columns[place] = None
            line = found.setdefault(spot.entrant.title, {})
            line.setdefault(place, {}).update(dict.fromkeys(absent))
    rows = [
        [escaped(title), *(_entry(line.get(column), costs) for column in columns)]
        for title, line in found.items()
    ]
    return table_lines(["method", *columns], rows)


def column(source: PublishedSet) -> str:
    """Return the name of a data set; one for all flipping probabilities."""
    return "Kuzushiji-MNIST" if source in KMNIST else source.title


def _entry(runs: Iterable[Run] | None, costs: Costs) -> str:
    if runs is None:
        return ""
    runs = list(runs)
    return f"{len(runs)}: {spent(costs.total(runs))}"


def spent(cost: Estimate) -> str:
    """Return the time of runs in words.

    Examples
    --------
    >>> spent(Estimate(5400.0, 0)), spent(Estimate(30.0, 0, rough=1))
    ('1.5 h', '≈1 min')
    >>> spent(Estimate(0.0, 3)), spent(Estimate(600.0, 2))
    ('?', '10 min and 2 runs ?')
    """
    if not cost.seconds:
        return "?" if cost.unknown else "0 min"
    hours = f"{cost.seconds / _HOUR:.1f} h"
    minutes = f"{max(cost.seconds / _MINUTE, 1):.0f} min"
    sign = "≈" if cost.rough else ""
    rest = f" and {cost.unknown} runs ?" if cost.unknown else ""
    return f"{sign}{hours if cost.seconds >= _HOUR else minutes}{rest}"
