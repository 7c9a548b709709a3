"""Studies: a plan is computed into a store, and its cells are told."""

import sys

import pytest
from tools.study import cells, study

from mipl import load_dataset, method
from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.store import Store

GIVEN = {"training__epochs": 5}


def plan():
    return [
        Run(id, "digits-mipl", GIVEN, {"folds": 5, "seed": 1}, 2, split, 3)
        for id in ("miplma", "abmil")
        for split in range(3)
    ]


def share(model, train, test):
    return {"share": len(train) / (len(train) + len(test))}


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    def run(*arguments):
        store = str(tmp_path / "results.db")
        given = ["study", "tiny", "--store", store, "--workers", "1", *arguments]
        monkeypatch.setattr(sys, "argv", given)
        name, found = study("About.", {"tiny": plan}, share)
        assert name == "tiny"
        return found, capsys.readouterr().out

    return run


def test_a_study_is_computed_once_and_in_parts(ask, tmp_path):
    found, _ = ask("--known")
    assert found == []
    some = ("--method", "miplma", "--splits", "0", "2", "--epochs", "1")
    found, told = ask(*some)
    cut = {"training__epochs": 1}
    asked = [
        Run("miplma", "digits-mipl", cut, plan()[0].options, 2, s, 3) for s in (0, 2)
    ]
    assert [one.run.question for one in found] == asked
    assert all(one.figures["share"] == pytest.approx(0.8) for one in found)
    assert "2 of 2 runs are known." in told
    again, _ = ask(*some)
    assert [one.key for one in again] == [one.key for one in found]
    assert len(Store(tmp_path / "results.db").results()) == 2


def test_a_choice_of_nothing_is_told(ask, capsys):
    with pytest.raises(SystemExit):
        ask("--data", "musk1")
    assert "nothing of tiny is chosen" in capsys.readouterr().err


def test_a_run_of_a_study_is_a_fit_by_hand(ask):
    [one], _ = ask("--method", "miplma", "--splits", "2")
    data = load_dataset("digits-mipl", r=2, folds=5, seed=1)
    train, test = data.split(2)
    model = method("miplma", random_state=3, **GIVEN).fit(train.bags, train.candidates)
    assert one.accuracy == model.score(test.bags, test.labels)


def test_a_cell_tells_mean_and_deviation_over_splits_and_seeds():
    def result(seed, accuracy):
        run = Run("abmil", "fox", {}, {"folds": 10, "seed": seed}, 0, seed=seed)
        return Result(run, "finished", accuracy, 2.0 + seed)

    [line] = cells([result(0, 0.5), result(1, 0.7)])
    assert line.startswith("0.600 +- 0.100  ( 2 runs, 2.5 s each)  fox  0  abmil")
