"""Multi-instance studies: which runs they ask for."""

from dataclasses import replace

import pytest

from mipl import OneVsRest
from mipl.paper.artefact_selection import Selection
from mipl.paper.index import ARTEFACTS
from tools import multi_instance

NAMES = multi_instance.registered()


@pytest.mark.parametrize(
    ("study", "table"),
    [(multi_instance.columns, "tableA1"), (multi_instance.true_labels, "table5")],
)
def test_runs_are_those_of_the_papers_tables(study, table):
    """So the page of results can show them."""
    wanted = {
        replace(run, split=0)
        for run in ARTEFACTS[table].plan(Selection())
        if run.method in NAMES
    }
    found = {replace(run, split=0) for run in study()}
    assert wanted and wanted <= found


def test_folds_are_shuffled_by_the_seed_of_the_run():
    for run in multi_instance.classical():
        assert run.options == {"folds": 10, **({"seed": 1} if run.seed else {})}
    keys = {(run.seed, run.split) for run in multi_instance.classical()}
    assert keys == {(seed, split) for seed in range(2) for split in range(10)}


def test_the_two_class_methods_are_also_measured_alone():
    alone = [
        run.build()
        for run in multi_instance.classical()
        if run.data == "fox" and "one_vs_rest" in run.arguments
    ]
    assert {type(one).__name__ for one in alone} == {"VWSGP", "VGPMIL", "LMVGPMIL"}


def test_the_epoch_that_is_best_on_test_bags_is_looked_at_beside_the_last():
    plain = set(multi_instance.classical())
    for run in multi_instance.best_epoch():
        assert run.arguments["test_curve"] is True
        given = {name: v for name, v in run.arguments.items() if name != "test_curve"}
        assert replace(run, arguments=given) in plain


def test_networks_are_measured_with_a_learner_per_class():
    runs = [run for run in multi_instance.one_vs_rest() if run.data == "sival-mipl"]
    assert {run.method for run in runs} == set(NAMES) - set(multi_instance.TWO_CLASS)
    models = [replace(run, seed=3).build() for run in runs]
    assert all(isinstance(model, OneVsRest) for model in models)
    assert {model.estimator.random_state for model in models} == {3}
