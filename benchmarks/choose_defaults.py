"""Choose MIPLMA's defaults without a test label.

Every setting is trained on 60 % of the *training* bags of a split and scored on the
other training bags by their candidate sets alone. False labels are drawn independently
of the bags, so the share of predictions inside the sets is on average
``a + (1 - a) r / (k - 1)`` for a model of accuracy ``a``: solved for ``a`` it estimates
the accuracy without any true label. Small sets are drawn several times. Synthetic bags,
whose labels are nobody's test labels, are scored by their own held-out bags.

    python -m benchmarks.choose_defaults --stage vectors
    python -m benchmarks.choose_defaults --stage images --best 3
    python -m benchmarks.choose_defaults --stage closely --only '"unit_start": true'
    python -m benchmarks.choose_defaults --rank

Settings are ranked by their mean regret (best score on a task minus theirs) over the
tasks of the stage; those that are to be told apart closely get more draws, at other
numbers of false labels. Finished runs stay in results/choose_defaults.csv.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.record import (
    RESULTS,
    append,
    arguments_text,
    load,
    missing,
    run_all,
)

FILE = RESULTS / "choose_defaults.csv"
RANKING = RESULTS / "default_ranking.csv"

BASE: dict[str, Any] = {
    "lam": 0.5,
    "tau": 1.0,
    "tau_min": 0.1,
    "tau_lag": 1,
    "standardise": "none",
    "scale_scores": False,
    "shared_gate": False,
    "score_head": "mlp",
    "classifier": "softmax",
    "margin": "batch",
    "margin_scale": 1.0,
    "balance": False,
    "unit_start": False,
    "training__lr": 0.1,
    "training__clip": 1.0,
    "training__batch_size": 16,
}

# The order of the published program: z-scores, 1/sqrt(L), a higher first temperature.
PROGRAM = {"standardise": "scores", "scale_scores": True}

# The defaults as they are now.
OURS = {"balance": True, "unit_start": True, "tau_lag": 0, "score_head": "linear"}

SIDE_BY_SIDE = ("lam", "training__lr", "training__clip", "training__nesterov")

VARIATIONS: list[dict[str, Any]] = [
    *({"lam": v} for v in (0.05, 1.0, 3.0)),
    *({"training__lr": v} for v in (0.02, 0.05, 0.2)),
    *({"training__clip": v} for v in (None, 0.3, 3.0)),
    *({"training__batch_size": v} for v in (8, 32)),
    *({"standardise": v} for v in ("scores", "attention")),
    {"scale_scores": True},
    {"shared_gate": True},
    {"score_head": "linear"},
    {"attention_bias": False},
    {"classifier": "sigmoid-softmax"},
    *({"margin": v} for v in ("epoch", "bag", "mean", "none")),
    {"margin_scale": 0.5},
    {"margin_ddof": 1},
    {"balance": True},
    {"unit_start": True},
    {"update_first": True},
    {"alpha_lag": 0},
    {"tau_lag": 0},
    {"tau": 2.0},
    {"tau": 5.0},
    {"tau_decay": 1.0},
    {"tau_min": 0.5},
    *({"dropout": v} for v in (0.0, 0.25)),
    {"scaling": "none"},
    *({"width": v} for v in (64, 256)),
    {"training__nesterov": False},
]

COMBINATIONS: list[dict[str, Any]] = [
    PROGRAM,
    PROGRAM | {"tau": 5.0},
    PROGRAM | {"tau": 5.0, "shared_gate": True},
    PROGRAM | {"tau": 5.0, "training__clip": None},
    PROGRAM | {"detach_spread": False},
    {"standardise": "scores", "detach_spread": False},
    {"lam": 1.0, "training__lr": 0.2},
    {"lam": 1.0, "score_head": "linear"},
    {"lam": 1.0, "margin": "mean"},
    {"lam": 1.0, "training__batch_size": 32, "training__lr": 0.2},
    {"tau": 2.0, "training__lr": 0.05},
    {"width": 256, "dropout": 0.25},
    {"balance": True, "unit_start": True},
    {"balance": True, "unit_start": True, "tau_lag": 0},
    OURS,
    *(
        OURS | {"training__batch_size": bags, "training__lr": lr}
        for bags, lr in ((32, 0.1), (32, 0.2), (64, 0.2))
    ),
]


@dataclass(frozen=True)
class Task:
    """A data set of which only training bags and candidates are looked at."""

    data: str
    r: int
    draws: int
    stage: str


TASKS = [
    Task("sival-mipl", 2, 1, "vectors"),
    Task("birdsong-mipl", 2, 1, "vectors"),
    Task("digits-mipl", 2, 3, "vectors"),
    Task("synthetic", 1, 2, "vectors"),
    Task("fmnist-mipl", 1, 1, "images"),
    Task("mnist-mipl", 3, 1, "images"),
    *(
        Task(data, r, 5, "closely")
        for data in ("sival-mipl", "birdsong-mipl")
        for r in (1, 3)
    ),
]


STAGES = tuple(dict.fromkeys(task.stage for task in TASKS))


@dataclass(frozen=True)
class Job:
    """A setting on one draw of a task."""

    setting: str
    changes: dict[str, Any]
    task: Task
    draw: int

    def key(self) -> tuple[str, ...]:
        """Return what names the run in the file."""
        return self.setting, self.task.data, str(self.task.r), str(self.draw)


def settings() -> dict[str, dict[str, Any]]:
    """Return every setting by its name: ours varied, combined, and the two presets."""
    found: dict[str, dict[str, Any]] = {"base": {}}
    for changes in VARIATIONS + COMBINATIONS:
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
        training = Training(lr=changes["lr"], clip=None, batch_size=batch)
        preset = getattr(MIPLMA, changes["preset"])
        return preset(lam=changes.get("lam", 0.5), training=training)
    return MIPLMA().set_params(**(BASE | changes))


def estimated_accuracy(covering: float, r: int, n_classes: int) -> float:
    """Solve covering = a + (1 - a) r / (k - 1) for the accuracy a."""
    chance = r / (n_classes - 1)
    return (covering - chance) / (1 - chance)


def work(jobs: list[Job]) -> list[dict[str, Any]]:
    """Train settings on some of the training bags, score the others."""
    task = jobs[0].task
    parts = {draw: problem(task, draw) for draw in {job.draw for job in jobs}}
    start = time.perf_counter()
    models = fitted(
        [build(job.changes).set_params(random_state=job.draw) for job in jobs],
        [parts[job.draw][0] for job in jobs],
    )
    seconds = (time.perf_counter() - start) / len(jobs)
    return [
        {
            "setting": job.setting,
            "data": task.data,
            "r": task.r,
            "draw": job.draw,
            "score": f"{scored(model, parts[job.draw][1], task) if model else 0.0:.4f}",
            "seconds": f"{seconds:.1f}",
        }
        for job, model in zip(jobs, models, strict=True)
    ]


def fitted(models: list[Any], data: list[Any]) -> list[Any]:
    """Return the fitted models, None for one whose numbers were no longer finite."""
    from mipl import MiplError, fit_together  # noqa: PLC0415

    try:
        fit_together(models, [(train.bags, train.candidates) for train in data])
    except MiplError:
        if len(models) == 1:
            return [None]
        return [fitted([m], [d])[0] for m, d in zip(models, data, strict=True)]
    return models


def problem(task: Task, draw: int) -> tuple[Any, Any]:
    """Return the bags to fit on and the bags that score, both of the training part."""
    from mipl import load_dataset  # noqa: PLC0415

    if task.data == "synthetic":
        train = load_dataset("synthetic", r=task.r, seed=draw, overlap=0.2, n_bags=900)
        n_fit = 300
    else:
        train, _ = load_dataset(task.data, r=task.r).split(draw)
        n_fit = int(0.6 * len(train))
    order = np.random.default_rng(draw).permutation(len(train))
    return train[order[:n_fit]], train[order[n_fit:]]


def scored(model: Any, held: Any, task: Task) -> float:
    """Return the accuracy of synthetic bags, an estimate from candidates of others."""
    from mipl.metrics.ambiguity import covering_rate  # noqa: PLC0415

    if task.data == "synthetic":
        return float(model.score(held.bags, held.labels))
    covered = covering_rate(model.predict_proba(held.bags), held.candidates.matrix)
    return estimated_accuracy(float(covered), task.r, len(held.classes))


def groups(jobs: list[Job]) -> list[list[Job]]:
    """Put together the runs of one task that can be trained at once."""
    found: dict[Any, list[Job]] = defaultdict(list)
    for job in jobs:
        # Settings of the loss and of the steps differ inside a group, networks do not.
        network = {k: v for k, v in job.changes.items() if k not in SIDE_BY_SIDE}
        found[job.task, arguments_text(network)].append(job)
    return list(found.values())


def ranking(stage: str) -> list[tuple[str, float, float, dict[str, float]]]:
    """Return settings by mean regret over the tasks that all of them were given."""
    drawn: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    stages = {(t.data, str(t.r)): t.stage for t in TASKS}
    for row in load(FILE):
        if stages.get((row["data"], row["r"])) == stage:
            task = f"{row['data']} r={row['r']}"
            drawn[row["setting"]][task].append(float(row["score"]))
    scores = {
        name: {task: round(float(np.mean(found)), 4) for task, found in tasks.items()}
        for name, tasks in drawn.items()
    }
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
    parser.add_argument("--stage", choices=STAGES)
    parser.add_argument("--best", type=int, help="only the best so many on vectors")
    parser.add_argument("--only", default="", help="settings whose name has this")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rank", action="store_true")
    arguments = parser.parse_args()
    if arguments.stage:
        chosen = settings()
        if arguments.best:
            first = [row[0] for row in ranking("vectors")[: arguments.best]]
            chosen = {name: chosen[name] for name in first}
        chosen = {name: of for name, of in chosen.items() if arguments.only in name}
        tasks = [task for task in TASKS if task.stage == arguments.stage]
        jobs = [
            Job(name, changes, task, draw)
            for task in tasks
            for draw in range(task.draws)
            for name, changes in chosen.items()
        ]
        todo = missing(jobs, ["setting", "data", "r", "draw"], FILE, Job.key)
        run_all(groups(todo), work, FILE, arguments.workers)
    RANKING.unlink(missing_ok=True)
    for stage in STAGES:
        for place, (name, mean, worst, found) in enumerate(ranking(stage), start=1):
            append(
                RANKING,
                {
                    "stage": stage,
                    "place": place,
                    "setting": name,
                    "mean_regret": f"{mean:.4f}",
                    "worst_regret": f"{worst:.4f}",
                    "scores": arguments_text(found),
                },
            )


if __name__ == "__main__":
    main()
