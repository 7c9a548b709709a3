"""Multi-instance measurements: what a row tells of a fold."""

from dataclasses import replace

import pytest

from benchmarks import multi_instance
from mipl import OneVsRest, load_dataset, method
from mipl.paper.artefact_selection import Selection
from mipl.paper.index import ARTEFACTS
from mipl.runs.run import Facts

DATA = load_dataset("synthetic", n_bags=40)
NAMES = {job["method"] for job in multi_instance.classical([])}


@pytest.mark.parametrize(
    ("study", "table", "r"),
    [(multi_instance.columns, "tableA1", 1), (multi_instance.true_labels, "table5", 0)],
)
def test_rows_are_runs_of_the_papers_tables(study, table, r):
    """So the page of results, which imports them, can show them."""
    sources = ["mnist-mipl", "fmnist-mipl", "sival-mipl", "birdsong-mipl"]
    runs = {
        (run.method, run.data, run.arguments): run
        for run in ARTEFACTS[table].plan(Selection())
        if run.method in NAMES
    }
    jobs = study(sources if r else sources[:2])
    found = {(job["method"], job["data"], Facts(job["arguments"])): job for job in jobs}
    assert runs and set(runs) <= set(found)
    for key, run in runs.items():
        assert run.r == r and run.seed == found[key]["seed"]
        assert repr(multi_instance.build(found[key])) == repr(run.build())


def test_the_two_class_methods_are_also_measured_alone():
    alone = [job for job in multi_instance.classical(["fox"]) if job["arguments"]]
    kinds = {type(multi_instance.build(job)).__name__ for job in alone}
    assert kinds == {"VWSGP", "VGPMIL", "LMVGPMIL"}


def test_the_best_epoch_on_test_bags_is_told_beside_the_last(monkeypatch):
    train, test = DATA.split(0)

    def model(epochs):
        return method(
            "abmil", training__epochs=epochs, training__lr=0.3, random_state=0
        )

    after = [model(n).fit(train.bags, train.candidates) for n in range(1, 6)]
    # With the answers of the first epoch as labels no later one is better.
    test = replace(test, labels=after[0].predict(test.bags))
    monkeypatch.setattr(multi_instance, "parts", lambda job: (train, test))
    monkeypatch.setattr(multi_instance, "build", lambda job: model(5))
    [row] = multi_instance.work(multi_instance.best_epoch(["fox"])[:1])
    each = [one.score(test.bags, test.labels) for one in after]
    assert float(row["accuracy"]) == pytest.approx(each[-1], abs=1e-4)
    assert float(row["best"]) == 1.0 > each[-1]


def test_networks_are_measured_with_a_learner_per_class():
    jobs = multi_instance.one_vs_rest(["sival-mipl"])
    names = {job["method"] for job in jobs}
    assert names == NAMES - set(multi_instance.TWO_CLASS)
    models = [multi_instance.build(job) for job in jobs]
    assert all(isinstance(model, OneVsRest) for model in models)
    assert {model.estimator.random_state for model in models} == {0}


@pytest.mark.parametrize("way", ["k-way", "one-vs-rest"])
def test_the_share_of_all_negative_bags_is_told_where_there_is_one(way, monkeypatch):
    train, test = DATA.split(0)
    model = method("abmil", training__epochs=3, random_state=0)
    model = OneVsRest(model) if way == "one-vs-rest" else model
    monkeypatch.setattr(multi_instance, "parts", lambda job: (train, test))
    monkeypatch.setattr(multi_instance, "build", lambda job: model)
    job = multi_instance.columns(["synthetic"])[0]
    [row] = multi_instance.work([job])
    assert row["accuracy"] == f"{model.score(test.bags, test.labels):.4f}"
    if way == "one-vs-rest":
        assert float(row["all_negative"]) == pytest.approx(
            model.all_negative_rate(test.bags), abs=1e-4
        )
    else:
        assert row["all_negative"] == ""
