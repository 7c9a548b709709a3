"""How well label-free scores rank settings, saved to results/scorer_study.csv.

    python -m benchmarks.scorer_study
    python -m benchmarks.scorer_study --data lost --method proden --splits 0-4
    python -m benchmarks.scorer_study --summary

A cell is a method on a data set, with twenty settings drawn from a grid that holds good
and bad ones. A setting is scored as ``mipl tune`` does it: three folds of the training
bags, by candidate sets alone. The hidden truth is the accuracy on the test bags of
the split, of a model trained on all the training bags. The summary tells, per cell and
score, Spearman's correlation with the truth and the regret: the best accuracy of the
cell minus that of the setting with the best score. Rows already in the file are not
run again.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from benchmarks.record import (
    RESULTS,
    Job,
    arguments_text,
    load,
    missing,
    parse_numbers,
    run_all,
)

FILE = RESULTS / "scorer_study.csv"
KEY = ["data", "method", "split", "settings"]
N_SETTINGS, FOLDS, SEED = 20, 3, 0

# Those of mipl.selection, and three contenders: the mean logarithm of the probability
# of the set, its mean, and one over the size of each set that holds the prediction.
SCORES = ["covering_rate", "margin_violation_rate", "approximated_accuracy"]
SCORES += ["log_likelihood", "mass", "one_of_size"]

LINEAR: dict[str, list[Any]] = {
    "training__lr": [1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0],
    "training__weight_decay": [0.0, 1e-4, 1e-2, 0.1],
    "training__epochs": [5, 30],
}
SPACES: dict[str, dict[str, list[Any]]] = {
    "proden": LINEAR,
    "cc": LINEAR | {"backbone": ["linear", "mlp"]},
    "lws": LINEAR
    | {"beta": [0.0, 0.5, 1.0, 2.0, 4.0], "form": ["sigmoid", "cross-entropy"]},
    "pl-svm": {
        "lam": [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0],
        "max_iter": [3, 20, 200],
        "scaling": ["standard", "none"],
    },
    "miplma": {
        "lam": [0.01, 0.1, 0.5, 1.0, 3.0, 5.0],
        "width": [16, 64, 128],
        "dropout": [0.0, 0.5, 0.8],
        "balance": [True, False],
        "training__lr": [1e-3, 1e-2, 0.05, 0.1, 0.3],
        "training__weight_decay": [1e-4, 1e-2],
        "training__epochs": [5, 15],
    },
}
VECTORS = {"reduction": "mean"}  # Of bags of one instance: that instance.
FIXED: dict[str, dict[str, Any]] = {
    **{name: VECTORS | {"training__batch_size": 100} for name in ("proden", "cc")},
    "lws": VECTORS | {"training__batch_size": 100},
    "pl-svm": VECTORS | {"n_init": 1},
    "miplma": {},
}

# By name: what load_dataset is told, the training bags that are kept, the methods.
PLL = ["proden", "cc", "lws", "pl-svm"]
DATA: dict[str, tuple[dict[str, Any], int, list[str]]] = {
    "lost": ({}, 1000, PLL),
    "birdsong-pll": ({}, 1000, PLL),
    "kmnist q=0.9": ({"generator": "flip", "q": 0.9}, 1000, ["proden", "lws"]),
    "digits-mipl r=1": ({"r": 1}, 1000, ["miplma"]),
    "digits-mipl r=3": ({"r": 3}, 1000, ["miplma"]),
    "sival-mipl r=1": ({"r": 1}, 351, ["miplma"]),
    "synthetic r=1 of 5": ({"r": 1, "n_bags": 1000, "overlap": 0.2}, 300, ["miplma"]),
    "synthetic r=7 of 10": (
        {"r": 7, "n_bags": 1000, "n_classes": 10},
        300,
        ["miplma"],
    ),
}


def drawn(method: str) -> list[dict[str, Any]]:
    """Return the settings of a method, the same for every data set."""
    space = SPACES[method]
    grid = list(product(*space.values()))
    chosen = np.random.default_rng(SEED).permutation(len(grid))[:N_SETTINGS]
    return [dict(zip(space, grid[number], strict=True)) for number in chosen]


@cache
def parts(data: str, split: int) -> tuple[Any, Any]:
    """Return the training bags that are kept, and the test bags."""
    from mipl import load_dataset  # noqa: PLC0415

    told, most, _ = DATA[data]
    train, test = load_dataset(data.split()[0], **told).split(split)
    return train[np.random.default_rng(split).permutation(len(train))[:most]], test


def work(job: Job) -> Job:
    """Score a setting without labels, and find out its true accuracy."""
    from mipl import fit_together  # noqa: PLC0415
    from mipl.errors import Diverged  # noqa: PLC0415
    from mipl.selection.tuning import Search  # noqa: PLC0415

    train, test = parts(job["data"], job["split"])
    name, settings = job["method"], job["settings"]
    space = {argument: [value] for argument, value in settings.items()}
    search = Search.of(train, name, space, FIXED[name], "covering_rate", FOLDS, SEED)
    fitted = [train[fold.train] for fold in search.splits] + [train]
    models = [search.estimator(settings) for _ in fitted]
    start = time.process_time()
    try:
        fit_together(models, [(part.bags, part.candidates) for part in fitted])
    except Diverged:  # A search never chooses it: it has no score and no accuracy.
        found = dict.fromkeys([*SCORES, "accuracy"], "")
    else:
        folds = [
            scores(model, train[fold.test])
            for model, fold in zip(models, search.splits, strict=False)
        ]
        found = {name: f"{np.mean([f[name] for f in folds]):.6f}" for name in SCORES}
        found["accuracy"] = f"{models[-1].score(test.bags, test.labels):.4f}"
    seconds = {"seconds": f"{time.process_time() - start:.1f}"}
    return {**job, "settings": arguments_text(settings), **found, **seconds}


def scores(model: Any, held: Any) -> dict[str, float]:
    """Return every score of a model on bags left out, by their candidate sets."""
    from mipl import selection  # noqa: PLC0415
    from mipl.metrics import candidate_log_likelihood  # noqa: PLC0415

    p, sets = model.predict_proba(held.bags), held.candidates.matrix  # (m, k) both
    inside = sets[np.arange(len(p)), p.argmax(axis=1)]  # (m,)
    found = {
        name: score(model, held.bags, held.candidates)
        for name, score in selection.SCORES.items()
    }
    return found | {
        "log_likelihood": candidate_log_likelihood(p, sets),
        "mass": float((p * sets).sum(axis=1).mean()),
        "one_of_size": float((inside / sets.sum(axis=1)).mean()),
    }


def judged(rows: list[dict[str, str]]) -> dict[str, tuple[float, float]]:
    """Return correlation and regret of every score in one split of a cell.

    Settings that diverged are left out. "chance" is a choice without any score: the
    mean regret of all settings.
    """
    from scipy.stats import spearmanr  # noqa: PLC0415

    rows = [row for row in rows if row["accuracy"]]
    truth = np.array([float(row["accuracy"]) for row in rows])
    found = {"chance": (0.0, float(truth.max() - truth.mean()))}
    for name in SCORES:
        score = np.array([float(row[name]) for row in rows])
        picked = truth[score == score.max()].mean()  # Any of equal settings.
        correlation = spearmanr(score, truth).statistic if np.ptp(score) else 0.0
        found[name] = (float(correlation), float(truth.max() - picked))
    return found


def summary() -> None:
    """Print correlation / regret of each cell, means over its finished splits."""
    kept: dict[tuple[str, str], dict[str, list[dict[str, str]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in load(FILE):
        kept[row["data"], row["method"]][row["split"]].append(row)
    print("| data | method | best | chance |", " | ".join(SCORES), "|")
    print("|---|---|" + "--:|" * (2 + len(SCORES)))
    cells = []
    for (data, method), begun in kept.items():
        splits = {n: rows for n, rows in begun.items() if len(rows) == N_SETTINGS}
        if not splits:
            continue
        found = [judged(rows) for rows in splits.values()]
        cell = {n: np.mean([f[n] for f in found], axis=0) for n in found[0]}
        best = np.mean([_best(rows) for rows in splits.values()])
        print(f"| {data} | {method} | {best:.3f} |", _entries(cell))
        cells.append(cell)
    means = {name: np.mean([cell[name] for cell in cells], axis=0) for name in cells[0]}
    print(f"| mean of {len(cells)} | | |", _entries(means))


def _best(rows: list[dict[str, str]]) -> float:
    return max(float(row["accuracy"]) for row in rows if row["accuracy"])


def _entries(cell: dict[str, Any]) -> str:
    told = [f"{cell[name][0]:.2f} / {cell[name][1]:.3f}" for name in SCORES]
    return f"{cell['chance'][1]:.3f} | " + " | ".join(told) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", default=[], help="only these")
    parser.add_argument("--method", nargs="+", default=[], help="only these")
    parser.add_argument("--splits", nargs="+", default=["0"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--summary", action="store_true")
    given = parser.parse_args()
    jobs = [
        {"data": data, "method": method, "split": split, "settings": settings}
        for split in parse_numbers(given.splits)
        for data, (_, _, methods) in DATA.items()
        for method in methods
        for settings in drawn(method)
        if data in (given.data or DATA) and method in (given.method or SPACES)
    ]
    if not given.summary:
        run_all(missing(jobs, KEY, FILE), work, FILE, given.workers)
    summary()


if __name__ == "__main__":
    main()
