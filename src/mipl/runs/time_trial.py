"""How long a run will take, measured: some epochs on some of its bags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from mipl.data.dataset import Dataset
from mipl.runs.run import Run

_BAGS = 256
_NUMBERS = 2_000_000  # Of all instances that are fitted on, about.
_FEWEST_BAGS = 8
_SECONDS = 1.0  # That the epochs which are measured take, about.
_EPOCHS = "training__epochs"
# What counts bags of the whole data set, some of which are not tried.
_OF_ALL_BAGS = ("training__record_bags",)


@dataclass(frozen=True)
class TimeTrial:
    """What a few epochs on a few bags have taken.

    Attributes
    ----------
    each : float
        Seconds that an epoch of the run will take; of a method without epochs, the fit.
    around : float
        Seconds that are paid once, as for what is loaded on first use.

    Examples
    --------
    >>> TimeTrial(0.5, 2.0).seconds(10)
    7.0
    """

    each: float
    around: float

    def seconds(self, epochs: int) -> float:
        """Return how long so many epochs will take, about."""
        return self.around + epochs * self.each

    def as_dict(self) -> dict[str, float]:
        """Return plain values that JSON can hold."""
        return {"each": self.each, "around": self.around}


def time_trial(run: Run) -> TimeTrial:
    """Fit a run on some of its bags for some of its epochs, and foretell the rest.

    An epoch takes time by the instances it reads: those of the run over those tried.

    Examples
    --------
    >>> found = time_trial(Run("miplma", "synthetic", {"training__epochs": 100}))
    >>> 0 < found.each < found.seconds(100)
    True
    """
    start = perf_counter()
    train = run.parts().train
    few = _some(train)
    share = train.bags.n_instances / few.bags.n_instances
    least = _fewest_epochs(run)
    _fitted(run, few, least)
    cold = perf_counter() - start
    once = _fitted(run, few, least)
    if least is None:
        return TimeTrial(once * share, max(0.0, cold - once))
    more = int(np.clip(_SECONDS * least / max(once, 1e-3), 2, 50))
    each = max(0.0, _fitted(run, few, least + more) - once) / more
    return TimeTrial(each * share, max(0.0, cold - least * each))


def epochs_of(model: Any) -> int | None:
    """Return how many epochs a model trains, or what is inside it; None without any.

    Examples
    --------
    >>> epochs_of(Run("miplma", "digits-mipl", {_EPOCHS: 7}).build())
    7
    """
    options = _options_of(model)
    return None if options is None else int(options.epochs)


def _options_of(model: Any) -> Any:
    while hasattr(model, "estimator"):
        model = model.estimator
    return model._options() if hasattr(model, "_options") else None


def _fewest_epochs(run: Run) -> int | None:
    """Return with how few epochs the run could be fitted: each round has one."""
    options = _options_of(run.build())
    return None if options is None else int(options.rounds)


def _some(train: Dataset) -> Dataset:
    """Return bags from all over a data set, few enough to be quick."""
    mean = train.bags.n_instances * train.bags.n_features / len(train)
    n = int(np.clip(_NUMBERS / mean, _FEWEST_BAGS, _BAGS))
    return train[np.linspace(0, len(train) - 1, min(n, len(train))).astype(np.int64)]


def _fitted(run: Run, few: Dataset, epochs: int | None) -> float:
    """Return the seconds of a fit."""
    own = {n: v for n, v in run.arguments.items() if n not in _OF_ALL_BAGS}
    told: Mapping[str, Any] = own if epochs is None else {**own, _EPOCHS: epochs}
    model = replace(run, arguments=told).build()
    start = perf_counter()
    model.fit(few.bags, few.candidates)
    return perf_counter() - start
