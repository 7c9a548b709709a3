"""How steady MIPLMA is over its own seeds, and what tells a fit that went wrong.

    python -m tools.steadiness made
    python -m tools.steadiness vectors --data sival-mipl --r 1
    python -m tools.steadiness images --data fmnist-mipl --r 3 --seeds 0 1 2

Twenty fits of one split differ by the seed of the training alone. Beside the accuracy
stand figures that need no true label: of the last epoch the loss, the share of resolved
sets and that of violated margins; and how undecided the label weights are, their
entropy over that of even weights, meant over the bags with several candidates.

A cell tells mean, deviation and worst of the accuracy; how many fits fell, whose
accuracy is more than FALL below the cell's best; and for each figure the rank
correlation with the accuracy, and the chance that a fit that fell has a worse figure
than one that did not (nan where none fell). The data are a draw of their own (seed 1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, pstdev
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu, spearmanr

from mipl import Dataset
from mipl.methods.bases.base import BagClassifier
from mipl.runs.result import Result
from mipl.runs.run import Run
from tools.choose_training import BASE
from tools.study import study

SEEDS, DRAW, FALL = range(20), {"seed": 1}, 0.1
# Whether more of a figure is worse.
WORSE = {"last_loss": 1, "last_resolved": -1, "last_violated": 1, "undecided": 1}
_FEW = {"positives": 0.08, "bag_size": [35, 47]}


def vectors() -> list[Run]:
    """Return the runs on vectors."""
    return [
        *_cells("sival-mipl"),
        *_cells("birdsong-mipl"),
        *_cells("digits-mipl"),
    ]


def images() -> list[Run]:
    """Return the runs on images."""
    return [*_cells("fmnist-mipl"), *_cells("mnist-mipl")]


def made() -> list[Run]:
    """Return the runs on synthetic bags: easy and hard ones, with few positives too."""
    return [
        run
        for few in ({}, _FEW)
        for overlap in (0.02, 0.1, 0.2, 0.4)
        for run in _cells("synthetic", overlap=overlap, n_bags=450, **few)
    ]


def _cells(data: str, **options: Any) -> list[Run]:
    return [
        Run("miplma", data, BASE, {**options, **DRAW}, r, 0, seed)
        for r in (1, 2, 3)
        for seed in SEEDS
    ]


def figures(
    model: BagClassifier, train: Dataset, test: Dataset
) -> dict[str, float | None]:
    """Return what a fitted model tells without a true label."""
    fitted: Any = model
    last = fitted.history_[-1]
    inside = train.candidates.matrix
    return {
        "last_loss": last["loss"],
        "last_resolved": last["resolved"],
        "last_violated": last["margin_violation_rate"],
        "undecided": undecided(fitted.label_weights_, inside),
    }


def undecided(w: Any, inside: Any) -> float:
    """Return the entropy of label weights over that of even ones, 0 to 1.

    Examples
    --------
    >>> w = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    >>> undecided(w, np.array([[1, 1, 0], [1, 1, 1], [1, 0, 0]], dtype=bool))
    0.5
    """
    sizes = inside.sum(axis=1)
    some = sizes > 1
    logs = np.log(np.where(w > 0, w, 1.0))
    entropy = -(w * logs).sum(axis=1)
    return float((entropy[some] / np.log(sizes[some])).mean())


def cells(results: Iterable[Result]) -> list[str]:
    """Return a line per cell: accuracy over seeds, and what each figure tells of it."""
    found: dict[str, list[Result]] = defaultdict(list)
    for one in results:
        if one.accuracy is not None:
            told = {n: v for n, v in one.run.options.items() if n not in DRAW}
            found[f"{one.run.data} r={one.run.r} {told or ''}"].append(one)
    return [f"{_line(same)}  {name}" for name, same in found.items()]


def _line(same: Sequence[Result]) -> str:
    right = [one.accuracy or 0.0 for one in same]
    fell = np.array([value < max(right) - FALL for value in right])
    told = f"{fmean(right):.3f} +- {pstdev(right):.3f}, worst {min(right):.3f}"
    parts = [f"{told}, {fell.sum()} of {len(same)} fell"]
    for name, sign in WORSE.items():
        values = np.array([sign * one.figures[name] for one in same])
        parts.append(f"{name} {_link(values, right):.2f} {_auc(values, fell):.2f}")
    return "  ".join(parts)


def _link(worse: Any, right: Sequence[float]) -> float:
    """Return the rank correlation of a figure, turned to grow with the accuracy."""
    if len(set(right)) < 2 or len(set(worse.tolist())) < 2:
        return float("nan")
    return float(spearmanr(-worse, right).statistic)


def _auc(worse: Any, fell: Any) -> float:
    """Return the chance that a fit that fell has the worse figure."""
    if fell.all() or not fell.any():
        return float("nan")
    u = mannwhitneyu(worse[fell], worse[~fell]).statistic
    return float(u / (fell.sum() * (~fell).sum()))


def main() -> None:
    plans = {"made": made, "vectors": vectors, "images": images}
    _, results = study(__doc__, plans, figures)
    print(*cells(results), sep="\n")


if __name__ == "__main__":
    main()
