"""Figures of an epoch, taken from what the training has at hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from mipl.metrics.margins import label_margins
from mipl.training.state import Clock, TrainingState

RESOLVED = 0.9  # Weight of one label from which a candidate set counts as resolved.


def epoch_figures(
    state: TrainingState,
    candidates: np.ndarray[Any, np.dtype[np.bool_]],
    terms: dict[str, float],
    clock: Clock,
    lr: float,
) -> dict[str, float]:
    """Return loss terms, schedules, margins and the share of resolved sets."""
    margins = label_margins(state.p.double().cpu().numpy(), candidates)
    w = state.w.double().cpu().numpy()
    ambiguous = candidates.sum(axis=1) > 1
    largest = w.max(axis=1)[ambiguous]
    return {
        "epoch": float(clock.epoch),
        **terms,
        "lr": lr,
        "tau": clock.tau,
        "alpha": clock.alpha,
        "margin_mean": float(margins.mean()),
        "margin_std": float(margins.std()),
        "margin_violation_rate": float((margins < 0).mean()),
        "resolved": float((largest >= RESOLVED).mean()) if len(largest) else 1.0,
    }


def bag_record(
    state: TrainingState,
    candidates: np.ndarray[Any, np.dtype[np.bool_]],
    numbers: list[int],
) -> dict[str, Any]:
    """Return label weights and best probabilities of the recorded bags."""
    p = state.p.double().cpu().numpy()[numbers]  # (b, k)
    inside = candidates[numbers]
    return {
        "epoch": state.epoch,
        "label_weights": state.w.double().cpu().numpy()[numbers],
        "best_candidate": np.where(inside, p, 0.0).max(axis=1),
        "best_other": np.where(inside, 0.0, p).max(axis=1),
    }
