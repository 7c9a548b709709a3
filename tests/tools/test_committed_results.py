"""The committed results are runs that this version can ask for."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tools.committed import answers, committed
from tools.causes import SCALED
from tools.study import RESULTS

from mipl.datasets import CATALOG
from mipl.runs.results_csv import as_csv, read_csv
from tools import beyond_accuracy, causes, multi_instance, partial_labels

GENERAL = {"seed", "folds", "within"}


def test_the_table_is_in_the_form_that_export_writes():
    file = RESULTS / "runs.csv"
    assert as_csv(read_csv(file)) == file.read_text()


def test_every_method_and_data_set_is_known_with_its_arguments():
    for run in {replace(run, split=0, seed=0) for run in committed()}:
        run.build()
        if Path(run.data).parent == SCALED:  # A file that its study writes.
            continue
        assert set(run.options) - GENERAL <= set(CATALOG[run.data].options())


@pytest.mark.parametrize(
    ("plan", "known"),
    [
        (multi_instance.classical, 1090),
        (multi_instance.best_epoch, 20),
        (multi_instance.one_vs_rest, 2),
        (multi_instance.true_labels, 12),
        (causes.demipl, 45),
        (causes.released, 30),
        (partial_labels.real, 370),
        (partial_labels.margins, 150),
        (partial_labels.amount, 28),
        (beyond_accuracy.vectors, 70),
        (beyond_accuracy.images, 11),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_a_study_has_measured_answers_its_plan(plan, known):
    """So nothing is computed again, and no row has lost what it was measured for."""
    assert len(set(plan())) == len(plan())
    assert len(answers(plan())) >= known


def test_scores_that_the_defaults_were_chosen_by_give_the_ranking():
    """By plain loops: mean regret over the tasks that every setting was given."""
    with (RESULTS / "choose_defaults.csv").open(newline="") as file:
        scores = list(csv.DictReader(file))
    with (RESULTS / "default_ranking.csv").open(newline="") as file:
        ranked = list(csv.DictReader(file))
    tasks = [f"{data} r=2" for data in ("sival-mipl", "birdsong-mipl", "digits-mipl")]
    tasks.append("synthetic r=1")
    means = {}
    for row in scores:
        task = f"{row['data']} r={row['r']}"
        if task in tasks:
            means.setdefault(row["setting"], {}).setdefault(task, [])
            means[row["setting"]][task].append(float(row["score"]))
    means = {
        name: {task: sum(v) / len(v) for task, v in found.items()}
        for name, found in means.items()
        if len(found) == len(tasks)
    }
    best = {task: max(found[task] for found in means.values()) for task in tasks}
    vectors = [row for row in ranked if row["stage"] == "vectors"]
    assert len(vectors) == len(means)
    for row in vectors:
        gaps = [best[task] - means[row["setting"]][task] for task in tasks]
        assert float(row["mean_regret"]) == pytest.approx(sum(gaps) / 4, abs=2e-4)
        assert float(row["worst_regret"]) == pytest.approx(max(gaps), abs=2e-4)
    assert [float(row["mean_regret"]) for row in vectors] == sorted(
        float(row["mean_regret"]) for row in vectors
    )
