"""Hinge losses of scores, for classes without probabilities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def candidate_hinge(scores: Floats, candidates: Mask) -> Floats:
    """Return max(0, 1 - (best candidate - best non-candidate score)): (m,).

    A full candidate set has no non-candidate, and says nothing: its loss is 0.

    Examples
    --------
    >>> s = np.array([[1.0, 0.5, 0.8], [1.0, 0.5, 0.8]])
    >>> candidate_hinge(s, np.array([[True, True, False], [True, True, True]]))
    array([0.8, 0. ])
    """
    best = np.where(candidates, scores, -np.inf).max(axis=1)
    other = np.where(candidates, -np.inf, scores).max(axis=1)
    loss: Floats = np.maximum(0.0, 1 - best + other)
    return loss


def smooth_candidate_hinge(
    scores: Floats, candidates: Mask, temperature: float
) -> tuple[Floats, Floats]:
    """Return a smooth form of ``candidate_hinge``, (m,), and its gradient, (m, k).

    Each maximum is a logarithm of a sum of exponentials. A high temperature takes the
    mean of the candidates' scores, a low one tends to the loss itself.
    """
    sizes = candidates.sum(axis=1, keepdims=True)
    inside = np.where(candidates, scores, -np.inf) / temperature
    best, share = _soft_max(inside)
    best = best - np.log(sizes)
    nothing = np.zeros((len(scores), 1))  # The hinge's other arm.
    outside = np.where(candidates, -np.inf, (1 + scores) / temperature - best)
    loss, pull = _soft_max(np.concatenate([nothing, outside], axis=1))
    push = pull[:, 1:]  # (m, k)
    return temperature * loss[:, 0], push - share * push.sum(axis=1, keepdims=True)


def label_hinge(scores: Floats) -> Floats:
    """Return the loss of each label if it were the true one: (m, k).

    That is max(0, 1 - (its score - the best other score)).

    Examples
    --------
    >>> label_hinge(np.array([[2.0, 0.5, 0.0]]))
    array([[0. , 2.5, 3. ]])
    """
    if scores.shape[1] == 1:
        return np.zeros_like(scores)
    second, best = np.partition(scores, -2, axis=1)[:, -2:].T[:, :, None]  # (m, 1)
    top = scores.argmax(axis=1)[:, None] == np.arange(scores.shape[1])
    loss: Floats = np.maximum(0.0, 1 - scores + np.where(top, second, best))
    return loss


def _soft_max(values: Floats) -> tuple[Floats, Floats]:
    """Return log sum exp of each row, (m, 1), and the softmax."""
    top = values.max(axis=1, keepdims=True)
    e = np.exp(values - top)
    total = e.sum(axis=1, keepdims=True)
    return top + np.log(total), e / total
