"""Losses: pure functions of tensors."""

from mipl.losses.attention import attention_entropy
from mipl.losses.calibrated import best_and_next, calibratable_loss
from mipl.losses.candidate import candidate_log_loss, weighted_log_loss
from mipl.losses.copies import copies
from mipl.losses.gaussian import log_density, standard_kl
from mipl.losses.inhibition import candidate_mass, inhibition_loss
from mipl.losses.latent import bernoulli_entropy
from mipl.losses.leverage import leveraged, log_pair, sigmoid_pair
from mipl.losses.linear import linear_objective
from mipl.losses.margin import (
    counted_margin_loss,
    label_margin,
    margin_distribution_loss,
    margin_violation,
    mean_and_spread,
    single_bag_margin_loss,
)

__all__ = [
    "attention_entropy",
    "bernoulli_entropy",
    "best_and_next",
    "calibratable_loss",
    "candidate_log_loss",
    "candidate_mass",
    "copies",
    "counted_margin_loss",
    "inhibition_loss",
    "label_margin",
    "leveraged",
    "linear_objective",
    "log_density",
    "log_pair",
    "margin_distribution_loss",
    "margin_violation",
    "mean_and_spread",
    "sigmoid_pair",
    "single_bag_margin_loss",
    "standard_kl",
    "weighted_log_loss",
]
