"""How much each bag counts in a fit: sample weights and class weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.candidates import Candidates
from mipl.data.label_sets import some
from mipl.errors import MiplError

Floats = npt.NDArray[np.float64]
BALANCED = "balanced"


def bag_weights(
    sample_weight: Any, class_weight: Any, candidates: Candidates
) -> Floats | None:
    """Return the weight of each bag; None where all count alike.

    A bag counts with its sample weight, times the weights of its candidates' classes as
    it starts to believe in them: ``sum_c w_c class_weight_c``.

    Parameters
    ----------
    sample_weight : (m,) numbers, at least 0, or None
    class_weight : mapping of class to number, "balanced" or None
        Classes that are not named count 1. "balanced" gives each class the same share
        of all starting label weights.
    candidates : Candidates

    Examples
    --------
    >>> sets = Candidates([{"elm"}, {"oak"}, {"elm", "oak"}])
    >>> bag_weights(None, {"oak": 3}, sets).tolist()
    [1.0, 3.0, 2.0]
    >>> bag_weights([2, 2, 2], None, sets) is None
    True
    """
    weights = _sample_weights(sample_weight, len(candidates))
    weights = weights * _of_classes(class_weight, candidates)
    return None if np.ptp(weights) == 0 else weights


def _sample_weights(given: Any, n: int) -> Floats:
    if given is None:
        return np.ones(n)
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise MiplError(
            f"sample_weight must be {n} numbers, one per bag; got {given!r}."
        ) from None
    if weights.shape != (n,):
        raise MiplError(
            f"sample_weight must be {n} numbers, one per bag; got an array of shape "
            f"{weights.shape}."
        )
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        first = int(bad.argmax())
        raise MiplError(
            "sample_weight must be finite numbers of at least 0; that of bag "
            f"{first} is {weights[first]}."
        )
    if not weights.any():
        raise MiplError("every sample_weight is zero; give one of them a weight.")
    return weights


def _of_classes(given: Any, candidates: Candidates) -> Floats:
    """Return what the classes of each bag make of its weight, (m,)."""
    if given is None:
        return np.ones(len(candidates))
    believed = candidates.initial_weights()  # (m, k)
    total = believed.sum(axis=0)  # (k,)
    if isinstance(given, str) and given == BALANCED:
        shares = len(candidates) / (np.count_nonzero(total) * np.maximum(total, 1e-12))
        return believed @ np.where(total > 0, shares, 0.0)
    if not isinstance(given, Mapping):
        raise MiplError(
            "class_weight must be 'balanced' or a mapping of classes to numbers; got "
            f"{given!r}."
        )
    names = candidates.classes.tolist()
    unknown = [name for name in given if name not in names]
    if unknown:
        raise MiplError(
            f"class_weight names {unknown[0]!r}; the classes are "
            f"{some(candidates.classes)}."
        )
    try:
        of_class = np.array([float(given.get(name, 1.0)) for name in names])
    except (TypeError, ValueError):
        of_class = np.array([np.nan])
    if not (np.isfinite(of_class) & (of_class >= 0)).all():
        raise MiplError(
            f"class_weight must give finite numbers of at least 0; got {dict(given)!r}."
        )
    weights: Floats = believed @ of_class
    if not weights.any():
        raise MiplError("class_weight gives every bag the weight 0; raise one of them.")
    return weights
