"""Small stores that hold what a test needs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot
from mipl.runs.result import Result
from mipl.runs.store import Store


def store_of(folder: Path, values: Mapping[Spot, Sequence[float]]) -> Store:
    """Return a store with the accuracies of cells, split by split from 0 on."""
    store = Store(folder / "results.db", create=True)
    for spot, accuracies in values.items():
        selection = Selection(splits=tuple(range(len(accuracies))))
        for run, accuracy in zip(spot.runs(selection), accuracies, strict=True):
            assert store.record(Result(run, "finished", accuracy, 2.0))
    return store


def diverge(store: Store, spot: Spot, splits: Sequence[int]) -> None:
    """Let the runs of a cell on these splits have diverged."""
    for run in spot.runs(Selection(splits=tuple(splits))):
        assert store.record(Result(run, "diverged", None, 0.5, message="NaN."))
