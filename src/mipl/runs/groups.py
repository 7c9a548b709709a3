"""Groups of runs that one worker fits together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from mipl.errors import MiplError
from mipl.methods.wrappers.together import alike
from mipl.runs.run import Run

MOST = 5  # More gain no time, and lose more where a worker is killed.


def groups(runs: Sequence[Run], workers: int) -> list[list[Run]]:
    """Put runs together that are trained on stacked parameters, in the plan's order.

    A group has at most five runs, and fewer where workers would have nothing to do.

    Examples
    --------
    >>> runs = [Run("miplma", "digits-mipl", split=split) for split in range(6)]
    >>> [len(group) for group in groups([*runs, Run("fastmipl", "digits-mipl")], 2)]
    [3, 3, 1]
    """
    common = cache(_common)  # Built once per setting, not once per run.
    cells: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        shared = common(replace(run.question, split=0, seed=0))
        cells[shared or run.key].append(run)
    found = []
    for cell in cells.values():
        parts = max(math.ceil(len(cell) / MOST), min(workers, len(cell)))
        size = math.ceil(len(cell) / parts)
        found += [cell[first : first + size] for first in range(0, len(cell), size)]
    return found


def _common(run: Run) -> str:
    """Return what the runs of a group have in common; "" where each is alone."""
    try:
        stack = alike(run.build())
    except MiplError:  # Whoever computes it will tell.
        return ""
    return "" if stack is None else repr((run.data, run.options, stack))
