"""Leases: a run is one runner's until it is recorded, released, or given up."""

import threading
import time
from dataclasses import replace

import pytest

from mipl.runs import leases as module
from mipl.runs.leases import Leases
from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.store import Store

RUNS = [Run("miplma", "synthetic", split=split) for split in range(3)]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.db", create=True)


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves."""

    class Clock:
        now = 1000.0

    monkeypatch.setattr(module, "monotonic", lambda: Clock.now)
    return Clock


def test_a_run_has_one_owner(store):
    one, other = Leases(store), Leases(store)
    assert one.take(RUNS[:2]) == RUNS[:2]
    assert other.take(RUNS) == RUNS[2:]
    assert one.take(RUNS) == []


def test_a_settled_run_is_not_taken_and_a_failed_one_is(store):
    store.record(Result(RUNS[0], "finished", 0.5, 1.0))
    store.record(Result(RUNS[1], "diverged", None, 1.0, message="NaN."))
    store.record(Result(RUNS[2], "failed", None, 1.0, message="full."))
    assert Leases(store).take(RUNS) == RUNS[2:]


def test_a_run_on_other_data_is_taken(store):
    store.record(Result(replace(RUNS[0], content="old"), "finished", 0.5, 1.0))
    now = replace(RUNS[0], content="new")
    assert Leases(store).take([now]) == [now]


def test_a_recorded_run_is_free_of_its_lease(store):
    one, other = Leases(store), Leases(store)
    one.take(RUNS)
    store.record(Result(RUNS[0], "failed", None, 1.0, message="full."))
    assert other.take(RUNS) == RUNS[:1]


def test_a_lease_without_a_sign_of_life_runs_out(store, clock):
    one, other = Leases(store), Leases(store)
    one.take(RUNS)
    clock.now += module.LASTS - 1
    assert other.take(RUNS) == []
    one.renew()
    clock.now += module.LASTS - 1
    assert other.take(RUNS) == []
    clock.now += 2
    assert other.take(RUNS) == RUNS


def test_renewing_does_not_touch_what_others_took_over(store, clock):
    one, other = Leases(store), Leases(store)
    one.take(RUNS)
    clock.now += module.LASTS + 1
    other.take(RUNS)
    one.release()
    assert Leases(store).take(RUNS) == []


def test_leases_are_renewed_in_the_background_and_released(store, clock):
    one, other = Leases(store), Leases(store)
    renewed = threading.Event()
    real = one.renew
    one.renew = lambda: (real(), renewed.set())
    with one.kept(every=0.01):
        one.take(RUNS)
        clock.now += module.LASTS - 1
        for _ in range(2):  # One may have begun before the clock was moved.
            renewed.clear()
            assert renewed.wait(60)
        clock.now += module.LASTS - 1
        assert other.take(RUNS) == []
    assert other.take(RUNS) == RUNS


def test_the_signs_of_life_go_on_after_a_store_that_was_busy(store, monkeypatch):
    one = Leases(store)
    calls = []

    def renew():
        calls.append(time.monotonic())
        raise module.MiplError("the store is busy.")

    monkeypatch.setattr(one, "renew", renew)
    end = time.monotonic() + 60
    with one.kept(every=0.001):
        while len(calls) < 3 and time.monotonic() < end:
            time.sleep(0.001)
    assert len(calls) >= 3
