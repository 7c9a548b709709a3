"""Choose settings of published methods where the authors gave only a grid.

Each point of the grid is trained on 60 % of the training bags of split 0 and scored by
the approximated accuracy on the candidate sets of the other training bags; no true
label is looked at. The best points stand in ``mipl.methods.catalogue.rows``.

    python -m benchmarks.choose_released --data sival-mipl birdsong-mipl --r 1 2 3
    python -m benchmarks.choose_released --data fmnist-mipl --together 1
    python -m benchmarks.choose_released --data "crc-mipl generator=kmeansseg"
    python -m benchmarks.choose_released --method demipl cdl --data sival-mipl --r 1
    python -m benchmarks.choose_released --summary

Finished points stay in results/choose_released.csv; one that diverged has score 0.
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import Any

import numpy as np

from benchmarks.measure import loaded
from benchmarks.record import RESULTS, arguments_text, batches, load, missing, run_all

FILE = RESULTS / "choose_released.csv"
KEY = ["method", "data", "r", "arguments"]
RATES = (0.01, 0.05)
GRIDS: dict[str, dict[str, tuple[Any, ...]]] = {
    "miplma-released": {
        "training__lr": RATES,
        "lam": (0.01, 0.05, 0.1, 0.5, 1.0, 3.0, 5.0),
    },
    "demipl": {"training__lr": RATES, "lam": (1e-4, 1e-3)},
    # The bound on gradients is ours: the paper tells of none.
    "cdl": {"training__lr": RATES, "training__clip": (None, 1.0)},
    # Only settings for MNIST-MIPL were published; these axes are ours.
    "promipl": {
        "training__lr": (0.005, 0.05),
        "tau": (5.0, 0.5, 0.1),
        "training__clip": (None, 1.0),
    },
}
KNOWN: dict[tuple[str, str], dict[str, tuple[Any, ...]]] = {
    ("miplma-released", "birdsong-mipl"): {"lam": (5.0,)},  # Published.
    # A fifth of the published epochs ranks the points, too.
    ("demipl", "sival-mipl"): {"training__epochs": (40,)},
}

Point = dict[str, Any]


def grid(method: str, data: str, r: int) -> list[Point]:
    """Return the points of a method's grid on one data set."""
    axes = GRIDS[method] | KNOWN.get((method, data), {})
    return [
        {
            "method": method,
            "data": data,
            "r": r,
            "arguments": dict(zip(axes, values, strict=True)),
        }
        for values in itertools.product(*axes.values())
    ]


def work(points: list[Point]) -> list[dict[str, Any]]:
    """Score some points of the grid of a method on one data set."""
    from mipl import fit_together, method  # noqa: PLC0415
    from mipl.errors import Diverged  # noqa: PLC0415
    from mipl.metrics.ambiguity import approximated_accuracy  # noqa: PLC0415

    name, data, r = (points[0][key] for key in ("method", "data", "r"))
    train, _ = loaded(data, r).split(0)
    order = np.random.default_rng(0).permutation(len(train))
    n_fit = int(0.6 * len(train))
    fit, held = train[order[:n_fit]], train[order[n_fit:]]
    models = [
        method(
            name,
            published_for=data.split()[0],
            r=r,
            random_state=0,
            **point["arguments"],
        )
        for point in points
    ]
    start = time.perf_counter()
    try:
        fit_together(models, [(fit.bags, fit.candidates)] * len(models))
    except Diverged as error:
        print(error, flush=True)
    seconds = (time.perf_counter() - start) / len(models)
    rows = []
    for point, model in zip(points, models, strict=True):
        score = 0.0
        if getattr(model, "n_iter_", 0) == model.training.epochs:
            p = model.predict_proba(held.bags)
            score = approximated_accuracy(p, held.candidates.matrix)
        found = {"approximated_accuracy": f"{score:.4f}", "seconds": f"{seconds:.1f}"}
        text = arguments_text(point["arguments"])
        rows.append({**point, "arguments": text, **found})
    return rows


def summary() -> None:
    """Print the best point of each method, data set and r."""
    rows = load(FILE)
    for cell in sorted({(row["method"], row["data"], row["r"]) for row in rows}):
        found = [row for row in rows if (row["method"], row["data"], row["r"]) == cell]
        best = max(found, key=lambda row: float(row["approximated_accuracy"]))
        print(*best.values(), f"best of {len(found)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--method", nargs="+", default=["miplma-released"])
    parser.add_argument("--data", nargs="+", default=[])
    parser.add_argument("--r", nargs="+", type=int, default=[1])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--together", type=int, default=7, help="points per process")
    parser.add_argument("--summary", action="store_true")
    given = parser.parse_args()
    for name, data, r in itertools.product(given.method, given.data, given.r):
        todo = batches(missing(grid(name, data, r), KEY, FILE), given.together)
        run_all(todo, work, FILE, given.workers)
    summary()


if __name__ == "__main__":
    main()
