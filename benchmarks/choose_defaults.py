"""Choose MIPLMA's defaults without a test label.

Every setting is trained on some of the *training* bags of a data set (fold 0) and
scored on the other training bags by their candidate sets alone. False labels are drawn
independently of the bags, so the share of predictions inside the sets is on average
``a + (1 - a) r / (k - 1)`` for a model of accuracy ``a``: solved for ``a`` it estimates
the accuracy without any true label. Synthetic bags are scored the same way.

    python -m benchmarks.choose_defaults --stage vectors
    python -m benchmarks.choose_defaults --stage images --best 6
    python -m benchmarks.choose_defaults --rank

Settings are ranked by their mean regret (best estimate on a task minus theirs) over the
tasks of the stage. Finished runs stay in results/choose_defaults.csv.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.record import RESULTS, append, arguments_text, load, run_missing

FILE = RESULTS / "choose_defaults.csv"
RANKING = RESULTS / "default_ranking.csv"

BASE: dict[str, Any] = {
    "lam": 0.5,
    "tau": 5.0,
    "standardise": "scores",
    "scale_scores": True,
    "shared_gate": False,
    "score_head": "mlp",
    "classifier": "softmax",
    "margin": "batch",
    "margin_scale": 1.0,
    "training__lr": 0.1,
    "training__batch_size": 16,
}

VARIATIONS: dict[str, list[dict[str, Any]]] = {
    "lam": [{"lam": v} for v in (0.05, 1.0, 3.0, 5.0)],
    "lr": [{"training__lr": v} for v in (0.02, 0.05, 0.2, 0.4)],
    "batch": [{"training__batch_size": v} for v in (8, 32)],
    "order": [{"standardise": v} for v in ("none", "attention")],
    "scale": [{"scale_scores": False}],
    "gate": [{"shared_gate": True}],
    "score head": [{"score_head": "linear"}],
    "classifier": [{"classifier": "sigmoid-softmax"}],
    "margin": [{"margin": v} for v in ("epoch", "bag", "mean", "none")],
    "margin scale": [{"margin_scale": 0.5}],
    "variance": [{"margin_ddof": 1}],
    "spread": [{"detach_spread": False}],
    "update": [{"update_first": True}],
    "alpha": [{"alpha_lag": 0}],
    "tau": [
        {"tau_lag": 0},
        {"tau": 1.0, "tau_decay": 1.0},
        {"tau_min": 0.5},
        {"tau": 1.0, "tau_min": 0.1},
    ],
    "dropout": [{"dropout": v} for v in (0.0, 0.25)],
    "scaling": [{"scaling": "none"}],
    "width": [{"width": v} for v in (64, 256, 512)],
    "momentum": [{"training__nesterov": False}],
}

COMBINATIONS: list[dict[str, Any]] = [
    {"lam": 3.0, "training__lr": 0.2},
    {"standardise": "none", "lam": 1.0},
    {"standardise": "none", "lam": 3.0},
    {"standardise": "none", "lam": 3.0, "training__lr": 0.2},
    {"standardise": "none", "scale_scores": False},
    {"standardise": "none", "shared_gate": True, "lam": 1.0},
    {"standardise": "none", "width": 256, "lam": 1.0},
    {"lam": 1.0, "training__lr": 0.2, "width": 256},
    {"lam": 1.0, "training__lr": 0.2, "width": 512},
    {"lam": 1.0, "scale_scores": False},
    {"lam": 3.0, "scale_scores": False},
    {"shared_gate": True, "lam": 1.0, "training__batch_size": 8},
    {"margin": "mean", "lam": 3.0},
    {"margin": "mean", "lam": 1.0, "training__lr": 0.2},
    {"width": 256, "training__batch_size": 8},
    {"width": 512, "training__lr": 0.05, "training__batch_size": 8},
    {"tau": 1.0, "tau_decay": 1.0, "lam": 1.0},
    {"standardise": "attention", "training__lr": 0.01, "score_head": "linear"},
]


@dataclass(frozen=True)
class Task:
    """A data set of which only training bags and candidates are looked at."""

    data: str
    r: int
    n_fit: int  # Training bags to fit on; the others score the setting.
    stage: str


TASKS = [
    Task("sival-mipl", 2, 350, "vectors"),
    Task("birdsong-mipl", 2, 260, "vectors"),
    Task("digits-mipl", 3, 90, "vectors"),
    Task("synthetic", 3, 100, "vectors"),
    Task("fmnist-mipl", 1, 150, "images"),
    Task("mnist-mipl", 3, 150, "images"),
]


def settings() -> dict[str, dict[str, Any]]:
    """Return every setting by its name: ours varied, combined, and the two presets."""
    found: dict[str, dict[str, Any]] = {"base": {}}
    for changes in [v for group in VARIATIONS.values() for v in group] + COMBINATIONS:
        found[arguments_text(changes)] = changes
    found["released lr .05 lam 5"] = {"preset": "released", "lam": 5.0, "lr": 0.05}
    found["released lr .01 lam .5"] = {"preset": "released", "lam": 0.5, "lr": 0.01}
    found["paper, batches of 16"] = {"preset": "paper", "batch_size": 16, "lr": 0.01}
    return found


def build(changes: dict[str, Any]) -> Any:
    """Return the estimator of a setting."""
    from mipl.methods.mipl.miplma import MIPLMA  # noqa: PLC0415
    from mipl.training import Training  # noqa: PLC0415

    if "preset" in changes:
        batch = changes.get("batch_size", 1)
        training = Training(lr=changes["lr"], batch_size=batch)
        preset = getattr(MIPLMA, changes["preset"])
        return preset(lam=changes.get("lam", 0.5), training=training)
    return MIPLMA().set_params(**(BASE | changes))


def estimated_accuracy(covering: float, r: int, n_classes: int) -> float:
    """Solve covering = a + (1 - a) r / (k - 1) for the accuracy a."""
    chance = r / (n_classes - 1)
    return (covering - chance) / (1 - chance)


def work(job: tuple[str, dict[str, Any], Task]) -> dict[str, Any]:
    """Train on some of the training bags, score the others by their candidates."""
    from mipl import MiplError, load_dataset  # noqa: PLC0415
    from mipl.metrics.ambiguity import covering_rate  # noqa: PLC0415

    name, changes, task = job
    options = {"overlap": 0.3, "n_bags": 600} if task.data == "synthetic" else {}
    train, _ = load_dataset(task.data, r=task.r, **options).split(0)
    order = np.random.default_rng(0).permutation(len(train))
    fit, held = train[order[: task.n_fit]], train[order[task.n_fit :]]
    start = time.perf_counter()
    try:
        model = build(changes).fit(fit.bags, fit.candidates)
        covered = covering_rate(model.predict_proba(held.bags), held.candidates.matrix)
        score = estimated_accuracy(float(covered), task.r, len(train.classes))
    except MiplError:  # The loss was no longer finite: the setting cannot be used.
        score = 0.0
    return {
        "setting": name,
        "data": task.data,
        "r": task.r,
        "estimated_accuracy": f"{score:.4f}",
        "seconds": f"{time.perf_counter() - start:.1f}",
    }


def ranking(stage: str | None) -> list[tuple[str, float, float, dict[str, float]]]:
    """Return settings by mean regret over the tasks that all of them were given."""
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    stages = {(t.data, str(t.r)): t.stage for t in TASKS}
    for row in load(FILE):
        if stage in (None, stages.get((row["data"], row["r"]))):
            task = f"{row['data']} r={row['r']}"
            scores[row["setting"]][task] = float(row["estimated_accuracy"])
    tasks = {task for found in scores.values() for task in found}
    whole = {name: found for name, found in scores.items() if set(found) == tasks}
    best = {task: max(found[task] for found in whole.values()) for task in tasks}
    rows = []
    for name, found in whole.items():
        regrets = [best[task] - found[task] for task in tasks]
        rows.append((name, float(np.mean(regrets)), max(regrets), found))
    return sorted(rows, key=lambda row: row[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stage", choices=["vectors", "images"])
    parser.add_argument("--best", type=int, help="only the best so many on vectors")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rank", action="store_true")
    arguments = parser.parse_args()
    if arguments.stage:
        chosen = settings()
        if arguments.best:
            first = [row[0] for row in ranking("vectors")[: arguments.best]]
            chosen = {name: chosen[name] for name in first}
        tasks = [task for task in TASKS if task.stage == arguments.stage]
        run_missing(
            [(name, changes, t) for t in tasks for name, changes in chosen.items()],
            lambda job: (job[0], job[2].data, str(job[2].r)),
            ["setting", "data", "r"],
            work,
            FILE,
            arguments.workers,
        )
    RANKING.unlink(missing_ok=True)
    for stage in ("vectors", "images", None):
        for place, (name, mean, worst, found) in enumerate(ranking(stage), start=1):
            append(
                RANKING,
                {
                    "stage": stage or "all",
                    "place": place,
                    "setting": name,
                    "mean_regret": f"{mean:.4f}",
                    "worst_regret": f"{worst:.4f}",
                    "estimates": arguments_text(found),
                },
            )


if __name__ == "__main__":
    main()
