"""Checks of predictions: proper, invariant, and pure."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.seeds import stream
from mipl.testing.checks.problem import (
    agree,
    fitted,
    identical,
    problem_for,
    proper,
    refuses,
    require,
)

BATCH = 1e-6  # What the number of bags handled at once may change.


def check_probabilities(estimator: Any) -> None:
    """Probabilities are finite rows that sum to one."""
    problem = problem_for(estimator)
    p = fitted(estimator, problem).predict_proba(problem_for(estimator, seed=1).bags)
    proper(p, problem.candidates.shape, "predict_proba")


def check_predict_is_argmax(estimator: Any) -> None:
    """The predicted class is the likeliest one."""
    model, bags = fitted(estimator), problem_for(estimator, seed=1).bags
    likeliest = model.classes_[model.predict_proba(bags).argmax(axis=1)]
    same = bool((model.predict(bags) == likeliest).all())
    require(same, "predict must give the class of the largest probability")


def check_instance_permutation(estimator: Any) -> None:
    """The order of the instances in a bag does not matter."""
    model, bags = fitted(estimator), problem_for(estimator, seed=1).bags
    rng = stream(0, "check permutation")
    shuffled = [rng.permutation(bag) for bag in bags]
    what = "the order of instances must not matter"
    agree(model.predict_proba(shuffled), model.predict_proba(bags), what)


def check_bag_permutation(estimator: Any) -> None:
    """Predictions follow their bags when these change places."""
    model, bags = fitted(estimator), problem_for(estimator, seed=1).bags
    order = stream(0, "check permutation").permutation(len(bags))
    moved = model.predict_proba([bags[i] for i in order])
    what = "predictions must follow their bags"
    agree(moved, model.predict_proba(bags)[order], what)


def check_duplicate_bags(estimator: Any) -> None:
    """The same bag given twice gets the same prediction twice."""
    model, bags = fitted(estimator), problem_for(estimator, seed=1).bags
    p = model.predict_proba([*bags, *bags])
    what = "a bag given twice must get one prediction"
    agree(p[: len(bags)], p[len(bags) :], what, BATCH)


def check_batch_independence(estimator: Any) -> None:
    """Bags one by one and all at once get the same predictions."""
    model, bags = fitted(estimator), problem_for(estimator, seed=1).bags
    together = model.predict_proba(bags)
    alone = np.concatenate([model.predict_proba([bag]) for bag in bags])
    what = "predictions must not depend on how many bags are given at once"
    agree(alone, together, what, BATCH)
    many = model.predict_proba(bags * 40)
    agree(many, np.tile(together, (40, 1)), what, BATCH)


def check_other_bags(estimator: Any) -> None:
    """What lies in the other bags does not matter to a prediction."""
    model, bags = fitted(estimator), problem_for(estimator, seed=1).bags
    others = [100 + 50 * bag for bag in bags]
    p = model.predict_proba([*bags, *others])[: len(bags)]
    what = "a prediction must not depend on the other bags"
    agree(p, model.predict_proba(bags), what, BATCH)


def check_predict_is_pure(estimator: Any) -> None:
    """Predicting changes nothing: asked twice, the answer is the same."""
    model, bags = fitted(estimator), problem_for(estimator, seed=1).bags
    before = pickle.dumps(vars(model))
    p = model.predict_proba(bags)
    model.predict(bags)
    unchanged = pickle.dumps(vars(model)) == before
    require(unchanged, "predict must not change the attributes of the model")
    what = "predict_proba must answer the same twice"
    identical(model.predict_proba(bags), p, what)


def check_one_bag(estimator: Any) -> None:
    """One bag can be predicted, as a list and as ``Bags``."""
    model, bag = fitted(estimator), problem_for(estimator, seed=1).bags[0]
    p = model.predict_proba([bag])
    proper(p, (1, len(model.classes_)), "the probabilities of one bag")
    what = "one bag in a list and as Bags must get one prediction"
    identical(model.predict_proba(Bags([bag])), p, what)


def check_score(estimator: Any) -> None:
    """Score is the accuracy, and refuses candidate sets."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem)
    share = float((model.predict(problem.bags) == problem.labels).mean())
    for labels in (problem.labels, [{name} for name in problem.labels]):
        found = model.score(problem.bags, labels)
        agree(found, share, "score must be the share of right predictions", 1e-12)
    refuses(
        lambda: model.score(problem.bags, problem.sets),
        "covering_rate",
        "approximated_accuracy",
        "margin_violation_rate",
        what="a score against candidate sets",
    )


CHECKS = (
    check_probabilities,
    check_predict_is_argmax,
    check_instance_permutation,
    check_bag_permutation,
    check_duplicate_bags,
    check_batch_independence,
    check_other_bags,
    check_predict_is_pure,
    check_one_bag,
    check_score,
)
