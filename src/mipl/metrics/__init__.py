"""Figures as pure functions of arrays."""

from mipl.metrics.accuracy import (
    accuracy,
    balanced_accuracy,
    bootstrap_interval,
    confusion_matrix,
    macro_auroc,
)
from mipl.metrics.ambiguity import (
    approximated_accuracy,
    candidate_log_likelihood,
    covering_rate,
)
from mipl.metrics.calibration import (
    ReliabilityCurve,
    candidate_conformal_threshold,
    conformal_sets,
    conformal_threshold,
    expected_calibration_error,
    fit_candidate_temperature,
    fit_temperature,
    reliability_curve,
    with_temperature,
)
from mipl.metrics.instances import instance_auroc, pooled_instance_auroc
from mipl.metrics.margins import (
    instance_violation_rate,
    label_margins,
    margin_violation_rate,
)
from mipl.metrics.over_bags import OverBags
from mipl.metrics.significance import (
    Friedman,
    TTest,
    friedman,
    holm,
    nemenyi_distance,
    t_test,
    verdict,
    win_tie_loss,
)

__all__ = [
    "Friedman",
    "OverBags",
    "ReliabilityCurve",
    "TTest",
    "accuracy",
    "approximated_accuracy",
    "balanced_accuracy",
    "bootstrap_interval",
    "candidate_conformal_threshold",
    "candidate_log_likelihood",
    "conformal_sets",
    "conformal_threshold",
    "confusion_matrix",
    "covering_rate",
    "expected_calibration_error",
    "fit_candidate_temperature",
    "fit_temperature",
    "friedman",
    "holm",
    "instance_auroc",
    "instance_violation_rate",
    "label_margins",
    "macro_auroc",
    "margin_violation_rate",
    "nemenyi_distance",
    "pooled_instance_auroc",
    "reliability_curve",
    "t_test",
    "verdict",
    "win_tie_loss",
    "with_temperature",
]
