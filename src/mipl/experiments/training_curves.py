"""Curves of the runs in a store, for one data set and r at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mipl.experiments.artefact import Selection
from mipl.experiments.cells import Spot
from mipl.experiments.entrants import Entrant
from mipl.experiments.sources import Source
from mipl.experiments.store import Store

History = list[dict[str, float]]  # One dict per epoch.
NAMES = ("loss", "margin_mean", "margin_violation_rate", "resolved")


def histories(
    store: Store,
    entrants: Iterable[Entrant],
    source: Source,
    r: int | None,
    selection: Selection,
    names: Sequence[str] = NAMES,
) -> list[tuple[str, list[History]]]:
    """Return the curves of methods, those of runs that have all of ``names``."""
    found = []
    for entrant in entrants:
        results = store.answers(Spot(entrant, source, r).runs(selection)).values()
        kept = [_history(store.curves(result), names) for result in results]
        whole = [history for history in kept if history]
        if whole:
            found.append((entrant.title, whole))
    return found


def _history(curves: dict[str, list[float | None]], names: Sequence[str]) -> History:
    """Turn lists by name into figures by epoch; empty where a name or a value lacks."""
    if not all(name in curves and None not in curves[name] for name in names):
        return []
    columns = [[v for v in curves[name] if v is not None] for name in names]
    rows = zip(*columns, strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]
