"""How the label weights of a bag moved while a model learnt, where it was recorded."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from mipl.errors import MiplError
from mipl.page.workspace import shown

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.methods.bases.base import BagClassifier
    from mipl.runs.folder import OpenedModel
    from mipl.runs.run import Run

Lines = dict[str, list[tuple[float, float]]]
_MOST_BAGS = 2_000
_MOST_WEIGHTS = 20_000_000  # Of all bags, classes and epochs.
_RECORD = "record_"


def bags_to_record(run: Run, model: BagClassifier, data: Dataset) -> list[int]:
    """Return the places, among the bags a run is fitted on, whose weights are kept.

    All of them, or where that is too much as many from all over the data.
    """
    inner: Any = model
    while hasattr(inner, "estimator"):
        inner = inner.estimator
    if not _records(inner):
        raise MiplError(
            f"{run.method} has no label weights that move with the epochs; leave "
            "recording them out."
        )
    options = inner._options()
    if options.stop_on is not None:
        raise MiplError(
            "bags whose label weights are recorded cannot be held out for stop on; "
            "leave one of the two out."
        )
    n = len(import_module("mipl.runs.execution").fitted_bags(run, data))
    room = _MOST_WEIGHTS // (int(options.epochs) * len(data.classes))
    most = max(1, min(n, room, _MOST_BAGS))
    found: list[int] = np.linspace(0, n - 1, most).astype(np.int64).tolist()
    return found


def label_weight_lines(data: Dataset, opened: OpenedModel, bag: int) -> Lines:
    """Return the weight of each candidate of a bag over the epochs.

    Where there are none, a sentence tells why and how to get them.
    """
    model: Any = getattr(opened.model, "estimator_", opened.model)
    if opened.run is None or not _records(model):
        raise MiplError("this model has no label weights that move with the epochs.")
    fitted = import_module("mipl.runs.execution").fitted_bags(opened.run, data)
    places = np.flatnonzero(fitted == bag)
    if not len(places):
        raise MiplError("the model has not learnt from this bag: it has no weights.")
    recorded = list(model._options().record_bags)
    if int(places[0]) not in recorded or not model.record_:
        raise MiplError(
            "the run has not recorded them; train again with 'Record the label "
            f"weights', or by mipl fit --set training.record_bags={int(places[0])}."
        )
    at = recorded.index(int(places[0]))
    # Classes of the model, which are those of the data.
    names = model.classes_.tolist()
    inside = set(data.classes[data.candidates.matrix[bag]].tolist())
    return {
        shown(name): [
            (float(one["epoch"]), float(one["label_weights"][at][c]))
            for one in model.record_
        ]
        for c, name in enumerate(names)
        if name in inside
    }


def _records(model: Any) -> bool:
    """Tell whether a method keeps label weights of each epoch, if it is asked to."""
    kinds = (vars(one).get("__annotations__", {}) for one in type(model).__mro__)
    return any(_RECORD in kind for kind in kinds)
