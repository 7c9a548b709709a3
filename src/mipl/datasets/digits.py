"""digits-mipl: the embedded set, from scikit-learn's 8 x 8 handwritten digits."""

import numpy as np
from sklearn.datasets import load_digits

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.datasets.recipe import compose, offsets_of, rounded
from mipl.datasets.request import Request

_TARGETS = (0, 2, 4, 6, 8)
_BAGS_PER_CLASS = 50
_SMALLEST, _LARGEST = 18, 24
_POSITIVES = 0.12
_BRIGHTEST = 16.0


def build(request: Request) -> Dataset:
    """Build 250 bags, 50 per class; every positive image is in one bag only."""
    digits = load_digits()
    rng = request.rng("bags")
    bag_classes = np.repeat(_TARGETS, _BAGS_PER_CLASS)  # (m,)
    sizes = rng.integers(_SMALLEST, _LARGEST, size=len(bag_classes), endpoint=True)
    rows = compose(
        {c: np.flatnonzero(digits.target == c) for c in _TARGETS},
        np.flatnonzero(~np.isin(digits.target, _TARGETS)),
        bag_classes,
        sizes,
        rounded(_POSITIVES * sizes),
        rng,
        once=(True, False),
    )
    bags = Bags(
        digits.data[rows] / _BRIGHTEST,
        offsets_of(sizes),
        instance_labels=digits.target[rows],
        instance_shape=(1, 8, 8),
    )
    return request.labelled(
        bags,
        bag_classes,
        list(_TARGETS),
        recipe="targets 0 2 4 6 8, negatives from 1 3 5 7 9; no positive image is in "
        "two bags, negative images recur across bags",
    )
