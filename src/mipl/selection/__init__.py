"""Choosing between models without true labels: scorers, folds and search spaces."""

from mipl.selection.folds import CandidateStratifiedKFold
from mipl.selection.scorers import (
    approximated_accuracy,
    covering_rate,
    margin_violation_rate,
    truth_accuracy,
)
from mipl.selection.spaces import SPACES, space

__all__ = [
    "SPACES",
    "CandidateStratifiedKFold",
    "approximated_accuracy",
    "covering_rate",
    "margin_violation_rate",
    "space",
    "truth_accuracy",
]
