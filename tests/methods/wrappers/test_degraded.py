"""Degraded: bags as vectors, the contracts of bags and of scikit-learn.

Every method keeps the contract of bags inside it: see ``test_estimators``.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.training.interrupted import fit_in_parts, stopped_at
from tests.training.test_callbacks import Watcher

from mipl import PLSVM, MiplError, Training
from mipl.data import MaxMin, Mean
from mipl.methods.pll.proden import PRODEN
from mipl.methods.wrappers.degraded import Degraded
from mipl.testing import CHECKS
from mipl.testing.checks.problem import make_problem

SMALL = PRODEN(training=Training(epochs=30, lr=0.3, batch_size=32))
PROBLEM = make_problem()


# tests/methods/test_weights.py has what holds: with all bags in a step.
TWICE = "bags that are there twice are drawn, and lie in steps, twice"
UNLIKE = {"check_sample_weight_equivalence_on_dense_data": TWICE}


@parametrize_with_checks([Degraded(SMALL)], expected_failed_checks=lambda _: UNLIKE)
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_contract_of_bags(check):
    check(Degraded(SMALL, reduction="maxmin"))


@pytest.mark.parametrize(("reduction", "way"), [("mean", Mean), ("maxmin", MaxMin)])
def test_it_is_the_estimator_on_reduced_bags(reduction, way):
    model = Degraded(SMALL, reduction).fit(PROBLEM.bags, PROBLEM.y)
    vectors = way().transform(PROBLEM.bags)
    plain = PRODEN(training=SMALL.training).fit(vectors, PROBLEM.y)
    p = plain.predict_proba(vectors)
    np.testing.assert_array_equal(model.predict_proba(PROBLEM.bags), p)
    np.testing.assert_array_equal(model.label_weights_, plain.label_weights_)


def test_wrong_arguments_are_told():
    with pytest.raises(
        MiplError, match="estimator of Degraded must be a partial-label"
    ):
        Degraded(Degraded(SMALL)).fit(PROBLEM.bags, PROBLEM.y)
    with pytest.raises(MiplError, match="must be one of 'mean', 'maxmin'; got 'max'"):
        Degraded(SMALL, "max").fit(PROBLEM.bags, PROBLEM.y)


def test_it_is_interrupted_and_resumed_as_its_estimator_is(tmp_path):
    kind, path = stopped_at(3, 5, method=PRODEN), tmp_path / "run.checkpoint"
    whole = Degraded(PRODEN(training=SMALL.training)).fit(PROBLEM.bags, PROBLEM.y)
    model = fit_in_parts(
        lambda: Degraded(kind(training=SMALL.training)),
        path,
        2,
        PROBLEM.bags,
        PROBLEM.y,
    )
    p = whole.predict_proba(PROBLEM.bags)
    np.testing.assert_array_equal(model.predict_proba(PROBLEM.bags), p)
    assert model.history_ == whole.history_ and kind.steps == 30


def test_after_an_interruption_it_is_that_of_the_last_finished_epoch():
    training = Training(epochs=30, lr=0.3, schedule="constant")
    model = Degraded(stopped_at(5, method=PRODEN)(training=training))
    with pytest.raises(KeyboardInterrupt):
        model.fit(PROBLEM.bags, PROBLEM.y)
    done = len(model.history_)
    few = Degraded(PRODEN(training=clone(training).set_params(epochs=done)))
    p = few.fit(PROBLEM.bags, PROBLEM.y).predict_proba(PROBLEM.bags)
    np.testing.assert_array_equal(model.predict_proba(PROBLEM.bags), p)


def test_callbacks_hear_of_the_epochs_inside():
    watcher = Watcher()
    model = Degraded(clone(SMALL)).set_callbacks(watcher).fit(PROBLEM.bags, PROBLEM.y)
    assert watcher.figures == model.history_ and len(watcher.figures) == 30
    assert not hasattr(Degraded(PLSVM()), "set_callbacks")


@pytest.mark.parametrize("search_depth", [1, None])
def test_a_search_lends_its_bar_to_the_estimator_inside(search_depth, capsys):
    search = GridSearchCV(Degraded(clone(SMALL)), {"reduction": ["mean"]}, cv=2)
    search.set_callbacks(ProgressBar(search_depth)).fit(PROBLEM.bags, PROBLEM.labels)
    assert "refit-with-best-params | PRODEN - fit" in capsys.readouterr().out
    best = search.best_estimator_
    for one in (best, best.estimator, best.estimator_):
        assert not hasattr(one, "_skl_callbacks")
        assert not hasattr(one, "_parent_callback_ctx")


def test_a_search_over_a_method_without_epochs_only_warns_of_its_bar():
    search = GridSearchCV(Degraded(PLSVM()), {"reduction": ["mean"]}, cv=2)
    with pytest.warns(UserWarning, match="does not support callbacks"):
        search.set_callbacks(ProgressBar()).fit(PROBLEM.bags, PROBLEM.labels)


def test_a_checkpoint_of_what_has_no_epochs_is_refused(tmp_path):
    with pytest.raises(MiplError, match="PLSVM keeps no checkpoints; leave checkpoint"):
        Degraded(PLSVM()).fit(PROBLEM.bags, PROBLEM.y, checkpoint=tmp_path / "there")
