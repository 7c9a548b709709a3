"""What the live view of a training shows, from the lines that it has written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Line = list[tuple[float, float]]
Lines = dict[str, Line]

_NOT_TERMS = {
    *("kind", "done", "total", "task", "epoch", "lr", "tau", "alpha", "resolved"),
    *("margin_mean", "margin_std", "margin_violation_rate"),
}
_MOST_POINTS = 400
_WORDS = {
    "margin_mean": "mean margin",
    "margin_violation_rate": "share below zero",
    "resolved": "resolved sets",
    "covering_rate": "in the candidate set",
    "approximated_accuracy": "expected accuracy",
    "accuracy": "accuracy",
}


@dataclass(frozen=True)
class CurvesSoFar:
    """The curves of a training, by name, over its epochs.

    Attributes
    ----------
    terms, margins, resolved, judged : mapping of name to points
        Loss terms; margins; share of the candidate sets that are resolved; what the
        model says of bags that it is judged by.
    done, total : float
        Epochs (or learners) that are done, and all of them; 0 where not known.
    """

    terms: Lines
    margins: Lines
    resolved: Lines
    judged: Lines
    done: float
    total: float

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0


def training_curves(figures: Sequence[Mapping[str, Any]]) -> CurvesSoFar:
    """Take the curves out of the lines of a job.

    Examples
    --------
    >>> lines = [{"kind": "epoch", "done": 1, "total": 4, "loss": 2.0, "resolved": 0.5}]
    >>> curves = training_curves(lines)
    >>> curves.terms, curves.resolved, curves.share
    ({'loss': [(1.0, 2.0)]}, {'resolved sets': [(1.0, 0.5)]}, 0.25)
    """
    epochs = [one for one in figures if one.get("kind") == "epoch"]
    looks = [one for one in figures if one.get("kind") == "look"]
    names = dict.fromkeys(name for one in epochs for name in one)
    terms = [name for name in names if name not in _NOT_TERMS]
    last = epochs[-1] if epochs else {}
    return CurvesSoFar(
        terms=_lines(epochs, terms),
        margins=_lines(epochs, ("margin_mean", "margin_violation_rate")),
        resolved=_lines(epochs, ("resolved",)),
        judged=_lines(looks, ("covering_rate", "approximated_accuracy", "accuracy")),
        done=float(last.get("done") or 0),
        total=float(last.get("total") or 0),
    )


def _lines(lines: Sequence[Mapping[str, Any]], names: Iterable[str]) -> Lines:
    found = {}
    for name in names:
        points = [
            (float(one["done"]), float(one[name]))
            for one in lines
            if isinstance(one.get(name), (int, float))
        ]
        if points:
            found[_WORDS.get(name, name.replace("_", " "))] = _thinned(points)
    return found


def _thinned(points: Line) -> Line:
    """Return few enough points to draw, the first and the last among them."""
    step = -(-len(points) // _MOST_POINTS)
    return [*points[:-1:step], points[-1]]


def seconds_left(curves: CurvesSoFar, worked: float) -> float | None:
    """Return how long a training will go on as it has; None where nobody can tell.

    Examples
    --------
    >>> curves = CurvesSoFar({}, {}, {}, {}, done=25, total=100)
    >>> seconds_left(curves, 10.0)
    30.0
    """
    if curves.share <= 0 or worked <= 0:
        return None
    return worked * (1 - curves.share) / curves.share


def duration(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> duration(42.4), duration(150), duration(9000)
    ('42 s', '2.5 min', '2.5 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
