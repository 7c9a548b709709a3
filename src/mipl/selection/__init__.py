"""Choosing between models without true labels: scorers, folds and a search."""

from mipl.selection.axes import Choices, Range
from mipl.selection.folds import CandidateStratifiedKFold
from mipl.selection.importance import permutation_importance
from mipl.selection.scorers import (
    approximated_accuracy,
    covering_rate,
    margin_violation_rate,
    truth_accuracy,
)
from mipl.selection.spaces import SPACES, paper_space, space, usual_space
from mipl.selection.trials import Trial, Tuned
from mipl.selection.tuning import SCORES, tune

__all__ = [
    "SCORES",
    "SPACES",
    "CandidateStratifiedKFold",
    "Choices",
    "Range",
    "Trial",
    "Tuned",
    "approximated_accuracy",
    "covering_rate",
    "margin_violation_rate",
    "paper_space",
    "permutation_importance",
    "space",
    "truth_accuracy",
    "tune",
    "usual_space",
]
