"""Prediction sets by true labels and by candidates.

    python -m tools.calibration --data sival-mipl --splits 0 1 2
    python -m tools.calibration --summary

Each run is what ``mipl fit DATA --split S --calibrate 0.2`` does: four fifths of the
training bags train MIPLMA by its defaults, the last fifth calibrates it, once by its
true labels and once by its candidate sets alone. On the test bags the sets are
measured: how many classes they hold, and how often the true one. Prints rows as those
of results/calibration.csv, or with ``--summary`` the table of these.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mipl import Run
from tools.study import RESULTS

FILE = RESULTS / "calibration.csv"
COLUMNS = (
    *("data", "r", "split", "classes", "calibrated_on"),
    *("accuracy", "by", "alpha", "size", "coverage"),
)
DATA = ("digits-mipl", "birdsong-mipl", "sival-mipl")
COUNTS, ALPHAS, SHARE = (1, 3), (0.05, 0.1, 0.2), 0.2

Row = dict[str, Any]


def rows(run: Run) -> list[Row]:
    """Fit once, calibrate in both ways, and measure the sets of every alpha."""
    done = run.execute()
    model, held, test = done.model, done.parts.calibration, done.parts.test
    assert held is not None and test is not None  # The run has asked for both.
    told = {
        "data": run.data,
        "r": run.r,
        "split": run.split,
        "classes": len(test.classes),
        "calibrated_on": len(held),
        "accuracy": f"{model.score(test.bags, test.labels):.4f}",
    }
    ways: dict[str, dict[str, Any]] = {
        "labels": {"labels": held.labels},
        "candidates": {"candidates": held.candidates},
    }
    found = []
    for way, given in ways.items():
        model.calibrate(held.bags, **given)
        found += [
            told | {"by": way, "alpha": alpha} | measured(model, test, alpha)
            for alpha in ALPHAS
        ]
    return found


def measured(model: Any, test: Any, alpha: float) -> dict[str, str]:
    """Return the mean size of the sets, and the share of them that hold the truth."""
    sets = model.predict_set(test.bags, alpha)  # (m, k)
    truth = test.candidates.encode(test.labels)
    held = sets[np.arange(len(sets)), truth]
    return {
        "size": f"{sets.sum(axis=1).mean():.4f}",
        "coverage": f"{held.mean():.4f}",
    }


def table(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return size (coverage) by way and alpha, means over the splits, in Markdown."""
    heads = ["data", "r", "classes", "accuracy", "by", *map(str, ALPHAS)]
    rule = "|---|--:|--:|--:|---|" + "--:|" * len(ALPHAS)
    lines = [f"| {' | '.join(heads)} |", rule]
    for data, r in dict.fromkeys((row["data"], row["r"]) for row in rows):
        for way in ("labels", "candidates"):
            own = [row for row in rows if (row["data"], row["r"]) == (data, r)]
            own = [row for row in own if row["by"] == way]
            accuracy = np.mean([float(row["accuracy"]) for row in own])
            cells = [f"{_cell(own, alpha)} |" for alpha in ALPHAS]
            head = f"| {data} | {r} | {own[0]['classes']} | {accuracy:.3f} | {way} |"
            lines.append(" ".join([head, *cells]))
    return lines


def _cell(rows: Sequence[Mapping[str, str]], alpha: float) -> str:
    of = [row for row in rows if float(row["alpha"]) == alpha]
    size, coverage = (
        np.mean([float(row[name]) for row in of]) for name in ("size", "coverage")
    )
    return f"{size:.2f} ({coverage:.1%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--splits", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--summary", action="store_true")
    given = parser.parse_args()
    if given.summary:
        with FILE.open(newline="") as file:
            print(*table(list(csv.DictReader(file))), sep="\n")
        return
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    for data, r, split in itertools.product(given.data, COUNTS, given.splits):
        run = Run("miplma", data, r=r, split=split, calibrate=SHARE)
        writer.writerows(rows(run))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
