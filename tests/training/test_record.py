"""The history, recorded bags, and the stop at numbers that are not finite."""

import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError
from tests.training.test_callbacks import Watcher

from mipl import MIPLMA, MiplError, Training
from mipl.errors import Diverged
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem()
KEYS = {
    "epoch",
    "disambiguation",
    "margin",
    "loss",
    "lr",
    "tau",
    "alpha",
    "margin_mean",
    "margin_std",
    "margin_violation_rate",
    "resolved",
}


def fitted(training=None, y=PROBLEM.y, **arguments):
    settings = {"width": 8} | arguments
    options = Training(**{"epochs": 4, "batch_size": 4} | (training or {}))
    return MIPLMA(training=options, **settings).fit(PROBLEM.bags, y)


def test_the_history_has_every_figure_of_every_epoch():
    history = fitted(tau=5.0, tau_lag=1, alpha_lag=1).history_
    assert [entry["epoch"] for entry in history] == [1, 2, 3, 4]
    assert all(set(entry) == KEYS for entry in history)
    for entry in history:
        total = entry["disambiguation"] + entry["margin"]
        assert np.isclose(entry["loss"], total, rtol=1e-5)
        assert 0 <= entry["margin_violation_rate"] <= 1 and 0 <= entry["resolved"] <= 1
    np.testing.assert_allclose([e["tau"] for e in history], 5 * 0.95 ** np.arange(4))
    np.testing.assert_allclose([e["alpha"] for e in history], [1, 0.75, 0.5, 0.25])
    rates = 0.05 / 2 * (1 + np.cos(np.pi * np.arange(4) / 4))
    np.testing.assert_allclose([e["lr"] for e in history], rates)


def test_without_a_margin_loss_there_is_no_such_term():
    assert set(fitted(margin="none").history_[0]) == KEYS - {"margin"}


def test_figures_are_those_of_the_recorded_bags():
    everything = tuple(range(len(PROBLEM.bags)))
    model = fitted({"record_bags": everything})
    for entry, record in zip(model.history_, model.record_, strict=True):
        margins = record["best_candidate"] - record["best_other"]
        assert np.isclose(entry["margin_mean"], margins.mean())
        assert np.isclose(entry["margin_std"], margins.std())
        assert np.isclose(entry["margin_violation_rate"], (margins < 0).mean())
        largest = record["label_weights"].max(axis=1)
        assert np.isclose(entry["resolved"], (largest >= 0.9).mean())


def test_sets_of_one_are_all_resolved():
    assert fitted(y=PROBLEM.labels).history_[0]["resolved"] == 1.0


def test_recorded_bags_have_an_entry_per_epoch():
    model = fitted({"record_bags": [7, 2]})
    assert [record["epoch"] for record in model.record_] == [1, 2, 3, 4]
    last = model.record_[-1]["label_weights"]
    np.testing.assert_array_equal(last, model.label_weights_[[7, 2]])
    assert model.record_[0]["best_candidate"].shape == (2,)
    assert fitted().record_ == []


@pytest.mark.parametrize("numbers", [[99], [-1], [0.5], "ab", 3.0, [[1]]])
def test_bags_that_do_not_exist_cannot_be_recorded(numbers):
    with pytest.raises(MiplError, match="must be bag numbers from 0 to 14; got"):
        fitted({"record_bags": numbers})


class Spoiled(MIPLMA):
    """A loss that turns bad in the third epoch's second batch."""

    bad = torch.nan

    def _loss(self, out, batch, w, clock):
        terms = super()._loss(out, batch, w, clock)
        clock.seen.append(out.p.detach()[:, 0])
        if clock.epoch == 3 and len(clock.seen) == 2:
            terms["margin"] = terms["margin"] * self.bad
        return terms

    def _margin_loss(self, phi, clock, batch=None):
        return phi.mean()


@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
def test_a_bad_loss_stops_the_run_and_names_epoch_batch_and_term(bad, monkeypatch):
    monkeypatch.setattr(Spoiled, "bad", bad)
    model = Spoiled(width=4, training=Training(epochs=5, batch_size=4))
    with pytest.raises(MiplError) as refused:
        model.fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == (
        f"the loss term 'margin' became {bad} in epoch 3, batch 1; "
        "lower training__lr or scale the features."
    )
    good = MIPLMA(width=4, margin="mean", training=Training(epochs=5, batch_size=4))
    good.set_callbacks(Watcher(stop_after=2)).fit(PROBLEM.bags, PROBLEM.y)
    assert model.history_ == good.history_ and model.n_iter_ == model.best_epoch_ == 2
    for name in ("predict_proba", "attend"):
        kept, expected = (getattr(m, name)(PROBLEM.bags) for m in (model, good))
        np.testing.assert_array_equal(kept, expected)
    np.testing.assert_array_equal(model.label_weights_, good.label_weights_)


def test_a_bad_loss_in_the_first_epoch_leaves_nothing():
    model = MIPLMA(width=4, training=Training(lr=1e30, batch_size=4))
    with pytest.raises(Diverged):
        model.fit(PROBLEM.bags, PROBLEM.y)
    with pytest.raises(NotFittedError):
        model.predict(PROBLEM.bags)


def test_a_last_step_that_breaks_the_network_is_noticed():
    with pytest.raises(MiplError, match=r"parameter '.*' is not finite after epoch 1"):
        fitted({"epochs": 1, "batch_size": None, "lr": 3e38, "weight_decay": 3e38})


def test_a_diverged_network_predicts_no_nan():
    settings = {"epochs": 1, "batch_size": None, "lr": 1e200, "dtype": "float64"}
    model = fitted(settings)
    with pytest.raises(MiplError, match="no finite output for bag 0"):
        model.predict(PROBLEM.bags)
