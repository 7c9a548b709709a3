"""One store, many writers, kills: nothing acknowledged is lost, nothing is twice."""

import os
import signal
import sqlite3
import time
from collections import Counter

import pytest
from tests.crash.writers import PROCESSES, SAID, Log, plan, run_all, write

from mipl.experiments.store import Store
from mipl.seeds import stream


def start(target, *arguments):
    process = PROCESSES.Process(target=target, args=arguments)
    process.start()
    return process


def storm(folder, writers, size, every, seed=0):
    """Let writers fill a store and kill one of them again and again."""
    path, log = folder / "results.db", folder / "log"
    chance, kills = stream(seed, "killer"), 0
    team = [start(write, path, log, size, n) for n in range(writers)]
    end = time.monotonic() + 1800
    while any(one.is_alive() for one in team) and time.monotonic() < end:
        time.sleep(every)
        place = int(chance.integers(writers))
        if team[place].is_alive():
            os.kill(team[place].pid, signal.SIGKILL)
            team[place].join()
            kills += 1
            team[place] = start(write, path, log, size, writers + kills)
        if path.exists() and path.stat().st_size:
            Store(path).results()  # Readers are never refused.
    assert [one.exitcode for one in team] == [0] * writers
    check(path, Log(log).seeds(), size)
    return kills


def check(path, acknowledged, size):
    assert max(Counter(acknowledged).values()) == 1
    results = Store(path).results()
    assert {one.run.seed for one in results} == set(range(size))
    assert len(results) == size and set(acknowledged) <= set(range(size))
    for (
        one
    ) in results:  # Rows are whole: a result is there with all that belongs to it.
        assert len(Store(path).curves(one)["loss"]) == 100
        assert Store(path).predictions(one) == SAID
    file = sqlite3.connect(path)
    assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    file.close()


def test_eight_writers_and_kills(tmp_path):
    assert storm(tmp_path, writers=8, size=40, every=0.3) >= 2


@pytest.mark.slow
def test_eight_writers_and_a_kill_every_second_for_a_long_time(tmp_path):
    kills = storm(tmp_path, writers=8, size=1000, every=1.0)
    print(f"{kills} kills; every acknowledged result is there, none twice")
    assert kills >= 10


def test_runners_that_share_a_plan_compute_each_run_once(tmp_path):
    path, log = tmp_path / "results.db", tmp_path / "log"
    team = [start(run_all, path, log, 60, 0.01) for _ in range(3)]
    for one in team:
        one.join()
    assert [one.exitcode for one in team] == [0, 0, 0]
    assert sorted(Log(log).seeds()) == list(range(60))
    assert len(Store(path).answers(plan(60))) == 60


@pytest.mark.slow
def test_a_thousand_runs_and_four_runners(tmp_path):
    path, log = tmp_path / "results.db", tmp_path / "log"
    team = [start(run_all, path, log, 1000, 0.0) for _ in range(4)]
    for one in team:
        one.join()
    assert sorted(Log(log).seeds()) == list(range(1000))
    assert len(Store(path).results()) == 1000


def test_what_a_killed_runner_had_taken_is_taken_over(tmp_path):
    path, log = tmp_path / "results.db", tmp_path / "log"
    killed = start(run_all, path, log, 12, 0.2)
    end = time.monotonic() + 60
    while time.monotonic() < end and (not log.exists() or len(Log(log).seeds()) < 7):
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.join()
    before = Store(path).results()
    assert 0 < len(before) < 12
    other = start(run_all, path, log, 12, 0.0, 2.0)
    other.join()
    assert other.exitcode == 0
    results = Store(path).results()
    assert results[: len(before)] == before and len(results) == 12
    again = Counter(Log(log).seeds()) - Counter(range(12))
    assert set(again).isdisjoint(one.run.seed for one in before)
