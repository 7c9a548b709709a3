"""The demo: three readings of MIPLMA and a simple rival on the embedded digits."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from mipl.data.dataset import Dataset
from mipl.datasets import load_dataset
from mipl.methods.bases.base import BagClassifier
from mipl.methods.catalogue.registry import method
from mipl.runs.evaluation import Evaluation, evaluate
from mipl.runs.explanation import Explanation, explain
from mipl.runs.mean_pooling import MeanPooling

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
    build : function of a seed
        Returns the estimator.
    """

    id: str
    title: str
    note: str
    build: Callable[[int], BagClassifier]


def _ours(seed: int) -> BagClassifier:
    return method("miplma", random_state=seed)


def _released(seed: int) -> BagClassifier:
    return method("miplma-released", published_for=_NEAREST, r=1, random_state=seed)


def _paper(seed: int) -> BagClassifier:
    return method("miplma-paper", random_state=seed)


def _mean(seed: int) -> BagClassifier:
    return MeanPooling()


CONTESTANTS = (
    Contestant(
        "ours",
        "MIPLMA, ours",
        "MIPLMA(): one setting for all data, many bags per step",
        _ours,
    ),
    Contestant(
        "released",
        "MIPLMA, released",
        "MIPLMA.released(): the settings published for MNIST-MIPL, one bag per step",
        _released,
    ),
    Contestant(
        "paper",
        "MIPLMA, paper",
        "MIPLMA.paper(): the printed equations, one step per epoch",
        _paper,
    ),
    Contestant(
        "mean",
        "mean pooling",
        "the mean of each bag, logistic regression with every candidate as a label",
        _mean,
    ),
)
IDS = tuple(one.id for one in CONTESTANTS)


@dataclass(frozen=True, eq=False)
class Run:
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
) -> Iterator[Run]:
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
    jobs = [(one, fold, epochs) for one in chosen for fold in folds]
    if workers == 1:
        yield from (run(*job) for job in jobs)
        return
    # A pool of our own: joblib's shared one takes the loading of torch, in a process
    # that it reuses, for a leak of memory and hangs.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn) as pool:
        for done in as_completed([pool.submit(run, *job) for job in jobs]):
            yield done.result()


def run(contestant: Contestant, fold: int, epochs: int | None = None) -> Run:
    """Fit one method on the training bags of one fold and measure it on the others."""
    train, test = load_dataset(DATA).split(fold)
    model = contestant.build(fold)
    if epochs is not None and "training" in model.get_params():
        model.set_params(training__epochs=epochs)
    start = perf_counter()
    model.fit(train.bags, train.candidates)
    seconds = perf_counter() - start
    return Run(
        contestant.id,
        fold,
        seconds,
        evaluate(model, test),
        getattr(model, "history_", []),
        tuple(explain(model, test, index) for index in _shown(test)),
    )


def _shown(test: Dataset) -> list[int]:
    """Return the first test bag of each of the first classes."""
    assert test.labels is not None
    _, first = np.unique(test.labels, return_index=True)
    return [int(index) for index in first[:_SHOWN]]
