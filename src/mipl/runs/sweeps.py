"""Sweeps: settings with several values are as many runs."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import product
from typing import Any

from mipl.errors import MiplError
from mipl.runs.run_settings import RunSettings

_RANGE = re.compile(r"(?P<low>[^:]+?)\.\.(?P<high>[^:]+?)(?::(?P<log>log)?(?P<n>\d*))?")
_MOST = 1000  # Points of a plan; more are a slip of the finger.
_DIGITS = 6  # That are kept of a point between two ends.


def expanded(told: RunSettings) -> list[RunSettings]:
    """Return settings for each combination of the values that arguments are given.

    ``lam=0.1,1,5`` are three values, ``lr=0.01..0.2:log4`` four whose ratios are equal,
    ``lam=1..5:3`` three whose differences are. A list in brackets is one value.

    Examples
    --------
    >>> told = RunSettings.of(["lam=0.1,1", "training.lr=0.01..0.1:log3", "width=8"])
    >>> plan = expanded(told)
    >>> len(plan), plan[1].arguments
    (6, {'lam': 0.1, 'training__lr': 0.0316228, 'width': 8})
    """
    several = {name: values_of(name, v) for name, v in told.arguments.items()}
    count = math.prod(map(len, several.values()))
    if count > _MOST:
        raise MiplError(
            f"--set asks for {count:,} settings of each method; at most {_MOST:,} make "
            "a plan."
        )
    return [
        replace(told, arguments=dict(zip(several, point, strict=True)))
        for point in product(*several.values())
    ]


def values_of(argument: str, value: Any) -> list[Any]:
    """Return the values that a setting stands for.

    Examples
    --------
    >>> values_of("lam", "1..5:3"), values_of("scaling", "auto,none")
    ([1, 3, 5], ['auto', 'none'])
    >>> values_of("width", [256, 128]), values_of("scaling", "none")
    ([[256, 128]], ['none'])
    """
    if not isinstance(value, str) or value[:1] in "[{":
        return [value]
    name = argument.replace("__", ".")
    if ".." in value and "," not in value:
        return _range(name, value)
    if "," not in value:
        return [value]
    parts = [part.strip() for part in value.split(",")]
    if "" in parts:
        raise MiplError(f"{name}={value} has an empty value; give {name}=0.1,1,5.")
    found = [_plain(part) for part in parts]
    if len(set(parts)) < len(parts):
        raise MiplError(f"{name}={value} has a value twice; give each once.")
    return found


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _range(name: str, text: str) -> list[Any]:
    found = _RANGE.fullmatch(text)
    ends = [_plain(found["low"]), _plain(found["high"])] if found else []
    numbers = all(type(end) in (int, float) and math.isfinite(end) for end in ends)
    if found is None or not numbers:
        raise MiplError(
            f"{name}={text} is no range; give LOW..HIGH:N or LOW..HIGH:logN, such as "
            f"{name}=0.01..0.2:log4."
        )
    low, high = ends
    count = int(found["n"]) if found["n"] else 0
    if not 2 <= count <= _MOST:
        raise MiplError(
            f"{name}={text} must say how many values, from 2 to {_MOST}, such as "
            f"{name}={found['low']}..{found['high']}:{found['log'] or ''}4."
        )
    if low >= high or (found["log"] and low <= 0):
        above = "two numbers above 0, " if found["log"] else ""
        raise MiplError(
            f"{name}={text} must have {above}the smaller one first; got {low} and "
            f"{high}."
        )
    return _points(low, high, count, bool(found["log"]))


def _points(low: float, high: float, count: int, log: bool) -> list[Any]:
    """Return evenly spaced numbers; whole ones where both ends and all are whole."""
    shares = [place / (count - 1) for place in range(count)]
    if log:
        between = [low * (high / low) ** share for share in shares]
    else:
        between = [low + (high - low) * share for share in shares]
    points = [float(f"{value:.{_DIGITS}g}") for value in between]
    points[0], points[-1] = float(low), float(high)
    whole = isinstance(low, int) and isinstance(high, int)
    if whole and all(point.is_integer() for point in points):
        return [int(point) for point in points]
    return list(points)
