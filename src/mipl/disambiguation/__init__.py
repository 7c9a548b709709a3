"""How label weights move: updates and schedules."""

from mipl.disambiguation.activation import activated_label, activation_values
from mipl.disambiguation.confidence import confidence_update
from mipl.disambiguation.dirichlet import lognormal, softmax_on, tied, with_negative
from mipl.disambiguation.purify import purified
from mipl.disambiguation.schedules import falling_alpha, falling_tau
from mipl.disambiguation.two_sided import on_both_sides
from mipl.disambiguation.updates import momentum_update, on_candidates

__all__ = [
    "activated_label",
    "activation_values",
    "confidence_update",
    "falling_alpha",
    "falling_tau",
    "lognormal",
    "momentum_update",
    "on_both_sides",
    "on_candidates",
    "purified",
    "softmax_on",
    "tied",
    "with_negative",
]
