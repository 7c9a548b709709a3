"""Small bags to check a method on, and how to fit and compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import SkipTest

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import set_random_state

from mipl.data.candidates import Candidates
from mipl.errors import MiplError
from mipl.seeds import stream

Array = npt.NDArray[Any]
NAMES = ("elm", "oak", "yew")
ROUNDING = 1e-5  # What another order of the same float32 sums may change.


@dataclass(frozen=True, eq=False)
class Problem:
    """Bags whose true class shows in one of their instances."""

    bags: list[npt.NDArray[np.float32]]
    candidates: npt.NDArray[np.bool_]  # (m, k)
    labels: Array  # (m,) names
    classes: Array  # (k,) names

    @property
    def sets(self) -> list[set[Any]]:
        """The candidate sets by class names."""
        return [set(self.classes[row].tolist()) for row in self.candidates]

    @property
    def y(self) -> Candidates:
        """The candidate sets as ``fit`` takes them."""
        return Candidates(self.candidates, classes=self.classes)

    @property
    def n_instances(self) -> int:
        """Number of instances in all bags."""
        return sum(map(len, self.bags))


def make_problem(
    n_bags: int = 15,
    d: int = 4,
    names: tuple[Any, ...] = NAMES,
    sizes: tuple[int, ...] = (3, 1, 4, 2, 5),
    seed: int = 0,
) -> Problem:
    """Return bags of these sizes in turn, with one false label each.

    Of two classes only every third bag has both, so that there is something to learn.
    """
    rng = stream(seed, "checks")
    k = len(names)
    truth = np.arange(n_bags) % k
    centres = 3 * rng.standard_normal((k, d))
    bags = []
    for i, c in enumerate(truth):
        x = rng.standard_normal((sizes[i % len(sizes)], d))
        x[0] += centres[c]
        bags.append(x.astype(np.float32))
    candidates = np.eye(k, dtype=bool)[truth]
    false = (truth + rng.integers(1, k, n_bags)) % k
    doubtful = np.arange(0, n_bags, 1 if k > 2 else 3)
    candidates[doubtful, false[doubtful]] = True
    classes = np.array(names)
    return Problem(bags, candidates, classes[truth], classes)


def problem_for(estimator: Any, names: tuple[Any, ...] = NAMES, **how: Any) -> Problem:
    """Return a problem of as many classes as the method knows: two, or these."""
    many = get_tags(estimator).classifier_tags.multi_class
    return make_problem(names=names if many else names[:2], **how)


def fresh(estimator: Any, seed: int = 0) -> Any:
    """Return an unfitted copy with this seed."""
    copy = clone(estimator)
    set_random_state(copy, seed)
    return copy


def fitted(estimator: Any, problem: Problem | None = None) -> Any:
    """Return a copy fitted on the problem."""
    problem = problem or problem_for(estimator)
    return fresh(estimator).fit(problem.bags, problem.y)


def needs(model: Any, name: str) -> Any:
    """Return an attribute, or skip the check where the method does not have it."""
    if not hasattr(model, name):
        raise SkipTest(f"{type(model).__name__} has no {name}")
    return getattr(model, name)


def agree(a: Any, b: Any, what: str, tolerance: float = ROUNDING) -> None:
    """Demand that two arrays agree up to a tolerance."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    require(a.shape == b.shape, f"{what}: the shapes are {a.shape} and {b.shape}")
    gap = float(np.abs(a - b).max(initial=0.0))
    require(gap <= tolerance, f"{what}: they differ by {gap:.3g}")


def identical(a: Any, b: Any, what: str) -> None:
    """Demand that two arrays are the same bit for bit."""
    a, b = np.asarray(a), np.asarray(b)
    same = a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    require(same, f"{what}: the bits differ")


def proper(p: Any, shape: tuple[int, int], what: str) -> None:
    """Demand probabilities: finite rows that sum to one."""
    require(p.shape == shape, f"{what} must have shape {shape}; it has {p.shape}")
    require(bool(np.isfinite(p).all()), f"{what} must be finite")
    require(bool((p >= 0).all()), f"{what} must not be negative")
    agree(p.sum(axis=1), np.ones(len(p)), f"rows of {what} must sum to 1", 1e-6)


def require(holds: bool, sentence: str) -> None:
    """Raise ``AssertionError`` with the sentence unless it holds."""
    if not holds:
        raise AssertionError(f"{sentence}.")


def refuses(call: Callable[[], Any], *parts: str, what: str) -> None:
    """Demand a ``MiplError`` whose sentence holds all parts."""
    try:
        call()
    except MiplError as error:
        missing = [part for part in parts if part not in str(error)]
        require(not missing, f"the sentence on {what} must name {missing}: {error}")
    else:
        raise AssertionError(f"{what} must be refused.")
