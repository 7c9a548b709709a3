"""What can be said about a fitted model on given bags, with and without the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.instance_classes import positive_instances
from mipl.methods.bases.base import BagClassifier
from mipl.metrics import (
    OverBags,
    accuracy,
    approximated_accuracy,
    balanced_accuracy,
    candidate_log_likelihood,
    confusion_matrix,
    covering_rate,
    expected_calibration_error,
    label_margins,
    macro_auroc,
)
from mipl.metrics.ambiguity import chances_inside, logs_of_sets
from mipl.metrics.instances import aurocs_of_bags
from mipl.metrics.intervals import (
    Interval,
    balanced_accuracy_of,
    calibration_error_of,
    deviation_of,
    intervals,
    macro_auroc_of,
    mean_of,
)
from mipl.metrics.margins import violations_of_bags

Floats = npt.NDArray[np.float64]
_INSTANCES = ("attention_auroc", "score_auroc", "violation_rate")


@dataclass(frozen=True)
class TruthFigures:
    """Figures that need the true labels.

    Attributes
    ----------
    accuracy : float
    interval : pair of float
        That of the accuracy among ``Evaluation.intervals``.
    balanced_accuracy : float
    macro_auroc : float or None
        None where all bags are of one class.
    ece : float
        Expected calibration error.
    confusion : k rows of k counts
        True classes in rows, predicted ones in columns.
    """

    accuracy: float
    interval: Interval | None
    balanced_accuracy: float
    macro_auroc: float | None
    ece: float
    confusion: list[list[int]]

    @classmethod
    def of(
        cls, p: Floats, truth: npt.NDArray[np.int64], interval: Interval | None
    ) -> Self:
        """Compare probabilities with the columns of the true classes."""
        guess = p.argmax(axis=1)
        several = len(np.unique(truth)) > 1
        return cls(
            accuracy=accuracy(truth, guess),
            interval=interval,
            balanced_accuracy=balanced_accuracy(truth, guess),
            macro_auroc=macro_auroc(p, truth) if several else None,
            ece=expected_calibration_error(p, truth),
            confusion=confusion_matrix(truth, guess, np.arange(p.shape[1])).tolist(),
        )


@dataclass(frozen=True)
class CandidateFigures:
    """Figures that need the candidate sets only.

    Attributes
    ----------
    covering_rate, approximated_accuracy, log_likelihood : float
    margin_mean, margin_std : float
        Of the best candidate's minus the best non-candidate's probability.
    violation_rate : float
        Share of bags in which a non-candidate is likelier than every candidate.
    """

    covering_rate: float
    approximated_accuracy: float
    log_likelihood: float
    margin_mean: float
    margin_std: float
    violation_rate: float

    @classmethod
    def of(cls, p: Floats, inside: npt.NDArray[np.bool_]) -> Self:
        """Compare probabilities with candidate sets."""
        margins = label_margins(p, inside)
        return cls(
            covering_rate=covering_rate(p, inside),
            approximated_accuracy=approximated_accuracy(p, inside),
            log_likelihood=candidate_log_likelihood(p, inside),
            margin_mean=float(margins.mean()),
            margin_std=float(margins.std()),
            violation_rate=float((margins < 0).mean()),
        )


@dataclass(frozen=True)
class InstanceFigures:
    """Figures that need the labels of the instances.

    Attributes
    ----------
    bags : int
        Bags with both positive and negative instances, over which they are taken.
    attention_auroc, score_auroc : float or None
        How well attention, and the instance score of the true class, find the
        instances of the bag's true class; None where the method has none.
    violation_rate : float or None
        Share of bags whose best negative has more attention than the best positive.
    """

    bags: int
    attention_auroc: float | None
    score_auroc: float | None
    violation_rate: float | None

    @classmethod
    def of(cls, values: Mapping[str, Floats]) -> Self:
        """Average the values of bags; those without a value have NaN."""
        means = {name: OverBags.of(of_bags) for name, of_bags in values.items()}
        figures = {
            name: means[name].value if name in means else None for name in _INSTANCES
        }
        return cls(next(iter(means.values())).n_bags, **figures)


@dataclass(frozen=True)
class Evaluation:
    """All figures of a model on some bags; None for what the data do not know.

    Attributes
    ----------
    all_negative_rate : float or None
        Share of bags of which every learner says no, where the method has one learner
        per class.
    groups : int or None
        How many groups these bags are of, where the data know it.
    intervals : mapping of str to pair of float, or None
        95 % intervals of all figures, by their names: exact ones of shares, otherwise
        percentiles of 1,000 bootstraps over bags. Where there are groups, whole groups
        are drawn. None where the draws do not tell how far a figure varies.
    """

    bags: int
    classes: list[Any]
    truth: TruthFigures | None
    candidates: CandidateFigures
    instances: InstanceFigures | None
    all_negative_rate: float | None
    groups: int | None
    intervals: dict[str, Interval | None]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return asdict(self)


def evaluate(model: BagClassifier, data: Dataset, seed: int = 0) -> Evaluation:
    """Measure a fitted model on a data set.

    Parameters
    ----------
    model : fitted method
    data : Dataset
        Its classes must be among the model's.
    seed : int
        Of the bootstrap.

    Examples
    --------
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> train, test = load_dataset("synthetic").split(0)
    >>> model = MIPLMA(training=Training(epochs=10), random_state=0)
    >>> figures = evaluate(model.fit(train.bags, train.candidates), test)
    >>> figures.bags, figures.truth.accuracy > 0.5, figures.instances.bags
    (60, True, 60)
    """
    p = model.predict_proba(data.bags)  # (m, k)
    candidates = Candidates(data.candidates, classes=model.classes_)
    truth = None if data.labels is None else candidates.encode(data.labels)
    inside = _values_of_instances(model, data, truth)
    never = None
    if hasattr(model, "all_negative_bags"):  # One learner per class.
        never = model.all_negative_bags(data.bags).astype(np.float64)
    found = _intervals(p, candidates.matrix, truth, inside, never, data.groups, seed)
    return Evaluation(
        bags=len(p),
        classes=model.classes_.tolist(),
        truth=None if truth is None else TruthFigures.of(p, truth, found["accuracy"]),
        candidates=CandidateFigures.of(p, candidates.matrix),
        instances=InstanceFigures.of(inside) if inside else None,
        all_negative_rate=None if never is None else float(never.mean()),
        groups=None if data.groups is None else len(np.unique(data.groups)),
        intervals=found,
    )


def _values_of_instances(
    model: BagClassifier, data: Dataset, truth: npt.NDArray[np.int64] | None
) -> dict[str, Floats]:
    """Compare attention and instance scores with the positive instances, bag by bag."""
    positive, offsets = positive_instances(data), data.bags.offsets
    if positive is None or truth is None or not _with_both(offsets, positive):
        return {}
    values = {}
    if hasattr(model, "attend"):
        a = model.attend(data.bags)
        values["attention_auroc"] = aurocs_of_bags(a, offsets, positive)
        values["violation_rate"] = violations_of_bags(a, offsets, positive)
    if hasattr(model, "predict_instances"):
        each = model.predict_instances(data.bags)  # (N, k)
        own = each[np.arange(len(each)), truth[data.bags.bag_of_instance]]
        values["score_auroc"] = aurocs_of_bags(own, offsets, positive)
    return values


def _intervals(
    p: Floats,
    sets: npt.NDArray[np.bool_],
    truth: npt.NDArray[np.int64] | None,
    inside: Mapping[str, Floats],
    never: Floats | None,
    groups: Any,
    seed: int,
) -> dict[str, Interval | None]:
    """Return the interval of every figure, by its name."""
    margins, guess = label_margins(p, sets), p.argmax(axis=1)
    shares = {
        "covering_rate": sets[np.arange(len(p)), guess].astype(np.float64),
        "violation_rate": (margins < 0).astype(np.float64),
    }
    drawn: dict[str, Callable[[Floats], Floats]] = {
        "approximated_accuracy": partial(mean_of, chances_inside(p, sets)),
        "log_likelihood": partial(mean_of, logs_of_sets(p, sets)),
        "margin_mean": partial(mean_of, margins),
        "margin_std": partial(deviation_of, margins),
    }
    if never is not None:
        shares["all_negative_rate"] = never
    for name, values in inside.items():
        if name == "violation_rate":
            shares["instance_violation_rate"] = values
        else:
            drawn[name] = partial(mean_of, values)
    if truth is not None:
        right = guess == truth
        shares["accuracy"] = right.astype(np.float64)
        drawn["balanced_accuracy"] = partial(balanced_accuracy_of, right, truth)
        drawn["macro_auroc"] = partial(macro_auroc_of, p, truth)
        drawn["ece"] = partial(calibration_error_of, p.max(axis=1), right)
    return intervals(shares, drawn, len(p), groups, seed=seed)


def _with_both(offsets: npt.NDArray[np.int64], positive: npt.NDArray[np.bool_]) -> int:
    """Count the bags that have positive and negative instances."""
    counts = np.add.reduceat(positive.astype(np.int64), offsets[:-1])
    return int(((counts > 0) & (counts < np.diff(offsets))).sum())
