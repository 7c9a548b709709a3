"""What can be said about a fitted model on given bags, with and without the truth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.instance_classes import positive_instances
from mipl.methods.bases.base import BagClassifier
from mipl.methods.wrappers.one_vs_rest import OneVsRest
from mipl.metrics import (
    accuracy,
    approximated_accuracy,
    balanced_accuracy,
    bootstrap_interval,
    candidate_log_likelihood,
    confusion_matrix,
    covering_rate,
    expected_calibration_error,
    instance_auroc,
    instance_violation_rate,
    label_margins,
    macro_auroc,
)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TruthFigures:
    """Figures that need the true labels.

    Attributes
    ----------
    accuracy : float
    interval : pair of float
        95 % bootstrap interval of the accuracy over bags.
    balanced_accuracy : float
    macro_auroc : float or None
        None where all bags are of one class.
    ece : float
        Expected calibration error.
    confusion : k rows of k counts
        True classes in rows, predicted ones in columns.
    """

    accuracy: float
    interval: tuple[float, float]
    balanced_accuracy: float
    macro_auroc: float | None
    ece: float
    confusion: list[list[int]]

    @classmethod
    def of(cls, p: Floats, truth: npt.NDArray[np.int64], seed: int) -> Self:
        """Compare probabilities with the columns of the true classes."""
        guess = p.argmax(axis=1)
        several = len(np.unique(truth)) > 1
        return cls(
            accuracy=accuracy(truth, guess),
            interval=bootstrap_interval(truth, guess, seed=seed),
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
    def of(
        cls,
        model: BagClassifier,
        data: Dataset,
        truth: npt.NDArray[np.int64],
        positive: npt.NDArray[np.bool_],
    ) -> Self:
        """Compare attention and instance scores with the positive instances."""
        offsets, found = data.bags.offsets, _with_both(data.bags.offsets, positive)
        attention = scores = violations = None
        if hasattr(model, "attend"):
            a = model.attend(data.bags)
            attention = instance_auroc(a, offsets, positive).value
            violations = instance_violation_rate(a, offsets, positive).value
        if hasattr(model, "predict_instances"):
            each = model.predict_instances(data.bags)  # (N, k)
            own = each[np.arange(len(each)), truth[data.bags.bag_of_instance]]
            scores = instance_auroc(own, offsets, positive).value
        return cls(found, attention, scores, violations)


@dataclass(frozen=True)
class Evaluation:
    """All figures of a model on some bags; None for what the data do not know.

    ``all_negative_rate`` is the share of bags of which every learner says no, where the
    method has one learner per class.
    """

    bags: int
    classes: list[Any]
    truth: TruthFigures | None
    candidates: CandidateFigures
    instances: InstanceFigures | None
    all_negative_rate: float | None

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
    positive = positive_instances(data)
    known = positive is not None and _with_both(data.bags.offsets, positive) > 0
    return Evaluation(
        bags=len(p),
        classes=model.classes_.tolist(),
        truth=None if truth is None else TruthFigures.of(p, truth, seed),
        candidates=CandidateFigures.of(p, candidates.matrix),
        instances=InstanceFigures.of(model, data, truth, positive) if known else None,  # type: ignore[arg-type]
        all_negative_rate=model.all_negative_rate(data.bags)
        if isinstance(model, OneVsRest)
        else None,
    )


def _with_both(offsets: npt.NDArray[np.int64], positive: npt.NDArray[np.bool_]) -> int:
    """Count the bags that have positive and negative instances."""
    counts = np.add.reduceat(positive.astype(np.int64), offsets[:-1])
    return int(((counts > 0) & (counts < np.diff(offsets))).sum())
