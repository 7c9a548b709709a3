"""Checks of what fit does and leaves behind."""

from __future__ import annotations

import copy
import pickle
import tempfile
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from mipl.errors import BadFile
from mipl.methods.loading import load_model
from mipl.testing.checks.problem import (
    agree,
    fitted,
    fresh,
    identical,
    make_problem,
    needs,
    problem_for,
    require,
)


def check_same_seed_same_bits(estimator: Any) -> None:
    """Two fits with one seed give the same bits."""
    bags = problem_for(estimator).bags
    first, second = (fitted(estimator).predict_proba(bags) for _ in range(2))
    identical(first, second, "two fits with the same seed must give the same model")


def check_other_seed_differs(estimator: Any) -> None:
    """A method with ``random_state`` uses it."""
    if "random_state" not in estimator.get_params():
        raise SkipTest(f"{type(estimator).__name__} has no random_state")
    problem = problem_for(estimator)
    first, second = (
        fresh(estimator, seed).fit(problem.bags, problem.y).predict_proba(problem.bags)
        for seed in (0, 1)
    )
    same = bool((first == second).all())
    require(not same, "random_state must matter: seeds 0 and 1 gave the same model")


def check_refit_forgets(estimator: Any) -> None:
    """A second fit equals a first one, whatever was learnt before."""
    problem = problem_for(estimator)
    once = fitted(estimator, problem)
    again = fitted(estimator, make_problem(n_bags=9, d=2, names=(1, 2), seed=5))
    again.calibrate(*_few(d=2, names=(1, 2)))
    again.fit(problem.bags, problem.y)
    what = "fit must forget an earlier fit"
    identical(again.predict_proba(problem.bags), once.predict_proba(problem.bags), what)
    left = sorted(set(vars(again)) ^ set(vars(once)))
    require(not left, f"{what}: the attributes {left} differ")


def _few(d: int, names: tuple[Any, ...]) -> tuple[Any, Any]:
    few = make_problem(n_bags=8, d=d, names=names, seed=6)
    return few.bags, few.labels


def check_clone(estimator: Any) -> None:
    """A clone of a fitted method is unfitted, and fits to the same bits."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem)
    twin = clone(model)
    left = sorted(name for name in vars(twin) if name.endswith("_"))
    require(not left, f"a clone must be unfitted; it has {left}")
    twin.fit(problem.bags, problem.y)
    p = model.predict_proba(problem.bags)
    identical(twin.predict_proba(problem.bags), p, "a clone must fit to the same model")


def check_unfitted_refuses(estimator: Any) -> None:
    """A method that was not fitted says so."""
    _says_unfitted(fresh(estimator), "before fit")


def check_failed_fit_leaves_unfitted(estimator: Any) -> None:
    """After a fit that was refused, no half model predicts."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem)
    try:
        model.fit(problem.bags, problem.y[:3])
    except ValueError:
        _says_unfitted(model, "after a fit that failed")


def _says_unfitted(model: Any, when: str) -> None:
    bags = make_problem().bags
    for name in ("predict", "predict_proba"):
        try:
            getattr(model, name)(bags)
        except NotFittedError:
            continue
        except Exception as error:
            wrong = type(error).__name__
            raise AssertionError(
                f"{name} {when} must raise NotFittedError; it raised {wrong}."
            ) from error
        raise AssertionError(f"{name} {when} must raise NotFittedError.")


def check_arguments_untouched(estimator: Any) -> None:
    """Fit changes neither the bags, nor the candidates, nor its own arguments."""
    problem = problem_for(estimator)
    bags, votes = copy.deepcopy(problem.bags), problem.candidates * 2.0
    model = fresh(estimator)
    before = {name: repr(value) for name, value in model.get_params().items()}
    model.fit(bags, votes).predict(bags)
    for bag, given in zip(bags, problem.bags, strict=True):
        identical(bag, given, "fit and predict must not write into the bags")
    identical(votes, problem.candidates * 2.0, "fit must not write into the candidates")
    after = {name: repr(value) for name, value in model.get_params().items()}
    require(before == after, "fit must not change the arguments of the method")


def check_later_writes(estimator: Any) -> None:
    """What the caller writes into the bags after fit does not reach the model."""
    problem = problem_for(estimator)
    bags = copy.deepcopy(problem.bags)
    model = fresh(estimator).fit(bags, problem.y)
    p = model.predict_proba(problem.bags)
    for bag in bags:
        bag[:] = 99.0
    what = "a model must not change when the caller writes into the training bags"
    identical(model.predict_proba(problem.bags), p, what)


def check_label_weights(estimator: Any) -> None:
    """Label weights lie on the candidates' simplex."""
    problem = problem_for(estimator)
    w = needs(fitted(estimator, problem), "label_weights_")
    shape = problem.candidates.shape
    require(w.shape == shape, f"label_weights_ must have shape {shape}; got {w.shape}")
    require(bool((w >= 0).all()), "label weights must not be negative")
    outside = bool((w[~problem.candidates] == 0).all())
    require(outside, "label weights must be 0 outside the candidate sets")
    agree(w.sum(axis=1), np.ones(len(w)), "label weights must sum to 1", 1e-6)


def check_history(estimator: Any) -> None:
    """The history has an entry per epoch, all with the same finite figures."""
    history = needs(fitted(estimator), "history_")
    require(len(history) > 0, "history_ must have at least one entry")
    for entry in history:
        require(set(entry) == set(history[0]), "entries of history_ must be alike")
        bad = [name for name, value in entry.items() if not np.isfinite(value)]
        require(not bad, f"history_ must be finite; it is not in {bad}")


def check_pickle(estimator: Any) -> None:
    """A fitted method goes to another process and predicts the same bits there."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem)
    there = pickle.loads(pickle.dumps(model))
    p = model.predict_proba(problem.bags)
    what = "a pickled model must predict the same"
    identical(there.predict_proba(problem.bags), p, what)


def check_save_load(estimator: Any) -> None:
    """A saved and loaded model predicts the same bits, calibration included."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem)
    model.calibrate(problem.bags, labels=problem.labels)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "model"
        model.save(folder)
        try:
            again = load_model(folder)
        except BadFile as error:
            if "not a registered method" in str(error):
                raise SkipTest(str(error)) from error
            raise
    what = "a loaded model must"
    p = model.predict_proba(problem.bags)
    identical(again.predict_proba(problem.bags), p, f"{what} predict the same")
    identical(again.classes_, model.classes_, f"{what} keep its classes")
    sets = model.predict_set(problem.bags, 0.3)
    identical(again.predict_set(problem.bags, 0.3), sets, f"{what} give the same sets")


CHECKS = (
    check_same_seed_same_bits,
    check_other_seed_differs,
    check_refit_forgets,
    check_clone,
    check_unfitted_refuses,
    check_failed_fit_leaves_unfitted,
    check_arguments_untouched,
    check_later_writes,
    check_label_weights,
    check_history,
    check_pickle,
    check_save_load,
)
