"""Two-class learners of several classes, on bags that are repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from mipl.data.bags import Bags
from mipl.data.frozen import Array
from mipl.errors import BadFile, Diverged
from mipl.methods.bases.base import BagClassifier
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.methods.wrappers.together import fit_together
from mipl.training.progress import passed_on

Integers = npt.NDArray[np.int64]


def fit_learners(
    estimator: BagClassifier,
    bags: Bags,
    copies: Mapping[Any, Integers],
    tasks: Sequence[Any] = (),
) -> list[BagClassifier]:
    """Fit a learner of each class; for it, bags are repeated with either label.

    Parameters
    ----------
    estimator : BagClassifier
        It is cloned for each class.
    bags : Bags
    copies : mapping
        By the names of the classes: how often each bag counts with each label, (m, 2).
    tasks : sequence
        Those of the learners, where callbacks are to hear what happens inside.
    """
    models = [clone(estimator) for _ in copies]
    with passed_on(tasks, models):
        _fit(models, bags, copies)
    return models


def _fit(models: Sequence[Any], bags: Bags, copies: Mapping[Any, Integers]) -> None:
    if "copies" in signature(models[0].fit).parameters:
        for model, one in zip(models, copies.values(), strict=True):
            model.fit(bags, one > 0, copies=one)
        return
    try:
        fit_together(models, [repeated(bags, one) for one in copies.values()])
    except Diverged as error:
        number, why = min(error.runs.items())
        raise Diverged(f"learner of class {list(copies)[number]!r}: {why}") from error


def repeated(bags: Bags, copies: Integers) -> tuple[Bags, Integers]:
    """Return each bag as often as it counts, and the label of each copy.

    Examples
    --------
    >>> copies = np.array([[1, 1], [0, 2]])
    >>> both, labels = repeated(Bags([[[0.0]], [[5.0]]]), copies)
    >>> both.instances.ravel().tolist(), labels.tolist()
    ([0.0, 0.0, 5.0, 5.0], [0, 1, 1, 1])
    """
    which = np.repeat(np.arange(len(bags)), copies.sum(axis=1))
    return bags[which], np.repeat(np.tile([0, 1], len(bags)), copies.ravel())


def learners_state(learners: Mapping[int, BagClassifier]) -> State:
    """Return the arrays and facts of learners, by the numbers of their classes."""
    arrays: dict[str, Array] = {}
    facts: dict[str, Any] = {}
    for c, model in learners.items():
        inner, told = model._state()
        arrays |= {f"{c}.{key}": value for key, value in inner.items()}
        facts[str(c)] = told
    return arrays, {**facts, "learnt": sorted(learners)}


def restored_learners(
    estimator: BagClassifier, stored: Stored, k: int
) -> dict[int, BagClassifier]:
    """Take the learners that ``learners_state`` has told of, of k classes."""
    found = {}
    for c in stored.fact("learnt", list[int]):
        if not 0 <= c < k:
            raise BadFile(f"it has a learner of class {c}, and {k} classes.")
        inner, model = stored.part(str(c)), clone(estimator)
        model._check_arguments()
        model._restore(inner)
        inner.check_empty()
        found[c] = model
    return found
