"""Processes that write to one store, or run one plan, and may be killed at any time."""

import multiprocessing
import os
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from mipl.runs import runner
from mipl.runs.leases import Leases
from mipl.runs.result import Predictions, Result
from mipl.runs.run import Run
from mipl.runs.store import Store
from mipl.seeds import stream

# A server that has loaded everything once and forks: a new process takes no time.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])
SAID = Predictions((0, 1), ("a", "b"), ("a", "a"), (0.9, 0.6))


def run_of(seed):
    return Run("miplma", "synthetic", seed=seed)


def plan(size):
    return [run_of(seed) for seed in range(size)]


def result(run):
    return Result(run, "finished", 0.5, 1.0)


class Log:
    """Lines that are in the file when ``add`` returns, whatever happens next."""

    def __init__(self, path: Path):
        self.path = path

    def add(self, run, waited=0.0):
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{run.seed} {waited}\n".encode())
        os.close(handle)

    def seeds(self):
        return [int(seed) for seed, _ in self._lines()]

    def waits(self):
        return [float(waited) for _, waited in self._lines()]

    def _lines(self):
        return [line.split() for line in self.path.read_text().splitlines()]


def write(path, log, size, seed):
    """Record runs that are free, some at a time, until all are there."""
    store, chance, log = Store(path, create=True), stream(seed, "writer"), Log(log)
    missing = runs = plan(size)
    while missing:
        leases = Leases(store, lasts=1.0)
        first = int(chance.integers(len(missing)))
        taken = leases.take(missing[first : first + 5])
        for run in taken:
            record(store, run, log)
        if not taken:  # What is left is taken by others, or was by one that is dead.
            known = store.answers(runs)
            missing = [run for run in runs if run not in known]
            time.sleep(0.05)


def record(store, run, log):
    start = time.monotonic()
    if store.record(result(run), {"loss": [1.0, 0.5] * 50}, SAID):
        # Acknowledged: it must never be lost.
        log.add(run, time.monotonic() - start)


def write_until(path, log, end, seed):
    """Record without rest, up to a time, runs that others want as well."""
    store, chance, log = Store(path, create=True), stream(seed, "writer"), Log(log)
    while (left := end - time.time()) > 0:
        # All writers move along the same runs as time goes by.
        first = int(left * 100) + int(chance.integers(100))
        wanted = [run_of(first + step) for step in range(5)]
        for run in Leases(store, lasts=1.0).take(wanted):
            record(store, run, log)


def read_until(path, end):
    """Read again and again: nobody who reads is refused, and no result goes away."""
    store, before = Store(path, create=True), 0
    while time.time() < end:
        count = len(store.results())
        assert count >= before
        before = count
        time.sleep(0.05)


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
