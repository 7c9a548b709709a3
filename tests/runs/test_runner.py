"""The runner: what is left of a plan, computed once, whatever happens to a run."""

import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from tests.runs.deadly import deadly

from mipl import load_dataset, method
from mipl.runs import database, runner
from mipl.runs.backends import processes
from mipl.runs.computing import compute
from mipl.runs.groups import groups
from mipl.runs.leases import Leases
from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.run_data import content_of
from mipl.runs.runner import left, run_plan
from mipl.runs.store import Store

FEW = {"training__epochs": 3}
PLAN = [Run("miplma", "synthetic", FEW, split=split) for split in range(3)]
DIVERGING = Run("miplma", "synthetic", {"training__lr": 1e30}, split=1)
WRONG = Run("miplma", "synthetic", {"colour": 1})
NOWHERE = Run("miplma", "sival-mipl", FEW, {"seed": 7})


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.db", create=True)


def test_splits_that_data_do_not_have_are_told_and_not_computed(store):
    beyond = [replace(PLAN[0], split=split) for split in (0, 10, 12)]
    todo = left(beyond, store)
    assert [run.split for run in todo.runs] == [0]
    assert todo.absent == {"synthetic has the splits 0 to 9 and no others.": 2}
    five = Run("miplma", "synthetic", FEW, {"folds": 5}, split=5)
    assert "0 to 4" in next(iter(left([five], store).absent))


def test_results_are_those_of_a_fit_by_hand(store):
    run_plan(PLAN, store)
    found = store.answers(PLAN)
    for run in PLAN:
        train, test = load_dataset("synthetic").split(run.split)
        model = method("miplma", random_state=0, **FEW)
        model.fit(train.bags, train.candidates)
        result = found[run]
        assert result.accuracy == model.score(test.bags, test.labels)
        assert result.run.content == content_of(load_dataset("synthetic"))
        assert set(result.run.versions) >= {"mipl", "torch", "numpy"}
        assert result.seconds > 0 and "covering_rate" in result.figures
        curve = store.curves(result)
        losses = [epoch["loss"] for epoch in model.history_]
        np.testing.assert_allclose(curve["loss"], losses, rtol=1e-4)
        said = store.predictions(result)
        assert list(said.predicted) == model.predict(test.bags).tolist()
        assert list(said.truth) == test.labels.tolist()
        labels = load_dataset("synthetic").labels[list(said.bags)]
        assert labels.tolist() == list(said.truth)


def test_what_is_known_is_not_computed_again(store, monkeypatch):
    run_plan(PLAN[:2], store)
    calls = []
    monkeypatch.setattr(runner, "compute", spy(calls))
    progress = run_plan(PLAN, store)
    assert (progress.total, progress.known) == (3, 2)
    assert [run.split for run in calls] == [2]
    assert run_plan(PLAN, store).known == 3 and len(calls) == 1


def test_more_figures_are_kept_of_the_runs_that_are_computed(store):
    run_plan(PLAN[:1], store)
    run_plan(PLAN, store, more=shares)
    found = store.answers(PLAN)
    told = ["train_share" in found[run].figures for run in PLAN]
    assert told == [False] + [True] * (len(PLAN) - 1)
    assert found[PLAN[1]].figures["train_share"] == pytest.approx(0.7)


def shares(model, train, test):
    return {"train_share": len(train) / (len(train) + len(test))}


def test_a_run_that_is_asked_for_twice_is_computed_once(store):
    progress = run_plan([*PLAN[:1], *PLAN[:1]], store)
    assert progress.total == 1 and len(store.results()) == 1


def test_data_of_other_content_are_computed_anew(store):
    run = PLAN[0]
    old = Result(replace(run, content="old"), "finished", 0.1, 1.0)
    store.record(old)
    assert len(left([run], store).runs) == 1
    run_plan([run], store)
    now = replace(run, content=content_of(load_dataset("synthetic")))
    assert store.answers([now])[now].accuracy != 0.1


def test_a_run_that_diverges_or_fails_does_not_stop_the_others(store):
    progress = run_plan([WRONG, DIVERGING, *PLAN[:1]], store)
    assert progress.ended == {"failed": 1, "diverged": 1, "finished": 1}
    (failed,) = store.results(["failed"])
    assert "unknown argument of miplma 'colour'" in failed.message
    (diverged,) = store.results(["diverged"])
    assert "became nan" in diverged.message and diverged.accuracy is None
    again = run_plan([WRONG, DIVERGING, *PLAN[:1]], store)
    assert again.known == 2 and again.ended == {"failed": 1}
    assert again.diverged == 1
    assert store.forget_diverged([WRONG, DIVERGING, *PLAN]) == 1
    again = run_plan([DIVERGING, *PLAN[:1]], store)
    assert again.known == 1 and again.ended == {"diverged": 1}


