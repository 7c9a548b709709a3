"""Groups of runs that one worker fits together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

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
    cells: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        cells[_shared(run)].append(run)
    found = []
    for cell in cells.values():
        parts = max(math.ceil(len(cell) / MOST), min(workers, len(cell)))
        size = math.ceil(len(cell) / parts)
        found += [cell[first : first + size] for first in range(0, len(cell), size)]
    return found


def _shared(run: Run) -> str:
    """Return what the runs of a group have in common."""
    try:
        common = alike(run.build())
    except MiplError:  # Whoever computes it will tell.
        common = None
    if common is None:
        return run.key
    return repr((run.data, run.options, common))
