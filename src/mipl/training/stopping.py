"""Early stopping on figures that need no true label."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mipl.data.splits import ten_splits
from mipl.errors import MiplError
from mipl.metrics.ambiguity import approximated_accuracy, covering_rate
from mipl.metrics.margins import margin_violation_rate
from mipl.training.record import recorded_bags
from mipl.training.state import Snapshot, TrainingState

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.data.candidates import Candidates
    from mipl.training.options import Training

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

_LEAST = 1e-12  # A probability of zero would outweigh all other bags.

FIGURES: dict[str, Callable[[Floats, npt.NDArray[np.bool_]], float]] = {
    "approximated_accuracy": approximated_accuracy,
    "covering_rate": covering_rate,
    "margin_violation_rate": lambda p, s: -margin_violation_rate(p, s),
}


def hold_out(
    candidates: Candidates, options: Training, seed: int
) -> tuple[Numbers, Numbers]:
    """Return the numbers of the bags to train on and of those held out, if any.

    A recorded bag is never held out.
    """
    everything = np.arange(len(candidates))
    recorded = recorded_bags(options.record_bags, len(candidates))
    if options.stop_on is None:
        return everything, everything[:0]
    if len(candidates) < 2:
        raise MiplError("stop_on of Training needs at least 2 bags, one held out.")
    share = 1 - options.holdout
    (split,) = ten_splits(
        candidates=candidates, n_splits=1, train_share=share, seed=seed
    )
    held = np.setdiff1d(split.test, recorded)
    if len(held) == 0:
        raise MiplError(
            "record_bags of Training names every bag that stop_on would hold out; "
            "record fewer bags or raise holdout."
        )
    return np.setdiff1d(everything, held), held


class EarlyStopping:
    """Watches a figure of held-out bags and keeps the best epoch."""

    def __init__(
        self,
        options: Training,
        bags: Bags,
        candidates: Candidates,
        told: str = "held_out",
    ) -> None:
        self.name, self.told = options.stop_on or "", told
        self.patience = options.patience
        self.bags, self.candidates = bags, candidates
        self.score = -np.inf
        self.best: Snapshot | None = None

    def after_epoch(
        self, state: TrainingState, proba: Callable[[Bags], Floats]
    ) -> bool:
        """Score the epoch; True once the figure has not risen for long enough."""
        score = FIGURES[self.name](proba(self.bags), self.candidates.matrix)
        state.history[-1][f"{self.told}_{self.name}"] = abs(score)
        if self.best is None or score > self.score:
            self.score, self.best = score, Snapshot.of(state)
        return state.epoch - self.best.epoch >= self.patience

    def restore(self, state: TrainingState) -> None:
        """Go back to the best epoch: its network and its label weights."""
        if self.best is not None:
            self.best.restore(state)


class Validation:
    """Looks after each epoch at bags that the user gives and nothing trains on.

    Parameters
    ----------
    bags : Bags
    candidates : Candidates
        In the columns of the model's classes; sets of one are true labels.
    """

    def __init__(self, bags: Bags, candidates: Candidates) -> None:
        self.bags, self.candidates = bags, candidates

    def figures(self, proba: Callable[[Bags], Floats]) -> dict[str, float]:
        """Return the label-free figures, the log loss, and accuracy of true labels."""
        p, sets = proba(self.bags), self.candidates.matrix
        found = {name: abs(figure(p, sets)) for name, figure in FIGURES.items()}
        inside = np.where(sets, p, 0.0).sum(axis=1)
        found["log_loss"] = float(-np.log(np.maximum(inside, _LEAST)).mean())
        if (self.candidates.sizes == 1).all():
            found["accuracy"] = float(sets[np.arange(len(p)), p.argmax(axis=1)].mean())
        return {f"validation_{name}": float(value) for name, value in found.items()}
