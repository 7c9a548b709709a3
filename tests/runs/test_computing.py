"""What a worker makes of runs."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from mipl import load_dataset, method
from mipl.errors import MiplError
from mipl.runs.computing import compute
from mipl.runs.evaluation import evaluate
from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.run_data import content_of
from mipl.runs.runner import run_plan
from mipl.runs.store import Store

RUN = Run("miplma", "synthetic", {"training__epochs": 3, "lam": 2.0}, seed=5)


def test_an_estimator_is_built_from_all_arguments():
    model = RUN.build()
    assert (model.lam, model.training.epochs, model.random_state) == (2.0, 3, 5)


def test_published_settings_are_those_of_the_data_and_r():
    run = Run("miplma-released", "mnist-mipl", {"published": True, "lam": 9.0}, r=2)
    known = method("miplma-released", published_for="mnist-mipl", r=2)
    model = run.build()
    assert model.training.lr == known.training.lr and model.lam == 9.0


def test_the_seed_reaches_an_estimator_inside_another():
    run = Run("proden", "digits-mipl", {"reduction": "mean"}, seed=5)
    assert run.build().estimator.random_state == 5


def test_figures_are_those_of_an_evaluation():
    (outcome,) = compute([RUN])
    train, test = load_dataset("synthetic").split(0)
    found = evaluate(RUN.build().fit(train.bags, train.candidates), test)
    figures = outcome.result.figures
    assert outcome.result.accuracy == found.truth.accuracy
    for name in ("covering_rate", "log_likelihood", "margin_std"):
        assert figures[name] == pytest.approx(getattr(found.candidates, name), rel=1e-5)
    assert figures["ece"] == pytest.approx(found.truth.ece, rel=1e-5)
    auroc = found.instances.attention_auroc
    assert figures["attention_auroc"] == pytest.approx(auroc, rel=1e-5)


def test_an_outcome_can_travel_between_processes():
    (outcome,) = compute([RUN])
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_recorded_bags_are_curves():
    run = Run(
        "miplma", "synthetic", {"training__epochs": 3, "training__record_bags": [4, 7]}
    )
    (outcome,) = compute([run])
    train, _ = load_dataset("synthetic").split(0)
    model = run.build().fit(train.bags, train.candidates)
    expected = [record["best_other"][1] for record in model.record_]
    np.testing.assert_allclose(outcome.curves["best_other 1"], expected, rtol=1e-4)
    assert len(outcome.curves["best_candidate 0"]) == 3


def test_data_of_another_content_are_not_computed_on():
    (outcome,) = compute([replace(RUN, content="other")])
    assert outcome.result.state == "failed"
    assert "synthetic has other content on the machine" in outcome.result.message


def test_an_error_of_any_kind_is_a_sentence(monkeypatch):
    def broken(models, problems):
        raise MemoryError("no\nroom")

    monkeypatch.setattr("mipl.runs.computing.fit_together", broken)
    states = [(one.result.state, one.result.message) for one in compute([RUN, RUN])]
    assert states == [("failed", "MemoryError: no room")] * 2


def test_the_content_depends_on_bags_sets_labels_and_splits():
    data = load_dataset("synthetic", n_bags=40)
    turned = np.roll(np.arange(len(data)), 1)
    others = [
        data[turned],
        replace(data, labels=None),
        replace(data, labels=data.labels[turned], candidates=np.ones((40, 5), bool)),
        replace(data, splits={"default": [([0, 1], [2])]}),
    ]
    contents = [content_of(one) for one in (data, *others)]
    assert len(set(contents)) == 5


@pytest.mark.parametrize(
    ("other", "sentence"),
    [({"split": None}, "has no test bags"), ({"calibrate": 0.2}, "leave calibrate")],
)
def test_what_no_store_can_keep_is_refused_before_it_is_computed(
    tmp_path, other, sentence
):
    store = Store(tmp_path / "results.db", create=True)
    run = replace(RUN, **other)
    with pytest.raises(MiplError, match=sentence):
        run_plan([RUN, run], store)
    with pytest.raises(MiplError, match=sentence):
        store.record(Result(run, "finished", 0.5, 1.0))
    assert store.results() == []


def test_the_curve_on_test_bags_is_that_of_shorter_fits():
    given = {"training__lr": 0.3}
    run = Run("abmil", "digits-mipl", {**given, "training__epochs": 4}, r=0, seed=2)
    curved = replace(run, arguments={**run.arguments, "test_curve": True})
    [outcome] = compute([curved])
    train, test = load_dataset("digits-mipl", r=0).split(0)
    each = [
        method("abmil", **given, training__epochs=n, random_state=2)
        .fit(train.bags, train.candidates)
        .score(test.bags, test.labels)
        for n in range(1, 5)
    ]
    np.testing.assert_allclose(outcome.curves["test_accuracy"], each, atol=1e-5)
    assert outcome.result.figures["best_epoch_accuracy"] == pytest.approx(max(each))
    assert outcome.result.accuracy == each[-1]
    assert curved.key != run.key  # Whoever only looks on is still another run.


def test_a_run_that_diverges_keeps_the_curve_that_led_there():
    steps = {"training__lr": 1e15, "training__batch_size": None, "training__epochs": 9}
    run = Run("miplma-released", "digits-mipl", {**steps, "test_curve": True})
    [outcome] = compute([run])
    assert outcome.result.state == "diverged" and outcome.result.accuracy is None
    accuracies, losses = (outcome.curves[name] for name in ("test_accuracy", "loss"))
    assert 0 < len(accuracies) == len(losses) < 9
    assert all(0 <= value <= 1 for value in accuracies)
    sooner = {"training__lr": 1e200, "training__epochs": 1, "test_curve": True}
    [outcome] = compute([Run("abmil", "digits-mipl", sooner)])
    assert outcome.result.state == "diverged"
    assert outcome.curves == {"test_accuracy": []}


def test_whether_a_curve_is_kept_is_yes_or_no():
    with pytest.raises(MiplError, match="test_curve of a run must be true or false"):
        Run("abmil", "digits-mipl", {"test_curve": 3}).build()
    arguments = {"test_curve": False, "training__epochs": 1}
    [outcome] = compute([Run("abmil", "digits-mipl", arguments)])
    assert "test_accuracy" not in outcome.curves


def test_a_method_without_epochs_has_no_curve():
    arguments = {"reduction": "mean", "max_iter": 1, "n_init": 1, "test_curve": True}
    [outcome] = compute([Run("pl-svm", "digits-mipl", arguments)])
    assert outcome.result.state == "failed"
    assert "test_curve of a run is for methods that learn in epochs" in (
        outcome.result.message
    )


def sizes(model, train, test):
    return {"train": len(train), "test": len(test), "nothing": None, "nan": np.nan}


def test_more_figures_stand_beside_the_others():
    run = Run("miplma", "digits-mipl", {"training__epochs": 1})
    [outcome] = compute([run], sizes)
    train, test = load_dataset("digits-mipl").split(0)
    figures = outcome.result.figures
    assert (figures["train"], figures["test"]) == (len(train), len(test))
    assert "covering_rate" in figures and not {"nothing", "nan"} & set(figures)


def test_the_share_of_bags_that_every_learner_refuses_is_a_figure():
    arguments = {"one_vs_rest": True, "training__epochs": 2}
    [outcome] = compute([Run("abmil", "digits-mipl", arguments)])
    train, test = load_dataset("digits-mipl").split(0)
    model = method("abmil", one_vs_rest=True, training__epochs=2)
    model.set_params(estimator__random_state=0).fit(train.bags, train.candidates)
    assert outcome.result.figures["all_negative_rate"] == pytest.approx(
        model.all_negative_rate(test.bags), abs=1e-5
    )
    [other] = compute([Run("abmil", "digits-mipl", {"training__epochs": 2})])
    assert "all_negative_rate" not in other.result.figures
