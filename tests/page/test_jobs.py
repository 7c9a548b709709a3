"""Jobs run in processes of their own and lose nothing, whoever is killed."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from mipl import Run
from mipl.errors import MiplError
from mipl.page.jobs import (
    CANCELLED,
    FAILED,
    FINISHED,
    PAUSED,
    RUNNING,
    WAITING,
    Job,
    Jobs,
)
from mipl.page.workspace import Workspace
from mipl.runs.run_files import checkpoint_path

EPOCHS = 150  # Long enough to be held, short enough to be done.
LONG = 180.0  # Seconds until a busy machine has done what takes three.
SETTINGS = {
    "data": "digits-mipl",
    "method": "miplma",
    "split": 1,
    "seed": 3,
    "training": {"epochs": EPOCHS},
}


@pytest.fixture
def jobs(tmp_path: Path):
    made = Jobs(Workspace(tmp_path / "work"))
    yield made
    for one in made.all():
        if one.at_work:
            made.cancel(one.id)
    for child in made._children.values():
        child.kill()
        child.wait()


def until(job: Callable[[], Job], good: Callable[[Job], bool]) -> Job:
    """Return the job once it is as wanted."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        found = job()
        if good(found):
            return found
        time.sleep(0.05)
    raise AssertionError((found, (found.folder / "output.txt").read_text()))


def in_state(jobs: Jobs, id: str, *states: str) -> Job:
    return until(lambda: jobs.job(id), lambda one: one.state in states)


def epochs(job: Job) -> list[float]:
    return [one["done"] for one in job.figures() if one["kind"] == "epoch"]


def learning(jobs: Jobs, id: str, past: float = 3) -> Job:
    def good(one: Job) -> bool:
        return one.state == RUNNING and max(epochs(one), default=0) >= past

    return until(lambda: jobs.job(id), good)


def fit(jobs: Jobs, out: str = "runs/one", **more) -> Job:
    arguments = {"settings": {**SETTINGS, **more}, "out": out}
    return jobs.start("fit", "a training", arguments)


