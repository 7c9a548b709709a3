"""Fit several estimators at once."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import torch
from sklearn.base import clone

from mipl.errors import Diverged, MiplError
from mipl.methods.bases.base import BagClassifier
from mipl.methods.bases.draw_size import AUTO
from mipl.methods.bases.neural import NeuralClassifier
from mipl.methods.wrappers.degraded import Degraded
from mipl.nn.stacked import can_stack
from mipl.parameters import Number, parameters
from mipl.training.network_fit import NetworkFit
from mipl.training.options import Training
from mipl.training.progress import within_callbacks
from mipl.training.settings import torch_settings
from mipl.training.stacked_fits import StackedFits

# In a step of one stack: with more it no longer fits the cache.
_BAGS = 256
_NUMBERS = 2**18  # Where each bag is one vector.


def fit_together(
    estimators: Sequence[BagClassifier], problems: Sequence[tuple[Any, Any]]
) -> None:
    """Fit each estimator on its own bags and candidate sets, in less time.

    Each ends fitted as its own ``fit`` would leave it, up to rounding. Neural methods
    with equal networks (linear encoder) and equally many training bags are trained on
    stacked parameters, which saves most of the time of a small network: the splits of
    a protocol, seeds, learning rates, weights of a loss term; inside ``Degraded``,
    too. Others are fitted one after another. Where a loss is no longer finite, the
    others are fitted all the same before the error is raised.

    Parameters
    ----------
    estimators : sequence of BagClassifier
    problems : sequence of (X, y)
        What ``fit`` of each estimator is given.

    Examples
    --------
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> dataset = load_dataset("synthetic", r=1)
    >>> parts = [dataset.split(fold) for fold in range(3)]
    >>> models = [MIPLMA(training=Training(epochs=20)) for _ in parts]
    >>> fit_together(models, [(train.bags, train.candidates) for train, _ in parts])
    >>> scores = [m.score(t.bags, t.labels) for m, (_, t) in zip(models, parts)]
    >>> min(scores) > 0.8
    True
    """
    if len(estimators) != len(problems):
        raise MiplError(
            f"there are {len(estimators)} estimators and {len(problems)} problems; "
            "give one pair of bags and candidates per estimator."
        )
    if len({id(estimator) for estimator in estimators}) < len(estimators):
        raise MiplError(
            "the estimators fitted together must be different objects; clone them."
        )
    try:
        diverged = _fit_all(
            [_job(e, X, y) for e, (X, y) in zip(estimators, problems, strict=True)]
        )
    except BaseException:
        for estimator in estimators:
            estimator._forget()
        raise
    for number, error in sorted(diverged.items()):
        told = Diverged(f"run {number}: {error}")
        told.runs = {place: str(one) for place, one in diverged.items()}
        raise told from error


class _Job:
    """An estimator, what it is given, and what it must share with its stack."""

    def __init__(self, estimator: BagClassifier, X: Any, y: Any) -> None:
        self.estimator, self.X, self.y = estimator, X, y
        self.bags, self.candidates = estimator._accept(X, y)


def _job(estimator: BagClassifier, X: Any, y: Any) -> _Job:
    """Return what is to be fitted: of a degraded method the one inside."""
    refuse_warm_start(estimator)
    if isinstance(estimator, Degraded):
        return _Job(*estimator._inside(*estimator._accept(X, y)))
    return _Job(estimator, X, y)


def refuse_warm_start(estimator: Any) -> None:
    """Refuse what would go on from the last fit where each begins anew."""
    given = estimator.get_params()
    if any(n.rpartition("__")[2] == "warm_start" and one for n, one in given.items()):
        raise MiplError(
            "runs, members of ensembles, learners of classes and fits made together "
            "begin anew each; leave warm_start out."
        )


def _fit_all(jobs: Sequence[_Job]) -> dict[int, Diverged]:
    groups: dict[Hashable, list[int]] = {}
    for number, job in enumerate(jobs):
        groups.setdefault(_shared(job) or number, []).append(number)
    diverged: dict[int, Diverged] = {}
    for numbers in groups.values():
        most = _most_runs(jobs[numbers[0]])
        for first in range(0, len(numbers), most):
            chosen = {number: jobs[number] for number in numbers[first : first + most]}
            diverged |= (_fit_stack if len(chosen) > 1 else _fit_alone)(chosen)
    return diverged


def _most_runs(job: _Job) -> int:
    """Return how many runs like this one make a stack."""
    estimator = job.estimator
    if not isinstance(estimator, NeuralClassifier):
        return 1
    step = estimator._options().batch_size or len(job.bags)
    if job.bags.n_instances == len(job.bags):
        return max(1, _NUMBERS // (step * job.bags.n_features))
    return max(1, _BAGS // step)


def _fit_alone(jobs: Mapping[int, _Job]) -> dict[int, Diverged]:
    diverged = {}
    for number, job in jobs.items():
        try:
            job.estimator.fit(job.X, job.y)
        except Diverged as error:
            diverged[number] = error
    return diverged


def alike(estimator: BagClassifier) -> Hashable:
    """Return what estimators of one stack have in common, None for one on its own.

    On like data, those with equal values are trained on stacked parameters.

    Examples
    --------
    >>> from mipl import MIPLMA, PLSVM
    >>> alike(MIPLMA(random_state=1)) == alike(MIPLMA(random_state=2)), alike(PLSVM())
    (True, None)
    """
    if isinstance(estimator, Degraded):
        inside = alike(estimator.estimator)
        return None if inside is None else (estimator.reduction, inside)
    if not isinstance(estimator, NeuralClassifier) or not estimator._stacks:
        return None
    if estimator._own_modules():
        return None
    options = estimator._options()
    shared = _shared_values(options)
    return shared and (type(estimator), shared, _shared_values(estimator))


def bags_per_step(estimator: BagClassifier) -> int | None:
    """Return how many bags a step of the training takes; None where it takes all.

    Examples
    --------
    >>> from mipl import ELIMIPL, MIPLMA
    >>> bags_per_step(ELIMIPL()), bags_per_step(MIPLMA())
    (1, 32)
    """
    if isinstance(estimator, Degraded):
        return bags_per_step(estimator.estimator)
    if not isinstance(estimator, NeuralClassifier):
        return None
    return estimator._options().batch_size


def _shared_values(owner: BagClassifier | Training) -> Hashable:
    """Return the arguments that a stack has in common; None where one is unusual."""
    same = []
    for name, one in parameters(type(owner)).items():
        value = getattr(owner, name)
        if one.together == "usual" and value != one.default:
            return None
        if one.together == "same":
            same.append(value)
    return tuple(same)


def can_join(estimator: BagClassifier, X: Any, y: Any) -> bool:
    """Tell whether estimators like this one are stacked, given such bags.

    Examples
    --------
    >>> from mipl import ABMIL, VGPMIL
    >>> bags, labels = [[[0.0]], [[1.0]]], [0, 1]
    >>> can_join(ABMIL(), bags, labels), can_join(VGPMIL(), bags, labels)
    (True, False)
    """
    return _shared(_job(clone(estimator), X, y)) is not None


def _shared(job: _Job) -> Hashable:
    """Return what runs of one stack have in common, None for a run on its own."""
    estimator: Any = job.estimator
    common = alike(estimator)
    if common is None or job.bags.on_disk:
        return None
    if estimator._options().instances_per_bag == AUTO:
        return None  # It is chosen for each by its own bags.
    estimator.instance_shape_ = job.bags.instance_shape
    if not can_stack(estimator._new_module(len(job.candidates.classes))):
        return None
    return common, job.bags.n_features, job.candidates.matrix.shape


def _fit_stack(jobs: Mapping[int, _Job]) -> dict[int, Diverged]:
    models: dict[int, Any] = {number: job.estimator for number, job in jobs.items()}
    diverged: dict[int, Diverged] = {}

    def work() -> None:
        stacks: dict[int, dict[int, NetworkFit]] = {}
        for number, job in jobs.items():
            model = models[number]
            fit = model._begin(job.bags, job.candidates, model._options())
            # Some may hold out a bag more.
            stacks.setdefault(len(fit.trained), {})[number] = fit
        for fits in stacks.values():
            stack = StackedFits(fits, lambda some: _joint([models[n] for n in some]))
            diverged.update(stack.run())

    threads = {model._options().threads for model in models.values()}
    with torch_settings(threads.pop()):
        within_callbacks(list(models.values()), work)
    return diverged


def _joint(models: Sequence[NeuralClassifier]) -> NeuralClassifier:
    """Return one estimator that stands for all: what differs becomes a tensor (S,)."""
    joint = copy.copy(models[0])
    options = joint._options()
    for name, one in parameters(type(joint)).items():
        values = [getattr(model, name) for model in models]
        if isinstance(one, Number) and len(set(values)) > 1:
            numbers = torch.tensor(values, dtype=options.torch_dtype())
            setattr(joint, name, numbers.to(options.torch_device()))
    return joint
