"""What a search has tried so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mipl.errors import MiplError

FINISHED, PRUNED, DIVERGED = "finished", "pruned", "diverged"


@dataclass(frozen=True)
class Trial:
    """One setting, and how it did.

    Attributes
    ----------
    number : int
        From 0, in the order of time.
    settings : mapping
        The searched arguments, in scikit-learn's names (``training__lr``).
    scores : tuple of float
        Of the folds; a trial that was stopped early has fewer.
    state : {"finished", "pruned", "diverged"}
        Pruned: after some folds worse than half of the earlier trials. Diverged: its
        training left the finite numbers.
    """

    number: int
    settings: Mapping[str, Any]
    scores: tuple[float, ...]
    state: str

    @property
    def score(self) -> float | None:
        """The mean over the folds that were scored; None where none was."""
        return sum(self.scores) / len(self.scores) if self.scores else None


@dataclass(frozen=True)
class Tuned:
    """The trials of a search.

    Attributes
    ----------
    trials : tuple of Trial
    wanted : int
        How many trials there will be.
    """

    trials: tuple[Trial, ...]
    wanted: int

    def ranked(self) -> tuple[Trial, ...]:
        """Return the trials with all folds, the best first; of equals the earlier."""
        whole = [trial for trial in self.trials if trial.state == FINISHED]
        return tuple(sorted(whole, key=lambda trial: -(trial.score or 0.0)))

    @property
    def best(self) -> Trial:
        """The trial of the highest score."""
        ranked = self.ranked()
        if not ranked:
            raise MiplError(
                f"none of {len(self.trials)} trials was finished; where all diverge, "
                "search smaller values of training__lr."
            )
        return ranked[0]

    def count(self, state: str) -> int:
        """Return how many trials are in a state."""
        return sum(trial.state == state for trial in self.trials)
