"""Checks of what goes beyond scikit-learn's contract."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from mipl.seeds import stream
from mipl.testing.checks.problem import (
    Problem,
    agree,
    fitted,
    make_problem,
    needs,
    problem_for,
    proper,
    refuses,
    require,
)

_ALPHAS = (0.05, 0.2, 0.5)


def check_disambiguate(estimator: Any) -> None:
    """The posterior is the prediction, restricted to the candidates."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem)
    found = model.disambiguate(problem.bags, problem.y)
    inside = problem.candidates
    proper(found.posterior, inside.shape, "the posterior")
    outside = bool((found.posterior[~inside] == 0).all())
    require(outside, "the posterior must be 0 outside the candidate sets")
    p = model.predict_proba(problem.bags)
    kept = np.where(inside, p, 0.0)
    expected = kept / kept.sum(axis=1, keepdims=True)
    agree(found.posterior, expected, "the posterior must be p on the candidates", 1e-9)
    members = [c in s for c, s in zip(found.labels, problem.sets, strict=True)]
    require(all(members), "disambiguated labels must be candidates")
    margins = kept.max(axis=1) - np.where(inside, 0.0, p).max(axis=1)
    what = "margins must be best candidate minus best non-candidate"
    agree(found.margins, margins, what, 1e-9)
    agree(found.violated, margins < 0, "violated must tell negative margins", 0.0)


def check_calibration_keeps_predictions(estimator: Any) -> None:
    """One temperature changes how sure a model is, not what it predicts."""
    problem, other = problem_for(estimator), problem_for(estimator, seed=1)
    model = fitted(estimator, problem)
    predicted = model.predict(other.bags)
    for given in ({"labels": other.labels}, {"candidates": other.y}):
        require(
            model.calibrate(other.bags, **given) is model, "calibrate must return self"
        )
        same = bool((model.predict(other.bags) == predicted).all())
        require(same, "calibrate must not change the predicted classes")
        p = model.predict_proba(other.bags)
        proper(p, other.candidates.shape, "calibrated probabilities")


def check_calibration_is_repeatable(estimator: Any) -> None:
    """Calibrating twice on the same bags is calibrating once."""
    problem, other = problem_for(estimator), problem_for(estimator, seed=1)
    model = fitted(estimator, problem)
    once, twice = (
        model.calibrate(other.bags, labels=other.labels).predict_proba(problem.bags)
        for _ in range(2)
    )
    agree(once, twice, "a second calibration on the same bags must change nothing", 0.0)


def check_calibrate_refuses(estimator: Any) -> None:
    """Calibrate wants labels or candidates: one, and not both."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem)
    what = "calibrate without labels or candidates"
    refuses(lambda: model.calibrate(problem.bags), "labels", "candidates", what=what)
    both = {"labels": problem.labels, "candidates": problem.y}
    what = "calibrate with labels and candidates"
    refuses(
        lambda: model.calibrate(problem.bags, **both), "labels", "candidates", what=what
    )


def check_sets_need_calibration(estimator: Any) -> None:
    """Sets of classes are refused before calibration, with what to do."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem)
    refuses(
        lambda: model.predict_set(problem.bags, 0.1),
        "calibrate",
        what="predict_set before calibrate",
    )


def check_sets_shrink(estimator: Any) -> None:
    """A larger alpha gives no larger sets."""
    problem, other = problem_for(estimator), problem_for(estimator, n_bags=20, seed=1)
    for model in _calibrated(estimator, problem, other):
        sets = [model.predict_set(other.bags, alpha) for alpha in _ALPHAS]
        for found in sets:
            fits = found.shape == other.candidates.shape and found.dtype == bool
            require(fits, "predict_set must give a boolean (m, k) matrix")
        for wide, narrow in pairwise(sets):
            require(bool((narrow <= wide).all()), "sets must shrink as alpha grows")


