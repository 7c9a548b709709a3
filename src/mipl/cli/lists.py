"""Options that take lists: repeated, with commas, or both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mipl.errors import MiplError

_MOST = 1000  # Numbers; a longer range is a slip of the finger.


def names(values: Sequence[str] | None) -> list[str] | None:
    """Read names, of which one may be given per option or several with commas.

    A file whose own name has commas stays whole.

    Examples
    --------
    >>> names(["miplma", "demipl, elimipl"])
    ['miplma', 'demipl', 'elimipl']
    """
    if values is None:
        return None
    parts = [
        [value] if "," in value and Path(value).exists() else value.split(",")
        for value in values
    ]
    found = [name.strip() for own in parts for name in own]
    return list(dict.fromkeys(name for name in found if name))


def numbers(option: str, values: Sequence[str] | None) -> tuple[int, ...] | None:
    """Read numbers and ranges.

    Examples
    --------
    >>> numbers("--splits", ["0,3-5", "9"])
    (0, 3, 4, 5, 9)
    """
    if values is None:
        return None
    found: list[int] = []
    for part in ",".join(values).split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdecimal() or not (last or first).isdecimal():
            raise MiplError(
                f"{option} takes numbers and ranges, as 0,3-5; got {','.join(values)}."
            )
        end = int(last or first)
        if not int(first) <= end < int(first) + _MOST:
            raise MiplError(f"the range {part.strip()} of {option} is empty or absurd.")
        found += range(int(first), end + 1)
    return tuple(dict.fromkeys(found))
