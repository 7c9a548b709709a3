"""Sets that come with labels of their own: real candidate sets, or bag labels."""

import numpy as np

from mipl.data.bags import Array, Bags
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.datasets.request import Request
from mipl.errors import MiplError

_PARTIAL = {
    "birdsong-pll": "pll_birdsong.npz",
    "italian": "pll_italian.npz",
    "lost": "pll_lost.npz",
}
_CLASSICAL = {
    "corel20": "mil_corel20.npz",
    "elephant": "mil_elephant.npz",
    "fox": "mil_fox.npz",
    "musk1": "mil_musk1.npz",
    "musk2": "mil_musk2.npz",
    "tiger": "mil_tiger.npz",
    "ucsb": "mil_ucsb_breast_cancer.npz",
}


def build_partial(request: Request) -> Dataset:
    """Read a partial-label set: bags of one instance, candidate sets as collected."""
    _refuse_r(request, "has candidate sets of its own")
    x, labels, matrix = request.arrays(_PARTIAL[request.name], "X", "y", "candidates")
    bags = Bags(x, np.arange(len(x) + 1))
    if request.r == 0:
        return _true(bags, labels, np.arange(matrix.shape[1]))
    made = {"kind": "collected with the data"}
    return Dataset(bags, Candidates(matrix), labels, facts={"candidates": made})


def build_classical(request: Request) -> Dataset:
    """Read a multi-instance set: the bag label is known, so sets have one label."""
    _refuse_r(request, "has bag labels, not candidate sets")
    file = _CLASSICAL[request.name]
    x, offsets, labels = request.arrays(file, "X", "offsets", "bag_labels")
    return _true(Bags(x, offsets), labels, np.unique(labels))


def _true(bags: Bags, labels: Array, classes: Array) -> Dataset:
    labels = labels.astype(np.int64)
    made = {"kind": "true labels"}
    return Dataset(
        bags, Candidates(labels, classes), labels, facts={"candidates": made}
    )


def _refuse_r(request: Request, why: str) -> None:
    if request.r > 1:
        raise MiplError(
            f"{request.name} {why}, so r={request.r} false labels cannot be chosen; "
            "leave r out, or give r=0 for true labels."
        )
