"""How long runs will take, by what like runs have taken."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from mipl.datasets import RECORDS
from mipl.datasets.published_sets import SOURCES
from mipl.errors import MiplError
from mipl.runs.run import Facts, Run
from mipl.runs.store import Store
from mipl.runs.time_trial import epochs_of

_EPOCHS = "training__epochs"
_GROWTH = 0.7

_SPLITTING = ("seed", "folds", "within")  # Options that leave an epoch about as long.

Place = tuple[str, Facts, str | None]


def growth(ratio: float) -> float:
    """Return how many times longer an epoch of so many times the numbers takes.

    Of all pairs of data sets that a method was run on, this foretells one by the other
    best; large matrices take less time per number.

    Examples
    --------
    >>> growth(1.0), round(growth(10.0), 2)
    (1.0, 5.01)
    """
    return float(ratio**_GROWTH)


@dataclass(frozen=True)
class Estimate:
    """Expected time of some runs.

    Attributes
    ----------
    seconds : float
        In one process, of the runs that can be estimated.
    unknown : int
        Runs of which no like one was ever computed.
    rough : int
        Runs whose method was computed on other data only.
    """

    seconds: float
    unknown: int
    rough: int = 0


@dataclass(frozen=True)
class Cost:
    """Expected seconds of one run; rough where only an analogy gives them."""

    seconds: float
    rough: bool = False


def estimate(runs: Iterable[Run], store: Store) -> Estimate:
    """Estimate the time of runs by the likest that the store holds.

    Examples
    --------
    >>> import tempfile
    >>> from mipl.runs.result import Result
    >>> runs = [Run("miplma", "digits-mipl", split=split) for split in range(10)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.db", create=True)
    ...     _ = store.record(Result(runs[0], "finished", 0.9, 20.0))
    ...     estimate([*runs[1:], Run("demipl", "digits-mipl")], store)
    Estimate(seconds=180.0, unknown=1, rough=0)
    """
    return Costs(store).total(runs)


class Costs:
    """What runs cost, by the results of some stores.

    A run costs the mean of those that differ only in split, seed and r; failing that,
    of those that differ in the epochs, whose time grows with them; then of the same
    method on the same data. Where a method was never run on these data, the published
    data set nearest in size tells, and its time grows with the numbers of an epoch.
    """

    def __init__(self, store: Store) -> None:
        self._seconds: dict[Hashable, list[float]] = defaultdict(list)
        self._places: dict[Hashable, dict[Place, float]] = defaultdict(dict)
        for result in store.results():
            run, each = result.run, result.seconds / _epochs(result.run)
            here, size = _place(run), _size(_place(run))
            self._seconds[_exact(run)].append(result.seconds)
            self._seconds[run.method, run.data].append(each)
            for who in _who(run):
                self._seconds[who, here].append(each)
                if size is not None:
                    self._places[who][here] = size

    def total(self, runs: Iterable[Run]) -> Estimate:
        """Return the time of some runs."""
        costs = [self.of(run) for run in runs]
        known = [cost for cost in costs if cost is not None]
        return Estimate(
            sum(cost.seconds for cost in known),
            len(costs) - len(known),
            sum(cost.rough for cost in known),
        )

    def of(self, run: Run) -> Cost | None:
        """Return the cost of a run, None where nothing like it was computed."""
        if _exact(run) in self._seconds:
            return Cost(fmean(self._seconds[_exact(run)]))
        places = [(who, _place(run)) for who in _who(run)]
        for like in (*places, (run.method, run.data)):
            if like in self._seconds:
                return Cost(fmean(self._seconds[like]) * _epochs(run))
        for who in _who(run):
            each = self._elsewhere(who, _place(run))
            if each is not None:
                return Cost(each * _epochs(run), rough=True)
        return None

    def _elsewhere(self, who: Hashable, here: Place) -> float | None:
        """Return the seconds of an epoch that the data nearest in size foretell."""
        size, others = _size(here), self._places[who]
        if size is None or not others:
            return None
        there = min(others, key=lambda place: abs(math.log(size / others[place])))
        return fmean(self._seconds[who, there]) * growth(size / others[there])


def _exact(run: Run) -> Hashable:
    return run.method, run.arguments, run.data, run.options


def _who(run: Run) -> tuple[Hashable, Hashable]:
    """Return the method with its arguments but for the epochs, and the method alone."""
    own = {name: value for name, value in run.arguments.items() if name != _EPOCHS}
    return (run.method, Facts(own)), run.method


def _place(run: Run) -> Place:
    """Return the data as a method sees them: bags, or one vector of each bag."""
    return run.data, Facts(run.options), run.arguments.get("reduction")


@lru_cache(maxsize=1000)
def _size(place: Place) -> float | None:
    """Return how many numbers an epoch reads, None of data that nobody published."""
    data, told, reduction = place
    options = {name: value for name, value in told.items() if name not in _SPLITTING}
    for source in SOURCES.values():
        record = RECORDS.get(source.id)
        if record and (source.name, source.options) == (data, options):
            rows = record.instances if reduction is None else record.bags
            return float(rows * record.features)
    return None


def _epochs(run: Run) -> int:
    return _epochs_of(run.method, Facts(run.arguments), run.data, run.r)


@lru_cache(maxsize=10_000)
def _epochs_of(method: str, arguments: Facts, data: str, r: int) -> int:
    """Return how many epochs a run trains; 1 for a method that has none."""
    try:
        model = Run(method, data, arguments, r=r).build()
    except MiplError:  # Whoever computes it will tell.
        return 1
    return epochs_of(model) or 1
