"""Figures of predictions against true labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError
from mipl.metrics.checks import (
    Ints,
    between_0_and_1,
    column_numbers,
    finite,
)
from mipl.metrics.roc import auroc
from mipl.seeds import stream

Labels = npt.NDArray[Any]


def accuracy(labels: Any, predictions: Any) -> float:
    """Return the share of bags whose prediction is the true label.

    Examples
    --------
    >>> accuracy(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """
    truth, guess = _pair(labels, predictions)
    return float((truth == guess).mean())


def balanced_accuracy(labels: Any, predictions: Any) -> float:
    """Return the mean, over the classes that occur, of the share found of each.

    Examples
    --------
    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    truth, guess = _pair(labels, predictions)
    shares = [(guess[truth == c] == c).mean() for c in np.unique(truth)]
    return float(np.mean(shares))


def confusion_matrix(labels: Any, predictions: Any, classes: Any = None) -> Ints:
    """Return how many bags of each class (rows) were given each class (columns).

    Parameters
    ----------
    labels, predictions : (m,) class names
    classes : (k,) class names, optional
        Order of rows and columns; by default the sorted names that occur.

    Examples
    --------
    >>> confusion_matrix(["a", "b", "b"], ["a", "a", "b"]).tolist()
    [[1, 0], [1, 1]]
    """
    truth, guess = _pair(labels, predictions)
    if classes is None:
        classes = np.unique(np.concatenate([truth, guess]))
    position = {name: c for c, name in enumerate(np.asarray(classes).tolist())}
    unknown = (set(truth.tolist()) | set(guess.tolist())) - set(position)
    if unknown:
        raise MiplError(
            f"label {min(unknown)!r} is not among the classes of the confusion matrix."
        )
    matrix = np.zeros((len(position), len(position)), dtype=np.int64)  # (k, k)
    for true, given in zip(truth.tolist(), guess.tolist(), strict=True):
        matrix[position[true], position[given]] += 1
    return matrix


def macro_auroc(p: Any, labels: Any) -> float:
    """Return the mean, over classes, of the AUROC of each class against the rest.

    Classes that no bag has are left out: they have no AUROC.

    Parameters
    ----------
    p : (m, k) scores
    labels : (m,) column numbers of p

    Examples
    --------
    >>> macro_auroc([[0.9, 0.1, 0.0], [0.4, 0.6, 0.0]], [0, 1])
    1.0
    """
    scores = finite("p", p, 2)
    truth = column_numbers("labels", labels, *scores.shape)
    present = np.unique(truth)
    if len(present) < 2:
        raise MiplError(
            "macro AUROC needs bags of at least two classes; "
            f"all are of class column {present[0]}."
        )
    return float(np.mean([auroc(scores[:, c], truth == c) for c in present]))


def bootstrap_interval(
    labels: Any,
    predictions: Any,
    *,
    seed: int,
    metric: Callable[[Any, Any], float] = accuracy,
    level: float = 0.95,
    n_draws: int = 1000,
) -> tuple[float, float]:
    """Return the percentile interval of a figure when bags are drawn again.

    Examples
    --------
    >>> bootstrap_interval([0, 1] * 50, [0, 1] * 45 + [1, 0] * 5, seed=0)
    (0.84, 0.95...)
    """
    truth, guess = _pair(labels, predictions)
    tail = (1 - between_0_and_1("level", level)) / 2
    rng = stream(seed, "bootstrap")
    draws = (rng.integers(len(truth), size=len(truth)) for _ in range(n_draws))
    values = [metric(truth[draw], guess[draw]) for draw in draws]
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _pair(labels: Any, predictions: Any) -> tuple[Labels, Labels]:
    truth, guess = _names(labels), _names(predictions)
    if truth.ndim != 1 or truth.shape != guess.shape or len(truth) == 0:
        raise MiplError(
            "labels and predictions must be flat lists of the same length, not empty; "
            f"got shapes {truth.shape} and {guess.shape}."
        )
    if (truth.dtype.kind == "U") != (guess.dtype.kind == "U"):
        raise MiplError(
            "labels and predictions must be of one kind; "
            f"got {truth.dtype} and {guess.dtype}."
        )
    return truth, guess


def _names(values: Any) -> Labels:
    array = np.asarray(values)
    # Columns of data frames hold text as objects.
    return np.asarray(array.tolist()) if array.dtype == object else array
