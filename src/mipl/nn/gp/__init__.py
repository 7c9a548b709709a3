"""Gaussian processes, on gpytorch."""

import warnings

from mipl.errors import MissingExtra

try:
    with warnings.catch_warnings():
        # It compiles a function in a way that torch means to drop.
        warnings.simplefilter("ignore", DeprecationWarning)
        import gpytorch  # noqa: F401
except ImportError:
    raise MissingExtra.of("a Gaussian process", "gpytorch", "gp") from None

from mipl.nn.gp.classwise import ClasswiseGP, RegressionSummary
from mipl.nn.gp.conjugate import ConjugateRegression
from mipl.nn.gp.regression import ExactRegression, SparseRegression

__all__ = [
    "ClasswiseGP",
    "ConjugateRegression",
    "ExactRegression",
    "RegressionSummary",
    "SparseRegression",
]
