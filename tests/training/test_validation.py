"""Bags that are looked at after each epoch, and never trained on."""

import numpy as np
import pytest

from mipl import ABMIL, MIPLMA, PRODEN, Degraded, Ensemble, Training, load_dataset
from mipl.errors import MiplError
from mipl.metrics import approximated_accuracy, margin_violation_rate

TRAIN, TEST = load_dataset("synthetic", r=1).split(0)
FEW = Training(epochs=4, lr=0.05, batch_size=8)


def fitted(model, **more):
    return model.fit(TRAIN.bags, TRAIN.candidates, **more)


def test_history_has_their_figures():
    model = fitted(MIPLMA(training=FEW), validation=(TEST.bags, TEST.candidates))
    p, sets = model.predict_proba(TEST.bags), TEST.candidates.matrix
    last = model.history_[-1]
    assert last["validation_approximated_accuracy"] == approximated_accuracy(p, sets)
    assert last["validation_margin_violation_rate"] == margin_violation_rate(p, sets)
    inside = [p[i, sets[i]].sum() for i in range(len(p))]
    assert last["validation_log_loss"] == pytest.approx(-np.log(inside).mean())
    assert "validation_accuracy" not in last
    of_first = [epoch["validation_log_loss"] for epoch in model.history_]
    assert len(set(of_first)) == 4


def test_true_labels_give_an_accuracy():
    model = fitted(MIPLMA(training=FEW), validation=(TEST.bags, TEST.labels))
    accuracy = model.history_[-1]["validation_accuracy"]
    assert accuracy == model.score(TEST.bags, TEST.labels)


def test_looking_changes_no_bits():
    watched = fitted(MIPLMA(training=FEW), validation=(TEST.bags, TEST.labels))
    plain = fitted(MIPLMA(training=FEW))
    p = plain.predict_proba(TEST.bags)
    np.testing.assert_array_equal(watched.predict_proba(TEST.bags), p)


def test_early_stopping_may_decide_by_them():
    steps = Training(
        epochs=40, lr=0.05, batch_size=8, stop_on="approximated_accuracy", patience=3
    )
    model = fitted(MIPLMA(training=steps), validation=(TEST.bags, TEST.candidates))
    scores = [one["validation_approximated_accuracy"] for one in model.history_]
    assert len(scores) < 40 and model.best_epoch_ == 1 + int(np.argmax(scores))
    assert "held_out_approximated_accuracy" not in model.history_[-1]
    sets = TEST.candidates.matrix
    kept = approximated_accuracy(model.predict_proba(TEST.bags), sets)
    assert kept == max(scores)
    # All training bags are trained on: no label weight is that of the start.
    first = TRAIN.candidates.initial_weights()
    several = TRAIN.candidates.sizes > 1
    assert (model.label_weights_ != first)[several].any(axis=1).all()


def test_wrappers_pass_them_on():
    given = {"validation": (TEST.bags, TEST.labels)}
    degraded = fitted(Degraded(PRODEN(training=FEW)), **given)
    accuracy = degraded.history_[-1]["validation_accuracy"]
    assert accuracy == degraded.score(TEST.bags, TEST.labels)
    ensemble = fitted(Ensemble(ABMIL(training=FEW), n=2), **given)
    for member in ensemble.members_:
        accuracy = member.history_[-1]["validation_accuracy"]
        assert accuracy == member.score(TEST.bags, TEST.labels)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (TEST.bags, "validation must be a pair"),
        ((TEST.bags, TEST.labels[:3]), "one set per bag"),
        (([np.ones((2, 3))], [0]), "features"),
        ((TEST.bags[:1], [{"oak"}]), "oak"),
    ],
)
def test_mistakes_are_sentences(given, told):
    with pytest.raises(MiplError, match=told):
        fitted(MIPLMA(training=FEW), validation=given)


def test_a_checkpoint_remembers_them(tmp_path):
    path = tmp_path / "state"
    fitted(MIPLMA(training=FEW), checkpoint=path, validation=(TEST.bags, TEST.labels))
    with pytest.raises(MiplError, match="validation"):
        fitted(MIPLMA(training=FEW), checkpoint=path)
