"""What the methods of two classes share: contracts, defaults, hostile bags, files."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.methods.mil.two_classes import problem
from tests.methods.saving.test_foreign_files import alter
from tests.training.test_callbacks import Watcher

from mipl import LMVGPMIL, VGPMIL, VWSGP, MiplError, load_model
from mipl.testing import CHECKS

SMALL = [kind(inducing=10, iterations=4) for kind in (VWSGP, VGPMIL, LMVGPMIL)]
BAGS, LABELS = problem()
by_name = {"ids": lambda model: type(model).__name__}


@parametrize_with_checks(SMALL)
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("model", SMALL, **by_name)
def test_the_contract_of_bags(model, check):
    check(model)


@pytest.mark.parametrize("model", SMALL, **by_name)
def test_more_classes_are_refused_with_what_to_do(model):
    name = type(model).__name__
    told = f"supported by {name}, and there are 3 classes; .* OneVsRest\\({name}\\(\\)"
    with pytest.raises(MiplError, match=told):
        clone(model).fit(BAGS, np.arange(24) % 3)


@pytest.mark.parametrize("model", SMALL, **by_name)
def test_one_class_is_refused(model):
    with pytest.raises(MiplError, match="there is only one class, 'a'"):
        clone(model).fit(BAGS, ["a"] * 24)
    with pytest.raises(MiplError, match="there is only one class, 1"):
        clone(model).fit(BAGS, np.eye(2)[np.ones(24, int)])


@pytest.mark.parametrize(
    "copies",
    [np.ones((24, 2)), np.ones((24, 3), int), np.zeros((24, 2), int), -np.eye(2)],
)
def test_wrong_copies_are_told(copies):
    with pytest.raises(MiplError, match=r"copies must be whole numbers >= 0 of shape"):
        VWSGP().fit(BAGS, LABELS, copies=copies)


@pytest.mark.parametrize("length", [0, -1.0, "long", True, float("inf")])
def test_a_wrong_length_is_told(length):
    with pytest.raises(MiplError, match="length of VGPMIL must be None or a num"):
        VGPMIL(length=length).fit(BAGS, LABELS)


@pytest.mark.parametrize("model", SMALL, **by_name)
@pytest.mark.parametrize(
    ("argument", "span"),
    [
        ({"length": 1e-200}, r"\[1e-100, 1e\+100\]"),
        ({"length": 1e200}, r"\[1e-100, 1e\+100\]"),
        ({"variance": 1e300}, r"\[1e-12, 1e\+12\]"),
    ],
)
def test_a_kernel_beyond_numbers_is_told(model, argument, span):
    with pytest.raises(MiplError, match=f"{next(iter(argument))} of .* in {span}; got"):
        clone(model).set_params(**argument).fit(BAGS, LABELS)


@pytest.mark.parametrize("model", SMALL, **by_name)
@pytest.mark.parametrize("length", [1e-100, 1e100])
@pytest.mark.parametrize("variance", [1e-12, 1e12])
def test_kernels_at_the_bounds_give_finite_answers(model, length, variance):
    fitted = clone(model).set_params(length=length, variance=variance)
    p = fitted.fit(BAGS, LABELS).predict_proba(BAGS)
    assert np.isfinite(p).all()


# -- defaults from the data ------------------------------------------------------------


def test_the_square_of_the_length_is_the_number_of_features():
    model = VWSGP().fit(BAGS, LABELS)
    assert model.length_ == pytest.approx(np.sqrt(3))
    wide = [np.column_stack([bag, np.full(len(bag), 0.1)]) for bag in BAGS]
    assert VWSGP().fit(wide, LABELS).length_ == pytest.approx(2)
    assert VWSGP(length=0.4).fit(BAGS, LABELS).length_ == 0.4


def test_the_length_follows_unscaled_features():
    model = VWSGP(scaling="none").fit(BAGS, LABELS)
    variance = BAGS.instances.astype(float).var(axis=0).sum()
    assert model.length_ == pytest.approx(np.sqrt(variance))
    large = [1e6 * bag + 1e9 for bag in map(np.float64, BAGS)]
    p = VWSGP(scaling="none").fit(large, LABELS).predict_proba(large)
    assert np.isfinite(p).all()


def test_inducing_points_are_half_and_half_and_at_most_the_different_rows():
    model = VGPMIL(inducing=7).fit(BAGS, LABELS)
    assert model.prior_.points.shape == (7, 3)
    few = VGPMIL(inducing=50).fit([[[0.0]], [[0.0]], [[1.0]]], [0, 1, 1])
    assert len(few.prior_.points) == 2
    alone = VGPMIL(inducing=2).fit(BAGS, [1] + [0] * 23)
    assert len(alone.prior_.points) == 2


@pytest.mark.parametrize("model", SMALL, **by_name)
def test_hostile_bags_give_finite_answers(model):
    rng = np.random.default_rng(0)
    labels = np.arange(10) % 2
    long = [rng.normal(size=(5000 if i == 3 else 1, 3)) for i in range(10)]
    equal = [np.ones((2, 3)) for _ in range(10)]
    outlier = [rng.normal(size=(2, 3)) for _ in range(10)]
    outlier[4][0] = 1e30
    for bags in (long, equal, outlier):
        fitted = clone(model).fit(bags, labels)
        assert np.isfinite(fitted.predict_proba(bags)).all()
        assert np.isfinite(fitted.covariance_).all()
        np.linalg.cholesky(fitted.covariance_ + 1e-9 * np.eye(len(fitted.mean_)))


# -- rounds ----------------------------------------------------------------------------


@pytest.mark.parametrize("model", SMALL, **by_name)
def test_callbacks_hear_of_every_round_and_may_stop(model):
    watcher = Watcher()
    fitted = clone(model).set_callbacks(watcher).fit(BAGS, LABELS)
    assert watcher.figures == fitted.history_ and len(watcher.figures) == 4
    p = fitted.predict_proba(BAGS)
    np.testing.assert_array_equal(watcher.predicted[-1], p)
    assert not np.array_equal(watcher.predicted[0], p)
    stopped = clone(model).set_callbacks(Watcher(stop_after=2)).fit(BAGS, LABELS)
    assert stopped.n_iter_ == 2


class Impatient(Watcher):
    """Sends Ctrl-C after some rounds."""

    def on_fit_task_end(self, estimator, context, *, metadata):
        if metadata and metadata["figures"]["epoch"] == 2:
            raise KeyboardInterrupt


def test_after_an_interruption_the_model_is_that_of_the_last_round():
    model = VGPMIL(inducing=10, iterations=9).set_callbacks(Impatient())
    with pytest.raises(KeyboardInterrupt):
        model.fit(BAGS, LABELS)
    two = VGPMIL(inducing=10, iterations=2).fit(BAGS, LABELS)
    p = two.predict_proba(BAGS)
    np.testing.assert_array_equal(model.predict_proba(BAGS), p)


# -- files -----------------------------------------------------------------------------


@pytest.mark.parametrize("model", SMALL, **by_name)
def test_a_saved_model_says_the_same_bit_for_bit(model, tmp_path):
    fitted = clone(model).fit(BAGS, LABELS)
    fitted.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert type(again) is type(model) and repr(again) == repr(model)
    assert (again.predict_proba(BAGS) == fitted.predict_proba(BAGS)).all()
    assert (again.predict_instances(BAGS) == fitted.predict_instances(BAGS)).all()
    assert again.history_ == fitted.history_ and again.n_iter_ == fitted.n_iter_
    assert (again.covariance_ == fitted.covariance_).all()


def test_a_forged_factor_is_refused(tmp_path):
    clone(SMALL[0]).fit(BAGS, LABELS).save(tmp_path / "model")

    def flatten(values):
        values["root"] = np.zeros_like(values["root"])

    alter(tmp_path / "model", arrays=flatten)
    with pytest.raises(MiplError, match="its covariance is damaged"):
        load_model(tmp_path / "model")


# -- real bags -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "score", "least"),
    [(VWSGP, "accuracy", 0.80), (VGPMIL, "auc", 0.88), (LMVGPMIL, "auc", 0.84)],
)
def test_figures_on_elephant(kind, score, least, loaded):
    data = loaded("elephant", r=0)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    labels = np.asarray(data.labels)
    p = cross_val_predict(kind(), data.bags, labels, cv=folds, method="predict_proba")[
        :, 1
    ]
    truth = labels == np.unique(labels)[1]
    found = {"accuracy": ((p > 0.5) == truth).mean(), "auc": roc_auc_score(truth, p)}
    assert found[score] >= least
