"""What else MIPLMA is worth: overfitting, calibration, instances.

    python -m tools.beyond_accuracy vectors
    python -m tools.beyond_accuracy images

The figures stand beside those of every run: the accuracy on the training bags, whose
gap to that on test bags is the overfitting; then half of the test bags calibrate, with
true labels and with candidates alone, and the other half shows the calibration error,
the share of true labels inside the sets of level 1 - ALPHA, and the size of these sets
(``half_...``). Runs that a store holds already keep the figures they have: take a store
of its own for them.
"""

from __future__ import annotations

import numpy as np

from mipl import Dataset
from mipl.methods.bases.base import BagClassifier
from mipl.runs.evaluation import evaluate
from mipl.runs.run import Run
from tools.study import study

ALPHA = 0.1
PUBLISHED = {"published": True}


def vectors() -> list[Run]:
    """Return the runs on vectors, ours by its defaults; digits also as released."""
    digits = [
        Run(id, "digits-mipl", split=split)
        for id in ("miplma", "miplma-released")
        for split in range(5)
    ]
    return digits + [
        Run("miplma", data, r=r, split=split)
        for data in ("sival-mipl", "birdsong-mipl")
        for r in (1, 2, 3)
        for split in range(10)
    ]


def images() -> list[Run]:
    """Return the runs on images."""
    return [
        *(
            Run("miplma", data, r=r)
            for data in ("fmnist-mipl", "mnist-mipl")
            for r in (1, 2, 3)
        ),
        *(Run("miplma", "fmnist-mipl", r=2, split=split) for split in (1, 2)),
        Run("miplma-released", "fmnist-mipl", PUBLISHED),
        Run("miplma-released", "mnist-mipl", PUBLISHED),
        Run("miplma-mamm", "mnist-mipl", PUBLISHED),
    ]


def figures(
    model: BagClassifier, train: Dataset, test: Dataset
) -> dict[str, float | None]:
    """Return the figures of a fitted model."""
    found: dict[str, float | None] = {
        "train_accuracy": model.score(train.bags, train.labels)
    }
    order = np.random.default_rng(0).permutation(len(test))
    calibrating, rest = test[order[::2]], test[order[1::2]]
    found["half_ece"] = _ece(model, rest)
    for name, given in (
        ("labels", {"labels": calibrating.labels}),
        ("candidates", {"candidates": calibrating.candidates}),
    ):
        model.calibrate(calibrating.bags, **given)
        found[f"half_ece_{name}"] = _ece(model, rest)
        sets = model.predict_set(rest.bags, ALPHA)
        truth = rest.candidates.encode(rest.labels)
        inside = sets[np.arange(len(sets)), truth]
        found[f"half_coverage_{name}"] = float(inside.mean())
        found[f"half_set_size_{name}"] = float(sets.sum(axis=1).mean())
    return found


def _ece(model: BagClassifier, data: Dataset) -> float | None:
    truth = evaluate(model, data).truth
    return None if truth is None else truth.ece


if __name__ == "__main__":
    study(__doc__, {"vectors": vectors, "images": images}, figures)
