"""Choose how MIPLMA is trained, without a test label: the second study of its defaults.

The first study (tools/choose_defaults.py) chose the method's own arguments; this one
asks how long to train, on how many instances of each bag per step, whether a mean over
the epochs predicts, how wide the network and how large the batches are, and how many
networks predict together. Settings are scored as there: each is fitted on two thirds of
the training bags of a split and judged by the candidate sets of the other third, in
three folds, so that every training bag is judged once. The data are draws of their own
(seed 1, 2), of which neither tables nor tests show anything, and the bags that these
draws hold back judge nothing here.

    python -m tools.choose_training length --data sival-mipl --r 1 --seeds 1
    python -m tools.choose_training members --known

Synthetic bags are scored by the true labels of their own held-out bags. Those called
``few`` are as large as the bags of FMNIST-MIPL and have as few positives (8 % of 41),
four candidates of five: what draws instances may miss them all.

A setting is told with its mean score, its mean regret (best score on a task minus its
own), and its mean difference from the defaults of before, in the same folds, with the
standard error of that difference over draws and folds of the tasks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from mipl.runs.result import Result
from mipl.runs.run import Facts, Run
from tools import choose_defaults
from tools.choose_defaults import estimated_accuracy, ranking
from tools.study import study

# What the first study chose; told in full, so that later defaults change nothing here.
BASE: dict[str, Any] = {
    **choose_defaults.BASE,
    **choose_defaults.OURS,
    "width": 128,
    "dropout": 0.5,
    "training__batch_size": 32,
    "training__weight_decay": 1e-4,
    "training__epochs": 100,
    "training__instances_per_bag": None,
    "training__average": None,
}
Setting = Mapping[str, Any]
DRAWS, FOLDS = (1, 2), 3


def course(epochs: int, drawn: int | float | None = None, **more: Any) -> Setting:
    """Return what sets a training apart from that of before.

    Examples
    --------
    >>> course(200, 0.5), course(100)
    ({'training__epochs': 200, 'training__instances_per_bag': 0.5}, {})
    """
    told = {
        "training__epochs": epochs,
        "training__instances_per_bag": drawn,
        **{f"training__{name}": value for name, value in more.items()},
    }
    return {name: value for name, value in told.items() if value != BASE[name]}


EPOCHS, DRAWN = (100, 200, 400), (None, 10, 20, 40, 0.25, 0.5, 0.75)
COURSES = (course(100), course(200, 0.5), course(400, 0.5), course(400, 20))
SIZES: list[Setting] = [
    *({"width": width} for width in (64, 256, 512)),
    *({"dropout": share} for share in (0.25, 0.75)),
    *({"training__batch_size": bags} for bags in (16, 64)),
    *({"training__lr": rate} for rate in (0.05, 0.2)),
    *({"training__weight_decay": share} for share in (2e-5, 5e-4)),
]
SETTINGS: dict[str, list[Setting]] = {
    "length": [course(*both) for both in product(EPOCHS, DRAWN)],
    "average": [
        {**of, **({} if decay is None else {"training__average": decay})}
        for of in COURSES
        for decay in (None, 0.5, 0.8, 0.9, 0.95, 0.98)
    ],
    "sizes": [{**of, **size} for of in COURSES[:2] for size in ({}, *SIZES)],
    # An ensemble beside one network that is trained as long as all its members.
    "members": [
        *({**of, "n": n} if n > 1 else of for of in COURSES for n in (1, 3, 5)),
        *(course(epochs, drawn) for epochs in (300, 500) for drawn in (None, 0.5)),
        *(course(epochs, 0.5) for epochs in (600, 1000)),
    ],
    # What the lengths and shares above come down to, on all folds.
    "long": [course(100), *(course(400, drawn) for drawn in (None, 0.65, 0.5))],
    "images": [*COURSES, course(200), course(200, 20), course(100, 0.5)],
}


@dataclass(frozen=True)
class Task:
    """Draws of a data set of which only training bags are looked at, or synthetic."""

    data: str
    r: int
    classes: int
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """As the ranking calls it."""
        kind = "few, " if "positives" in self.options else ""
        return f"{self.data} {kind}r={self.r}"

    def of_draw(self, draw: int) -> dict[str, Any]:
        """Return the options of the data."""
        within = {} if self.data == "synthetic" else {"within": 0}
        return {**self.options, **within, "seed": draw, "folds": FOLDS}


_FEW = {"n_bags": 450, "positives": 0.08, "bag_size": [35, 47], "overlap": 0.1}
VECTORS = [
    *(Task("sival-mipl", r, 25) for r in (1, 3)),
    *(Task("birdsong-mipl", r, 13) for r in (1, 3)),
    Task("digits-mipl", 3, 5),
    Task("synthetic", 1, 5, {"n_bags": 450, "overlap": 0.2}),
    Task("synthetic", 3, 5, _FEW),
]
IMAGES = [*(Task("fmnist-mipl", r, 5) for r in (1, 3)), Task("mnist-mipl", 3, 5)]


@dataclass(frozen=True)
class Trial:
    """A setting on one fold of one draw of a task."""

    setting: str
    task: Task
    run: Run


def trials(stage: str) -> list[Trial]:
    """Return every setting on every fold of the draws of a stage's tasks.

    Folds of one setting stand side by side: they are trained together.
    """
    tasks = IMAGES if stage == "images" else VECTORS
    return [
        Trial(Facts(setting).text, task, _run(setting, task, draw, fold))
        for task, draw in product(tasks, DRAWS)
        for setting in SETTINGS[stage]
        for fold in range(FOLDS)
    ]


def _run(setting: Setting, task: Task, draw: int, fold: int) -> Run:
    method = "miplma-ensemble" if "n" in setting else "miplma"
    arguments = {**BASE, **setting}
    return Run(method, task.data, arguments, task.of_draw(draw), task.r, fold, draw)


def plan(stage: str) -> list[Run]:
    """Return the runs of a stage."""
    return [trial.run for trial in trials(stage)]


def score(result: Result, task: Task) -> float:
    """Return the accuracy of synthetic bags, an estimate from candidates of others."""
    if task.data == "synthetic":
        return result.accuracy or 0.0
    return estimated_accuracy(result.figures["covering_rate"], task.r, task.classes)


Fold = tuple[str, int, int]  # The name of a task, its draw and its fold.
Found = dict[str, dict[Fold, float]]  # The scores of settings.


def scores(stage: str, results: Iterable[Result]) -> Found:
    """Return the scores of each setting by folds; one that diverged has scored 0."""
    ended = {one.run.question: one for one in results}
    found: Found = defaultdict(dict)
    for trial in trials(stage):
        one = ended.get(trial.run)
        if one is not None:
            value = 0.0 if one.accuracy is None else score(one, trial.task)
            fold = trial.run.split or 0
            found[trial.setting][trial.task.name, trial.run.seed, fold] = value
    return found


def gain(found: Found, setting: str, base: str = "{}") -> tuple[float, float]:
    """Return a setting's mean difference from another, and its standard error.

    They are of the folds that both have, each task counting once.

    Examples
    --------
    >>> one, two = ("a", 1, 0), ("a", 1, 1)
    >>> gain({"{}": {one: 0.5, two: 0.75}, "s": {one: 0.75, two: 1.25}}, "s")
    (0.375, 0.125)
    """
    differences: dict[str, list[float]] = defaultdict(list)
    for fold, value in found[setting].items():
        if fold in found.get(base, {}):
            differences[fold[0]].append(value - found[base][fold])
    if not differences:
        return float("nan"), float("nan")
    several = [values for values in differences.values() if len(values) > 1]
    variance = sum(stdev(values) ** 2 / len(values) for values in several)
    means = [fmean(values) for values in differences.values()]
    return fmean(means), sqrt(variance) / len(differences)


def table(found: Found) -> list[str]:
    """Return a line per setting that was tried on all folds, the best first."""
    every = {fold for values in found.values() for fold in values}
    whole = {name: values for name, values in found.items() if set(values) == every}
    flat = (
        (name, fold[0], value)
        for name, values in whole.items()
        for fold, value in values.items()
    )
    lines = []
    for name, regret, worst, means in ranking(flat):
        better, error = gain(found, name)
        told = f"{fmean(means.values()):.4f}  {regret:.4f} / {worst:.4f}"
        lines.append(f"{told}  {better:+.4f} +- {error:.4f}  {name}  {Facts(means)}")
    return lines


def main() -> None:
    plans = {stage: partial(plan, stage) for stage in SETTINGS}
    stage, results = study(__doc__, plans)
    print("mean score, mean / worst regret, gain")
    print(*table(scores(stage, results)), sep="\n")


if __name__ == "__main__":
    main()
