"""Time of training and prediction against the number of instances and the bag size.

    python -m benchmarks.growth [--repeats 3]

Instances grow from 10^4 to 10^6 in bags of 100, with the default batches; then bags
grow from 100 to 10^5 instances at a total of 10^6, with steps of 10^5 instances. Writes
results/growth.csv and docs/growth.svg, and prints the slopes in double-logarithmic
scale. Seconds are processor time of one thread, the best of some repeats: an epoch of
training with its preparation, and the prediction of all bags.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.record import RESULTS, append
from mipl import MIPLMA, Bags, Candidates, Training
from mipl.reports.plots import GRID, INK, SERIES, drawing, save

FILE = RESULTS / "growth.csv"
PICTURE = Path(__file__).parent.parent / "docs" / "growth.svg"
FEATURES, CLASSES = 64, 5
TOTAL, STEP = 10**6, 10**5
WORK = ("training, one epoch", "prediction")
SERIES_OF = {
    "instances": [(n, 100) for n in (10**4, 31_600, 10**5, 316_000, 10**6)],
    "bag size": [(TOTAL, size) for size in (100, 10**3, 10**4, 10**5)],
}
LIMITS = {"instances": 1.1, "bag size": 0.1}


def build(n_instances: int, size: int) -> tuple[Bags, Candidates]:
    rng = np.random.default_rng([n_instances, size])
    rows = rng.standard_normal((n_instances, FEATURES), dtype=np.float32)
    rows.flags.writeable = False
    offsets = np.arange(0, n_instances + 1, size)
    m = len(offsets) - 1
    sets = np.zeros((m, CLASSES), bool)
    sets[np.arange(m), np.arange(m) % CLASSES] = True
    sets[np.arange(m), rng.integers(0, CLASSES, m)] = True
    return Bags(rows, offsets), Candidates(sets)


def training_of(series: str) -> Training:
    if series == "instances":
        return Training(epochs=1)
    return Training(epochs=1, batch_size=None, batch_instances=STEP)


def measure(series: str, n: int, size: int, repeats: int) -> dict[str, float]:
    """Return the seconds of training and of prediction, the best of some repeats."""
    bags, candidates = build(n, size)
    best = dict.fromkeys(WORK, np.inf)
    for _ in range(repeats):
        model = MIPLMA(training=training_of(series))
        start = time.process_time()
        model.fit(bags, candidates)
        fitted = time.process_time()
        model.predict_proba(bags)
        done = time.process_time()
        for work, seconds in zip(WORK, (fitted - start, done - fitted), strict=True):
            best[work] = min(best[work], seconds)
    return best


def slope(x: list[float], seconds: list[float]) -> float:
    """Return the slope of the least-squares line through the logarithms."""
    return float(np.polyfit(np.log10(x), np.log10(seconds), 1)[0])


def run(repeats: int) -> list[dict[str, Any]]:
    measure("instances", 10**4, 100, 1)  # Loads what is loaded on first use.
    rows = []
    for series, cases in SERIES_OF.items():
        for n, size in cases:
            for work, seconds in measure(series, n, size, repeats).items():
                row = {
                    "against": series,
                    "work": work,
                    "instances": n,
                    "bag_size": size,
                    "seconds": round(seconds, 4),
                }
                rows.append(row)
                append(FILE, row)
                print(*row.values(), flush=True)
    return rows


def curves(rows: list[dict[str, Any]], series: str) -> list[tuple[str, Any, Any]]:
    """Return the curves of a series: what was done, x and seconds."""
    column = "instances" if series == "instances" else "bag_size"
    found = []
    for work in WORK:
        chosen = [r for r in rows if (r["against"], r["work"]) == (series, work)]
        found.append(
            (work, [r[column] for r in chosen], [r["seconds"] for r in chosen])
        )
    return found


def draw(rows: list[dict[str, Any]]) -> None:
    titles = {
        "instances": "Instances, in bags of 100",
        "bag size": "Instances per bag, one million in all",
    }
    with drawing() as matplotlib:
        figure = matplotlib.figure.Figure(figsize=(9, 3.8), layout="constrained")
        axes = figure.subplots(1, 2, sharey=True)
        for axis, (series, title) in zip(axes, titles.items(), strict=True):
            for number, (work, x, y) in enumerate(curves(rows, series)):
                axis.plot(
                    x,
                    y,
                    color=SERIES[number],
                    marker="os"[number],
                    linestyle=("-", "--")[number],
                    label=f"{work}: slope {slope(x, y):.2f}",
                )
            axis.set(xscale="log", yscale="log", xlabel=title)
            axis.grid(color=GRID)
            axis.set_axisbelow(True)
            axis.legend(frameon=False, labelcolor=INK)
        axes[0].set_ylabel("seconds")
    save(figure, PICTURE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    FILE.unlink(missing_ok=True)
    rows = run(repeats)
    draw(rows)
    for series, limit in LIMITS.items():
        for work, x, y in curves(rows, series):
            print(f"{series}, {work}: slope {slope(x, y):.3f} (at most {limit})")


if __name__ == "__main__":
    main()