def check_sets_cover(estimator: Any) -> None:
    """On the very bags of the calibration, sets hold the truth as often as promised."""
    problem, other = problem_for(estimator), problem_for(estimator, n_bags=40, seed=1)
    truth = other.classes == other.labels[:, None]  # (m, k)
    for model in _calibrated(estimator, problem, other):
        for alpha in _ALPHAS:
            held = (model.predict_set(other.bags, alpha) & truth).any(axis=1).mean()
            promise = f"sets at alpha {alpha} must hold {1 - alpha:.2f} of the truths"
            require(held >= 1 - alpha, f"{promise}; they hold {held:.2f}")


def _calibrated(estimator: Any, problem: Problem, other: Problem) -> list[Any]:
    by_labels, by_candidates = (fitted(estimator, problem) for _ in range(2))
    return [
        by_labels.calibrate(other.bags, labels=other.labels),
        by_candidates.calibrate(other.bags, candidates=other.y),
    ]


def check_attention(estimator: Any) -> None:
    """Attention is a finite number per instance; scaled, it lies between 0 and 1."""
    model, other = fitted(estimator), problem_for(estimator, seed=1)
    attend = needs(model, "attend")
    for scale in ("raw", "rank", "percentile"):
        a = attend(other.bags, scale=scale)
        shape = (other.n_instances,)
        require(a.shape == shape, f"attention must have shape {shape}; got {a.shape}")
        require(bool(np.isfinite(a).all()), f"{scale} attention must be finite")
        scaled = scale == "raw" or bool(((a >= 0) & (a <= 1)).all())
        require(scaled, f"{scale} attention must lie in [0, 1]")
    refuses(
        lambda: attend(other.bags, scale="loud"),
        "rank",
        "percentile",
        what="an unknown scale of attention",
    )


def check_attention_follows_instances(estimator: Any) -> None:
    """Attention moves with its instance when a bag is reordered."""
    model = fitted(estimator)
    _follows(needs(model, "attend"), "attention")


def check_instance_scores(estimator: Any) -> None:
    """Instance scores are a finite, non-negative row of classes per instance."""
    model, other = fitted(estimator), problem_for(estimator, seed=1)
    s = needs(model, "predict_instances")(other.bags)
    shape = (other.n_instances, len(model.classes_))
    require(s.shape == shape, f"instance scores must have shape {shape}; got {s.shape}")
    sound = bool(np.isfinite(s).all()) and bool((s >= 0).all())
    require(sound, "instance scores must be finite and not negative")


def check_instance_scores_follow_instances(estimator: Any) -> None:
    """Instance scores move with their instance when a bag is reordered."""
    model = fitted(estimator)
    _follows(needs(model, "predict_instances"), "instance scores")


def check_transform(estimator: Any) -> None:
    """Bag vectors are finite, one row per bag."""
    model, other = fitted(estimator), problem_for(estimator, seed=1)
    z = needs(model, "transform")(other.bags)
    rows = z.ndim == 2 and len(z) == len(other.bags)
    require(rows, f"transform must give one row per bag; got shape {z.shape}")
    require(bool(np.isfinite(z).all()), "bag vectors must be finite")


def _follows(method: Any, what: str) -> None:
    bags = make_problem(seed=1).bags
    rng = stream(0, "check permutation")
    orders = [rng.permutation(len(bag)) for bag in bags]
    starts = np.cumsum([0, *map(len, bags[:-1])])
    rows = np.concatenate([s + o for s, o in zip(starts, orders, strict=True)])
    moved = method([bag[order] for bag, order in zip(bags, orders, strict=True)])
    # A z-score of nearly equal numbers enlarges what rounding does to them.
    agree(moved, method(bags)[rows], f"{what} must follow the instances", 1e-3)


CHECKS = (
    check_disambiguate,
    check_calibration_keeps_predictions,
    check_calibration_is_repeatable,
    check_calibrate_refuses,
    check_sets_need_calibration,
    check_sets_shrink,
    check_sets_cover,
    check_attention,
    check_attention_follows_instances,
    check_instance_scores,
    check_instance_scores_follow_instances,
    check_transform,
)
