"""Early stopping on figures that need no true label."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.splits import ten_splits
from mipl.metrics.ambiguity import approximated_accuracy, covering_rate
from mipl.metrics.margins import margin_violation_rate
from mipl.training.options import Training
from mipl.training.state import TrainingState

Pair = tuple[Bags, Candidates]
Floats = npt.NDArray[np.float64]

FIGURES: dict[str, Callable[[Floats, npt.NDArray[np.bool_]], float]] = {
    "approximated_accuracy": approximated_accuracy,
    "covering_rate": covering_rate,
    "margin_violation_rate": lambda p, s: -margin_violation_rate(p, s),
}


def hold_out(
    bags: Bags, candidates: Candidates, options: Training, seed: int
) -> tuple[Pair, Pair | None]:
    """Return the bags to train on and, where stopping is asked for, those held out."""
    if options.stop_on is None:
        return (bags, candidates), None
    share = 1 - options.holdout
    split = ten_splits(candidates=candidates, n_splits=1, train_share=share, seed=seed)[
        0
    ]
    kept = bags[split.train], candidates[split.train]
    return kept, (bags[split.test], candidates[split.test])


class EarlyStopping:
    """Watches a figure of held-out bags and keeps the best epoch's network."""

    def __init__(self, options: Training, held: Pair) -> None:
        self.name = options.stop_on or ""
        self.patience = options.patience
        self.bags, self.candidates = held
        self.best = -np.inf
        self.best_epoch = 0
        self.values: dict[str, object] = {}

    def after_epoch(
        self, state: TrainingState, proba: Callable[[Bags], Floats]
    ) -> bool:
        """Score the epoch; True once the figure has not risen for long enough."""
        score = FIGURES[self.name](proba(self.bags), self.candidates.matrix)
        state.history[-1][f"held_out_{self.name}"] = abs(score)
        if score > self.best:
            self.best, self.best_epoch = score, state.epoch
            self.values = copy.deepcopy(state.module.state_dict())
        return state.epoch - self.best_epoch >= self.patience

    def restore(self, state: TrainingState) -> None:
        """Put the best epoch's values back."""
        state.module.load_state_dict(self.values)
