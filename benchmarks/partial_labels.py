"""Measure the partial-label methods, saved to results/partial_labels.csv.

    python -m benchmarks.partial_labels real --data lost birdsong-pll
    python -m benchmarks.partial_labels margins
    python -m benchmarks.partial_labels amount
    python -m benchmarks.partial_labels columns --data sival-mipl
    python -m benchmarks.partial_labels summary

``real``: linear models on real candidate sets, five folds that the seed shuffles, two
seeds; one setting of each method for all sets, with which its program is known to work
on Lost; the kernel methods where there are at most 6000 rows.
``margins``: PRODEN and PRODEN-MA on Kuzushiji-MNIST, labels joining with probability q,
8:2, five seeds, 10, 20 and 100 epochs, MLP. ``amount``: the same two on Fashion-MNIST
(make data), 6,000 training images and 24 epochs; with q = 0.9 also 96 epochs, and
48,000 images for as many steps; two seeds. ``columns``: the bags of a MIPL data set
turned into one vector each, the means or the maxima and minima, ten splits of r = 1.
All folds of a setting are fitted together; rows already in the file are not run again.
"""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from benchmarks.record import (
    RESULTS,
    Job,
    arguments_text,
    print_cells,
    study_command,
)

FILE = RESULTS / "partial_labels.csv"
KEY = ["study", "method", "arguments", "data", "fold", "seed"]


def sgd(lr: float, weight_decay: float, batch_size: int = 100) -> Job:
    return {
        "training__lr": lr,
        "training__weight_decay": weight_decay,
        "training__batch_size": batch_size,
        "training__epochs": 200,
    }


SETTINGS: list[tuple[str, Job]] = [
    *((name, sgd(1e-2, 1e-2)) for name in ("proden", "rc", "cc", "cavl", "pop")),
    ("cavl", {**sgd(1e-2, 1e-2), "restrict": False}),
    ("lws", {**sgd(5e-2, 1e-3), "beta": 1.0}),
    ("lws", {**sgd(5e-2, 1e-3), "beta": 2.0}),
    ("lws", {**sgd(1e-2, 1e-3), "beta": 2.0, "form": "cross-entropy"}),
    ("proden-ma", {**sgd(1e-2, 1e-2), "backbone": "linear"}),
    ("pl-aggd", {}),
    ("pl-svm", {}),
    ("m3pl", {}),
]
RATES = (0.1, 0.3, 0.5, 0.7, 0.9)
KERNELS = ("pl-aggd", "m3pl")  # For at most 6000 rows.


def real(data: list[str]) -> list[Job]:
    """Return the jobs on candidate sets that people or programs have made."""
    return [
        _job("real", name, arguments, one, fold, seed)
        for one in data or ["lost", "birdsong-pll", "italian"]
        for seed in range(2)
        for fold in range(5)
        for name, arguments in SETTINGS
        if not (one == "italian" and name in KERNELS)
    ]


def margins(data: list[str]) -> list[Job]:
    """Return the jobs that tell what the margin loss adds to PRODEN."""
    settings = {**sgd(1e-2, 1e-4, 256), "backbone": "mlp"}
    return [
        _job(
            "margins",
            name,
            {**settings, "training__epochs": epochs},
            f"kmnist q={rate}",
            0,
            seed,
        )
        for epochs in (10, 20, 100)
        for seed in range(5)
        for rate in RATES
        for name in ("proden", "proden-ma")
    ]


def amount(data: list[str]) -> list[Job]:
    """Return the jobs that tell what the margin loss adds with few and many images."""
    settings = {**sgd(1e-2, 1e-4, 256), "backbone": "mlp"}
    return [
        _job(
            "amount",
            name,
            {**settings, "training__epochs": epochs},
            f"fashion-{images} q={rate}",
            0,
            seed,
        )
        for seed in range(2)
        for images, epochs, rates in (
            (7500, 24, RATES),
            (7500, 96, (0.9,)),
            (60000, 12, (0.9,)),
        )
        for rate in rates
        for name in ("proden", "proden-ma")
    ]


