"""Groups of runs that one worker fits together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from mipl.errors import MiplError
from mipl.methods.wrappers.together import alike, bags_per_step
from mipl.runs.run import Run
from mipl.runs.run_data import loaded

_MOST = 5  # More gain no time, and lose more where a worker is killed.
_MOST_OF_ONE_BAG = 30  # Steps of one bag each: their overhead is worth sharing.
_NUMBERS = 2**27  # Features that so large a group may hold in memory.


def groups(runs: Sequence[Run], workers: int) -> list[list[Run]]:
    """Put runs together that are trained on stacked parameters, in the plan's order.

    A group has at most five runs, thirty of one bag per step where memory allows, and
    fewer where workers would have nothing to do.

    Examples
    --------
    >>> runs = [Run("miplma", "digits-mipl", split=split) for split in range(6)]
    >>> [len(group) for group in groups([*runs, Run("fastmipl", "digits-mipl")], 2)]
    [3, 3, 1]
    """
    common = cache(_common)  # Built once per setting, not once per run.
    cells: dict[tuple[str, int | None], list[Run]] = defaultdict(list)
    for run in runs:
        shared, step = common(replace(run.question, split=0, seed=0))
        cells[shared or run.key, step].append(run)
    found = []
    for (_, step), cell in cells.items():
        parts = max(math.ceil(len(cell) / _most(cell, step)), min(workers, len(cell)))
        size = math.ceil(len(cell) / parts)
        found += [cell[first : first + size] for first in range(0, len(cell), size)]
    return found


def _common(run: Run) -> tuple[str, int | None]:
    """Return what the runs of a group have in common, and how many bags a step has.

    "" stands for runs that are each alone.
    """
    try:
        estimator = run.build()
        stack = alike(estimator)
    except MiplError:  # Whoever computes it will tell.
        return "", None
    if stack is None:
        return "", None
    return repr((run.data, run.options, stack)), bags_per_step(estimator)


def _most(cell: Sequence[Run], step: int | None) -> int:
    """Return how many runs of a cell make a group."""
    if len(cell) <= _MOST or step != 1:
        return _MOST
    bags = loaded(cell[0]).data.bags
    fit = _NUMBERS // (bags.n_instances * bags.n_features)
    return min(max(fit, _MOST), _MOST_OF_ONE_BAG)
