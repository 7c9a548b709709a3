"""Choosers and the study of scores: what they ask for, and what they make of it."""

import csv
from pathlib import Path

import pytest

from mipl import load_dataset, method
from mipl.runs.result import Result
from tools import choose_defaults, choose_released, scorer_study

PAGE = Path(__file__).parents[2] / "docs" / "choosing.md"


@pytest.mark.parametrize("stage", list(choose_defaults.STAGES))
def test_defaults_are_chosen_on_training_bags_or_synthetic_ones(stage):
    trials = choose_defaults.trials(stage)
    assert len({trial.run for trial in trials}) == len(trials)
    for trial in trials:
        assert trial.run.data == "synthetic" or "within" in trial.run.options
    names = {trial.setting for trial in trials}
    assert len(names) == {"vectors": 61, "images": 2, "closely": 5}[stage]
    with choose_defaults.FILE.open(newline="") as file:
        measured = {row["setting"] for row in csv.DictReader(file)}
    assert names <= measured  # As the committed scores call them.


def test_settings_of_the_defaults_study_can_be_built():
    for trial in choose_defaults.trials("vectors"):
        if trial.task.data == "digits-mipl":
            trial.run.build()


def test_scores_without_a_true_label():
    trials = choose_defaults.trials("vectors")
    [sival] = [t for t in trials if (t.setting, t.task.data) == ("base", "sival-mipl")]
    # Of 25 classes with two false labels: covered are .7 and 2 of 24 of the others.
    figures = {"covering_rate": 0.7 + 0.3 * 2 / 24}
    result = Result(sival.run, "finished", 0.1, 1.0, figures)
    [(setting, task, score)] = choose_defaults.scores("vectors", [result])
    assert (setting, task) == ("base", "sival-mipl r=2")
    assert score == pytest.approx(0.7)


@pytest.mark.parametrize("method", list(choose_released.GRIDS))
def test_points_of_a_grid_are_scored_inside_the_training_bags(method):
    plan = choose_released.points(method)
    assert len(set(plan)) == len(plan)
    for run in plan:
        assert run.options["within"] == 0 and run.split == 0
        run.build()


def test_the_best_point_of_each_cell_is_told():
    plan = choose_released.points("demipl")
    some = [run for run in plan if run.data == "sival-mipl" and run.r < 3]
    scores = [0.1 * (1 + place % 4) for place in range(len(some))]
    results = [
        Result(run, "finished", 1 - score, 1.0, {"approximated_accuracy": score})
        for run, score in zip(some, scores, strict=True)
    ]
    best = choose_released.best(results)
    assert [one.run.r for one in best.values()] == [1, 2]
    assert all(one.figures["approximated_accuracy"] == 0.4 for one in best.values())


def test_the_table_of_the_page_is_that_of_the_committed_scores():
    with scorer_study.FILE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    page = PAGE.read_text().splitlines()
    told = [line for line in page if line.startswith("|")]
    assert scorer_study.table(rows) == told and len(told) == 18


def test_a_setting_has_a_row_when_its_folds_and_its_truth_are_known():
    trials = scorer_study.trials()
    ((data, method), settings), runs = next(iter(trials.items()))
    assert [run.options.get("within") for run in runs] == [0, 0, 0, None]
    assert [run.split for run in runs] == [0, 1, 2, 0]

    def result(run, value):
        names = ("covering_rate", "violation_rate", "approximated_accuracy")
        names = (*names, "log_likelihood", "mass", "one_of_size")
        return Result(run, "finished", value, 1.0, dict.fromkeys(names, value))

    results = [
        result(run, value)
        for run, value in zip(runs, (0.2, 0.3, 0.4, 0.9), strict=True)
    ]
    assert scorer_study.rows(results[:-1]) == scorer_study.rows(results[1:]) == []
    [row] = scorer_study.rows(results)
    assert (row["data"], row["method"], row["settings"]) == (
        data,
        method,
        settings.text,
    )
    assert row["mass"] == pytest.approx(0.3) and row["accuracy"] == 0.9
    assert row["margin_violation_rate"] == pytest.approx(-0.3)


def test_contenders_are_what_plain_loops_say():
    train, test = load_dataset("digits-mipl", r=1).split(0)
    model = method("miplma", training__epochs=2, random_state=0)
    model.fit(train.bags, train.candidates)
    found = scorer_study.contenders(model, train, test)
    p, sets = model.predict_proba(test.bags), test.candidates.matrix
    mass = [sum(p[i][c] for c in range(5) if sets[i][c]) for i in range(len(p))]
    hits = [sets[i][p[i].argmax()] / sum(sets[i]) for i in range(len(p))]
    assert found["mass"] == pytest.approx(sum(mass) / len(p))
    assert found["one_of_size"] == pytest.approx(sum(hits) / len(p))
