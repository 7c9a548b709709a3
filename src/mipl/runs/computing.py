"""What a worker does: fit some runs together, judge each on its test bags."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from mipl.data.dataset import Dataset
from mipl.data.instance_classes import positive_instances
from mipl.errors import Diverged, MiplError
from mipl.methods.bases.base import BagClassifier
from mipl.methods.catalogue.registry import find
from mipl.methods.saving.persist import versions
from mipl.methods.wrappers.together import fit_together
from mipl.runs.epoch_scores import EpochScores
from mipl.runs.evaluation import Evaluation, evaluate
from mipl.runs.result import (
    DIVERGED,
    FAILED,
    FINISHED,
    Curves,
    Predictions,
    Result,
)
from mipl.runs.run import Facts, Run
from mipl.runs.run_data import loaded

if TYPE_CHECKING:
    from mipl.runs.execution import Parts

_DIGITS = 6  # That are kept of a figure.

# More figures of a fitted model, from its training bags and its test bags.
MoreFigures = Callable[[BagClassifier, Dataset, Dataset], Mapping[str, float | None]]


@dataclass(frozen=True)
class Outcome:
    """What a worker hands back of one run."""

    result: Result
    curves: Curves | None = None
    predictions: Predictions | None = None


def compute(runs: Sequence[Run], more: MoreFigures | None = None) -> list[Outcome]:
    """Fit runs on the same data together; whatever fails becomes a result, too."""
    try:
        with threadpool_limits(1):
            return _compute(runs, more)
    except Exception as error:
        if len(runs) > 1:  # One of them is at fault; the others shall not suffer.
            return [outcome for run in runs for outcome in compute([run], more)]
        told = str(error) if isinstance(error, MiplError) else _told(error)
        return [Outcome(_ended(runs[0], FAILED, message=told))]


def _compute(runs: Sequence[Run], more: MoreFigures | None) -> list[Outcome]:
    runs = [_checked(run) for run in runs]
    models = [run.build() for run in runs]
    parts = [run.parts(loaded(run).data) for run in runs]
    seen = [_epoch_scores(*one) for one in zip(runs, models, parts, strict=True)]
    diverged: Mapping[int, str] = {}
    start = perf_counter()
    try:
        fit_together(models, [(p.train.bags, p.train.candidates) for p in parts])
    except Diverged as error:
        diverged = error.runs
    seconds = (perf_counter() - start) / len(runs)
    outcomes = []
    for place, (run, model, part) in enumerate(zip(runs, models, parts, strict=True)):
        if place in diverged:
            end = _ended(run, DIVERGED, None, seconds, message=diverged[place])
            # How it came to that.
            outcomes.append(Outcome(end, curves_of(model) | _test_curve(seen[place])))
        else:
            one = _judged(run, model, part, seconds)
            outcomes.append(_with_more(one, model, part, more, seen[place]))
    return outcomes


def _epoch_scores(run: Run, model: BagClassifier, parts: Parts) -> EpochScores | None:
    """Return what looks at the test bags after every epoch, where a run asks for it."""
    if not run.arguments.get("test_curve") or parts.test is None:
        return None
    return EpochScores(model, parts.test)


def _with_more(
    one: Outcome,
    model: BagClassifier,
    parts: Parts,
    more: MoreFigures | None,
    scores: EpochScores | None,
) -> Outcome:
    """Add figures and a curve that not every run has."""
    found = dict(one.result.figures)
    if more is not None and parts.test is not None:
        found |= _finite(more(model, parts.train, parts.test))
    if scores is not None:
        found |= _finite({"best_epoch_accuracy": scores.best})
    curves = {**(one.curves or {}), **_test_curve(scores)}
    return replace(one, result=replace(one.result, figures=found), curves=curves)


def _test_curve(scores: EpochScores | None) -> Curves:
    if scores is None:
        return {}
    return {"test_accuracy": [_short(value) for value in scores.accuracies]}


def _checked(run: Run) -> Run:
    """Return a run with what is known here: the content of its data, the versions."""
    content = loaded(run).content
    if run.content not in ("", content):
        raise MiplError(
            f"{run.data} has other content on the machine that computes than on the "
            "one that asks; give both the same files."
        )
    code = find(run.method).code
    own = {run.method: code} if code else {}
    return replace(run, content=content, versions=versions() | own)


def _judged(run: Run, model: BagClassifier, parts: Parts, seconds: float) -> Outcome:
    test = parts.test
    if test is None or run.split is None:
        raise MiplError(f"{run} has no test bags; give split.")
    found = evaluate(model, test)
    right = None if found.truth is None else found.truth.accuracy
    numbers = parts.whole.fold(run.split).test
    return Outcome(
        _ended(run, FINISHED, right, seconds, figures_of(found)),
        curves_of(model) | attention_of(model, test, run.arguments.get("watch", [])),
        _predictions(model, test, numbers),
    )


def _ended(
    run: Run,
    state: str,
    accuracy: float | None = None,
    seconds: float = 0.0,
    figures: Mapping[str, float] | None = None,
    message: str = "",
) -> Result:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Result(run, state, accuracy, seconds, Facts(figures), message, now)


def figures_of(found: Evaluation) -> dict[str, float]:
    """Return the single figures of an evaluation, by name; the accuracy left out."""
    kept: dict[str, float | None] = dict(vars(found.candidates))
    if found.truth is not None:
        names = ("balanced_accuracy", "macro_auroc", "ece")
        kept |= {name: getattr(found.truth, name) for name in names}
    if found.instances is not None:
        kept["attention_auroc"] = found.instances.attention_auroc
        kept["score_auroc"] = found.instances.score_auroc
        kept["instance_violation_rate"] = found.instances.violation_rate
    kept["all_negative_rate"] = found.all_negative_rate
    return _finite(kept)


def _finite(figures: Mapping[str, float | None]) -> dict[str, float]:
    """Return the figures that are numbers, shortened."""
    short = {name: _short(value) for name, value in figures.items()}
    return {name: value for name, value in short.items() if value is not None}


def curves_of(model: BagClassifier) -> Curves:
    """Return the figures of each epoch, and of each bag that was recorded."""
    curves: Curves = {}
    for epoch in getattr(model, "history_", []):
        for name, value in epoch.items():
            curves.setdefault(name, []).append(_short(value))
    for record in getattr(model, "record_", []):
        for name in ("best_candidate", "best_other"):
            for place, value in enumerate(record[name]):
                curves.setdefault(f"{name} {place}", []).append(_short(value))
    return curves


def attention_of(model: BagClassifier, test: Dataset, places: Sequence[int]) -> Curves:
    """Return the attention of watched test bags, and which instances are positive."""
    curves: Curves = {}
    for place in places:
        if not hasattr(model, "attend") or not 0 <= place < len(test):
            raise MiplError(
                f"watch of a run must name test bags from 0 to {len(test) - 1}, of a "
                f"method that has attention; got {place!r}."
            )
        bag = test[[place]]
        weights = model.attend(bag.bags)  # (n,)
        curves[f"attention {place}"] = [_short(one) for one in weights.tolist()]
        positive = positive_instances(bag)
        if positive is not None:
            curves[f"positive {place}"] = [float(one) for one in positive]
    return curves


def _predictions(
    model: BagClassifier, test: Dataset, numbers: Iterable[int]
) -> Predictions:
    p = model.predict_proba(test.bags)  # (m, k)
    truth = [] if test.labels is None else test.labels.tolist()
    return Predictions(
        tuple(int(number) for number in numbers),
        tuple(truth),
        tuple(model.classes_[p.argmax(axis=1)].tolist()),
        tuple(np.round(p.max(axis=1), 4).tolist()),
    )


def _short(value: float | None) -> float | None:
    """Return a number that JSON can hold, None for any other."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{_DIGITS}g}")


def _told(error: Exception) -> str:
    what = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {what}"
