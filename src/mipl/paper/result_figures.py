"""Figures of whatever a store holds: bars, sweeps, ranks, curves and predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from mipl.datasets.published_sets import PublishedSet
from mipl.errors import MiplError, unknown
from mipl.paper.artefact import point
from mipl.paper.cells import Cell, Spot
from mipl.paper.friedman_ranks import ranked
from mipl.paper.panels import (
    BarPanel,
    ConfusionPanel,
    CurvePanel,
    LinePanel,
    Panel,
    PanelGrid,
    ReliabilityPanel,
)
from mipl.paper.result_notes import with_r
from mipl.paper.result_table import TableRequest, measured_cells
from mipl.paper.store_cells import ResultChoice, argument_value, results_of
from mipl.runs.result import Predictions, Result
from mipl.runs.store import Store

_BINS = 10
_COLUMNS = 3  # Panels to a row.
_MOST_CLASSES = 40  # Of a confusion that can be read.


def result_figure(
    store: Store, kind: str, request: TableRequest, argument: str | None = None
) -> PanelGrid:
    """Return a picture of results, one of ``KINDS``.

    ``argument`` is what a sweep follows, or the figure by epoch that curves show.
    """
    if kind not in KINDS:
        raise unknown("kind of plot", kind, KINDS)
    if kind == "sweep" and argument is None:
        raise MiplError("a sweep follows an argument; give --argument, such as lam.")
    if kind not in ("sweep", "curves") and argument is not None:
        raise MiplError(f"--argument goes with sweep and curves; {kind} has none.")
    panels = KINDS[kind](store, request, argument)
    return PanelGrid(kind, tuple(panels), min(len(panels), _COLUMNS))


def _bars(store: Store, request: TableRequest, _: str | None) -> list[Panel]:
    cells = measured_cells(store, request)
    entrants = dict.fromkeys(spot.entrant for spot in cells)
    places = dict.fromkeys((spot.source, spot.r) for spot in cells)
    figure = _said(request.choice.figure)

    def panel(
        title: str, groups: Mapping[str, tuple[PublishedSet, int | None]]
    ) -> Panel:
        series = (
            (
                one.title,
                tuple(point(cells.get(Spot(one, *at))) for at in groups.values()),
            )
            for one in entrants
        )
        return BarPanel(title, tuple(groups), tuple(series), figure)

    if len({source for source, _ in places}) == len(places):
        return [
            panel(with_r(cells), {source.title: (source, r) for source, r in places})
        ]
    by_source: dict[PublishedSet, dict[str, tuple[PublishedSet, int | None]]] = {}
    for source, r in places:
        by_source.setdefault(source, {})["" if r is None else f"r = {r}"] = source, r
    return [panel(source.title, groups) for source, groups in by_source.items()]


def _ranks(store: Store, request: TableRequest, _: str | None) -> list[Panel]:
    cells = measured_cells(store, request)
    found = ranked(cells, request.choice.lower)
    if found is None:
        raise MiplError(
            "ranks need three methods that were run on the same two pairs of data set "
            "and r, or more; select others by --method and --data."
        )
    return [found]


def _sweep(store: Store, request: TableRequest, argument: str | None) -> list[Panel]:
    name = (argument or "").replace(".", "__")
    choice = replace(request.choice, varied=(name,))
    cells = measured_cells(store, replace(request, choice=choice, rows=(name,)))
    numbers = {
        spot: value
        for spot in cells
        if isinstance(value := argument_value(spot.entrant, name), (int, float))
        and not isinstance(value, bool)
    }
    values = sorted(set(numbers.values()))
    if len(values) < 2:
        raise MiplError(
            f"the runs selected have fewer than two numbers for {argument}; compute "
            f"some: mipl runs compute ... --set {argument}=0.1,1."
        )
    panels: dict[str, dict[str, dict[float, Cell]]] = {}
    for spot, value in numbers.items():
        told = "" if spot.r is None else f", r = {spot.r}"
        lines = panels.setdefault(f"{spot.source.title}{told}", {})
        lines.setdefault(spot.entrant.title, {})[value] = cells[spot]
    figure = _said(request.choice.figure)
    followed = {  # A single value is no line.
        title: lines
        for title, lines in panels.items()
        if any(len(at) > 1 for at in lines.values())
    }
    return [
        LinePanel(
            title,
            argument or "",
            figure,
            tuple(map(float, values)),
            tuple(
                (line, tuple(point(at.get(value)) for value in values))
                for line, at in lines.items()
            ),
        )
        for title, lines in followed.items()
    ]


def _curves(store: Store, request: TableRequest, argument: str | None) -> list[Panel]:
    name = argument or "loss"
    found: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    known: set[str] = set()
    for spot, results in results_of(store, request.choice).items():
        for result in results:
            curves = store.curves(result)
            known |= curves.keys()
            values = [value for value in curves.get(name, []) if value is not None]
            if values:
                lines = found.setdefault(_panel_title(spot), {})
                lines.setdefault(spot.entrant.title, []).append(tuple(values))
    if not found:
        if known:
            raise unknown("curve of these runs", name, known)
        raise MiplError(
            f"{store.path} has no curves of what is selected: results that came from a "
            "CSV table have none, mipl runs compute keeps them."
        )
    return [
        CurvePanel(title, _said(name), tuple((n, tuple(c)) for n, c in lines.items()))
        for title, lines in found.items()
    ]


def _reliability(store: Store, request: TableRequest, _: str | None) -> list[Panel]:
    return [
        _reliable(title, predictions)
        for title, predictions in _predictions(store, request.choice).items()
    ]


def _confusion(store: Store, request: TableRequest, _: str | None) -> list[Panel]:
    return [
        _confused(title, predictions)
        for title, predictions in _predictions(store, request.choice).items()
    ]


Maker = Callable[[Store, TableRequest, str | None], list[Panel]]
KINDS: Mapping[str, Maker] = {
    "bars": _bars,
    "curves": _curves,
    "sweep": _sweep,
    "ranks": _ranks,
    "reliability": _reliability,
    "confusion": _confusion,
}


def _predictions(store: Store, choice: ResultChoice) -> dict[str, list[Predictions]]:
    """Return what was said of test bags, by method, data set and r."""
    found: dict[str, list[Predictions]] = {}
    for spot, results in results_of(store, choice).items():
        said = [store.predictions(one) for one in _finished(results)]
        kept = [one for one in said if one is not None and one.truth]
        if kept:
            found[f"{spot.entrant.title}, {_panel_title(spot)}"] = kept
    if not found:
        raise MiplError(
            f"{store.path} has no predictions of what is selected: results that came "
            "from a CSV table have none, mipl runs compute keeps them."
        )
    return found


def _finished(results: Sequence[Result]) -> list[Result]:
    return [one for one in results if one.accuracy is not None]


def _reliable(title: str, several: Sequence[Predictions]) -> ReliabilityPanel:
    sure = np.concatenate([one.confidence for one in several])  # (m,)
    right = np.concatenate(
        [
            [t == p for t, p in zip(one.truth, one.predicted, strict=True)]
            for one in several
        ]
    ).astype(float)
    edges = np.linspace(0, 1, _BINS + 1)
    bins = []
    for low, high in pairwise(edges.tolist()):
        inside = (sure > low) & (sure <= high) | ((low == 0) & (sure == 0))
        if inside.any():
            bins.append(
                (
                    float(sure[inside].mean()),
                    float(right[inside].mean()),
                    int(inside.sum()),
                )
            )
    ece = sum(n * abs(share - mean) for mean, share, n in bins) / len(sure)
    return ReliabilityPanel(title, tuple(bins), float(ece))


def _confused(title: str, several: Sequence[Predictions]) -> ConfusionPanel:
    names: list[Any] = sorted(
        {name for one in several for name in (*one.truth, *one.predicted)},
        key=lambda name: (isinstance(name, str), name),
    )
    if len(names) > _MOST_CLASSES:
        raise MiplError(
            f"a confusion of {len(names)} classes cannot be read; it is drawn for at "
            f"most {_MOST_CLASSES}."
        )
    place = {name: at for at, name in enumerate(names)}
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    for one in several:
        for truth, predicted in zip(one.truth, one.predicted, strict=True):
            counts[place[truth], place[predicted]] += 1
    rows = tuple(tuple(row) for row in counts.tolist())
    return ConfusionPanel(title, tuple(map(str, names)), rows)


def _panel_title(spot: Spot) -> str:
    return spot.source.title if spot.r is None else f"{spot.source.title}, r = {spot.r}"


def _said(figure: str) -> str:
    return figure.replace("_", " ")
