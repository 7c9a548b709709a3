"""What is kept of a run that has ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mipl.runs.run import Facts, Run

FINISHED, DIVERGED, FAILED = "finished", "diverged", "failed"
STATES = (FINISHED, DIVERGED, FAILED)

Curves = dict[str, list[float | None]]  # By name, one number per epoch.


@dataclass(frozen=True)
class Result:
    """How a run ended.

    Attributes
    ----------
    run : Run
        With the content of the data and the versions, where they are known.
    state : {"finished", "diverged", "failed"}
        A failed run is tried again by the next runner, the others are not.
    accuracy : float or None
        On the test bags; None where the run did not finish.
    seconds : float
        Of the fit, in one process of one thread; of runs that were trained together
        each has its share.
    figures : mapping of str to float
        More of the test bags; ``covering_rate``, ``approximated_accuracy``,
        ``log_likelihood``, ``margin_mean``, ``margin_std`` and ``violation_rate`` need
        no true label.
    message : str
        Why a run did not finish; "" otherwise.
    ended : str
        Time in UTC, as ``2026-01-31T12:00:00+00:00``; "" where it is not known.
    """

    run: Run
    state: str
    accuracy: float | None
    seconds: float
    figures: Mapping[str, float] = field(default_factory=Facts)
    message: str = ""
    ended: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "figures", Facts(self.figures))

    @property
    def key(self) -> str:
        """The key of its run, by which a store finds curves and predictions."""
        return self.run.key

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "key": self.key,
            **self.run.as_dict(),
            "state": self.state,
            "accuracy": self.accuracy,
            "seconds": self.seconds,
            "figures": dict(self.figures),
            "message": self.message,
            "ended": self.ended,
        }


@dataclass(frozen=True)
class Predictions:
    """What a model said of the test bags.

    Attributes
    ----------
    bags : tuple of int
        Their numbers in the data set.
    truth, predicted : tuple of class names
    confidence : tuple of float
        Probability of the predicted class.
    """

    bags: tuple[int, ...]
    truth: tuple[Any, ...]
    predicted: tuple[Any, ...]
    confidence: tuple[float, ...]

    def as_dict(self) -> dict[str, list[Any]]:
        """Return plain values that JSON can hold."""
        return {name: list(values) for name, values in vars(self).items()}
