"""Measure test accuracies split by split, saved to results/accuracies.csv.

    python -m benchmarks.measure --method miplma --data sival-mipl --r 1 2 3
    python -m benchmarks.measure --method miplma --data mnist-mipl --figures
    python -m benchmarks.measure --summary

A row is a finished run: method, arguments, data, r, split, seed, accuracy, seconds.
Rows already in the file are not run again. Runs are trained together where the
methods can; the seconds of a row are its share. ``--figures`` also saves to
results/figures.csv what benchmarks.figures tells of the fitted models, and ``--also``
gives another row of the same fit, whose predictions were made with other arguments:

    python -m benchmarks.measure --method fastmipl --published --data birdsong-mipl
        --splits 0 --also 'standardise="given"' test_dropout=true

Data are named with their options, or by the path of a file:

    python -m benchmarks.measure --method miplma demipl elimipl --splits 0-4
        --data "crc-mipl generator=row" "crc-mipl generator=sift" tiles.bags.h5
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from typing import Any

import numpy as np

from benchmarks import figures
from benchmarks.record import (
    RESULTS,
    Job,
    append,
    arguments_text,
    batches,
    key_of,
    load,
    missing,
    parse_numbers,
    run_all,
)

FILE = RESULTS / "accuracies.csv"
KEY = ["method", "arguments", "data", "r", "split", "seed"]


def work(jobs: list[Job]) -> list[dict[str, Any]]:
    """Fit on the training bags of some splits, together, and score the test bags."""
    from mipl import fit_together, method  # noqa: PLC0415
    from mipl.errors import Diverged  # noqa: PLC0415

    datasets = {r: loaded(jobs[0]["data"], r) for r in {job["r"] for job in jobs}}
    parts = [datasets[job["r"]].split(job["split"]) for job in jobs]
    models = [
        method(job["method"], **_published(job)).set_params(
            **job["arguments"], random_state=job["seed"]
        )
        for job in jobs
    ]
    start = time.perf_counter()
    try:
        fit_together(models, [(train.bags, train.candidates) for train, _ in parts])
    except Diverged as error:
        print(f"no row for a run that diverged: {error}", flush=True)
    seconds = (time.perf_counter() - start) / len(jobs)
    rows = []
    for job, model, (train, test) in zip(jobs, models, parts, strict=True):
        if not _finished(model):
            continue
        key = {name: job[name] for name in KEY} | {"arguments": _arguments(job)}
        if job["figures"]:
            append(figures.FILE, key | figures.figures_of(model, train, test))
        for more in [{}, job["also"]] if job["also"] else [{}]:
            score = model.set_params(**more).score(test.bags, test.labels)
            changed = {"arguments": _arguments(job, more)}
            found = {"accuracy": f"{score:.4f}", "seconds": f"{seconds:.1f}"}
            rows.append(key | changed | found)
    return rows


def loaded(data: str, r: int) -> Any:
    """Load ``name option=value ...`` of the catalog, or a file by its path."""
    from mipl.datasets import CATALOG  # noqa: PLC0415
    from mipl.runs.named_values import given_options  # noqa: PLC0415
    from mipl.runs.source import Source  # noqa: PLC0415

    name, *settings = data.split()
    options = given_options(settings)
    return Source(name, r if name in CATALOG else None, options=options).dataset()


def _finished(model: Any) -> bool:
    """Whether a fit came to its last epoch."""
    options = getattr(model, "_options", None)
    if not hasattr(model, "classes_") or options is None:
        return hasattr(model, "classes_")
    return bool(model.n_iter_ == options().epochs)


def _published(job: Job) -> dict[str, Any]:
    if not job["published"]:
        return {}
    return {"published_for": job["data"].split()[0], "r": job["r"]}


def _groups(jobs: list[Job], most: int) -> list[list[Job]]:
    """Put jobs on the same data together, at most so many."""
    cells: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        cells[job["data"]].append(job)
    return [group for cell in cells.values() for group in batches(cell, most)]


def _arguments(job: Job, more: dict[str, Any] | None = None) -> str:
    marked = {"published": True} if job["published"] else {}
    return arguments_text(job["arguments"] | (more or {}) | marked)


def _key(job: Job) -> tuple[str, ...]:
    """Return the key of the row that is written last."""
    return key_of(job | {"arguments": _arguments(job, job["also"])}, KEY)


def _parsed(texts: list[str]) -> dict[str, Any]:
    pairs = (text.split("=", 1) for text in texts)
    return {name: json.loads(value) for name, value in pairs}


def summary() -> None:
    """Print mean, std (ddof 0) and number of splits of every cell measured."""
    cells: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in load(FILE):
        cell = tuple(row[name] for name in ("data", "r", "method", "arguments"))
        cells[cell].append(float(row["accuracy"]))
    for cell, found in sorted(cells.items()):
        mean, std = np.mean(found), np.std(found)
        print(f"{mean:.3f} +- {std:.3f}  ({len(found):2d} splits)  {'  '.join(cell)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--method", nargs="+", default=[])
    parser.add_argument("--data", nargs="+", default=[])
    parser.add_argument("--r", nargs="+", type=int, default=[1])
    parser.add_argument("--splits", nargs="+", default=["0-9"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--published", action="store_true", help="published settings")
    parser.add_argument("--figures", action="store_true", help="and figures.csv")
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=JSON")
    parser.add_argument("--also", nargs="+", default=[], metavar="NAME=JSON")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--together", type=int, default=5, help="runs per process")
    parser.add_argument("--summary", action="store_true")
    given = parser.parse_args()
    jobs = [
        {
            "method": name,
            "arguments": _parsed(given.set),
            "also": _parsed(given.also),
            "data": data,
            "r": r,
            "split": split,
            "seed": given.seed,
            "published": given.published,
            "figures": given.figures,
        }
        for data in given.data
        for r in given.r
        for split in parse_numbers(given.splits)
        for name in given.method
    ]
    if jobs:
        todo = _groups(missing(jobs, KEY, FILE, _key), given.together)
        run_all(todo, work, FILE, given.workers)
    if given.summary or not jobs:
        summary()


if __name__ == "__main__":
    main()
