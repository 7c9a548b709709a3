"""Progress in scikit-learn's callback form."""

import numpy as np
import pytest
from sklearn.callback import ProgressBar

from mipl import MIPLMA, MiplError, Training
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem()


class Watcher:
    """Keeps what it is told, and may ask to stop."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.calls, self.figures, self.predicted = [], [], []

    def setup(self, estimator, context):
        self.calls.append("setup")
        self.epochs = context.max_subtasks

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.calls.append(f"end {context.task_name}")
        if context.task_name != "epoch":
            return False
        self.figures.append(metadata["figures"])
        self.predicted.append(fitted_estimator.predict_proba(X))
        assert len(X) == len(y) == len(self.predicted[-1])
        return len(self.figures) == self.stop_after

    def teardown(self, estimator, context):
        self.calls.append("teardown")


def fitted(*callbacks, epochs=4):
    model = MIPLMA(width=4, training=Training(epochs=epochs))
    return model.set_callbacks(*callbacks).fit(PROBLEM.bags, PROBLEM.y)


def test_each_epoch_is_a_task():
    watcher = Watcher()
    fitted(watcher, epochs=3)
    assert watcher.epochs == 3 and len(watcher.predicted[0]) == len(PROBLEM.bags)
    epoch = ["begin epoch", "end epoch"]
    expected = ["setup", "begin fit", *epoch * 3, "end fit", "teardown"]
    assert watcher.calls == expected


def test_a_callback_gets_the_figures_and_an_estimator_that_predicts():
    watcher = Watcher()
    model = fitted(watcher)
    assert watcher.figures == model.history_
    np.testing.assert_array_equal(
        watcher.predicted[-1], model.predict_proba(PROBLEM.bags)
    )
    assert not np.array_equal(watcher.predicted[0], watcher.predicted[-1])


def test_a_callback_does_not_change_the_model():
    watched, alone = fitted(Watcher()), fitted()
    np.testing.assert_array_equal(
        watched.predict_proba(PROBLEM.bags), alone.predict_proba(PROBLEM.bags)
    )


def test_a_callback_can_stop_the_fit():
    watcher = Watcher(stop_after=2)
    model = fitted(watcher, epochs=9)
    assert model.n_iter_ == len(model.history_) == 2
    assert watcher.calls[-2:] == ["end fit", "teardown"]
    assert np.isfinite(model.predict_proba(PROBLEM.bags)).all()


def test_callbacks_are_torn_down_after_a_failure():
    watcher = Watcher()
    model = MIPLMA(width=4, training=Training(lr=1e30)).set_callbacks(watcher)
    with pytest.raises(MiplError, match="lower training__lr"):
        model.fit(PROBLEM.bags, PROBLEM.y)
    assert watcher.calls[-1] == "teardown"


def test_scikit_learns_progress_bar_runs(capsys):
    fitted(ProgressBar())
    assert "MIPLMA - fit" in capsys.readouterr().out
