"""Sets that come with labels of their own: real candidate sets, or bag labels."""

from dataclasses import replace

from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.datasets.request import Request
from mipl.errors import MiplError

_FILES = {
    "birdsong-pll": "pll_birdsong.npz",
    "corel20": "mil_corel20.npz",
    "elephant": "mil_elephant.npz",
    "fox": "mil_fox.npz",
    "italian": "pll_italian.npz",
    "lost": "pll_lost.npz",
    "musk1": "mil_musk1.npz",
    "musk2": "mil_musk2.npz",
    "tiger": "mil_tiger.npz",
    "ucsb": "mil_ucsb_breast_cancer.npz",
}


def build(request: Request) -> Dataset:
    """Read a set as it was collected; ``r=0`` puts its true labels in their place."""
    check_own_labels(request)
    return as_collected(request, request.dataset(_FILES[request.name]))


def check_own_labels(request: Request) -> None:
    """Refuse a number of false labels where the set has labels of its own."""
    if request.r > 1:
        raise MiplError(
            f"{request.name} has labels of its own, so r={request.r} false labels "
            "cannot be chosen; leave r out, or give r=0 for true labels."
        )


def as_collected(request: Request, data: Dataset) -> Dataset:
    """Return a set with the labels it came with, or with the true ones."""
    if request.r == 0:
        data = replace(data, candidates=Candidates(data.labels, data.classes))
    true = bool((data.candidates.sizes == 1).all())
    kind = "true labels" if true else "collected with the data"
    return replace(data, facts={"candidates": {"kind": kind}})
