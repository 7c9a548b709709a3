"""Rounds: equal parts of a training, with which schedules begin anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Round:
    """Where an epoch stands among the rounds.

    Examples
    --------
    >>> all_of_them = [Round.of(t, epochs=5, rounds=2) for t in range(1, 6)]
    >>> [(here.number, here.epoch, here.epochs) for here in all_of_them]
    [(1, 1, 3), (1, 2, 3), (1, 3, 3), (2, 1, 2), (2, 2, 2)]
    """

    number: int  # 1..rounds
    epoch: int  # 1..epochs, within the round
    epochs: int  # of the round
    followed: bool  # by another round

    @classmethod
    def of(cls, t: int, epochs: int, rounds: int) -> Self:
        """Return the round of epoch t = 1..T; of fewer epochs than rounds, some."""
        number = (t - 1) * rounds // epochs
        first = -(-number * epochs // rounds)  # Rounded up, as the next one's is.
        following = -(-(number + 1) * epochs // rounds)
        return cls(number + 1, t - first, following - first, following < epochs)

    @property
    def hands_over(self) -> bool:
        """Whether the next epoch is the first of another round."""
        return self.followed and self.epoch == self.epochs
