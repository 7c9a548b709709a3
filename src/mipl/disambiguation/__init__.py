"""How label weights move: updates and schedules."""

from mipl.disambiguation.confidence import confidence_update
from mipl.disambiguation.schedules import falling_alpha, falling_tau
from mipl.disambiguation.updates import momentum_update, on_candidates

__all__ = [
    "confidence_update",
    "falling_alpha",
    "falling_tau",
    "momentum_update",
    "on_candidates",
]
