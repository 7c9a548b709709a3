"""Checks that a method leaves the caller's world alone, and is left alone by it."""

from __future__ import annotations

import contextlib
import io
import os
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mipl.testing.checks.problem import (
    fitted,
    fresh,
    identical,
    problem_for,
    require,
)


def check_global_state_untouched(estimator: Any) -> None:
    """Random states and settings of the whole process are as they were."""
    problem = problem_for(estimator)
    before = _global_state()
    model = fresh(estimator).fit(problem.bags, problem.y)
    model.predict_proba(problem.bags)
    model.disambiguate(problem.bags, problem.y)
    model.calibrate(problem.bags, candidates=problem.y)
    model.predict_set(problem.bags, 0.2)
    for name, value in _global_state().items():
        require(value == before[name], f"the caller's {name} must stay as it was")


def check_surroundings_do_not_matter(estimator: Any) -> None:
    """The caller's seeds and settings of torch do not change the model."""
    problem = problem_for(estimator)
    given = fitted(estimator, problem).predict_proba(problem.bags)
    with _other_surroundings():
        there = fitted(estimator, problem).predict_proba(problem.bags)
    what = "the caller's seeds, threads and default type must not change the model"
    identical(there, given, what)


def check_no_warnings(estimator: Any) -> None:
    """Sound data raise no warning, neither in fit nor in predictions."""
    problem = problem_for(estimator)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fitted(estimator, problem).predict(problem.bags)
    told = [str(warning.message) for warning in seen]
    require(not told, f"sound data must raise no warning; got {told[:1]}")


def check_nothing_printed(estimator: Any) -> None:
    """Nothing is written to the screen."""
    problem = problem_for(estimator)
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
        fitted(estimator, problem).predict(problem.bags)
    printed = screen.getvalue()
    require(not printed, f"nothing must be printed; got {printed[:60]!r}")


def _global_state() -> dict[str, object]:
    legacy = np.random.get_state(legacy=False)
    return {
        "random state of numpy": repr(legacy),
        "random state of Python": random.getstate(),
        "random state of torch": torch.get_rng_state().numpy().tobytes(),
        "number of threads": torch.get_num_threads(),
        "default dtype": torch.get_default_dtype(),
        "deterministic mode": torch.are_deterministic_algorithms_enabled(),
        "gradient mode": torch.is_grad_enabled(),
        "handling of numpy's errors": np.geterr(),
        "filters of warnings": list(warnings.filters),
        "environment": dict(os.environ),
        "folder": Path.cwd(),
    }


@contextlib.contextmanager
def _other_surroundings() -> Iterator[None]:
    """Change what a caller may have changed, and put it back."""
    numpy_state, state = np.random.get_state(), random.getstate()
    torch_state, dtype = torch.get_rng_state(), torch.get_default_dtype()
    threads, gradient = torch.get_num_threads(), torch.is_grad_enabled()
    try:
        np.random.seed(99)
        random.seed(99)
        torch.manual_seed(99)
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(threads + 1)
        torch.set_grad_enabled(False)
        yield
    finally:
        torch.set_grad_enabled(gradient)
        torch.set_num_threads(threads)
        torch.set_default_dtype(dtype)
        torch.set_rng_state(torch_state)
        random.setstate(state)
        np.random.set_state(numpy_state)


CHECKS = (
    check_global_state_untouched,
    check_surroundings_do_not_matter,
    check_no_warnings,
    check_nothing_printed,
)
