"""Choosing between models without true labels: scorers and search spaces."""

from mipl.selection.scorers import (
    approximated_accuracy,
    covering_rate,
    margin_violation_rate,
    truth_accuracy,
)
from mipl.selection.spaces import SPACES, space

__all__ = [
    "SPACES",
    "approximated_accuracy",
    "covering_rate",
    "margin_violation_rate",
    "space",
    "truth_accuracy",
]