def columns(data: list[str]) -> list[Job]:
    """Return the jobs on bags that were turned into vectors."""
    return [
        _job("columns", name, {**arguments, "reduction": reduction}, one, split, 0)
        for one in data or ["sival-mipl", "birdsong-mipl"]
        for split in range(10)
        for reduction in ("mean", "maxmin")
        for name, arguments in SETTINGS
    ]


def _job(study: str, name: str, arguments: Job, data: str, fold: int, seed: int) -> Job:
    values = (study, name, arguments, data, fold, seed)
    return dict(zip(KEY, values, strict=True))


def work(jobs: list[Job]) -> list[Job]:
    """Fit on the training rows of some folds and score the others."""
    from mipl import fit_together  # noqa: PLC0415

    models = [build(job) for job in jobs]
    pairs = [parts(job) for job in jobs]
    start = time.perf_counter()
    fit_together(
        models,
        [
            (given(job, t), t.candidates)
            for job, (t, _) in zip(jobs, pairs, strict=True)
        ],
    )
    seconds = (time.perf_counter() - start) / len(jobs)
    return [
        {
            **job,
            "arguments": arguments_text(job["arguments"]),
            "accuracy": f"{model.score(given(job, test), test.labels):.4f}",
            "seconds": f"{seconds:.1f}",
        }
        for job, model, (_, test) in zip(jobs, models, pairs, strict=True)
    ]


def given(job: Job, data: Any) -> Any:
    """Return what the method is given: bags, or their only instances."""
    return data.bags if "reduction" in job["arguments"] else data.bags.instances


def build(job: Job) -> Any:
    """Return the method with its settings."""
    from mipl import method  # noqa: PLC0415

    arguments = dict(job["arguments"])
    reduction = arguments.pop("reduction", None)
    model = method(job["method"], reduction=reduction)
    prefix = "" if reduction is None else "estimator__"
    model.set_params(**{prefix + name: value for name, value in arguments.items()})
    return model.set_params(**{f"{prefix}random_state": job["seed"]})


def parts(job: Job) -> tuple[Any, Any]:
    """Return the training and the test rows."""
    from sklearn.model_selection import KFold, ShuffleSplit  # noqa: PLC0415

    from mipl import load_dataset  # noqa: PLC0415

    name, _, rate = job["data"].partition(" q=")
    if job["study"] == "columns":
        return load_dataset(name, r=1).split(job["fold"])
    if rate:
        data = flipped(name, float(rate), job["seed"])
        folds: Any = ShuffleSplit(1, test_size=0.2, random_state=job["seed"])
    else:
        data = load_dataset(name)
        folds = KFold(5, shuffle=True, random_state=job["seed"])
    train, test = list(folds.split(np.arange(len(data))))[job["fold"]]
    return data[train], data[test]


def flipped(name: str, rate: float, seed: int) -> Any:
    """Return images whose labels join the candidates with probability q."""
    from mipl import Dataset, load_dataset  # noqa: PLC0415
    from mipl.data.candidate_generators import generate_candidates  # noqa: PLC0415
    from mipl.datasets.mnist import RECIPES, read_images  # noqa: PLC0415
    from mipl.datasets.request import Request  # noqa: PLC0415

    if name == "kmnist":
        return load_dataset(name, seed=seed, generator="flip", q=rate)
    recipe = RECIPES["fmnist-mipl"]
    images, labels = read_images(recipe, Request("fmnist-mipl"))
    chosen = slice(int(name.removeprefix("fashion-")))
    x = images[chosen].reshape(-1, 28 * 28) / np.float32(255)
    y, _ = generate_candidates(labels[chosen], range(10), "flip", seed, q=rate)
    return Dataset(x, y, labels[chosen])


def summary() -> None:
    """Print every cell measured; of the training's settings only the epochs."""
    print_cells(FILE, _cell)


def _cell(row: dict[str, str]) -> tuple[str, ...]:
    kept = json.loads(row["arguments"])
    told = {
        name: value
        for name, value in kept.items()
        if name == "training__epochs" or not name.startswith("training_")
    }
    return (row["study"], row["data"], row["method"], arguments_text(told))


STUDIES = {"real": real, "margins": margins, "amount": amount, "columns": columns}


def main() -> None:
    study_command(__doc__, STUDIES, work, KEY, FILE, summary)


if __name__ == "__main__":
    main()
