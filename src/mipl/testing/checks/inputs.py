"""Checks of what goes in: forms of bags and candidates, edge cases, bad input."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import MiplError
from mipl.testing.checks.problem import (
    Problem,
    fitted,
    fresh,
    identical,
    problem_for,
    proper,
    refuses,
    require,
)


def check_bag_forms_agree(estimator: Any) -> None:
    """A list of arrays, nested lists, an object array and ``Bags`` are one input."""
    problem = problem_for(estimator)
    forms: dict[str, Any] = {
        "Bags": Bags(problem.bags),
        "nested lists": [bag.tolist() for bag in problem.bags],
        "an object array": np.asarray(Bags(problem.bags)),
    }
    given = fitted(estimator).predict_proba(problem.bags)
    for name, form in forms.items():
        model = fresh(estimator).fit(form, problem.y)
        what = f"a list of arrays and {name} must give the same model"
        identical(model.predict_proba(form), given, what)


def check_array_forms_agree(estimator: Any) -> None:
    """A 3-D array is bags of one size; a 2-D array is bags of one instance."""
    for n in (1, 3):
        problem = problem_for(estimator, sizes=(n,))
        cube = np.stack(problem.bags)  # (m, n, d)
        array = cube[:, 0] if n == 1 else cube
        listed = fitted(estimator, problem).predict_proba(problem.bags)
        model = fresh(estimator).fit(array, problem.y)
        what = f"a list and a {array.ndim}-D array must give the same model"
        identical(model.predict_proba(array), listed, what)


def check_candidate_forms_agree(estimator: Any) -> None:
    """``Candidates``, sets and lists of names, and a matrix are one input."""
    problem = problem_for(estimator)
    forms: dict[str, Any] = {
        "sets of names": problem.sets,
        "lists of names": [sorted(names) for names in problem.sets],
        "Candidates of sets": Candidates(problem.sets),
    }
    given = fitted(estimator).predict_proba(problem.bags)
    for name, form in forms.items():
        model = fresh(estimator).fit(problem.bags, form)
        what = f"Candidates and {name} must give the same model"
        identical(model.predict_proba(problem.bags), given, what)
    for matrix in (problem.candidates, problem.candidates.astype(int)):
        model = fresh(estimator).fit(problem.bags, matrix)
        what = f"Candidates and a matrix of {matrix.dtype} must give the same model"
        identical(model.predict_proba(problem.bags), given, what)


def check_weights_accepted(estimator: Any) -> None:
    """Votes are taken; their support is the candidate set."""
    problem = problem_for(estimator)
    votes = problem.candidates * np.array([3.0, 1.0, 2.0])[: len(problem.classes)]
    model = fresh(estimator).fit(problem.bags, votes)
    shape = problem.candidates.shape
    proper(model.predict_proba(problem.bags), shape, "probabilities after votes")


def check_one_candidate_is_supervised(estimator: Any) -> None:
    """Sets of one label and the labels themselves give the same bits."""
    problem = problem_for(estimator)
    labels = fresh(estimator).fit(problem.bags, problem.labels)
    sets = fresh(estimator).fit(problem.bags, [{name} for name in problem.labels])
    what = "labels and sets of one label must give the same model"
    p = labels.predict_proba(problem.bags)
    identical(sets.predict_proba(problem.bags), p, what)


def check_full_candidate_sets(estimator: Any) -> None:
    """Bags whose candidates are all classes train to finite numbers."""
    problem = problem_for(estimator)
    everything = np.ones_like(problem.candidates)
    _trains(estimator, problem, Candidates(everything, problem.classes), "full sets")


def check_one_instance_bags(estimator: Any) -> None:
    """Bags of one instance train to finite numbers."""
    problem = problem_for(estimator, sizes=(1,))
    _trains(estimator, problem, problem.y, "bags of one instance")


def check_equal_instances(estimator: Any) -> None:
    """Bags whose instances are all equal train to finite numbers."""
    problem = problem_for(estimator)
    bags = [np.repeat(bag[:1], len(bag), axis=0) for bag in problem.bags]
    equal = Problem(bags, problem.candidates, problem.labels, problem.classes)
    _trains(estimator, equal, problem.y, "bags of equal instances")


def check_hostile_numbers(estimator: Any) -> None:
    """Huge, tiny and constant features give finite numbers or one sentence."""
    problem = problem_for(estimator)
    constant = [bag.copy() for bag in problem.bags]
    for bag in constant:
        bag[:, 0] = 7.0
    hostile = {"constant features": constant}
    for scale in (1e30, 1e-30, 1e-42):
        rows = [(bag.astype(float) * scale).astype("f4") for bag in problem.bags]
        hostile[f"features of scale {scale:g}"] = rows
    for name, bags in hostile.items():
        given = Problem(bags, problem.candidates, problem.labels, problem.classes)
        try:
            _trains(estimator, given, problem.y, name)
        except MiplError:
            continue


def _trains(estimator: Any, problem: Problem, y: Any, what: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fresh(estimator).fit(problem.bags, y)
        p = model.predict_proba(problem.bags)
    proper(p, problem.candidates.shape, f"probabilities of {what}")


def check_feature_count_named(estimator: Any) -> None:
    """Bags with another number of features are refused, with both numbers."""
    problem, other = problem_for(estimator, d=4), problem_for(estimator, d=6)
    model = fitted(estimator, problem)
    refuses(
        lambda: model.predict(other.bags), "4", "6", what="another number of features"
    )


def check_empty_bag_named(estimator: Any) -> None:
    """A bag without instances is refused by its number, in fit and in predict."""
    problem = problem_for(estimator)
    bags = [*problem.bags[:2], problem.bags[2][:0], *problem.bags[3:]]
    _refused_everywhere(estimator, problem, bags, "bag 2", "an empty bag")


def check_what_are_no_bags_refused(estimator: Any) -> None:
    """Text, a row of numbers and no bag at all are refused in a sentence on bags."""
    cases: tuple[Any, ...] = ("text", np.arange(3.0), [])
    for wrong in cases:
        model, what = fresh(estimator), f"{wrong!r} instead of bags"
        refuses(partial(model.fit, wrong, [0, 1]), "bags", what=what)


def check_nan_named(estimator: Any) -> None:
    """NaN is refused with the number of its bag, in fit and in predict."""
    problem = problem_for(estimator)
    bags = [bag.copy() for bag in problem.bags]
    bags[3][0, 1] = np.nan
    _refused_everywhere(estimator, problem, bags, "bag 3", "NaN in a bag")


def _refused_everywhere(
    estimator: Any, problem: Problem, bags: Any, part: str, what: str
) -> None:
    model = fitted(estimator, problem)
    refuses(lambda: fresh(estimator).fit(bags, problem.y), part, what=f"{what} in fit")
    refuses(lambda: model.predict(bags), part, what=f"{what} in predict")


def check_empty_candidate_set_named(estimator: Any) -> None:
    """A bag without a candidate is refused by its number."""
    problem = problem_for(estimator)
    sets: list[Any] = problem.sets
    sets[5] = set()
    refuses(
        lambda: fresh(estimator).fit(problem.bags, sets),
        "bag 5",
        what="an empty candidate set",
    )


def check_counts_named(estimator: Any) -> None:
    """Different numbers of bags and candidate sets are refused, with both numbers."""
    problem = problem_for(estimator, n_bags=15)
    refuses(
        lambda: fresh(estimator).fit(problem.bags, problem.y[:12]),
        "15",
        "12",
        what="different numbers of bags and candidate sets",
    )


def check_class_names_kept(estimator: Any) -> None:
    """Predictions are names of the classes, of the type they were given in."""
    for names in (("elm", "oak", "yew"), (3, 7, 10), (False, True)):
        problem = problem_for(estimator, names=names)
        model = fresh(estimator).fit(problem.bags, problem.y)
        what = f"classes_ must be the given names {names}"
        identical(model.classes_, problem.classes, what)
        found = model.predict(problem.bags)
        known = found.dtype == problem.classes.dtype and set(found) <= set(names)
        require(known, f"predictions must be among {names}")


CHECKS = (
    check_bag_forms_agree,
    check_array_forms_agree,
    check_candidate_forms_agree,
    check_weights_accepted,
    check_one_candidate_is_supervised,
    check_full_candidate_sets,
    check_one_instance_bags,
    check_equal_instances,
    check_hostile_numbers,
    check_feature_count_named,
    check_empty_bag_named,
    check_what_are_no_bags_refused,
    check_nan_named,
    check_empty_candidate_set_named,
    check_counts_named,
    check_class_names_kept,
)
