"""How label weights move: updates and schedules."""

from mipl.disambiguation.confidence import confidence_update
from mipl.disambiguation.dirichlet import lognormal, softmax_on, tied, with_negative
from mipl.disambiguation.schedules import falling_alpha, falling_tau
from mipl.disambiguation.updates import momentum_update, on_candidates

__all__ = [
    "confidence_update",
    "falling_alpha",
    "falling_tau",
    "lognormal",
    "momentum_update",
    "on_candidates",
    "softmax_on",
    "tied",
    "with_negative",
]
