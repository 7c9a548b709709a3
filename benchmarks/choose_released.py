"""Choose learning rate and lambda of the released preset where none was published.

The authors published a grid. Each of its points is trained on 60 % of the training bags
of split 0 and scored by the approximated accuracy on the candidate sets of the other
training bags; no true label is looked at. The best points stand in
``mipl.methods.rows.mipl_published.MIPLMA_CHOSEN``.

    python -m benchmarks.choose_released --data sival-mipl birdsong-mipl --r 1 2 3
    python -m benchmarks.choose_released --data fmnist-mipl --together 1
    python -m benchmarks.choose_released --summary

Finished points stay in results/choose_released.csv.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from benchmarks.record import RESULTS, load, missing, run_all

FILE = RESULTS / "choose_released.csv"
RATES = (0.01, 0.05)
LAMBDAS = (0.01, 0.05, 0.1, 0.5, 1.0, 3.0, 5.0)
PUBLISHED_LAMBDA = {"birdsong-mipl": (5.0,)}

Point = tuple[str, int, float, float]  # Data, r, learning rate, lambda.


def work(points: list[Point]) -> list[dict[str, Any]]:
    """Score some points of the grid on one data set."""
    from mipl import fit_together, load_dataset, method  # noqa: PLC0415
    from mipl.metrics.ambiguity import approximated_accuracy  # noqa: PLC0415

    data, r = points[0][:2]
    train, _ = load_dataset(data, r=r).split(0)
    order = np.random.default_rng(0).permutation(len(train))
    n_fit = int(0.6 * len(train))
    fit, held = train[order[:n_fit]], train[order[n_fit:]]
    models = [
        method(
            "miplma-released",
            published_for=data,
            r=r,
            lam=lam,
            training__lr=lr,
            random_state=0,
        )
        for _, _, lr, lam in points
    ]
    start = time.perf_counter()
    fit_together(models, [(fit.bags, fit.candidates)] * len(models))
    seconds = (time.perf_counter() - start) / len(models)
    rows = []
    for (_, _, lr, lam), model in zip(points, models, strict=True):
        p = model.predict_proba(held.bags)
        score = approximated_accuracy(p, held.candidates.matrix)
        rows.append(
            {
                "data": data,
                "r": r,
                "lr": lr,
                "lam": lam,
                "approximated_accuracy": f"{score:.4f}",
                "seconds": f"{seconds:.1f}",
            }
        )
    return rows


def _key(point: Point) -> tuple[str, ...]:
    return tuple(map(str, point))


def summary() -> None:
    """Print the best point of each data set and r."""
    rows = load(FILE)
    for cell in sorted({(row["data"], row["r"]) for row in rows}):
        found = [row for row in rows if (row["data"], row["r"]) == cell]
        best = max(found, key=lambda row: float(row["approximated_accuracy"]))
        print(*best.values(), f"best of {len(found)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", default=[])
    parser.add_argument("--r", nargs="+", type=int, default=[1])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--together", type=int, default=7, help="points per process")
    parser.add_argument("--summary", action="store_true")
    given = parser.parse_args()
    for data in given.data:
        for r in given.r:
            grid = [
                (data, r, lr, lam)
                for lr in RATES
                for lam in PUBLISHED_LAMBDA.get(data, LAMBDAS)
            ]
            todo = missing(grid, _key, ["data", "r", "lr", "lam"], FILE)
            groups = [
                todo[first : first + given.together]
                for first in range(0, len(todo), given.together)
            ]
            run_all(groups, work, FILE, given.workers)
    summary()


if __name__ == "__main__":
    main()