def test_of_runs_trained_together_only_the_one_at_fault_diverges(store):
    fine = replace(DIVERGING, arguments={"training__lr": 0.1}, split=0)
    few = [
        replace(run, arguments={**run.arguments, **FEW}) for run in (fine, DIVERGING)
    ]
    assert len(groups(few, 1)) == 1
    progress = run_plan(few, store)
    assert progress.ended == {"finished": 1, "diverged": 1}
    assert [one.run.split for one in store.results(["diverged"])] == [1]


def test_absent_data_are_told_and_the_rest_is_computed(store, monkeypatch, tmp_path):
    monkeypatch.setenv("MIPL_DATA", str(tmp_path))
    monkeypatch.setenv("MIPL_CACHE", str(tmp_path))
    monkeypatch.setattr("mipl.datasets.places.data_dir", lambda: tmp_path)
    runs = [replace(NOWHERE, data="mnist-mipl", split=split) for split in range(2)]
    progress = run_plan([*runs, PLAN[0]], store)
    assert progress.ended == {"finished": 1} and progress.done == 3
    assert list(progress.absent.values()) == [2]


def test_runs_of_another_runner_are_waited_for_and_taken_over(store, monkeypatch):
    other = Leases(store)
    other.take(PLAN[:2])
    monkeypatch.setattr(runner, "_PAUSE", 0.01)
    seen = []

    def watch(progress):
        if progress.ended.total() == 1 and not seen:  # It has done what was free.
            seen.append(progress.last.run.split)
            store.record(Result(PLAN[0], "finished", 0.5, 1.0))
            other.release()  # The second was never computed.

    progress = run_plan(PLAN, store, watch=watch)
    assert seen == [2]
    assert progress.ended == {"finished": 2} and progress.elsewhere == 1
    assert store.answers(PLAN)[PLAN[0]].accuracy == 0.5


def test_whoever_comes_second_changes_nothing(store, monkeypatch):
    """A runner was held up so long that another one took its run over."""

    def slow(runs):
        store.record(Result(runs[0], "finished", 0.5, 1.0))
        return compute(runs)

    monkeypatch.setattr(runner, "compute", slow)
    progress = run_plan(PLAN[:1], store)
    assert progress.ended.total() == 0 and progress.elsewhere == 1
    assert [one.accuracy for one in store.results()] == [0.5]


def test_a_result_outlives_a_store_that_is_locked(store, monkeypatch):
    """Another program holds the file for longer than anybody waits at a time."""
    monkeypatch.setattr(database, "_PATIENCE", 0.01)
    monkeypatch.setattr(runner, "_PAUSE", 0.01)
    other = sqlite3.connect(store.path, isolation_level=None)
    told = []

    def locking(runs):
        outcomes = compute(runs)
        other.execute("BEGIN EXCLUSIVE")
        return outcomes

    def watch(progress):
        if progress.waiting:
            told.append(progress.waiting)
            if len(told) == 3:
                other.execute("COMMIT")

    monkeypatch.setattr(runner, "compute", locking)
    progress = run_plan(PLAN[:1], store, watch=watch)
    assert progress.ended == {"finished": 1} and not progress.waiting
    assert len(store.results()) == 1
    assert told[0].endswith(
        "database is locked; wait for the program that holds it, or end that."
    )


def test_a_store_that_is_locked_in_between_is_asked_again(store, monkeypatch):
    monkeypatch.setattr(runner, "_PAUSE", 0.01)
    take, refused = Leases.take, []

    def refuse(self, runs):
        if len(refused) < 2:
            refused.append(runs)
            raise database.NotNow("the store is locked.")
        return take(self, runs)

    monkeypatch.setattr(Leases, "take", refuse)
    assert run_plan(PLAN, store).ended == {"finished": 3}


def test_an_interrupted_runner_leaves_no_lease(store, monkeypatch):
    def interrupt(runs):
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "compute", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_plan(PLAN, store)
    assert len(Leases(store).take(PLAN)) == 3


def test_a_run_that_kills_its_process_is_a_failed_run(store, monkeypatch):
    monkeypatch.setattr(runner, "compute", deadly)
    progress = run_plan(PLAN, store, workers=2)
    assert progress.ended == {"failed": 1, "finished": 2}
    (failed,) = store.results(["failed"])
    assert failed.run.split == 1
    assert "perhaps for lack of memory" in failed.message


def test_processes_compute_what_one_process_computes(store, tmp_path):
    alone = Store(tmp_path / "alone.db", create=True)
    run_plan(PLAN, alone)
    with processes(2) as spread:
        outcomes = [
            one for some in spread(compute, [[r] for r in PLAN]) for one in some
        ]
    found = {one.result.run.split: one.result.accuracy for one in outcomes}
    assert found == {one.run.split: one.accuracy for one in alone.results()}


def spy(calls):
    def called(runs):
        calls.extend(runs)
        return compute(runs)

    return called