def test_paused_and_killed_and_resumed_it_is_the_run_of_mipl_fit(
    jobs: Jobs, tmp_path: Path
) -> None:
    whole = Run("miplma", "digits-mipl", {"training__epochs": EPOCHS}, split=1, seed=3)
    whole.execute(tmp_path / "whole")
    id = fit(jobs).id
    learning(jobs, id)
    jobs.pause(id)
    paused = in_state(jobs, id, PAUSED, FAILED)
    out = jobs.workspace.folder / "runs/one"
    assert paused.state == PAUSED and checkpoint_path(out).exists()
    assert not out.exists()
    reached = max(epochs(paused))
    assert 0 < reached < EPOCHS

    jobs.go_on(id)
    at_work = learning(jobs, id, reached + 3)
    # A new server finds it at work, and begins no second process.
    server = Jobs(jobs.workspace)
    server.look_after()
    assert server.job(id).pid == at_work.pid and server.job(id).state == RUNNING
    os.kill(at_work.pid, signal.SIGKILL)
    jobs._children[id].wait()

    # The next server finds it dead, and goes on where it was saved.
    server.look_after()
    done = in_state(server, id, FINISHED, FAILED)
    assert done.state == FINISHED, done.sentence
    server._children[id].wait()
    assert epochs(done) == list(range(1, EPOCHS + 1))
    assert done.result() == {"run": "runs/one"}
    for name in ("model/model.safetensors", "history.json", "evaluation.json"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not checkpoint_path(out).exists()
    looks = [one for one in done.figures() if one["kind"] == "look"]
    assert looks[-1]["done"] == EPOCHS and 10 <= len(looks) <= 30
    assert {"accuracy", "covering_rate", "approximated_accuracy"} <= looks[-1].keys()


def test_cancelled_leaves_nothing_and_the_next_begins(jobs: Jobs) -> None:
    first = fit(jobs, "runs/first", training={"epochs": 5000})
    second = fit(jobs, "runs/second", training={"epochs": 2})
    learning(jobs, first.id)
    assert jobs.job(second.id).state == WAITING  # One training at a time.
    jobs.cancel(first.id)
    assert in_state(jobs, first.id, CANCELLED, FAILED).state == CANCELLED
    # The process of the first has begun it: no server was needed.
    assert in_state(Jobs(jobs.workspace), second.id, FINISHED, FAILED).state == FINISHED
    runs = jobs.workspace.folder / "runs"
    assert {path.name for path in runs.iterdir()} == {"second"}
    assert not (jobs.folder / first.id / "result.json").exists()
    jobs.remove(first.id)
    assert [one.id for one in jobs.all()] == [second.id]


def test_what_cannot_be_trained_fails_in_a_sentence(jobs: Jobs) -> None:
    wrong = fit(jobs, data="nothing.csv")
    failed = in_state(jobs, wrong.id, FAILED, FINISHED)
    assert "nothing.csv" in failed.sentence and failed.sentence.endswith(".")
    assert "Traceback" not in (failed.folder / "output.txt").read_text()
    waiting = jobs.go_on(wrong.id)  # It may be mended meanwhile.
    assert waiting.state != FAILED
    in_state(jobs, wrong.id, FAILED)


def test_one_that_is_paused_and_cancelled_leaves_nothing(jobs: Jobs) -> None:
    id = fit(jobs, training={"epochs": 5000}).id
    learning(jobs, id)
    jobs.pause(id)
    in_state(jobs, id, PAUSED)
    runs = jobs.workspace.folder / "runs"
    assert [path.suffix for path in runs.iterdir()] == [".checkpoint"]
    jobs.go_on(id)
    jobs.cancel(id)  # Before its process hears signals.
    in_state(jobs, id, CANCELLED)
    assert list(runs.iterdir()) == []


def test_a_wish_in_the_moment_of_its_beginning_is_not_lost(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = fit(jobs, training={"epochs": 5000}).id
    learning(jobs, id)
    jobs.pause(id)
    in_state(jobs, id, PAUSED)
    begin, impatient = Jobs._begin, Thread(target=jobs.cancel, args=(id,))

    def slowly(self: Jobs, one: Job) -> None:
        impatient.start()
        time.sleep(0.5)  # Another screen's wish has all the time to come between.
        begin(self, one)

    monkeypatch.setattr(Jobs, "_begin", slowly)
    jobs.go_on(id)
    impatient.join()
    in_state(jobs, id, CANCELLED)
    assert list((jobs.workspace.folder / "runs").iterdir()) == []


def test_cancelled_after_it_was_to_go_on_it_does_not(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = fit(jobs, training={"epochs": 5000}).id
    learning(jobs, id)
    jobs.pause(id)
    in_state(jobs, id, PAUSED)
    # The process before takes its time to end.
    monkeypatch.setattr(Jobs, "_wait_for_the_end_of", lambda *_: time.sleep(1))
    goes_on = Thread(target=jobs.go_on, args=(id,))
    goes_on.start()
    time.sleep(0.3)
    jobs.cancel(id)
    goes_on.join()
    assert jobs.job(id).state == CANCELLED
    assert list((jobs.workspace.folder / "runs").iterdir()) == []


def test_cancelled_while_its_state_is_saved_is_not_only_paused(jobs: Jobs) -> None:
    id = fit(jobs, training={"epochs": 5000}).id
    learning(jobs, id)
    jobs.pause(id)
    jobs.cancel(id)
    jobs.kill_overdue()
    until(lambda: (jobs.kill_overdue(), jobs.job(id))[1], lambda one: one.over)
    assert jobs.job(id).state == CANCELLED
    assert list((jobs.workspace.folder / "runs").iterdir()) == []


def test_a_job_that_waits_can_be_cancelled(jobs: Jobs) -> None:
    place = jobs.folder / ("0" * 32)
    place.mkdir()
    (place / "wanted.json").write_text(
        '{"kind": "fit", "title": "t", "arguments": {"out": "a"}, "made": 1}'
    )
    (place / "state.json").write_text('{"state": "waiting"}')
    assert jobs.cancel("0" * 32).state == CANCELLED
    with pytest.raises(MiplError, match="no such job"):
        jobs.job("../" + "0" * 29)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"kind": 1}', "\0", '{"made": "x"}'])
def test_damaged_records_hold_nothing_up(jobs: Jobs, text: str) -> None:
    place = jobs.folder / ("1" * 32)
    place.mkdir()
    (place / "wanted.json").write_text(text)
    assert jobs.all() == []
    jobs.look_after()
