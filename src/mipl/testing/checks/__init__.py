"""The public list of checks that every method must pass."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any
from unittest import SkipTest

from sklearn.exceptions import SkipTestWarning

from mipl.testing.checks.beyond import CHECKS as BEYOND
from mipl.testing.checks.fitting import CHECKS as FITTING
from mipl.testing.checks.inputs import CHECKS as INPUTS
from mipl.testing.checks.predictions import CHECKS as PREDICTIONS
from mipl.testing.checks.resuming import CHECKS as RESUMING
from mipl.testing.checks.surroundings import CHECKS as SURROUNDINGS

Check = Callable[[Any], None]

CHECKS: tuple[Check, ...] = (
    *INPUTS,
    *FITTING,
    *RESUMING,
    *PREDICTIONS,
    *SURROUNDINGS,
    *BEYOND,
)


def check_bag_classifier(
    estimator: Any, generate_only: bool = False
) -> Iterator[tuple[Any, Check]] | None:
    """Check that an estimator keeps the contract of bags with candidate labels.

    Each check is a function of the estimator, which it clones; it raises
    ``AssertionError`` with one sentence where the contract is broken. Checks of things
    that the estimator does not have (attention, label weights) are skipped. The bags
    are small and made inside, so that an estimator with small settings needs seconds.

    Parameters
    ----------
    estimator : BagClassifier
        Unfitted, with settings that train quickly.
    generate_only : bool
        Whether to give (estimator, check) pairs instead of running the checks, e.g.
        for ``pytest.mark.parametrize``.

    Examples
    --------
    >>> from mipl.methods.mipl.miplma import MIPLMA
    >>> from mipl.training import Training
    >>> small = MIPLMA(width=4, training=Training(epochs=2))
    >>> pairs = list(check_bag_classifier(small, generate_only=True))
    >>> len(pairs) > 25, pairs[0][1].__name__
    (True, 'check_bag_forms_agree')
    >>> pairs[0][1](small)
    """
    pairs = ((estimator, check) for check in CHECKS)
    if generate_only:
        return pairs
    for _, check in pairs:
        try:
            check(estimator)
        except SkipTest as reason:
            warnings.warn(f"{check.__name__}: {reason}", SkipTestWarning, stacklevel=2)
    return None
