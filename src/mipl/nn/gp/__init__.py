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

from mipl.nn.gp.classwise import ClasswiseGP
from mipl.nn.gp.conjugate import ConjugateRegression
from mipl.nn.gp.neighbours import NearestObservations
from mipl.nn.gp.observations import DistinctRows, Observations
from mipl.nn.gp.regression import ExactRegression, SparseRegression
from mipl.nn.gp.summary import RegressionSummary, Summary

__all__ = [
    "ClasswiseGP",
    "ConjugateRegression",
    "DistinctRows",
    "ExactRegression",
    "NearestObservations",
    "Observations",
    "RegressionSummary",
    "SparseRegression",
    "Summary",
]
