"""kmnist: Kuzushiji-MNIST as a partial-label set, bags of one image each."""

from dataclasses import replace
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.candidate_generators import generate_candidates
from mipl.data.dataset import Dataset
from mipl.datasets.request import Request, check_classes
from mipl.errors import MiplError

_FILE = "kmnist_test.npz"
_NAMES = np.array(["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"])


def build(
    request: Request, *, generator: str = "fixed", q: Any = None, Q: Any = None
) -> Dataset:
    """Read the 10,000 test images, pixels 0-1, and generate candidate sets.

    Parameters
    ----------
    generator : str
        A rule of ``mipl.data.candidate_generators``: "fixed" takes ``r``, "flip",
        "flip-free" and "pair" take ``q``, "matrix" ``Q``, "uniform" takes nothing.
    q, Q : arguments of that rule
    """
    images, classes = request.arrays(_FILE, x_test=3, y_test=1)
    check_classes(classes, len(images), 0, len(_NAMES), _FILE)
    rows = images.reshape(len(images), -1) / np.float32(255)
    bags = Bags(rows, np.arange(len(rows) + 1), instance_shape=(1, *images.shape[1:]))
    data = request.labelled(bags, _NAMES[classes], _NAMES)
    if request.r == 0 or (generator == "fixed" and q is None and Q is None):
        return data
    if generator == "fixed" or request.r != 1:
        raise MiplError(
            "r goes with generator='fixed', q and Q with another one; "
            f"got generator={generator!r} and r={request.r}."
        )
    arguments = {k: v for k, v in (("q", q), ("Q", Q)) if v is not None}
    candidates, made = generate_candidates(
        data.labels, _NAMES, generator, request.seed, **arguments
    )
    return replace(data, candidates=candidates, facts={"candidates": made})
