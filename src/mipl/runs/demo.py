"""The demo: three readings of MIPLMA and a simple rival on the embedded digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mipl.data.dataset import Dataset
from mipl.runs.backends import processes
from mipl.runs.evaluation import Evaluation
from mipl.runs.explanation import Explanation, explain
from mipl.runs.run import Run

DATA = "digits-mipl"
FOLDS = (0, 1, 2)
_SHOWN = 4  # Test bags whose attention is drawn, of the first fold.
_NEAREST = "mnist-mipl"  # The nearest data set with published settings.


@dataclass(frozen=True)
class Contestant:
    """A method of the demo.

    Attributes
    ----------
    id : str
    title : str
    note : str
        What sets it apart, with its settings.
    method : str
        A registry id.
    arguments : mapping
        Of the run.
    """

    id: str
    title: str
    note: str
    method: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def run(self, fold: int, epochs: int | None = None) -> Run:
        """Return its run on a fold, with fewer epochs where it has any."""
        run = Run(self.method, DATA, self.arguments, split=fold, seed=fold)
        if epochs is None or "training" not in run.build().get_params():
            return run
        return replace(run, arguments={**run.arguments, "training__epochs": epochs})


CONTESTANTS = (
    Contestant(
        "ours",
        "MIPLMA, ours",
        "MIPLMA(): one setting for all data, many bags per step",
        "miplma",
    ),
    Contestant(
        "released",
        "MIPLMA, released",
        "MIPLMA.released(): the settings published for MNIST-MIPL, one bag per step",
        "miplma-released",
        {"published": _NEAREST},
    ),
    Contestant(
        "paper",
        "MIPLMA, paper",
        "MIPLMA.paper(): the printed equations, one step per epoch",
        "miplma-paper",
    ),
    Contestant(
        "mean",
        "mean pooling",
        "the mean of each bag, logistic regression with every candidate as a label",
        "mean-pooling",
    ),
)
IDS = tuple(one.id for one in CONTESTANTS)


@dataclass(frozen=True, eq=False)
class DemoRun:
    """One method on one fold.

    Attributes
    ----------
    contestant : str
        Id of the method.
    fold : int
    seconds : float
        Of the fit alone, in its own process with one thread.
    evaluation : Evaluation
        On the test bags.
    history : list of dict
        Figures of each epoch; empty for methods without epochs.
    shown : tuple of Explanation
        Of a few test bags.
    """

    contestant: str
    fold: int
    seconds: float
    evaluation: Evaluation
    history: list[dict[str, float]]
    shown: tuple[Explanation, ...]


def demo_runs(
    folds: Sequence[int] = FOLDS,
    contestants: Sequence[str] = IDS,
    workers: int = 2,
    epochs: int | None = None,
) -> Iterator[DemoRun]:
    """Fit and measure every method on every fold, each as soon as it is done.

    Parameters
    ----------
    folds : numbers of folds
    contestants : ids
    workers : int
        Processes, of one thread each.
    epochs : int, optional
        Fewer epochs than each method's own, for a quick look.

    Examples
    --------
    >>> [run] = demo_runs(folds=[0], contestants=["mean"], workers=1)
    >>> run.evaluation.bags, run.history
    (75, [])
    """
    # The slowest method first, so that no process is left alone with it at the end.
    chosen = [one for one in CONTESTANTS if one.id in contestants]
    chosen.sort(key=lambda one: one.id != "released")
    jobs = [(one.id, one.run(fold, epochs)) for one in chosen for fold in folds]
    with processes(workers) as spread:
        yield from spread(_measured, jobs)


def _measured(job: tuple[str, Run]) -> DemoRun:
    contestant, run = job
    done = run.execute()
    test = done.parts.test
    assert done.evaluation is not None and test is not None and run.split is not None
    return DemoRun(
        contestant,
        run.split,
        done.seconds,
        done.evaluation,
        done.history,
        tuple(explain(done.model, test, index) for index in _shown(test)),
    )


def _shown(test: Dataset) -> list[int]:
    """Return the first test bag of each of the first classes."""
    assert test.labels is not None
    _, first = np.unique(test.labels, return_index=True)
    return [int(index) for index in first[:_SHOWN]]
