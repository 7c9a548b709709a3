"""Whose label weights go wrong in a fit, and when.

    python -m tools.wrong_weights --data fmnist-mipl --r 3 --split 3

Several seeds train MIPLMA by its defaults on the training bags of one split; images as
principal components of the training instances, on which a fit takes seconds in place of
minutes. After some epochs is told, class by class, on which share of its bags the
largest label weight is not that of the true class, and which class has it most often.
True labels describe here and choose nothing. Writes results/wrong_weights.csv anew.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mipl import MIPLMA, Bags, Dataset, fit_together, load_dataset
from mipl.data.frozen import Array
from tools.study import RESULTS

FILE = RESULTS / "wrong_weights.csv"
EPOCHS = (5, 10, 15, 20, 30, 50, 100)
HEADS = ("data", "r", "split", "seed", "accuracy", "epoch", "class", "wrong", "instead")
_SEEN = 5000  # Instances that tell the components.


def components(train: Dataset, test: Dataset, n: int) -> tuple[Dataset, Dataset]:
    """Return both with the first principal components of the training instances."""
    x = np.asarray(train.bags.instances, dtype=np.float64)
    mean = x.mean(axis=0)
    some = np.random.default_rng(0).permutation(len(x))[:_SEEN]
    _, _, directions = np.linalg.svd(x[some] - mean, full_matrices=False)
    first, second = (
        Dataset(
            Bags(
                (np.asarray(part.bags.instances) - mean) @ directions[:n].T,
                part.bags.offsets,
            ),
            part.candidates,
            labels=part.labels,
        )
        for part in (train, test)
    )
    return first, second


def wrong(
    w: Array, labels: ArrayLike, classes: Sequence[Any] | Array
) -> Iterable[tuple[Any, float, Any]]:
    """Tell each class, the share of its bags that went wrong, and what has them.

    Examples
    --------
    >>> w = np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.3, 0.7, 0.0], [0, 0, 1.0]])
    >>> list(wrong(w, ["a", "a", "a", "c"], ["a", "b", "c"]))
    [('a', 0.6666666666666666, 'b'), ('c', 0.0, '')]
    """
    largest = w.argmax(axis=1)
    for number, name in enumerate(classes):
        mine = largest[np.asarray(labels) == name]
        others = mine[mine != number]
        if len(mine):
            most = classes[int(np.bincount(others).argmax())] if len(others) else ""
            yield name, len(others) / len(mine), most


def rows(train: Dataset, test: Dataset, seeds: int) -> Iterable[dict[str, Any]]:
    """Train with so many seeds; tell of each after each of the epochs."""
    models: list[Any] = [
        MIPLMA(random_state=seed).set_params(
            training__record_bags=list(range(len(train)))
        )
        for seed in range(seeds)
    ]
    fit_together(models, [(train.bags, train.candidates)] * seeds)
    labels = np.asarray(train.labels)
    for seed, model in enumerate(models):
        accuracy = round(model.score(test.bags, np.asarray(test.labels)), 4)
        for epoch in EPOCHS:
            w = model.record_[epoch - 1]["label_weights"]
            for name, share, instead in wrong(w, labels, train.classes):
                yield {
                    "seed": seed,
                    "accuracy": accuracy,
                    "epoch": epoch,
                    "class": name,
                    "wrong": round(share, 3),
                    "instead": instead,
                }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default="fmnist-mipl")
    parser.add_argument("--r", type=int, default=3)
    parser.add_argument("--split", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--components", type=int, default=64)
    given = parser.parse_args()
    parts = load_dataset(given.data, r=given.r).split(given.split)
    facts = {"data": given.data, "r": given.r, "split": given.split}
    found = rows(*components(*parts, given.components), given.seeds)
    with FILE.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, HEADS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({**facts, **row} for row in found)
    print(f"written: {FILE}")


if __name__ == "__main__":
    main()
