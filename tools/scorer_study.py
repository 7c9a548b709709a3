"""How well label-free scores rank settings.

    python -m tools.scorer_study study
    python -m tools.scorer_study study --data lost --method proden
    python -m tools.scorer_study study --known

A cell is a method on a data set, with twenty settings drawn from a grid that holds good
and bad ones. A setting is scored in three folds of the training bags of split 0, by
candidate sets alone. The hidden truth is the accuracy on the test bags of the split, of
a model trained on all the training bags. What is told, per cell and score, is
Spearman's correlation with the truth and the regret: the best accuracy of the cell
minus that of the setting with the best score.

results/scorer_study.csv has the scores that docs/choosing.md tells of: in them large
sets were cut to 1,000 training rows, and the folds were those of ``mipl tune``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from mipl import Dataset
from mipl.methods.bases.base import BagClassifier
from mipl.runs.result import Result
from mipl.runs.run import Facts, Run
from tools.study import RESULTS, study

FILE = RESULTS / "scorer_study.csv"
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
FIXED: dict[str, dict[str, Any]] = {
    **{name: {"training__batch_size": 100} for name in ("proden", "cc", "lws")},
    "pl-svm": {"n_init": 1},
    "miplma": {},
}

# By name: the data set, its r and options, the methods.
PLL = ["proden", "cc", "lws", "pl-svm"]
DATA: dict[str, tuple[str, int, dict[str, Any], list[str]]] = {
    "lost": ("lost", 1, {}, PLL),
    "birdsong-pll": ("birdsong-pll", 1, {}, PLL),
    "kmnist q=0.9": ("kmnist", 1, {"generator": "flip", "q": 0.9}, ["proden", "lws"]),
    "digits-mipl r=1": ("digits-mipl", 1, {}, ["miplma"]),
    "digits-mipl r=3": ("digits-mipl", 3, {}, ["miplma"]),
    "sival-mipl r=1": ("sival-mipl", 1, {}, ["miplma"]),
    "synthetic r=1 of 5": (
        "synthetic",
        1,
        {"n_bags": 430, "overlap": 0.2},
        ["miplma"],
    ),
    "synthetic r=7 of 10": (
        "synthetic",
        7,
        {"n_bags": 430, "n_classes": 10},
        ["miplma"],
    ),
}
Cell = tuple[str, str]  # Data and method.


def drawn(method: str) -> list[dict[str, Any]]:
    """Return the settings of a method, the same for every data set."""
    space = SPACES[method]
    grid = list(product(*space.values()))
    chosen = np.random.default_rng(SEED).permutation(len(grid))[:N_SETTINGS]
    return [dict(zip(space, grid[number], strict=True)) for number in chosen]


def trials() -> dict[tuple[Cell, Facts], list[Run]]:
    """Return the runs of each setting of each cell: its folds, and the truth last."""
    found = {}
    for data, (name, r, options, methods) in DATA.items():
        within = {**options, "within": 0, "folds": FOLDS}
        for method in methods:
            for settings in drawn(method):
                given = {**FIXED[method], **settings}
                scored = [
                    Run(method, name, given, within, r, fold) for fold in range(FOLDS)
                ]
                whole = Run(method, name, given, options, r)
                found[(data, method), Facts(settings)] = [*scored, whole]
    return found


def plan() -> list[Run]:
    """Return the runs of the whole study."""
    return [run for runs in trials().values() for run in runs]


def contenders(model: BagClassifier, train: Dataset, test: Dataset) -> dict[str, float]:
    """Return the scores of a model on bags left out that are no figure of every run."""
    p, sets = model.predict_proba(test.bags), test.candidates.matrix  # (m, k) both
    inside = sets[np.arange(len(p)), p.argmax(axis=1)]  # (m,)
    return {
        "mass": float((p * sets).sum(axis=1).mean()),
        "one_of_size": float((inside / sets.sum(axis=1)).mean()),
    }


def rows(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return a row of each setting whose runs all came to their end."""
    ended = {one.run.question: one for one in results}
    found = []
    for ((data, method), settings), runs in trials().items():
        if not all(run in ended for run in runs):
            continue
        *folds, whole = (ended[run] for run in runs)
        figures = [{**one.figures, **_signed(one)} for one in folds]
        scores = {name: fmean(one[name] for one in figures) for name in SCORES}
        about = {"data": data, "method": method, "settings": settings.text}
        found.append({**about, **scores, "accuracy": whole.accuracy})
    return found


def _signed(one: Result) -> dict[str, float]:
    """Return the score that is best where it is largest."""
    return {"margin_violation_rate": -one.figures["violation_rate"]}


def judged(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """Return correlation and regret of every score in one cell.

    Settings that diverged are left out. "chance" is a choice without any score: the
    mean regret of all settings.
    """
    rows = [row for row in rows if row["accuracy"] not in ("", None)]
    truth = np.array([float(row["accuracy"]) for row in rows])
    found = {"chance": (0.0, float(truth.max() - truth.mean()))}
    for name in SCORES:
        score = np.array([float(row[name]) for row in rows])
        picked = truth[score == score.max()].mean()  # Any of equal settings.
        correlation = spearmanr(score, truth).statistic if np.ptp(score) else 0.0
        found[name] = (float(correlation), float(truth.max() - picked))
    return found


def table(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return correlation / regret of each cell as a table of Markdown."""
    cells: dict[Cell, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        cells[row["data"], row["method"]].append(row)
    lines = [f"| data | method | best | chance | {' | '.join(SCORES)} |"]
    lines.append("|---|---|" + "--:|" * (2 + len(SCORES)))
    found = {cell: judged(same) for cell, same in cells.items()}
    for (data, method), told in found.items():
        best = max(float(row["accuracy"] or 0) for row in cells[data, method])
        lines.append(f"| {data} | {method} | {best:.3f} | {_entries(told)}")
    means = {
        name: np.mean([told[name] for told in found.values()], axis=0)
        for name in ["chance", *SCORES]
    }
    return [*lines, f"| mean of {len(found)} | | | {_entries(means)}"]


def _entries(cell: Mapping[str, Any]) -> str:
    told = [f"{cell[name][0]:.2f} / {cell[name][1]:.3f}" for name in SCORES]
    return f"{cell['chance'][1]:.3f} | " + " | ".join(told) + " |"


if __name__ == "__main__":
    _, results = study(__doc__, {"study": plan}, contenders)
    print(*table(rows(results)), sep="\n")
