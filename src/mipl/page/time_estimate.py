"""How long a training will take, by those that were finished in this workspace."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from mipl.page.jobs import FINISHED, Job

# Time by size, as ``mipl.runs.estimate`` has found it.
_GROWTH = 0.7


def expected_seconds(wanted: Mapping[str, Any], before: Iterable[Job]) -> float | None:
    """Return the seconds that a training will take; None where none was like it.

    Parameters
    ----------
    wanted : mapping
        ``method``, ``epochs`` and ``size`` (numbers that an epoch reads), as jobs keep
        them under ``cost``.
    before : jobs
        Those finished; of the same method the one nearest in size tells.
    """
    found = None
    for job in before:
        cost = job.arguments.get("cost", {})
        known = job.state == FINISHED and job.seconds > 0
        if not known or cost.get("method") != wanted["method"]:
            continue
        ratio = wanted["size"] / cost["size"]
        seconds = job.seconds * wanted["epochs"] / cost["epochs"] * ratio**_GROWTH
        distance = abs(math.log(ratio))
        if found is None or distance < found[0]:
            found = distance, seconds
    return None if found is None else found[1]
