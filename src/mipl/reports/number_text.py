"""Figures as short text, the same in tables, pages and pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

UNKNOWN = "-"


def number(value: float | None, digits: int = 3) -> str:
    """Return a figure with so many digits, or a dash for an unknown one.

    Examples
    --------
    >>> number(0.12345), number(None), number(-1e-9)
    ('0.123', '-', '0.000')
    """
    if value is None:
        return UNKNOWN
    return f"{round(value, digits) + 0.0:.{digits}f}"  # -0.0 + 0.0 is 0.0.


def spread(values: Sequence[float | None], digits: int = 3) -> str:
    """Return mean and sample standard deviation of figures over runs.

    Examples
    --------
    >>> spread([0.9, 1.0]), spread([0.5]), spread([None, None])
    ('0.950 ± 0.071', '0.500', '-')
    """
    known = [value for value in values if value is not None]
    if not known:
        return UNKNOWN
    mean = number(float(np.mean(known)), digits)
    if len(known) == 1:
        return mean
    return f"{mean} ± {number(float(np.std(known, ddof=1)), digits)}"
