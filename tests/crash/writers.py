"""Processes that write to one store, or run one plan, and may be killed at any time."""

import multiprocessing
import os
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from mipl.experiments import runner
from mipl.experiments.leases import Leases
from mipl.experiments.plan import Run
from mipl.experiments.results import Predictions, Result
from mipl.experiments.store import Store
from mipl.seeds import stream

# A server that has loaded everything once and forks: a new process takes no time.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])
SAID = Predictions((0, 1), ("a", "b"), ("a", "a"), (0.9, 0.6))


def plan(size):
    return [Run("miplma", "synthetic", seed=seed) for seed in range(size)]


def result(run):
    return Result(run, "finished", 0.5, 1.0)


class Log:
    """Lines that are in the file when ``add`` returns, whatever happens next."""

    def __init__(self, path: Path):
        self.path = path

    def add(self, run):
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{run.seed}\n".encode())
        os.close(handle)

    def seeds(self):
        return [int(line) for line in self.path.read_text().split()]


def write(path, log, size, seed):
    """Record runs that are free, some at a time, until all are there."""
    store, chance, log = Store(path, create=True), stream(seed, "writer"), Log(log)
    missing = runs = plan(size)
    while missing:
        leases = Leases(store, lasts=1.0)
        first = int(chance.integers(len(missing)))
        taken = leases.take(missing[first : first + 5])
        for run in taken:
            if store.record(result(run), {"loss": [1.0, 0.5] * 50}, SAID):
                log.add(run)  # Acknowledged: it must never be lost.
        if not taken:  # What is left is taken by others, or was by one that is dead.
            known = store.answers(runs)
            missing = [run for run in runs if run not in known]


def run_all(path, log, size, pause, lasts=60.0):
    """Be a runner whose work is a line in a log; count the runs that ended here."""
    log = Log(log)

    def compute(runs):
        for run in runs:
            log.add(run)
            time.sleep(pause)
        return [
            SimpleNamespace(result=result(run), curves=None, predictions=None)
            for run in runs
        ]

    runner.compute = compute
    runner.Leases = partial(Leases, lasts=lasts)
    runner._PAUSE = 0.05
    runner.run_plan(plan(size), Store(path, create=True))
