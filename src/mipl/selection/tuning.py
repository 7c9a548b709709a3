"""Search for the arguments of a method by scores that need no true label."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import GroupKFold

from mipl.data.dataset import Dataset
from mipl.data.splits import Split
from mipl.errors import Diverged, MiplError, unknown
from mipl.methods.catalogue import registry
from mipl.methods.saving.fingerprint import candidates_digest
from mipl.parameters import Integer
from mipl.seeds import stream, stream_seed
from mipl.selection import scorers
from mipl.selection.axes import Axis, Choices, Range, as_axes
from mipl.selection.folds import CandidateStratifiedKFold
from mipl.selection.trials import DIVERGED, FINISHED, PRUNED, Trial, Tuned

if TYPE_CHECKING:
    from mipl.methods.bases.base import BagClassifier
    from mipl.selection.study import Study

Watch = Callable[[Tuned, int], None]

#: Scores by name that a search may use: none of them needs a true label.
SCORES: Mapping[str, Callable[[Any, Any, Any], float]] = {
    "approximated_accuracy": scorers.approximated_accuracy,
    "covering_rate": scorers.covering_rate,
    "margin_violation_rate": scorers.margin_violation_rate,
}


def tune(
    data: Dataset,
    method: str,
    space: Mapping[str, Range | Choices | Sequence[Any]],
    *,
    arguments: Mapping[str, Any] | None = None,
    score: str = "covering_rate",
    folds: int = 3,
    trials: int = 40,
    seed: int = 0,
    study: str | Path | None = None,
    watch: Watch | None = None,
) -> Tuned:
    """Search for the arguments of a method that score best, without true labels.

    Each trial trains on all folds but one and is scored on the one left out by its
    candidate sets, fold after fold; a trial that is behind the median of the earlier
    ones is stopped. A space of no more points than trials is tried as a whole, each
    point once; in larger ones optuna's sampler (TPE) learns where good ones are.

    Parameters
    ----------
    data : Dataset
        The training bags; true labels are never looked at, groups stay whole.
    method : str
        A registry id.
    space : mapping of arguments to a Range or a list of values
        In scikit-learn's names (``training__lr``).
    arguments : mapping, optional
        Arguments that are not searched.
    score : {"covering_rate", "approximated_accuracy", "margin_violation_rate"}
    folds : int
    trials : int
        Of the whole study: one that has some already gets the rest.
    seed : int
        Of the folds, of the sampler and of each training.
    study : path, optional
        An SQLite file that keeps the trials as they finish. A study that lies there
        goes on: to the same trials as if it had never been interrupted.
    watch : function of (Tuned, int), optional
        Called with what there is so far and the number of folds of the running trial.

    Examples
    --------
    >>> from mipl import load_dataset
    >>> train, test = load_dataset("synthetic", r=1, n_bags=40).split(0)
    >>> space, quick = {"training__lr": [1e-6, 0.1]}, {"training__epochs": 5}
    >>> found = tune(train, "miplma", space, arguments=quick)
    >>> len(found.trials), found.best.settings
    (2, {'training__lr': 0.1})
    """
    Integer(at_least=1).check("trials", trials)
    search = Search.of(data, method, space, dict(arguments or {}), score, folds, seed)
    # The only module that needs optuna, which is optional.
    from mipl.selection.study import opened  # noqa: PLC0415

    path = None if study is None else Path(study)
    with opened(path, search.facts(), search.axes, seed) as kept:
        return _run(search, kept, trials, watch or (lambda tuned, fold: None))


def _run(search: Search, kept: Study, trials: int, watch: Watch) -> Tuned:
    done = kept.trials()[:trials]
    points = search.points(trials, done)
    wanted = trials if points is None else len(done) + len(points)
    tuned = Tuned(done, wanted)
    while len(tuned.trials) < wanted:
        watch(tuned, 0)
        number = len(tuned.trials)
        asked = kept.ask(number, points.pop(0) if points else None)
        scores: list[float] = []
        state = FINISHED
        try:
            for value in search.scores(asked.settings, tuned.trials):
                scores.append(value)
                watch(tuned, len(scores))
                if len(scores) < len(search.splits) and asked.hopeless(scores):
                    state = PRUNED
                    break
        except Diverged:
            state = DIVERGED
        asked.tell(scores, state)
        ended = Trial(number, asked.settings, tuple(scores), state)
        tuned = Tuned((*tuned.trials, ended), wanted)
    watch(tuned, 0)
    return tuned


@dataclass(frozen=True, eq=False)
class Search:
    """What is searched, where, and by which score; all checked."""

    data: Dataset
    method: str
    axes: Mapping[str, Axis]
    arguments: Mapping[str, Any]
    score: str
    splits: tuple[Split, ...]
    seed: int

    @classmethod
    def of(
        cls,
        data: Dataset,
        method: str,
        space: Mapping[str, Range | Choices | Sequence[Any]],
        arguments: dict[str, Any],
        score: str,
        folds: int,
        seed: int,
    ) -> Search:
        """Check everything before time is spent."""
        Integer(at_least=2).check("folds", folds)
        Integer(at_least=0).check("seed", seed)
        if score not in SCORES:
            raise unknown("label-free score", score, SCORES)
        known = _searchable(method)
        for name in space:
            if name not in known:
                raise unknown(f"argument of {method}", name, known)
        if not space:
            raise MiplError("nothing is searched; give at least one argument's range.")
        axes = as_axes(space, known)
        made = cls(
            data, method, axes, arguments, score, _folds(data, folds, seed), seed
        )
        for name, axis in axes.items():
            for value in axis.ends():
                _check(made.estimator({name: value}))
        return made

    def estimator(self, settings: Mapping[str, Any]) -> BagClassifier:
        """Build the method with these settings."""
        given = {**self.arguments, **settings, "random_state": self.seed}
        return registry.method(self.method, **given)

    def points(
        self, at_most: int, before: Sequence[Trial]
    ) -> list[dict[str, Any]] | None:
        """Return the untried points in a random order; None of more than so many."""
        columns = [axis.points() for axis in self.axes.values()]
        known = [column for column in columns if column is not None]
        if len(known) < len(columns) or prod(map(len, known)) > at_most:
            return None
        grid = [dict(zip(self.axes, point, strict=True)) for point in product(*known)]
        order = stream(self.seed, "grid").permutation(len(grid))
        tried = {repr(trial.settings) for trial in before}  # 1 is not True there.
        return [grid[i] for i in order if repr(grid[i]) not in tried]

    def scores(
        self, settings: Mapping[str, Any], before: Sequence[Trial]
    ) -> Iterator[float]:
        """Train and score fold by fold; equal settings are not trained again."""
        for trial in before:
            if trial.state == FINISHED and repr(trial.settings) == repr(settings):
                yield from trial.scores
                return
        bags, candidates = self.data.bags, self.data.candidates
        for split in self.splits:
            model = self.estimator(settings)
            model.fit(bags[split.train], candidates[split.train])
            yield SCORES[self.score](model, bags[split.test], candidates[split.test])

    def facts(self) -> dict[str, Any]:
        """Return all that decides the trials, by names that a message can use."""
        own = {**_searchable(self.method), **self.arguments}
        fixed = {name: own[name] for name in sorted(own) if name not in self.axes}
        groups = self.data.groups
        facts = {
            "method": self.method,
            **{name.replace("__", "."): value for name, value in fixed.items()},
            "space": {name: str(axis) for name, axis in self.axes.items()},
            "score": self.score,
            "folds": len(self.splits),
            "seed": self.seed,
            "bags": self.data.bags.digest(),
            "candidates": candidates_digest(self.data.candidates),
            "groups": None
            if groups is None
            else sha256(repr(groups.tolist()).encode()).hexdigest(),
        }
        plain: dict[str, Any] = json.loads(json.dumps(facts, default=str))
        return plain


def _searchable(method: str) -> dict[str, Any]:
    """Return the arguments that can be searched, with their defaults."""
    row = registry.find(method)
    others = {"training", "random_state"}  # A whole, and the seed of the search.
    own = {name: v for name, v in row.defaults().items() if name not in others}
    return own | {"reduction": None} if row.family == "pll" else own


def _check(estimator: BagClassifier) -> None:
    """Refuse arguments as ``fit`` would."""
    for part in (estimator, getattr(estimator, "estimator", None)):
        if part is not None:
            part._check_arguments()
        training = getattr(part, "training", None)
        if training is not None:
            training.check()


def _folds(data: Dataset, folds: int, seed: int) -> tuple[Split, ...]:
    """Return seeded folds of the bags, made without their labels; groups stay whole."""
    if data.groups is None:
        pieces, what = len(data), "bags"
        splitter = CandidateStratifiedKFold(folds, shuffle=True, random_state=seed)
    else:
        pieces, what = len(set(data.groups.tolist())), "groups"
        own = stream_seed(seed, "folds") % 2**32
        splitter = GroupKFold(folds, shuffle=True, random_state=own)
    if pieces < folds:
        raise MiplError(f"{pieces} {what} cannot make {folds} folds; give fewer folds.")
    rows = splitter.split(np.zeros(len(data)), data.candidates, data.groups)
    return tuple(Split(train, test) for train, test in rows)
