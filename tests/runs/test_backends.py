"""Runs on a Dask cluster: the same results, also where a worker is killed."""

import os
import signal
import threading
import time

import pytest
from tests.runs.deadly import slow

from mipl.errors import MiplError
from mipl.runs import runner
from mipl.runs.backends import cluster
from mipl.runs.run import Run
from mipl.runs.runner import run_plan
from mipl.runs.store import Store

distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own, as workers die.

PLAN = [
    Run("miplma", "synthetic", {"training__epochs": 2}, split=split)
    for split in range(8)
]


@pytest.fixture
def two_workers():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


def killer(made, log):
    """Kill a worker as soon as the first run has begun; return its thread."""

    def kill():
        end = time.monotonic() + 120
        while not log.exists() and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(next(iter(made.workers.values())).process.pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def test_a_worker_is_killed_and_nothing_is_lost_or_twice(
    two_workers, tmp_path, monkeypatch
):
    log = tmp_path / "log"
    monkeypatch.setattr(runner, "compute", slow(log))
    store = Store(tmp_path / "results.db", create=True)
    thread = killer(two_workers, log)
    backend = cluster(two_workers.scheduler_address)
    progress = run_plan(PLAN, store, backend=backend)
    thread.join()
    assert progress.ended == {"finished": 8}
    assert sorted(one.run.split for one in store.results()) == list(range(8))


@pytest.mark.slow
def test_a_cluster_computes_what_one_process_computes(two_workers, tmp_path):
    alone = Store(tmp_path / "alone.db", create=True)
    run_plan(PLAN, alone)
    store = Store(tmp_path / "results.db", create=True)
    ended = threading.Event()

    def kill_after_the_first(progress):
        if progress.ended.total() and not ended.is_set():
            ended.set()
            os.kill(
                next(iter(two_workers.workers.values())).process.pid, signal.SIGKILL
            )

    backend = cluster(two_workers.scheduler_address)
    progress = run_plan(PLAN, store, backend=backend, watch=kill_after_the_first)
    assert ended.is_set() and progress.ended == {"finished": 8}
    found = {one.run.split: one.accuracy for one in store.results()}
    assert found == {one.run.split: one.accuracy for one in alone.results()}


def test_a_scheduler_that_does_not_answer(monkeypatch):
    monkeypatch.setattr("mipl.runs.backends._PATIENCE", 0.2)
    with pytest.raises(MiplError, match="no Dask scheduler answers at tcp://127"):
        with cluster("tcp://127.0.0.1:9"):
            pass


def test_workers_of_several_threads_are_refused():
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as made:
        with pytest.raises(MiplError, match=r"has 2 threads.* --nthreads 1"):
            with cluster(made.scheduler_address):
                pass


def test_a_cluster_without_workers_is_refused():
    with distributed.LocalCluster(
        n_workers=0, processes=False, dashboard_address=None
    ) as made:
        with pytest.raises(MiplError, match="has no workers; start some"):
            with cluster(made.scheduler_address):
                pass
