"""Prediction sets by true labels and by candidates, saved to results/calibration.csv.

    python -m benchmarks.calibration
    python -m benchmarks.calibration --data sival-mipl --splits 0-4
    python -m benchmarks.calibration --summary

Each run is what ``mipl fit DATA --split S --calibrate 0.2`` does: four fifths of the
training bags train MIPLMA by its defaults, the last fifth calibrates it, once by its
true labels and once by its candidate sets alone. On the test bags the sets are
measured: how many classes they hold, and how often the true one. Rows already in the
file are not measured again.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from benchmarks.record import RESULTS, Job, load, missing, parse_numbers, run_all

FILE = RESULTS / "calibration.csv"
KEY = ["data", "r", "split"]
DATA = ("digits-mipl", "birdsong-mipl", "sival-mipl")
COUNTS, ALPHAS, SHARE = (1, 3), (0.05, 0.1, 0.2), 0.2


def work(job: Job) -> list[Job]:
    """Train once, calibrate in both ways, and measure the sets of every alpha."""
    from mipl import load_dataset, method  # noqa: PLC0415
    from mipl.data.splits import ten_splits  # noqa: PLC0415

    train, test = load_dataset(job["data"], job["r"]).split(job["split"])
    (one,) = ten_splits(
        candidates=train.candidates, n_splits=1, train_share=1 - SHARE, seed=0
    )
    rest, held = train[one.train], train[one.test]
    model = method("miplma", random_state=0).fit(rest.bags, rest.candidates)
    told = {
        **job,
        "classes": len(test.classes),
        "calibrated_on": len(held),
        "accuracy": f"{model.score(test.bags, test.labels):.4f}",
    }
    ways = {
        "labels": {"labels": held.labels},
        "candidates": {"candidates": held.candidates},
    }
    rows = []
    for way, given in ways.items():
        model.calibrate(held.bags, **given)
        rows += [
            told | {"by": way, "alpha": alpha} | measured(model, test, alpha)
            for alpha in ALPHAS
        ]
    return rows


def measured(model: Any, test: Any, alpha: float) -> dict[str, str]:
    """Return the mean size of the sets, and the share of them that hold the truth."""
    sets = model.predict_set(test.bags, alpha)  # (m, k)
    truth = test.candidates.encode(test.labels)
    held = sets[np.arange(len(sets)), truth]
    return {
        "size": f"{sets.sum(axis=1).mean():.4f}",
        "coverage": f"{held.mean():.4f}",
    }


def summary() -> None:
    """Print the table: size (coverage) by way and alpha, means over the splits."""
    rows = load(FILE)
    print("| data | r | classes | accuracy | by |", *(f"{a} |" for a in ALPHAS))
    print("|---|--:|--:|--:|---|" + "--:|" * len(ALPHAS))
    for data, r in dict.fromkeys((row["data"], row["r"]) for row in rows):
        for way in ("labels", "candidates"):
            own = [row for row in rows if (row["data"], row["r"]) == (data, r)]
            own = [row for row in own if row["by"] == way]
            accuracy = np.mean([float(row["accuracy"]) for row in own])
            cells = [_cell(own, alpha) for alpha in ALPHAS]
            head = f"| {data} | {r} | {own[0]['classes']} | {accuracy:.3f} | {way} |"
            print(head, *(f"{cell} |" for cell in cells))


def _cell(rows: list[dict[str, str]], alpha: float) -> str:
    of = [row for row in rows if float(row["alpha"]) == alpha]
    size, coverage = (
        np.mean([float(row[name]) for row in of]) for name in ("size", "coverage")
    )
    return f"{size:.2f} ({coverage:.1%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", default=list(DATA))
    parser.add_argument("--splits", nargs="+", default=["0-2"])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--summary", action="store_true")
    given = parser.parse_args()
    jobs = [
        {"data": data, "r": r, "split": split}
        for data in given.data
        for r in COUNTS
        for split in parse_numbers(given.splits)
    ]
    if not given.summary:
        run_all(missing(jobs, KEY, FILE), work, FILE, given.workers)
    summary()


if __name__ == "__main__":
    main()
