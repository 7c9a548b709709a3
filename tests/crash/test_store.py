"""One store, many writers, kills: nothing acknowledged is lost, nothing is twice."""

import os
import signal
import sqlite3
import time
from collections import Counter

import pytest
from tests.crash.writers import (
    PROCESSES,
    SAID,
    Log,
    plan,
    read_until,
    run_all,
    write,
    write_until,
)

from mipl.runs.store import Store
from mipl.seeds import stream


def start(target, *arguments):
    process = PROCESSES.Process(target=target, args=arguments)
    process.start()
    return process


def storm(folder, every, target, *arguments, most=10_000, seed=0):
    """Let eight writers work until all end, and kill one of them, so many times."""
    path, log = folder / "results.db", folder / "log"
    chance, kills = stream(seed, "killer"), 0
    team = [start(target, path, log, *arguments, n) for n in range(8)]
    end = time.monotonic() + 600
    while any(one.is_alive() for one in team) and time.monotonic() < end:
        time.sleep(every)
        place = int(chance.integers(len(team)))
        if team[place].is_alive() and kills < most:
            os.kill(team[place].pid, signal.SIGKILL)
            team[place].join()
            kills += 1
            team[place] = start(target, path, log, *arguments, len(team) + kills)
    assert [one.exitcode for one in team] == [0] * len(team)
    check(path, Log(log).seeds(), kills)
    return kills


def check(path, acknowledged, kills):
    """Nothing acknowledged is lost or doubled; what is there is whole."""
    assert max(Counter(acknowledged).values()) == 1
    results = Store(path).results()
    seeds = [one.run.seed for one in results]
    assert len(set(seeds)) == len(seeds) and set(acknowledged) <= set(seeds)
    # A kill may come between a commit and its line in the log.
    assert len(seeds) - len(acknowledged) <= kills
    for one in results:
        assert len(Store(path).curves(one)["loss"]) == 100
        assert Store(path).predictions(one) == SAID
    file = sqlite3.connect(path)
    assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    file.close()


def test_eight_writers_and_kills(tmp_path):
    assert storm(tmp_path, 0.05, write, 40, most=6) >= 2
    results = Store(tmp_path / "results.db").results()
    assert {one.run.seed for one in results} == set(range(40))


@pytest.mark.slow
def test_eight_writers_without_rest_and_a_kill_every_second_for_a_minute(tmp_path):
    seconds = 60
    end = time.time() + seconds
    readers = [start(read_until, tmp_path / "results.db", end) for _ in range(2)]
    kills = storm(tmp_path, 1.0, write_until, end)
    for one in readers:
        one.join()
    assert [one.exitcode for one in readers] == [0, 0]
    waits = Log(tmp_path / "log").waits()
    print(f"{kills} kills, {len(waits)} acknowledged results, all there, none twice")
    print(f"longest time to record one: {max(waits):.1f} s")
    assert kills >= 0.8 * seconds and len(waits) > 2 * kills
    assert max(waits) < 30  # Served in turn: after 60 they would be refused.


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
