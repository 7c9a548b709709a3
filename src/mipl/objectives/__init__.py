"""What is minimised, and how label weights move: pure functions of tensors."""

from mipl.objectives.attention_loss import attention_entropy
from mipl.objectives.calibratable import best_and_next, calibratable_loss
from mipl.objectives.candidate import candidate_log_loss, weighted_log_loss
from mipl.objectives.class_activation import activated_label, activation_values
from mipl.objectives.confidence import confidence_update
from mipl.objectives.copies import copies
from mipl.objectives.dirichlet import lognormal, softmax_on, tied, with_negative
from mipl.objectives.gaussian import log_density, standard_kl
from mipl.objectives.inhibition import candidate_mass, inhibition_loss
from mipl.objectives.latent import bernoulli_entropy
from mipl.objectives.leverage import leveraged, log_pair, sigmoid_pair
from mipl.objectives.linear import linear_objective
from mipl.objectives.margin import (
    counted_margin_loss,
    label_margin,
    margin_distribution_loss,
    margin_violation,
    mean_and_spread,
    single_bag_margin_loss,
)
from mipl.objectives.purification import purified
from mipl.objectives.schedules import falling_alpha, falling_tau
from mipl.objectives.two_sided import on_both_sides
from mipl.objectives.updates import momentum_update, on_candidates

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
