"""FastMIPL and UAMIPL as their programs train them, and what makes the difference.

    python -m tools.fastmipl_readings published
    python -m tools.fastmipl_readings start --splits 0

A run is one fit and two readings of it, which differ in predictions alone: the accuracy
is that of the program (transductive, with dropout), and ``alone_accuracy`` that of each
bag scored by itself, with the statistics of the training bags and no dropout.
"""

from __future__ import annotations

import copy
from typing import Any

from mipl import Dataset
from mipl.methods.bases.base import BagClassifier
from mipl.runs.run import Run
from tools.study import study

CELLS = [(data, r) for data in ("birdsong-mipl", "sival-mipl") for r in (1, 2, 3)]
OURS = {"start": "means", "start_network": "trained", "keep": 0.99}
CHANGES: list[dict[str, Any]] = [
    {},
    {"start_network": "trained"},
    {"keep": 0.99},
    OURS,
]


def published() -> list[Run]:
    """Return the runs of FastMIPL as its program trains it."""
    return _runs("fastmipl-released")


def uamipl() -> list[Run]:
    """Return the runs of UAMIPL as its program trains it."""
    return _runs("uamipl")


def start() -> list[Run]:
    """Return runs with other starting values, or label weights that move evenly."""
    return [run for change in CHANGES for run in _runs("fastmipl-released", change)]


def _runs(method: str, change: dict[str, Any] | None = None) -> list[Run]:
    arguments = {"published": True, **(change or {})}
    return [
        Run(method, data, arguments, r=r, split=split)
        for data, r in CELLS
        for split in range(10)
    ]


def figures(
    model: BagClassifier, train: Dataset, test: Dataset
) -> dict[str, float | None]:
    """Return the accuracies of other readings of a fitted model."""
    alone = copy.copy(model).set_params(standardise="training", test_dropout=False)
    given = copy.copy(model).set_params(standardise="given", test_dropout=False)
    return {
        "alone_accuracy": alone.score(test.bags, test.labels),
        "without_dropout_accuracy": given.score(test.bags, test.labels),
    }


if __name__ == "__main__":
    plans = {"published": published, "uamipl": uamipl, "start": start}
    study(__doc__, plans, figures)
