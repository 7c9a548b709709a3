"""The axes of a search space: what one argument may be."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from mipl.errors import MiplError

_MOST_POINTS = 1000  # Longer ranges of whole numbers are not listed one by one.


@dataclass(frozen=True)
class Range:
    """All numbers between two ends, both included.

    Whole ends give whole numbers, unless the argument's default is a fraction.

    Parameters
    ----------
    low, high : int or float
    log : bool
        Whether equal ratios count as equal distances; needs ends above zero.

    Examples
    --------
    >>> str(Range(0.1, 5, log=True)), Range(2, 4).points()
    ('0.1..5:log', (2, 3, 4))
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            real = isinstance(end, Real) and not isinstance(end, bool)
            if not real or not math.isfinite(end):
                raise MiplError(f"the ends of a range must be numbers; got {end!r}.")
        if self.low >= self.high:
            raise MiplError(
                f"the range {self} must go from a smaller number to a larger one."
            )
        if self.log and self.low <= 0:
            raise MiplError(
                f"the range {self} must begin above zero; begin higher or leave the "
                "logarithm out."
            )

    def __str__(self) -> str:
        return f"{self.low:.12g}..{self.high:.12g}{':log' if self.log else ''}"

    @property
    def whole(self) -> bool:
        """Whether only whole numbers are meant."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def like(self, default: Any) -> Range:
        """Return this range for an argument with that default."""
        if isinstance(default, float):
            return Range(float(self.low), float(self.high), self.log)
        return self

    def ends(self) -> tuple[Any, ...]:
        """Return the values that are wrong first, if any is."""
        return self.low, self.high

    def points(self) -> tuple[Any, ...] | None:
        """Return all values, or None where there are too many."""
        if not self.whole or self.high - self.low >= _MOST_POINTS:
            return None
        return tuple(range(int(self.low), int(self.high) + 1))

    def draw(self, trial: Any, name: str) -> None:
        """Have a trial of optuna choose a number."""
        if self.whole:
            trial.suggest_int(name, int(self.low), int(self.high), log=self.log)
        else:
            trial.suggest_float(name, self.low, self.high, log=self.log)

    def stored(self, value: Any) -> Any:
        """Return what optuna keeps for a value."""
        return value

    def value(self, stored: Any) -> Any:
        """Return the value of what optuna keeps."""
        return stored


@dataclass(frozen=True)
class Choices:
    """A few values of any kind that JSON has.

    Examples
    --------
    >>> print(Choices(("linear", None, [64, 32])))
    ["linear", null, [64, 32]]
    """

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise MiplError("an argument to be searched needs at least one value.")
        try:
            self._by_text()
        except (TypeError, ValueError):
            raise MiplError(
                f"values to choose from must be numbers, texts or lists; got "
                f"{str(self.values)[:60]}."
            ) from None

    def __str__(self) -> str:
        return f"[{', '.join(self._by_text())}]"

    def _by_text(self) -> dict[str, Any]:
        # Optuna's categories are single values; as texts a list can be one too.
        return {_text(value): value for value in self.values}

    def ends(self) -> tuple[Any, ...]:
        """Return all values, since each may be wrong."""
        return self.values

    def points(self) -> tuple[Any, ...]:
        """Return every value once."""
        return tuple(self._by_text().values())

    def draw(self, trial: Any, name: str) -> None:
        """Have a trial of optuna choose a value."""
        trial.suggest_categorical(name, list(self._by_text()))

    def stored(self, value: Any) -> str:
        """Return what optuna keeps for a value."""
        return _text(value)

    def value(self, stored: str) -> Any:
        """Return the value of what optuna keeps."""
        return self._by_text()[stored]


def _text(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


Axis = Range | Choices


def as_axes(
    space: Mapping[str, Range | Choices | Sequence[Any]], defaults: Mapping[str, Any]
) -> dict[str, Axis]:
    """Read a search space, in an order that does not depend on how it was given.

    Examples
    --------
    >>> axes = as_axes({"width": [8, 16], "lam": Range(0, 1)}, {"lam": 0.5})
    >>> {name: str(axis) for name, axis in axes.items()}
    {'lam': '0..1', 'width': '[8, 16]'}
    >>> axes["lam"].whole
    False
    """
    axes: dict[str, Axis] = {}
    for name in sorted(space):
        given = space[name]
        if isinstance(given, Range):
            axes[name] = given.like(defaults.get(name))
        elif isinstance(given, Choices):
            axes[name] = given
        elif isinstance(given, str) or not isinstance(given, Iterable):
            raise MiplError(
                f"the space of {name} must be a Range or a list of values; "
                f"got {given!r}."
            )
        else:
            axes[name] = Choices(tuple(given))
    return axes
