"""Early stopping on figures that need no true label."""

import numpy as np
import pytest

from mipl import MIPLMA, MiplError, Training
from mipl.metrics.ambiguity import approximated_accuracy, covering_rate
from mipl.metrics.margins import margin_violation_rate
from mipl.testing.checks.problem import make_problem
from mipl.training.stopping import hold_out

PROBLEM = make_problem(n_bags=40)
FIGURES = {
    "approximated_accuracy": approximated_accuracy,
    "covering_rate": covering_rate,
    "margin_violation_rate": margin_violation_rate,
}


def options(**settings):
    return Training(**{"epochs": 30, "lr": 0.3, "holdout": 0.25} | settings)


def fitted(**settings):
    # With a lag of 0 the label weights move from the first epoch on.
    model = MIPLMA(width=8, alpha_lag=0, training=options(**settings))
    return model.fit(PROBLEM.bags, PROBLEM.y)


@pytest.mark.parametrize("figure", FIGURES)
def test_the_best_epoch_is_kept(figure):
    model = fitted(stop_on=figure, patience=4)
    values = [entry[f"held_out_{figure}"] for entry in model.history_]
    best = min(values) if figure == "margin_violation_rate" else max(values)
    # The first of the best; and the network is that epoch's.
    assert model.best_epoch_ == 1 + values.index(best)
    _, held = hold_out(PROBLEM.y, model.training, 0)
    p = model.predict_proba([PROBLEM.bags[i] for i in held])
    assert np.isclose(FIGURES[figure](p, PROBLEM.candidates[held]), best)


def test_it_stops_after_as_many_epochs_without_gain_as_patience_says():
    for patience in (1, 3):
        model = fitted(stop_on="covering_rate", patience=patience)
        values = [entry["held_out_covering_rate"] for entry in model.history_]
        best = 1 + values.index(max(values))
        assert model.n_iter_ == len(values) == best + patience < 30


def test_the_best_epoch_brings_its_label_weights_and_its_temperature():
    everything = tuple(range(5))
    stopped = fitted(stop_on="covering_rate", patience=3, record_bags=everything)
    best = stopped.best_epoch_
    assert best < stopped.n_iter_
    recorded = stopped.record_[best - 1]["label_weights"]
    np.testing.assert_array_equal(stopped.label_weights_[:5], recorded)
    assert np.isclose(stopped.tau_, stopped.tau * 0.95**best)


def test_held_out_bags_are_not_trained_on():
    model = fitted(stop_on="covering_rate", patience=2)
    trained, held = hold_out(PROBLEM.y, model.training, 0)
    start = PROBLEM.y.initial_weights()
    assert len(held) == 10 and len(trained) == 30
    assert not set(trained) & set(held)
    np.testing.assert_array_equal(model.label_weights_[held], start[held])
    moved = (model.label_weights_[trained] != start[trained]).any(axis=1)
    assert moved[PROBLEM.y.sizes[trained] > 1].any()
    assert model.label_weights_.shape == PROBLEM.candidates.shape


def test_without_stop_on_every_bag_is_trained_on():
    trained, held = hold_out(PROBLEM.y, Training(), 0)
    assert trained.tolist() == list(range(40)) and len(held) == 0


def test_recorded_bags_are_never_held_out():
    settings = options(stop_on="covering_rate")
    _, held = hold_out(PROBLEM.y, settings, 0)
    settings.record_bags = held[:3]
    trained, rest = hold_out(PROBLEM.y, settings, 0)
    assert set(held[:3]) <= set(trained) and rest.tolist() == held[3:].tolist()
    settings.record_bags = held
    with pytest.raises(MiplError, match="names every bag that stop_on would hold out"):
        hold_out(PROBLEM.y, settings, 0)


def test_one_bag_cannot_be_held_out():
    with pytest.raises(MiplError, match="stop_on of Training needs at least 2 bags"):
        MIPLMA(training=options(stop_on="covering_rate")).fit([[[1.0]]], [{0, 1}])
