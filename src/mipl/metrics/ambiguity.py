"""Figures that need candidate sets only, no true label."""

from __future__ import annotations

from typing import Any

import numpy as np

from mipl.metrics.checks import (
    Floats,
    candidate_sets,
    column_numbers,
    finite,
    probabilities,
)


def covering_rate(predictions: Any, candidates: Any) -> float:
    """Return the share of bags whose prediction lies in the candidate set.

    Parameters
    ----------
    predictions : (m, k) scores, or (m,) column numbers
        Of scores, the largest of each row is the prediction.
    candidates : (m, k) bool

    Examples
    --------
    >>> covering_rate([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], [[True, True, False]] * 2)
    0.5
    """
    matrix = np.asarray(candidates)
    if np.ndim(predictions) == 2:
        scores = finite("p", predictions, 2)
        matrix = candidate_sets(matrix, scores.shape)
        columns = scores.argmax(axis=1)
    else:
        matrix = candidate_sets(matrix, (*np.shape(predictions)[:1], *matrix.shape[1:]))
        columns = column_numbers("predictions", predictions, *matrix.shape)
    return float(matrix[np.arange(len(matrix)), columns].mean())


def approximated_accuracy(p: Any, candidates: Any) -> float:
    r"""Return the accuracy expected under the model's own belief inside the sets.

    With :math:`\hat y_i = \arg\max_c p_{ic}` over all classes, it is the mean over bags
    of :math:`p_{i\hat y_i} / \sum_{c \in S_i} p_{ic}` where
    :math:`\hat y_i \in S_i`, and of 0 where not: the chance that the prediction is the
    true label, if labels are drawn from the probabilities restricted to the candidates.

    Examples
    --------
    >>> sets = [[True, True, False]] * 2
    >>> approximated_accuracy([[0.5, 0.5, 0.0], [0.1, 0.3, 0.6]], sets)
    0.25
    """
    return float(chances_inside(p, candidates).mean())


def chances_inside(p: Any, candidates: Any) -> Floats:
    """Return what ``approximated_accuracy`` averages over bags, (m,)."""
    array = probabilities(p)
    inside = np.where(candidate_sets(candidates, array.shape), array, 0.0)  # (m, k)
    rows, columns = np.arange(len(array)), array.argmax(axis=1)
    total = inside.sum(axis=1)
    chances: Floats = inside[rows, columns] / np.where(total > 0, total, 1)
    return chances


def candidate_log_likelihood(p: Any, candidates: Any) -> float:
    r"""Return the mean over bags of :math:`\log \sum_{c \in S_i} p_{ic}`.

    A set of probability zero counts as the smallest normal number.

    Examples
    --------
    >>> round(candidate_log_likelihood([[0.5, 0.25, 0.25]], [[True, True, False]]), 4)
    -0.2877
    """
    return float(logs_of_sets(p, candidates).mean())


def logs_of_sets(p: Any, candidates: Any) -> Floats:
    """Return what ``candidate_log_likelihood`` averages over bags, (m,)."""
    array = probabilities(p)
    inside = np.where(candidate_sets(candidates, array.shape), array, 0.0).sum(axis=1)
    logs: Floats = np.log(np.maximum(inside, np.finfo(np.float64).tiny))
    return logs
