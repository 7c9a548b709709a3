"""Runs side by side, read from the folders that they leave."""

import csv as tables
import json

import numpy as np
import pytest
from scipy.stats import ttest_rel

from mipl import MiplError
from mipl.page.compared_runs import Curves, chosen, compared, csv, paired_tests
from mipl.page.jobs import Job
from mipl.page.run_tables import FORMATS, run_table
from mipl.page.workspace import Workspace

FIRST, SECOND = (0.80, 0.84, 0.79), (0.78, 0.80, 0.77)


@pytest.fixture
def work(tmp_path):
    """Six runs of two settings, one without truth, and a damaged one."""
    workspace = Workspace(tmp_path / "work")
    for name, lam, accuracies in (("a", 0.5, FIRST), ("b", 1.0, SECOND)):
        for split, accuracy in enumerate(accuracies):
            folder = workspace.new_run(f"{name}{split}")
            (folder / "model").mkdir(parents=True)
            (folder / "run.toml").write_text(
                f'data = "data/trees.bags.h5"\nmethod = "miplma"\nseed = 0\n'
                f"split = {split}\n[arguments]\nlam = {lam}\n"
            )
            truth = {"accuracy": accuracy, "interval": [accuracy - 0.1, accuracy + 0.1]}
            truth |= {"confusion": [[2, 1], [0, 3]], "ece": 0.1}
            told = {"truth": truth, "candidates": {"covering_rate": 1 - accuracy}}
            told["classes"] = ["oak", "elm"]
            (folder / "evaluation.json").write_text(json.dumps(told))
            history = [{"epoch": e, "loss": 1 / e} for e in (1.0, 2.0)]
            (folder / "history.json").write_text(json.dumps(history))
    (tmp_path / "work/runs/a2/evaluation.json").write_text("{")
    broken = workspace.new_run("broken")
    (broken / "model").mkdir(parents=True)
    (broken / "run.toml").write_text("=")
    return workspace


def test_figures_are_those_of_the_folders(work):
    found = {one.place.name: one for one in compared(work)}
    assert set(found) == {"a0", "a1", "a2", "b0", "b1", "b2"}
    assert found["b1"].figures["accuracy"] == 0.80
    assert found["b1"].row()[:5] == [
        *("b1", "miplma", "trees", "1", "0.800 [0.700, 0.900]"),
    ]
    assert found["a2"].figures == {}


def test_runs_are_sorted_and_those_without_a_figure_come_last(work):
    runs = compared(work)
    for falling in (True, False):
        found = chosen(runs, "", "accuracy", falling)
        assert found[-1].place.name == "a2"
        values = [one.figures["accuracy"] for one in found[:-1]]
        assert values == sorted(values, reverse=falling)
    assert {one.place.name for one in chosen(runs, " B")} >= {"b0", "b1", "b2"}
    assert chosen(runs, "nothing") == []


def test_settings_are_tested_on_common_splits(work):
    [test] = paired_tests(compared(work))
    assert test.splits == 2  # Of the third, one has no accuracy.
    expected = ttest_rel(FIRST[:2], SECOND[:2]).pvalue
    assert test.p_value == pytest.approx(expected)
    assert {test.mean_a, test.mean_b} == {np.mean(FIRST[:2]), np.mean(SECOND[:2])}
    assert {test.a, test.b} == {"miplma lam=0.5", "miplma lam=1.0"}


def test_time_is_that_of_the_training_which_wrote_the_run(work):
    jobs = [
        Job("0" * 32, work.folder, "fit", "", {"out": out}, 0, state, "", 0, 90.0)
        for out, state in (("runs/b1", "finished"), ("runs/b2", "failed"))
    ]
    found = {one.place.name: one for one in compared(work, jobs)}
    assert found["b1"].seconds == 90.0 and found["b1"].row()[-1] == "1.5 min"
    assert found["b2"].seconds is None and found["b2"].row()[-1] == ""
    assert chosen(list(found.values()), "", "time")[0].place.name == "b1"


@pytest.mark.parametrize("format", list(FORMATS))
def test_tables_have_the_means_over_splits(work, tmp_path, format):
    text = run_table(compared(work), format, tmp_path / "own").decode()
    for accuracies in (FIRST[:2], SECOND):  # A row for each of the two settings.
        assert text.count(f"{np.mean(accuracies):.3f}".lstrip("0")) == 1
    assert text.casefold().count("miplma") == 2
    assert "trees" in text and "bags.h5" not in text
    assert list((tmp_path / "own").iterdir()) == []


def test_a_table_of_another_figure_and_of_none(work, tmp_path):
    text = run_table(compared(work), "markdown", tmp_path, "covering rate").decode()
    expected = 1 - np.mean(SECOND)
    assert f"{expected:.3f}".lstrip("0") in text
    with pytest.raises(MiplError, match="none of these runs has the figure"):
        run_table(compared(work), "markdown", tmp_path, "attention AUROC")


def test_curves_lie_over_each_other(work):
    lines = Curves.of(compared(work)).lines["loss"]
    assert set(lines) == {"a0", "a1", "a2", "b0", "b1", "b2"}
    assert lines["a0"] == [(1.0, 1.0), (2.0, 0.5)]


def test_the_table_keeps_every_digit(work, tmp_path):
    text = csv(chosen(compared(work), "", "accuracy"), tmp_path / "own")
    rows = list(tables.DictReader(text.decode("utf-8-sig").splitlines()))
    assert rows[0]["run"] == "a1"
    assert [row["accuracy"] for row in rows][:2] == ["0.84", "0.8"]
    assert rows[-1]["accuracy"] == ""
