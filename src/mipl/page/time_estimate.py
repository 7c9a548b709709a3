"""How long a training will take: by those of this workspace, or by a trial of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from mipl.page.jobs import FAILED, FINISHED, Job, Jobs
from mipl.runs.estimate import growth
from mipl.runs.time_trial import TimeTrial

_ALIKE = math.log(3)  # Of sizes further apart, one tells little of the other.


def expected_seconds(wanted: Mapping[str, Any], before: Iterable[Job]) -> float | None:
    """Return the seconds that a training will take; None where none was like it.

    Parameters
    ----------
    wanted : mapping
        ``method``, ``epochs`` and ``size`` (numbers that an epoch reads), as jobs keep
        them under ``cost``.
    before : jobs
        Trainings and trials; of the finished ones of the same method the one nearest
        in size tells, a training before a trial.
    """
    found = None
    for job in before:
        cost = job.arguments.get("cost", {})
        if job.state != FINISHED or cost.get("method") != wanted["method"]:
            continue
        ratio = wanted["size"] / cost["size"]
        seconds = _seconds(job, wanted["epochs"], growth(ratio))
        order = abs(math.log(ratio)), job.kind != "fit"
        if seconds is None or order[0] > _ALIKE or (found and order >= found[0]):
            continue
        found = order, seconds
    return None if found is None else found[1]


def trial_of(jobs: Jobs, title: str, arguments: Mapping[str, Any]) -> Job:
    """Return the trial of a training that was made or is at work, or start it.

    ``arguments`` are those of the job that would train.
    """
    for job in jobs.all("time"):
        same = job.arguments["settings"] == arguments["settings"]
        if _like(job.arguments) == _like(arguments) and (same or job.state != FAILED):
            return job
    return jobs.start("time", f"Time of {title}", arguments)


def _like(arguments: Mapping[str, Any]) -> tuple[str, float]:
    """Return what trials have in common: any number of epochs follows from one."""
    return arguments["cost"]["method"], arguments["cost"]["size"]


def _seconds(job: Job, epochs: int, grown: float) -> float | None:
    """Return what a job that is done tells of another with so many epochs."""
    if job.kind == "fit":
        known = job.seconds > 0
        each = job.seconds / job.arguments["cost"]["epochs"]
        return each * epochs * grown if known else None
    try:
        tried = TimeTrial(**job.result())
    except TypeError:  # Of another version, or damaged.
        return None
    return TimeTrial(tried.each * grown, tried.around).seconds(epochs)
