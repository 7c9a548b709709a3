"""Choose MIPLMA's defaults without a test label.

Every setting is trained on two thirds of the *training* bags of a split and scored on
the other training bags by their candidate sets alone. False labels are drawn
independently of the bags, so the share of predictions inside the sets is on average
``a + (1 - a) r / (k - 1)`` for a model of accuracy ``a``: solved for ``a`` it estimates
the accuracy without any true label. Small sets are drawn several times. Synthetic bags,
whose labels are nobody's test labels, are scored by their own held-out bags.

    python -m tools.choose_defaults vectors
    python -m tools.choose_defaults closely --data sival-mipl --known

Settings are ranked by their mean regret (best score on a task minus theirs) over the
tasks of the stage; those that are to be told apart closely get more draws, at other
numbers of false labels, and those on images are the two that vectors cannot tell apart.
results/choose_defaults.csv has the scores that the defaults were chosen by, on 60 % of
the same training bags, and results/default_ranking.csv their ranking.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from mipl.runs.result import Result
from mipl.runs.run import Facts, Run
from tools.study import RESULTS, study

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


# The other forms of the method, with what their authors left open.
PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "released lr .05 lam 5": ("miplma-released", {"lam": 5.0, "training__lr": 0.05}),
    "released lr .01 lam .5": ("miplma-released", {"lam": 0.5, "training__lr": 0.01}),
    "paper, batches of 16": (
        "miplma-paper",
        {"lam": 0.5, "training__lr": 0.01, "training__batch_size": 16},
    ),
}

# Between which vectors cannot choose.
BATCHES: list[dict[str, Any]] = [
    OURS,
    OURS | {"training__batch_size": 32, "training__lr": 0.1},
]
CLOSE: list[dict[str, Any]] = [
    {"balance": True, "unit_start": True, "tau_lag": 0},
    *BATCHES,
    *(OURS | {"training__batch_size": bags, "training__lr": 0.2} for bags in (32, 64)),
]


@dataclass(frozen=True)
class Task:
    """A data set of which only training bags and candidates are looked at."""

    data: str
    r: int
    classes: int
    draws: int

    @property
    def name(self) -> str:
        """As the rankings call it."""
        return f"{self.data} r={self.r}"

    def options(self, draw: int) -> dict[str, Any]:
        """Return what is told of the data: other bags, or those of another split."""
        if self.data == "synthetic":
            return {"seed": draw, "overlap": 0.2, "n_bags": 450, "folds": 3}
        return {"within": draw, "folds": 3}


STAGES: dict[str, tuple[list[Task], list[dict[str, Any]]]] = {
    "vectors": (
        [
            Task("sival-mipl", 2, 25, draws=1),
            Task("birdsong-mipl", 2, 13, draws=1),
            Task("digits-mipl", 2, 5, draws=3),
            Task("synthetic", 1, 5, draws=2),
        ],
        [{}, *VARIATIONS, *COMBINATIONS],
    ),
    "images": (
        [Task("fmnist-mipl", 1, 5, draws=1), Task("mnist-mipl", 3, 5, draws=1)],
        BATCHES,
    ),
    "closely": (
        [
            Task(data, r, classes, draws=5)
            for data, classes in (("sival-mipl", 25), ("birdsong-mipl", 13))
            for r in (1, 3)
        ],
        CLOSE,
    ),
}


@dataclass(frozen=True)
class Trial:
    """A setting on one draw of a task."""

    setting: str
    task: Task
    run: Run


def trials(stage: str) -> list[Trial]:
    """Return every setting on every draw of the tasks of a stage."""
    tasks, changed = STAGES[stage]
    settings = {
        Facts(changes).text if changes else "base": ("miplma", BASE | changes)
        for changes in changed
    }
    if stage == "vectors":
        settings |= PRESETS
    return [
        Trial(name, task, _run(id, arguments, task, draw))
        for task in tasks
        for draw in range(task.draws)
        for name, (id, arguments) in settings.items()
    ]


def _run(id: str, arguments: Mapping[str, Any], task: Task, draw: int) -> Run:
    return Run(id, task.data, arguments, task.options(draw), task.r, seed=draw)


def plan(stage: str) -> list[Run]:
    """Return the runs of a stage."""
    return [trial.run for trial in trials(stage)]


def score(result: Result, task: Task) -> float:
    """Return the accuracy of synthetic bags, an estimate from candidates of others."""
    if task.data == "synthetic":
        return result.accuracy or 0.0
    covered = result.figures["covering_rate"]
    return estimated_accuracy(covered, task.r, task.classes)


def estimated_accuracy(covering: float, r: int, n_classes: int) -> float:
    """Solve covering = a + (1 - a) r / (k - 1) for the accuracy a.

    Examples
    --------
    >>> estimated_accuracy(0.75, r=2, n_classes=5)  # 0.5 and half of the others.
    0.5
    """
    chance = r / (n_classes - 1)
    return (covering - chance) / (1 - chance)


Scores = Iterable[tuple[str, str, float]]  # Of a setting, on a draw of a task.


def scores(stage: str, results: Iterable[Result]) -> Scores:
    """Return the scores of runs that ended; one that diverged has none."""
    ended = {one.run.question: one for one in results}
    for trial in trials(stage):
        if trial.run in ended:
            yield trial.setting, trial.task.name, score(ended[trial.run], trial.task)


def ranking(found: Scores) -> list[tuple[str, float, float, dict[str, float]]]:
    """Return settings by mean regret over the tasks that all of them were given.

    Examples
    --------
    >>> ranking([("a", "x", 0.5), ("a", "x", 0.75), ("b", "x", 0.5)])
    [('a', 0.0, 0.0, {'x': 0.625}), ('b', 0.125, 0.125, {'x': 0.5})]
    """
    drawn: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for setting, task, value in found:
        drawn[setting][task].append(value)
    means = {
        name: {task: round(fmean(values), 4) for task, values in tasks.items()}
        for name, tasks in drawn.items()
    }
    tasks = {task for given in means.values() for task in given}
    whole = {name: given for name, given in means.items() if set(given) == tasks}
    return sorted(_regrets(whole), key=lambda row: row[1])


def _regrets(
    scores: Mapping[str, dict[str, float]],
) -> Iterable[tuple[str, float, float, dict[str, float]]]:
    best: dict[str, float] = defaultdict(float)
    for given in scores.values():
        for task, value in given.items():
            best[task] = max(best[task], value)
    for name, given in scores.items():
        regrets = [best[task] - given[task] for task in best]
        yield name, fmean(regrets), max(regrets), given


def main() -> None:
    plans = {stage: partial(plan, stage) for stage in STAGES}
    stage, results = study(__doc__, plans)
    for place, row in enumerate(ranking(scores(stage, results)), start=1):
        name, mean, worst, found = row
        print(f"{place:3d}  {mean:.4f}  {worst:.4f}  {name}  {Facts(found)}")


if __name__ == "__main__":
    main()
