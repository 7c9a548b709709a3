"""The partial-label methods, on rows and on bags that were turned into vectors.

    python -m tools.partial_labels real --data lost birdsong-pll
    python -m tools.partial_labels margins
    python -m tools.partial_labels amount
    python -m tools.partial_labels columns --data sival-mipl

``real``: linear models on real candidate sets, five folds that the seed shuffles, two
seeds; one setting of each method for all sets, with which its program is known to work
on Lost; the kernel methods where there are at most 6000 rows.
``margins``: PRODEN and PRODEN-MA on Kuzushiji-MNIST, labels joining with probability q,
8:2, five seeds, 10, 20 and 100 epochs, MLP. ``amount``: the same two on Fashion-MNIST
(make data), 6,000 training images and 24 epochs; with q = 0.9 also 96 epochs, and
48,000 images for as many steps; two seeds. ``columns``: the bags of a MIPL data set
turned into one vector each, the means or the maxima and minima, ten splits of r = 1.
What stands in a store is not computed again.
"""

from __future__ import annotations

from typing import Any

from mipl.runs.run import Run
from tools.study import in_folds, study


def sgd(lr: float, weight_decay: float, batch_size: int = 100) -> dict[str, Any]:
    return {
        "training__lr": lr,
        "training__weight_decay": weight_decay,
        "training__batch_size": batch_size,
        "training__epochs": 200,
    }


SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *((name, sgd(1e-2, 1e-2)) for name in ("proden", "rc", "cc", "cavl", "pop")),
    ("cavl", {**sgd(1e-2, 1e-2), "restrict": False}),
    ("lws", {**sgd(5e-2, 1e-3), "beta": 1.0}),
    ("lws", {**sgd(5e-2, 1e-3), "beta": 2.0}),
    ("lws", {**sgd(1e-2, 1e-3), "beta": 2.0, "form": "cross-entropy"}),
    ("proden-ma", {**sgd(1e-2, 1e-2), "backbone": "linear"}),
    ("pl-aggd", {}),
    ("pl-svm", {}),
    ("m3pl", {}),
]
RATES = (0.1, 0.3, 0.5, 0.7, 0.9)
KERNELS = ("pl-aggd", "m3pl")  # For at most 6000 rows.
PAIR = ("proden", "proden-ma")
MLP = {**sgd(1e-2, 1e-4, 256), "backbone": "mlp"}


def real() -> list[Run]:
    """Return the runs on candidate sets that people or programs have made."""
    return [
        Run(id, data, arguments, in_folds(5, seed), split=split, seed=seed)
        for data in ("lost", "birdsong-pll", "italian")
        for seed in range(2)
        for split in range(5)
        for id, arguments in SETTINGS
        if not (data == "italian" and id in KERNELS)
    ]


def margins() -> list[Run]:
    """Return the runs that tell what the margin loss adds to PRODEN."""
    return [
        _flipped(id, epochs, "kmnist", rate, seed)
        for epochs in (10, 20, 100)
        for seed in range(5)
        for rate in RATES
        for id in PAIR
    ]


def amount() -> list[Run]:
    """Return the runs that tell what the margin loss adds with few and many images."""
    return [
        _flipped(id, epochs, "fmnist", rate, seed, images=images)
        for seed in range(2)
        for images, epochs, rates in (
            (7500, 24, RATES),
            (7500, 96, (0.9,)),
            (60000, 12, (0.9,)),
        )
        for rate in rates
        for id in PAIR
    ]


def columns() -> list[Run]:
    """Return the runs on bags that were turned into vectors."""
    return [
        Run(id, data, {**arguments, "reduction": reduction}, split=split)
        for data in ("sival-mipl", "birdsong-mipl")
        for split in range(10)
        for reduction in ("mean", "maxmin")
        for id, arguments in SETTINGS
    ]


def _flipped(id: str, epochs: int, data: str, q: float, seed: int, **more: Any) -> Run:
    """Return a run on the first of five folds, whose labels join with probability q."""
    arguments = {**MLP, "training__epochs": epochs}
    options = in_folds(5, seed, generator="flip", q=q, **more)
    return Run(id, data, arguments, options, seed=seed)


STUDIES = {"real": real, "margins": margins, "amount": amount, "columns": columns}

if __name__ == "__main__":
    study(__doc__, STUDIES)
