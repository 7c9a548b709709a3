"""How well instance scores find the instances of the bag's true class."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from mipl.errors import MiplError
from mipl.metrics.checks import Floats, finite
from mipl.metrics.over_bags import OverBags, instance_scores, marks, with_both
from mipl.metrics.roc import auroc


def instance_auroc(scores: Any, offsets: Any, is_positive: Any) -> OverBags:
    """Return the AUROC of instance scores inside each bag, averaged over bags.

    Bags without positive or without negative instances have none; they are left out
    and counted.

    Parameters
    ----------
    scores : (N,) attention or class scores of instances
    offsets : (m + 1,) where each bag begins
    is_positive : (N,) bool, whether an instance belongs to its bag's true class

    Examples
    --------
    >>> instance_auroc(
    ...     [0.7, 0.3, 0.4, 0.6, 1.0], [0, 2, 4, 5], [True, False, True, False, True]
    ... )
    OverBags(value=0.5, n_bags=2, n_left_out=1)
    """
    return OverBags.of(aurocs_of_bags(scores, offsets, is_positive))


def aurocs_of_bags(scores: Any, offsets: Any, is_positive: Any) -> Floats:
    """Return the AUROC inside each bag, NaN where it has none, (m,).

    Examples
    --------
    >>> aurocs_of_bags([0.7, 0.3, 1.0], [0, 2, 3], [True, False, True])
    array([ 1., nan])
    """
    values, starts, positive = instance_scores(scores, offsets, is_positive)
    both = with_both(starts, positive)
    areas = [
        auroc(values[a:b], positive[a:b]) if counts else np.nan
        for (a, b), counts in zip(pairwise(starts.tolist()), both, strict=True)
    ]
    return np.array(areas)


def pooled_instance_auroc(scores: Any, is_positive: Any) -> float:
    """Return the AUROC of instance scores over all bags taken together.

    Examples
    --------
    >>> pooled_instance_auroc([0.7, 0.3, 0.4, 0.6], [True, False, True, False])
    0.75
    """
    values = finite("instance scores", scores, 1)
    positive = marks(is_positive, len(values))
    if positive.all() or not positive.any():
        raise MiplError("AUROC of instances needs positive and negative ones.")
    return auroc(values, positive)
