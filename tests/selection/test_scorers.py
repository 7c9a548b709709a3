"""Scorers: their formulas, their sign, and scikit-learn's searches on ragged bags."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate
from sklearn.pipeline import make_pipeline

from mipl import MIPLMA, Candidates, MiplError, PerInstance, Training, load_dataset
from mipl.selection import (
    approximated_accuracy,
    covering_rate,
    margin_violation_rate,
    space,
    truth_accuracy,
)

LABEL_FREE = {
    "covering": covering_rate,
    "approximated": approximated_accuracy,
    "violation": margin_violation_rate,
}
QUICK = Training(epochs=3, batch_size=8)


class Fixed:
    """A model that believes what it is told."""

    def __init__(self, p, classes):
        self.p, self.classes_ = np.array(p), np.array(classes)

    def predict_proba(self, X):
        return self.p


P = [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1], [0.4, 0.25, 0.35]]
SETS = [{"a", "b"}, {"a", "b"}, {"b"}, {"b", "c"}]
MODEL = Fixed(P, ["a", "b", "c"])
MATRIX = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1]], dtype=bool)


# -- the figures -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        SETS,
        MATRIX,
        MATRIX.astype(int),
        Candidates(SETS),
        Candidates(SETS, ["c", "b", "a"]),
        [sorted(names) for names in SETS],
    ],
    ids=["sets", "matrix", "integers", "candidates", "other order", "lists"],
)
def test_figures_by_hand_for_every_form_of_candidates(y):
    # Predictions a, c, b, a: inside, outside, inside, outside.
    assert covering_rate(MODEL, None, y) == pytest.approx(2 / 4)
    by_hand = (0.5 / 0.8 + 0 + 1 + 0) / 4
    assert approximated_accuracy(MODEL, None, y) == pytest.approx(by_hand)
    assert margin_violation_rate(MODEL, None, y) == pytest.approx(-2 / 4)


def test_a_class_unseen_in_training_has_probability_zero():
    sets = [{"a", "z"}, {"z"}, {"b", "z"}, {"z", "y"}]
    assert covering_rate(MODEL, None, sets) == pytest.approx(2 / 4)
    assert approximated_accuracy(MODEL, None, sets) == pytest.approx(2 / 4)
    assert margin_violation_rate(MODEL, None, sets) == pytest.approx(-2 / 4)


def test_frames_are_read_by_the_names_of_their_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(MATRIX[:, ::-1], columns=["c", "b", "a"])
    assert covering_rate(MODEL, None, frame) == pytest.approx(2 / 4)


def test_more_is_better_in_all_scorers():
    """The model that is right in every bag beats the one that never is."""
    right = Fixed(np.where(MATRIX, 0.9, 0.05), list("abc"))
    right.p /= right.p.sum(axis=1, keepdims=True)
    wrong = Fixed(np.where(MATRIX, 0.05, 0.9), list("abc"))
    wrong.p /= wrong.p.sum(axis=1, keepdims=True)
    for scorer in LABEL_FREE.values():
        assert scorer(right, None, MATRIX) > scorer(wrong, None, MATRIX)


def test_a_matrix_of_other_width_is_refused():
    with pytest.raises(MiplError, match="4 columns for 3 classes"):
        covering_rate(MODEL, None, np.ones((4, 4), dtype=bool))


# -- searches --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    return load_dataset("synthetic", r=1)[:40]


@pytest.fixture(scope="module")
def forms(data):
    """The same data as Bags and Candidates, and as plain lists."""
    lists = list(data.bags), [set(names) for names in data.candidates]
    return {"containers": (data.bags, data.candidates), "lists": lists}


@pytest.mark.parametrize("form", ["containers", "lists"])
def test_grid_search_over_lam_and_lr_on_ragged_bags(data, forms, form):
    X, y = forms[form]
    grid = {"lam": [0.0, 1.0], "training__lr": [0.01, 0.1]}
    search = GridSearchCV(
        MIPLMA(training=QUICK, random_state=0),
        grid,
        scoring=LABEL_FREE,
        refit="approximated",
        cv=KFold(2, shuffle=True, random_state=0),
        error_score="raise",
    ).fit(X, y)
    for name in LABEL_FREE:
        scores = search.cv_results_[f"mean_test_{name}"]
        assert scores.shape == (4,) and np.isfinite(scores).all()
    best = search.best_estimator_
    assert best.training.lr == search.best_params_["training__lr"]
    assert best.lam == search.best_params_["lam"]
    assert best.training.epochs == 3
    assert search.predict(X).shape == (len(data),)


def test_a_score_of_the_search_is_that_of_the_model_fitted_by_hand(data):
    cv = KFold(2, shuffle=True, random_state=1)
    model = MIPLMA(training=QUICK, random_state=3)
    found = cross_validate(model, data.bags, data.candidates, scoring=LABEL_FREE, cv=cv)
    for fold, (train, test) in enumerate(cv.split(data.bags)):
        by_hand = clone(model).fit(data.bags[train], data.candidates[train])
        p = by_hand.predict_proba(data.bags[test])
        sets = data.candidates[test].matrix
        covered = sets[np.arange(len(p)), p.argmax(axis=1)].mean()
        assert found["test_covering"][fold] == pytest.approx(covered)


def test_search_reaches_training_from_the_method_s_own_settings(data):
    model = MIPLMA(random_state=0)
    assert model.training is None
    search = GridSearchCV(
        model,
        {"training__epochs": [2, 4], "training__lr": [0.05]},
        scoring=covering_rate,
        cv=2,
        error_score="raise",
    ).fit(data.bags, data.candidates)
    assert search.best_estimator_.training.epochs in (2, 4)
    assert model.training is None


def test_a_pipeline_of_bags_is_scored_too(data):
    model = make_pipeline(PerInstance(), MIPLMA(training=QUICK, random_state=0))
    found = cross_validate(
        model, data.bags, data.candidates, scoring=covering_rate, cv=2
    )
    assert ((found["test_score"] >= 0) & (found["test_score"] <= 1)).all()


# -- the hidden truth ------------------------------------------------------------------


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_truth_reaches_the_scorer_only_and_means_accuracy(data, routing):
    cv = KFold(2, shuffle=True, random_state=2)
    model = MIPLMA(training=QUICK, random_state=0)
    found = cross_validate(
        model,
        data.bags,
        data.candidates,
        scoring={"truth": truth_accuracy, **LABEL_FREE},
        params={"truth": data.labels},
        cv=cv,
        error_score="raise",
    )
    for fold, (train, test) in enumerate(cv.split(data.bags)):
        by_hand = clone(model).fit(data.bags[train], data.candidates[train])
        right = by_hand.predict(data.bags[test]) == data.labels[test]
        assert found["test_truth"][fold] == pytest.approx(right.mean())
    assert np.isfinite(found["test_covering"]).all()


def test_grid_search_with_groups_and_hidden_truth(data, routing):
    search = GridSearchCV(
        MIPLMA(training=QUICK, random_state=0),
        {"lam": [0.0, 1.0]},
        scoring=truth_accuracy,
        cv=GroupKFold(2),
        error_score="raise",
    )
    groups = np.arange(len(data)) % 4
    search.fit(data.bags, data.candidates, truth=data.labels, groups=groups)
    scores = search.cv_results_["mean_test_score"]
    assert ((scores >= 0) & (scores <= 1)).all()


def test_truth_that_was_not_given_is_told(data):
    model = MIPLMA(training=QUICK).fit(data.bags, data.candidates)
    with pytest.raises(MiplError, match="needs the true labels as metadata"):
        truth_accuracy(model, data.bags, data.candidates)


def test_routing_is_left_as_the_user_has_it():
    assert sklearn.get_config()["enable_metadata_routing"] is False


# -- clone and set_params --------------------------------------------------------------


def test_set_params_puts_the_methods_own_training_in_place_of_none():
    own = MIPLMA()._default_training().get_params()
    model = MIPLMA().set_params(training__lr=0.125)
    assert model.training.get_params() == {**own, "lr": 0.125}
    released = MIPLMA.released().set_params(training__lr=0.125)
    assert released.training.batch_size == 1


def test_clones_share_no_settings():
    model = MIPLMA(training=Training(lr=0.5))
    copy = clone(model).set_params(training__lr=0.25)
    assert (model.training.lr, copy.training.lr) == (0.5, 0.25)


def test_the_whole_grid_of_the_paper_can_be_set():
    model = MIPLMA.released()
    for lam in space("miplma-paper-grid")["lam"]:
        for lr in space("miplma-paper-grid")["training__lr"]:
            one = clone(model).set_params(lam=lam, training__lr=lr)
            assert (one.lam, one.training.lr) == (lam, lr)
