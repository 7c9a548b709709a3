"""Figures of an epoch, taken from what the training has at hand."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError
from mipl.metrics.margins import label_margins

if TYPE_CHECKING:
    from mipl.training.state import Clock, TrainingState

RESOLVED = 0.9  # Weight of one label from which a candidate set counts as resolved.


def epoch_figures(
    state: TrainingState,
    candidates: npt.NDArray[np.bool_],
    trained: npt.NDArray[np.int64],
    terms: dict[str, float],
    clock: Clock,
    lr: float,
) -> dict[str, float]:
    """Return loss terms, schedules, margins and the share of resolved sets.

    They are those of the bags ``trained``, as each was last visited.
    """
    inside = candidates[trained]
    margins = label_margins(state.p.double().cpu().numpy()[trained], inside)
    w = state.w.double().cpu().numpy()[trained]
    ambiguous = inside.sum(axis=1) > 1
    largest = np.where(inside, w, 0.0).max(axis=1)[ambiguous]
    return {
        "epoch": float(state.earlier + clock.epoch),
        **terms,
        "lr": lr,
        "tau": clock.tau,
        "alpha": clock.alpha,
        "margin_mean": float(margins.mean()),
        "margin_std": float(margins.std()),
        "margin_violation_rate": float((margins < 0).mean()),
        "resolved": float((largest >= RESOLVED).mean()) if len(largest) else 1.0,
    }


def recorded_bags(record_bags: Any, n_bags: int) -> list[int]:
    """Return the numbers of the bags to record, once they are known to exist."""
    numbers = list(record_bags) if isinstance(record_bags, Iterable) else [record_bags]
    if not all(isinstance(n, Integral) and 0 <= int(n) < n_bags for n in numbers):
        raise MiplError(
            f"record_bags of Training must be bag numbers from 0 to {n_bags - 1}; "
            f"got {record_bags!r}."
        )
    return [int(number) for number in numbers]


def bag_record(
    state: TrainingState,
    candidates: npt.NDArray[np.bool_],
    numbers: list[int],
) -> dict[str, Any]:
    """Return label weights and best probabilities of the recorded bags."""
    p = state.p.double().cpu().numpy()[numbers]  # (b, k)
    inside = candidates[numbers]
    return {
        "epoch": state.earlier + state.epoch,
        "label_weights": state.w.double().cpu().numpy()[numbers],
        "best_candidate": np.where(inside, p, 0.0).max(axis=1),
        "best_other": np.where(inside, 0.0, p).max(axis=1),
    }
