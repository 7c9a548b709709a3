"""Instances of bags as runs of one flat array, and figures taken over bags."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mipl.errors import MiplError
from mipl.metrics.checks import Bools, Floats, Ints, finite


class OverBags(NamedTuple):
    """A figure averaged over the bags that have it.

    Attributes
    ----------
    value : float
    n_bags : int
        Bags it was taken over.
    n_left_out : int
        Bags without a positive or without a negative instance.
    """

    value: float
    n_bags: int
    n_left_out: int

    @classmethod
    def of(cls, values: Floats) -> OverBags:
        """Average over the bags whose value is not NaN."""
        known = ~np.isnan(values)
        mean = float(np.mean(values[known]))
        return cls(mean, int(known.sum()), int((~known).sum()))


def instance_scores(
    scores: Any, offsets: Any, is_positive: Any
) -> tuple[Floats, Ints, Bools]:
    """Read scores and marks of all instances, and where each bag begins."""
    values = finite("instance scores", scores, 1)
    starts = np.asarray(offsets)
    if (
        starts.ndim != 1
        or starts.dtype.kind not in "iu"
        or len(starts) < 2
        or starts[0] != 0
        or starts[-1] != len(values)
        or (np.diff(starts.astype(np.int64)) < 1).any()
    ):
        raise MiplError(
            f"offsets must be integers that rise from 0 to {len(values)}, "
            "the number of instance scores."
        )
    return values, starts.astype(np.int64), marks(is_positive, len(values))


def marks(is_positive: Any, n: int) -> Bools:
    """Read for each instance whether it is positive."""
    array = np.asarray(is_positive)
    if array.dtype != bool or array.shape != (n,):
        raise MiplError(
            f"is_positive must be {n} booleans, one for each instance score; "
            f"got {array.dtype} of shape {array.shape}."
        )
    return array


def with_both(starts: Ints, positive: Bools) -> Bools:
    """Tell which bags have positive and negative instances; some bag must."""
    n_positive = np.add.reduceat(positive.astype(np.int64), starts[:-1])
    both: Bools = (n_positive > 0) & (n_positive < np.diff(starts))
    if not both.any():
        raise MiplError(
            "no bag has both positive and negative instances; "
            "figures of instances need at least one."
        )
    return both
