"""Work for processes that are killed; a file of its own, which loads no torch."""

import os
import signal
import time
from functools import partial
from types import SimpleNamespace

from mipl.runs.result import Result


def deadly(runs):
    """Compute nothing; the second split ends its process."""
    if any(run.split == 1 for run in runs):
        os.kill(os.getpid(), signal.SIGKILL)
    return outcomes(runs)


def slow(log):
    """Return work that takes a while and tells that it has begun."""
    return partial(_slow, log)


def _slow(log, runs):
    log.touch()
    time.sleep(0.5)
    return outcomes(runs)


def outcomes(runs):
    return [
        SimpleNamespace(
            result=Result(run, "finished", 0.5, 1.0), curves=None, predictions=None
        )
        for run in runs
    ]
