"""Measure the multi-instance methods, saved to results/multi_instance.csv.

    python -m benchmarks.multi_instance classical --data musk1 elephant
    python -m benchmarks.multi_instance best-epoch --data fox --method loss-attention
    python -m benchmarks.multi_instance columns --data sival-mipl
    python -m benchmarks.multi_instance one-vs-rest --method abmil --epochs 20
    python -m benchmarks.multi_instance true-labels
    python -m benchmarks.multi_instance summary

``classical``: the five two-class sets, ten stratified folds that the seed shuffles, two
seeds; features are standardised with the training instances. ``best-epoch``: the same
folds of the first seed, and as the column best the accuracy after the epoch that is
best on the test bags, which some programs report; it is no accuracy that one can have.
``columns``: bags of a MIPL data set with one false label, ten splits, with an output
per class; the Gaussian processes, which have a learner per class anyway, also with the
paper's third rule by the letter. ``one-vs-rest``: the networks with a learner per
class, one split. The share of bags that the third rule decides is the column
all_negative. ``true-labels``: MAAM beside both forms of attention on images with their
true labels, two splits. Settings are the published ones where there are any for the
data, and the defaults elsewhere. All folds of a method are fitted together; those
already in the file are not run again.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.record import RESULTS, Job, arguments_text, print_cells, study_command

FILE = RESULTS / "multi_instance.csv"
KEY = ["study", "method", "arguments", "data", "seed", "fold"]

CLASSICAL = ("musk1", "musk2", "fox", "tiger", "elephant")
TRUE_LABELS = ("maam", "abmil", "abmil-gated")
TWO_CLASS = ("vwsgp", "vgpmil", "lm-vgpmil")  # Their ids build one-vs-rest.
ALONE = {"alone": True}  # The class itself, for two classes as it was published.
IMAGES = ("mnist-mipl", "fmnist-mipl")
FOLDS = {
    "classical": 10,
    "best-epoch": 10,
    "columns": 10,
    "one-vs-rest": 1,
    "true-labels": 2,
}
FEW = {"mivae": 3, **dict.fromkeys(IMAGES, 1)}  # Splits where ten take too long.

# Accuracy and standard deviation over ten folds, five times: Loss-Attention's table.
PUBLISHED = {
    "abmil": (".892 .090", ".858 .106", ".615 .096", ".839 .054", ".868 .054"),
    "abmil-gated": (".900 .088", ".863 .094", ".603 .068", ".845 .046", ".857 .064"),
    "loss-attention": (".917 .066", ".911 .063", ".712 .074", ".897 .065", ".900 .069"),
}


def registered() -> list[str]:
    """Return the ids of all multi-instance methods."""
    from mipl.methods.catalogue.registry import methods  # noqa: PLC0415

    return [row.id for row in methods() if row.family == "mil"]


def classical(data: list[str]) -> list[Job]:
    """Return the jobs on the classical two-class sets."""
    return [
        job
        for one in data or CLASSICAL
        for seed in range(2)
        for name in registered()
        for arguments in ([{}, ALONE] if name in TWO_CLASS else [{}])
        for job in _folds("classical", name, arguments, one, seed)
    ]


def best_epoch(data: list[str]) -> list[Job]:
    """Return the jobs that look at the test bags after every epoch."""
    return [
        job
        for one in data or CLASSICAL
        for name in PUBLISHED
        for job in _folds("best-epoch", name, {}, one)
    ]


def columns(data: list[str]) -> list[Job]:
    """Return the jobs on candidate sets, a bag repeated once per candidate."""
    literal = {"all_negative": "lowest_score"}
    return [
        job
        for one in data or ["sival-mipl", "birdsong-mipl"]
        for name in registered()
        for arguments in ([{}, literal] if name in TWO_CLASS else [{}])
        for job in _folds("columns", name, arguments, one)
    ]


def one_vs_rest(data: list[str]) -> list[Job]:
    """Return the jobs with a network per class."""
    return [
        job
        for one in data or ["sival-mipl", "birdsong-mipl"]
        for name in registered()
        if name not in TWO_CLASS
        for job in _folds("one-vs-rest", name, {}, one)
    ]


def true_labels(data: list[str]) -> list[Job]:
    """Return the jobs on images with their true labels."""
    return [
        job
        for one in data or IMAGES
        for name in TRUE_LABELS
        for job in _folds("true-labels", name, {}, one)
    ]


def _folds(
    study: str, name: str, arguments: Job, data: str, seed: int = 0
) -> list[Job]:
    """Return a job per fold; on own splits it has the arguments of the tables' runs."""
    from mipl.methods.catalogue.registry import has_published  # noqa: PLC0415

    own = study not in ("classical", "best-epoch")
    if own and has_published(name, data, _false_labels(study)):
        arguments = {"published": True, **arguments}
    n_folds = FOLDS[study]
    if study == "columns":
        n_folds = min(FEW.get(one, n_folds) for one in (name, data))
    values = (study, name, arguments, data, seed)
    return [dict(zip(KEY, (*values, fold), strict=True)) for fold in range(n_folds)]


