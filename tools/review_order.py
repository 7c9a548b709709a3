"""In which order to ask a person: accuracy after answers, beside a random order.

    python -m tools.review_order compare --data sival-mipl
    python -m tools.review_order rules --known

MIPLMA is fitted on the training bags of a split; the truth answers about the 25, 25, 50
and 100 of them that come next in an order; each time the model is fitted anew, from the
start and with the same seed, and judged by the test bags. ``compare``: the rule of the
library and a random order on digits-, birdsong- and sival-mipl with three false labels,
splits 0-4. ``rules``: what the rule was chosen by: other draws (seed 1) of digits and
synthetic bags, of which no table tells anything.

Which bags were answered is an option of the data (``answered``), so that every fit is a
run of the store. ``compare --known`` reads them, fitting nothing: of two runs with as
many answers, that is the rule's whose bags are not the random ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.dataset import Dataset
from mipl.errors import MiplError
from mipl.methods.bases.base import BagClassifier
from mipl.review.signals import Rule, Signals
from mipl.runs.computing import compute
from mipl.runs.result import FINISHED, Result
from mipl.runs.run import Run
from mipl.runs.run_data import loaded
from mipl.runs.store import Store
from mipl.seeds import stream
from tools.choose_training import BASE

STAGES = (0, 25, 50, 100, 200)
RANDOM, OURS = "random", "the rule"
Order = Rule | None  # None is random.


@dataclass(frozen=True)
class Cell:
    """One data set, asked about in several orders."""

    data: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    r: int = 3
    stages: Sequence[int] = STAGES
    splits: Sequence[int] = range(5)


COMPARED = [Cell(data) for data in ("digits-mipl", "sival-mipl", "birdsong-mipl")]
CHOSEN_ON = [
    Cell("synthetic", {"seed": 1, "n_bags": 450, "overlap": 0.2}),
    Cell(
        "synthetic",
        {"seed": 1, "n_bags": 780, "n_classes": 13, "n_features": 20, "overlap": 0.2},
    ),
    Cell("digits-mipl", {"seed": 1}, stages=STAGES[:4]),
]


def rules() -> dict[str, Order]:
    """Return what was tried: reasons alone, together, and spread over classes."""
    alone = ("unresolved", "disagreement")
    mixed: dict[str, Mapping[str, float]] = {
        **{name: {name: 1.0} for name in alone},
        "both": dict.fromkeys(alone, 1.0),
    }
    found: dict[str, Order] = {RANDOM: None}
    for name, weights in mixed.items():
        found[name] = Rule(weights, spread=False)
        found[f"{name}, spread"] = Rule(weights, spread=True)
    return found


STUDIES: dict[str, tuple[list[Cell], dict[str, Order]]] = {
    "compare": (COMPARED, {RANDOM: None, OURS: Rule()}),
    "rules": (CHOSEN_ON, rules()),
}


def run_of(cell: Cell, split: int, answered: Sequence[int]) -> Run:
    """Return the run after some answers; bags are numbered in the whole data set."""
    more = {"answered": sorted(answered)} if len(answered) else {}
    options = {**cell.options, **more}
    return Run("miplma", cell.data, BASE, options, cell.r, split, 0)


class Looked:
    """Keeps what the models of runs tell of their training bags."""

    def __init__(self) -> None:
        self.found: list[Signals] = []

    def __call__(
        self, model: BagClassifier, train: Dataset, test: Dataset
    ) -> dict[str, float]:
        """Look at a fitted model; there is no figure to add."""
        self.found.append(Signals.of(model, train))
        return {}


class Asking:
    """Asks the truth about the bags of a cell in several orders.

    Attributes
    ----------
    cell : Cell
    store : Store
    known : bool
        Fit nothing: what was asked after is read from the answers that runs had.
    """

    def __init__(self, cell: Cell, store: Store, known: bool) -> None:
        self.cell, self.store, self.known = cell, store, known
        self._signals: dict[Run, Signals] = {}  # Orders begin with the same models.

    def accuracies(self, order: Order) -> Iterator[tuple[int, float]]:
        """Give the number of answers and the accuracy of each split, by stages."""
        cell = self.cell
        answered: dict[int, list[int]] = {split: [] for split in cell.splits}
        for place, stage in enumerate(cell.stages):
            if place:
                step = stage - cell.stages[place - 1]
                answered = {
                    split: self._next(order, split, before, step)
                    for split, before in answered.items()
                }
            runs = [run_of(cell, split, answered[split]) for split in cell.splits]
            look = order is not None and stage != cell.stages[-1]
            for one in self._results(runs, look):
                yield stage, one.accuracy or 0.0

    def _next(
        self, order: Order, split: int, before: Sequence[int], step: int
    ) -> list[int]:
        """Return the bags that are answered after the next step."""
        data = loaded(run_of(self.cell, split, ())).data
        train = data.fold(split).train
        if order is None:
            random = stream(split, "random order of answers")
            first = random.permutation(len(train))
        elif self.known and len(before) + step < len(train):
            return self._recorded(split, before, step)
        elif self.known:  # All of them.
            first = np.arange(len(train))
        else:
            first = order.order(self._signals[run_of(self.cell, split, before)])
        return next_bags(first, train, before, step)

    def _recorded(self, split: int, before: Sequence[int], step: int) -> list[int]:
        """Return what was asked after these bags, as a run of the store tells."""
        blank = run_of(self.cell, split, ())
        random = self._next(None, split, (), len(before) + step)
        for one in self.store.results(data=blank.data, split=split, r=blank.r):
            options = dict(one.run.options)
            told = options.pop("answered", [])
            same = options == dict(blank.options) and set(before) <= set(told)
            if same and len(told) == len(before) + step and set(told) != set(random):
                return list(told)
        raise MiplError(
            f"the store does not know {blank} after {len(before) + step} answers; "
            "leave --known out."
        )

    def _results(self, runs: Sequence[Run], look: bool) -> list[Result]:
        """Return the results of runs; fit them where they, or their models, lack."""
        known = self.store.answers(runs)
        seen = all(run in self._signals for run in runs)
        if len(known) < len(runs) or (look and not seen and not self.known):
            if self.known:
                raise MiplError(f"{self.store.path} lacks runs; leave --known out.")
            known |= self._computed(runs)
        return [known[run] for run in runs]

    def _computed(self, runs: Sequence[Run]) -> dict[Run, Result]:
        """Fit runs together, and keep what is new."""
        looked = Looked()
        outcomes = compute(list(runs), looked)
        bad = [one.result.message for one in outcomes if one.result.state != FINISHED]
        if bad:
            raise MiplError(bad[0])
        self.store.record_all((one.result, None, None) for one in outcomes)
        self._signals |= dict(zip(runs, looked.found, strict=True))
        results = [one.result for one in outcomes]
        return dict(zip(runs, results, strict=True))


def next_bags(
    first: Sequence[int] | np.ndarray,
    train: np.ndarray,
    answered: Sequence[int],
    n: int,
) -> list[int]:
    """Return the bags that were answered, and the next n of an order.

    Examples
    --------
    >>> next_bags([2, 0, 1], np.array([4, 7, 9]), [9], 1)
    [9, 4]
    """
    known = set(answered)
    left = [bag for bag in train[first].tolist() if bag not in known]
    return [*answered, *left[:n]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", choices=list(STUDIES))
    parser.add_argument("--data", nargs="+", help="only these data sets")
    parser.add_argument("--store", type=Path, default=Path("results.db"))
    parser.add_argument("--known", action="store_true", help="compute nothing")
    given = parser.parse_args()
    cells, orders = STUDIES[given.study]
    store = Store(given.store, create=True)
    for cell in cells:
        if given.data and cell.data not in given.data:
            continue
        asking = Asking(cell, store, given.known)
        for name, order in orders.items():
            found: dict[int, list[float]] = {}
            for stage, accuracy in asking.accuracies(order):
                found.setdefault(stage, []).append(accuracy)
            told = "  ".join(
                f"{stage}: {np.mean(one):.3f} +- {np.std(one):.3f}"
                for stage, one in found.items()
            )
            print(f"{cell.data} {dict(cell.options)}  {name}  {told}", flush=True)


if __name__ == "__main__":
    main()
