"""What the screens tell of one bag: classes, instances, and the bags most like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors

from mipl.data.bag_reduction import Mean
from mipl.page.workspace import shown

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.runs.explanation import Explanation
    from mipl.runs.folder import OpenedModel

Floats = npt.NDArray[np.float64]
SCALES = ("raw", "rank", "percentile")
_SMALL = 30
_DRAWING = Lock()  # Styles of matplotlib are those of the whole process.


@dataclass(frozen=True)
class Similar:
    """A training bag that is like another.

    Attributes
    ----------
    number : int
    name : str
        As it is shown.
    distance : float
        In standard deviations of the features compared.
    candidates : str
    label : str
        "" where it is not known.
    """

    number: int
    name: str
    distance: float
    candidates: str
    label: str


def scaled(weights: Floats, scale: str) -> Floats:
    """Return weights of instances raw, as ranks from 0 to 1, or as percentiles.

    Equal weights have equal ranks, the mean of theirs. A percentile is the share of the
    other instances that have less, half of the equal ones counted.

    Examples
    --------
    >>> weights = np.array([0.1, 0.6, 0.1, 0.2])
    >>> scaled(weights, "rank").round(3).tolist()
    [0.167, 1.0, 0.167, 0.667]
    >>> scaled(weights, "percentile").tolist()
    [25.0, 87.5, 25.0, 62.5]
    """
    if scale == "raw":
        return weights
    less = (weights[:, None] > weights[None]).sum(axis=1)
    same = (weights[:, None] == weights[None]).sum(axis=1)
    if scale == "percentile":
        shares: Floats = 100 * (less + same / 2) / len(weights)
        return shares
    ranks: Floats = (less + (same - 1) / 2) / max(len(weights) - 1, 1)
    return ranks


def explained(data: Dataset, opened: OpenedModel, bag: int) -> Explanation:
    """Explain what a model says of a bag, by its number."""
    explain = import_module("mipl.runs.explanation").explain
    told: Explanation = explain(opened.model, data, bag)
    return told


def name_of(data: Dataset, bag: int) -> str:
    """Return what answers and screens call a bag: its id, or its number."""
    return str(import_module("mipl.review.questions").bag_key(data, bag))


def training_bags(data: Dataset, opened: OpenedModel) -> list[int]:
    """Return the bags of a data set that a model has learnt from, as far as known."""
    chosen = import_module("mipl.review.questions").bags_to_review
    found: list[int] = chosen(data, opened.trained).tolist()
    return found


def class_rows(told: Explanation) -> list[list[object]]:
    """Return class, probability, candidate and weight, the likeliest first."""
    return [
        [
            shown(told.classes[c]),
            f"{told.p[c]:.1%}",
            "yes" if told.candidates[c] else "",
            f"{told.weights[c]:.1%}" if told.candidates[c] else "",
        ]
        for c in np.argsort(-told.p, kind="stable")
    ]


def bag_picture(told: Explanation) -> bytes:
    """Draw a bag as ``mipl explain --plot`` does; return the PNG file."""
    with _DRAWING:
        figure = _figure(told)
        return bytes(import_module("mipl.reports.plots").as_png(figure))


def _figure(told: Explanation) -> Any:
    large = told.bag.n_instances > _SMALL and told.bag.coords is not None
    if large and told.bag.instance_shape is None:
        places = import_module("mipl.runs.instance_places").places_of
        where = places(told.bag, told.facts)
        drawn = import_module("mipl.reports.slide_map")
        return (drawn.draw_track if where.in_time else drawn.draw_map)(told, where)
    return import_module("mipl.reports.bag_plots").draw_explanation(told)


def similar_bags(
    data: Dataset, opened: OpenedModel, bag: int, among: Sequence[int], n: int = 5
) -> list[Similar]:
    """Return the bags among some that are most like a bag, the nearest first.

    Compared is what the model makes of a bag where it tells (``transform``), otherwise
    the mean of its instances; each feature in units of its standard deviation.
    """
    model: Any = opened.model
    of = model.transform if hasattr(model, "transform") else Mean().transform
    others = np.array([number for number in among if number != bag], dtype=np.int64)
    if not len(others):
        return []
    vectors = np.asarray(of(data.bags), dtype=np.float64)
    spread = vectors.std(axis=0)
    vectors = vectors[:, spread > 0] / spread[spread > 0]
    if not vectors.shape[1]:
        return []
    nearest = NearestNeighbors(n_neighbors=min(n, len(others))).fit(vectors[others])
    far, which = nearest.kneighbors(vectors[[bag]])
    return [
        Similar(
            int(number),
            shown(name_of(data, int(number))),
            float(distance),
            shown(", ".join(str(one) for one in _sorted(data, int(number)))),
            "" if data.labels is None else shown(data.labels[number]),
        )
        for distance, number in zip(far[0], others[which[0]], strict=True)
    ]


def _sorted(data: Dataset, number: int) -> list[Any]:
    found: list[Any] = data.classes[data.candidates.matrix[number]].tolist()
    return found
