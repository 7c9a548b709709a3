"""Learners that make one model together, and two-class ones, on repeated bags."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from mipl import files
from mipl.data.bags import Bags
from mipl.data.frozen import Array
from mipl.errors import BadFile, Diverged
from mipl.methods.bases.base import BagClassifier
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.methods.wrappers.together import fit_together
from mipl.training.checkpoint import Checkpoint, check_same, read
from mipl.training.progress import passed_on
from mipl.training.sealed import seal, unseal

Integers = npt.NDArray[np.int64]

_TOGETHER = 8  # Networks that are fitted at once, on stacked parameters.
_NUMBERS = 1 << 26  # Of the features that they learn from.


def in_groups(learners: Sequence[int], numbers: int | None) -> list[list[int]]:
    """Return learners in even groups that are fitted at once.

    They do not depend on the number of processes, so neither do the models.

    Parameters
    ----------
    learners : sequence of int
    numbers : int or None
        How many features each is given; None where each is fitted on its own.

    Examples
    --------
    >>> in_groups(range(10), 1000), in_groups(range(3), None)
    ([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]], [[0], [1], [2]])
    """
    if not len(learners):
        return []
    most = 1 if numbers is None else min(_TOGETHER, max(1, _NUMBERS // numbers))
    groups = np.array_split(learners, -(-len(learners) // most))
    return [group.tolist() for group in groups]


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


class Learners:
    """Learners by their numbers, and how files keep them.

    Parameters
    ----------
    new : function
        Gives the learner of a number, unfitted.
    n : int
        How many there may be; of some classes there is nothing to learn.
    models : mapping
    """

    def __init__(
        self,
        new: Callable[[int], BagClassifier],
        n: int,
        models: Mapping[int, BagClassifier],
    ) -> None:
        self.new, self.n, self.models = new, n, dict(models)
        self._checkpoint: Checkpoint | None = None
        self._facts: dict[str, Any] = {}

    def of_each_class(self) -> list[BagClassifier | None]:
        """Return the learner of each class, None where there is none."""
        return [self.models.get(c) for c in range(self.n)]

    def in_order(self) -> list[BagClassifier]:
        """Return those that are ready."""
        return [self.models[i] for i in sorted(self.models)]

    def keep_in(self, checkpoint: Checkpoint, facts: Mapping[str, Any]) -> None:
        """Take those that are ready from a file, and keep there what is added.

        The facts are all that decides the bits; a file of others is refused. A learner
        is the least that is saved: ``every``, which counts epochs, is not used.
        """
        self._checkpoint, self._facts = checkpoint, dict(facts)
        files.clear_temporaries(checkpoint.path)
        if checkpoint.path.exists():
            self._read(checkpoint.path)

    def add(self, models: Mapping[int, BagClassifier]) -> None:
        """Take more of them."""
        self.models |= models
        if self._checkpoint is not None:
            arrays, told = self.state()
            content = seal(arrays, {**told, "fingerprint": self._facts})
            files.write_bytes(self._checkpoint.path, content)

    def state(self) -> State:
        """Return the arrays and facts of all."""
        arrays: dict[str, Array] = {}
        facts: dict[str, Any] = {}
        for c, model in self.models.items():
            inner, told = model._state()
            arrays |= {f"{c}.{key}": value for key, value in inner.items()}
            facts[str(c)] = told
        return arrays, {**facts, "learnt": sorted(self.models)}

    def restore(self, stored: Stored) -> None:
        """Take what ``state`` has told of."""
        for c in stored.fact("learnt", list[int]):
            if not 0 <= c < self.n:
                raise BadFile(f"it has a learner of number {c}, and {self.n} are due.")
            inner, model = stored.part(str(c)), self.new(c)
            model._check_arguments()
            model._restore(inner)
            inner.check_empty()
            self.models[c] = model

    def _read(self, path: Path) -> None:
        arrays, told = unseal(path, read(path))
        try:
            stored = Stored(arrays, told)
            there = stored.fact("fingerprint", dict[str, Any])
            check_same(path, "the checkpoint of another run", there, self._facts)
            self.restore(stored)
            stored.check_empty()
        except BadFile as error:
            raise BadFile(f"{path} is damaged: {error}") from None
