"""Choosers and the study of scores: what they ask for, and what they make of it."""

import csv
import math
from pathlib import Path

import pytest

from mipl import Dataset, load_dataset, method
from mipl.runs.result import Result
from tools import (
    choose_defaults,
    choose_released,
    choose_training,
    scorer_study,
    steadiness,
)

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


@pytest.mark.parametrize("stage", list(choose_training.SETTINGS))
def test_trainings_are_chosen_on_training_bags_of_further_draws(stage):
    trials = choose_training.trials(stage)
    assert len({trial.run for trial in trials}) == len(trials)
    for trial in trials:
        assert trial.run.options["seed"] > 0 and trial.run.split in (0, 1, 2)
        assert trial.run.data == "synthetic" or trial.run.options["within"] == 0
    assert "{}" in {trial.setting for trial in trials}
    for setting in {trial.setting: trial.run for trial in trials}.values():
        setting.build()


def test_the_second_study_begins_with_what_the_first_one_chose():
    first = choose_training.trials("length")[0]
    assert first.setting == "{}"
    for name in ("balance", "unit_start", "score_head", "tau_lag", "lam", "clip"):
        name = f"training__{name}" if name == "clip" else name
        told = {**choose_defaults.BASE, **choose_defaults.OURS}[name]
        assert first.run.arguments[name] == told


def made(stage, better):
    """Return results in which a setting is better by so much, on each fold."""
    for trial in choose_training.trials(stage):
        right = 0.6 + 0.01 * (trial.run.split or 0) + better.get(trial.setting, 0.0)
        chance = trial.task.r / (trial.task.classes - 1)
        figures = {"covering_rate": right + (1 - right) * chance}
        accuracy = right if trial.task.data == "synthetic" else 0.0
        yield Result(trial.run, "finished", accuracy, 1.0, figures)


def test_trainings_are_ranked_without_true_labels_of_published_sets():
    long = '{"training__epochs": 400}'
    found = choose_training.scores("length", made("length", {long: 0.125}))
    first, *others = choose_training.table(found)
    assert first.startswith("0.7350  0.0000 / 0.0000  +0.1250 +- 0.0000  " + long)
    assert len(others) == 20 and "0.6100  0.1250 / 0.1250  +0.0000" in others[0]


def test_a_training_that_diverged_counts_as_nothing_learnt():
    results = list(made("length", {}))
    last = next(one for one in results if one.run.arguments["training__epochs"] == 400)
    results[results.index(last)] = Result(last.run, "diverged", None, 1.0)
    found = choose_training.scores("length", results)
    assert choose_training.table(found)[-1].count('"training__epochs": 400') == 1
    assert len(choose_training.table(found)) == 21
    # What was not computed on every fold is not ranked.
    found = choose_training.scores("length", results[:-1])
    assert len(choose_training.table(found)) == 20


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


def test_a_fit_that_fell_is_told_by_the_figure_that_follows_it():
    runs = [run for run in steadiness.made() if run.r == 3][:20]
    figures = dict.fromkeys(steadiness.WORSE, 0.5)
    results = [
        Result(
            run,
            "finished",
            0.9 if run.seed % 4 else 0.6,
            1.0,
            {**figures, "last_resolved": 0.8 if run.seed % 4 else 0.4},
        )
        for run in runs
    ]
    [line] = steadiness.cells(results)
    assert line.startswith("0.825 +- 0.130, worst 0.600, 5 of 20 fell")
    assert "last_loss nan 0.50" in line and "last_resolved 1.00 1.00" in line


def test_seeds_of_the_study_of_steadiness_are_those_of_the_training():
    for plan in (steadiness.made, steadiness.vectors, steadiness.images):
        runs = plan()
        assert (
            len(set(runs))
            == len(runs)
            == 20 * len({(r.data, r.r, r.options) for r in runs})
        )
        assert {run.options["seed"] for run in runs} == {1}


def test_figures_of_a_fit_need_no_true_label():
    train = load_dataset("digits-mipl", r=2).split(0)[0]
    model = method("miplma", training__epochs=2, random_state=0)
    model.fit(train.bags, train.candidates)
    bare = Dataset(train.bags, train.candidates)
    found = steadiness.figures(model, bare, bare)
    entropies = []
    for w, size in zip(model.label_weights_, train.candidates.sizes, strict=True):
        entropies.append(-sum(v * math.log(v) for v in w if v > 0) / math.log(size))
    assert found["undecided"] == pytest.approx(sum(entropies) / len(entropies))
    assert found["last_loss"] == model.history_[-1]["loss"]