def _false_labels(study: str) -> int:
    return 1 if study in ("columns", "one-vs-rest") else 0


def work(jobs: list[Job]) -> list[Job]:
    """Fit on the training bags of some folds of a setting and score the others."""
    from mipl import fit_together  # noqa: PLC0415

    study = jobs[0]["study"]
    pairs = [parts(job) for job in jobs]
    models = [build(job) for job in jobs]
    seen = [BestEpoch(test) for _, test in pairs]
    if study == "best-epoch":
        for model, watcher in zip(models, seen, strict=True):
            model.set_callbacks(watcher)
    start = time.perf_counter()
    fit_together(models, [(train.bags, train.candidates) for train, _ in pairs])
    seconds = (time.perf_counter() - start) / len(pairs)
    return [
        {
            **job,
            "arguments": arguments_text(job["arguments"]),
            "accuracy": f"{model.score(test.bags, test.labels):.4f}",
            "seconds": f"{seconds:.1f}",
            "all_negative": _all_negative(model, test),
            "r": _false_labels(study),
            "auc": _auc(model, test) if study == "classical" else "",
            "best": "" if watcher.accuracy is None else f"{watcher.accuracy:.4f}",
        }
        for job, model, (_, test), watcher in zip(
            jobs, models, pairs, seen, strict=True
        )
    ]


class BestEpoch:
    """Keeps the accuracy on test bags after the epoch in which it is highest."""

    def __init__(self, test: Any) -> None:
        self.test = test
        self.accuracy: float | None = None

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing is to be prepared."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing is to be cleaned up."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing is known yet."""

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any
    ) -> None:
        """Look at the test bags."""
        if context.task_name == "epoch":
            found = fitted_estimator.score(self.test.bags, self.test.labels)
            self.accuracy = max(found, self.accuracy or 0.0)


def _all_negative(model: Any, test: Any) -> str:
    """Return the share of bags of which every learner says no, where there are any."""
    from mipl import OneVsRest  # noqa: PLC0415

    if not isinstance(model, OneVsRest):
        return ""
    return f"{model.all_negative_rate(test.bags):.4f}"


def _auc(model: Any, test: Any) -> str:
    """Return the area under the curve, which two classes have in common."""
    from mipl.metrics import macro_auroc  # noqa: PLC0415

    numbers = np.searchsorted(model.classes_, test.labels)
    return f"{macro_auroc(model.predict_proba(test.bags), numbers):.4f}"


def build(job: Job) -> Any:
    """Return the method with its published settings for the data, if there are any."""
    from mipl import OneVsRest, method  # noqa: PLC0415
    from mipl.methods.catalogue.registry import has_published  # noqa: PLC0415

    name, data, r = job["method"], job["data"], _false_labels(job["study"])
    arguments = dict(job["arguments"])
    arguments.pop("published", None)
    alone = arguments.pop("alone", False)
    source = data if has_published(name, data, r) else None
    model = method(name, published_for=source, r=r, **arguments)
    seeds = [name for name in model.get_params() if name.endswith("random_state")]
    model.set_params(**dict.fromkeys(seeds, job["seed"]))
    if alone:
        return model.get_params()["estimator"]
    return OneVsRest(model) if job["study"] == "one-vs-rest" else model


def parts(job: Job) -> tuple[Any, Any]:
    """Return the training and the test bags."""
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415

    from mipl import load_dataset  # noqa: PLC0415

    study, fold = job["study"], job["fold"]
    if study not in ("classical", "best-epoch"):
        return load_dataset(job["data"], r=_false_labels(study)).split(fold)
    data = load_dataset(job["data"])
    folds = StratifiedKFold(FOLDS[study], shuffle=True, random_state=job["seed"])
    train, test = list(folds.split(np.zeros(len(data)), data.labels))[fold]
    return data[train], data[test]


def summary() -> None:
    """Print every cell measured, the published figure beside it."""
    print_cells(FILE, _cell, _beside)


def _cell(row: dict[str, str]) -> tuple[str, ...]:
    return (row["study"], row["data"], row["method"], row["arguments"])


def _beside(cell: tuple[str, ...], accuracy: float) -> str:
    """Return the published figure of a classical set, and how far ours is from it."""
    study, data, name, _ = cell
    if study != "classical" or name not in PUBLISHED:
        return ""
    mean, std = map(float, PUBLISHED[name][CLASSICAL.index(data)].split())
    away = (accuracy - mean) / std
    return f"  published {mean:.3f} +- {std:.3f}, {away:+.1f} std away"


STUDIES = {
    "classical": classical,
    "best-epoch": best_epoch,
    "columns": columns,
    "one-vs-rest": one_vs_rest,
    "true-labels": true_labels,
}


def main() -> None:
    study_command(__doc__, STUDIES, work, KEY, FILE, summary)


if __name__ == "__main__":
    main()
