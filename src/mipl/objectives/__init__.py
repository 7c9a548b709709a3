"""What is minimised, and how label weights move: pure functions of tensors."""

from mipl.objectives.attention_loss import attention_entropy
from mipl.objectives.candidate_losses import (
    best_and_next,
    calibratable_loss,
    candidate_log_loss,
    candidate_mass,
    inhibition_loss,
    leveraged,
    log_pair,
    sigmoid_pair,
    weighted_log_loss,
)
from mipl.objectives.class_activation import activated_label, activation_values
from mipl.objectives.dirichlet import lognormal, softmax_on, tied, with_negative
from mipl.objectives.label_weights import (
    confidence_update,
    copies,
    momentum_update,
    on_both_sides,
    on_candidates,
    purified,
)
from mipl.objectives.margin import (
    counted_margin_loss,
    label_margin,
    margin_distribution_loss,
    margin_violation,
    mean_and_spread,
    single_bag_margin_loss,
)
from mipl.objectives.schedules import falling_alpha, falling_tau
from mipl.objectives.variational import (
    bernoulli_entropy,
    linear_objective,
    log_density,
    standard_kl,
)

__all__ = [
    "activated_label",
    "activation_values",
    "attention_entropy",
    "bernoulli_entropy",
    "best_and_next",
    "calibratable_loss",
    "candidate_log_loss",
    "candidate_mass",
    "confidence_update",
    "copies",
    "counted_margin_loss",
    "falling_alpha",
    "falling_tau",
    "inhibition_loss",
    "label_margin",
    "leveraged",
    "linear_objective",
    "log_density",
    "log_pair",
    "lognormal",
    "margin_distribution_loss",
    "margin_violation",
    "mean_and_spread",
    "momentum_update",
    "on_both_sides",
    "on_candidates",
    "purified",
    "sigmoid_pair",
    "single_bag_margin_loss",
    "softmax_on",
    "standard_kl",
    "tied",
    "weighted_log_loss",
    "with_negative",
]
