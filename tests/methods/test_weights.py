"""Weights of bags, against bags that are there twice or not at all."""

import numpy as np
import pytest
from tests.methods.settings import PARTIAL, TWO_CLASS, own_ids, small

from mipl import (
    ABMIL,
    MIPLMA,
    PRODEN,
    Degraded,
    Ensemble,
    MeanPooling,
    OneVsRest,
    Training,
    load_dataset,
)
from mipl.errors import MiplError
from mipl.objectives import weighted_log_loss

WITHOUT = ("miplgp", "m3pl", "pl-aggd", "pl-svm", *TWO_CLASS)
WEIGHING = [id for id in own_ids() if id not in WITHOUT]
# What these draw, or normalise, they draw or normalise for each bag that is there.
NOT_TWICE = (
    "fastmipl",
    "fastmipl-released",
    "uamipl",
    "promipl",
    "mivae",
    "proden-ma",
    "miplma-thorough",
)
TRAIN, TEST = load_dataset("synthetic", r=1).split(0)
WEIGHTS = np.random.default_rng(0).integers(0, 3, len(TRAIN)).astype(float)
FEW = Training(epochs=3, batch_size=None)


def made(id, whole=False):
    model = small(id, reduction="mean") if id in PARTIAL else small(id)
    if whole:  # Nothing is drawn, and every step sees all bags.
        wanted = {"training__batch_size": None, "dropout": 0.0, "unit_start": False}
        known = model.get_params()
        for name, value in wanted.items():
            for place in (name, f"estimator__{name}"):
                if place in known or place.partition("training__")[0] + "training" in (
                    known if "training__" in place else ()
                ):
                    model.set_params(**{place: value})
    return model


def proba(model, rows=slice(None), **more):
    bags, sets = TRAIN.bags[rows], TRAIN.candidates[rows]
    return model.fit(bags, sets, **more).predict_proba(TEST.bags)


@pytest.mark.parametrize("id", WEIGHING)
def test_uniform_weights_are_the_bits_of_none(id):
    weighed = proba(made(id), sample_weight=np.full(len(TRAIN), 3.0))
    np.testing.assert_array_equal(weighed, proba(made(id)))


@pytest.mark.parametrize("id", WEIGHING)
def test_bags_without_weight_are_as_absent(id):
    weighed = proba(made(id), sample_weight=WEIGHTS > 0)
    # Members of an ensemble are trained on stacked parameters where none has a weight.
    rounding = 1e-6 if id == "miplma-ensemble" else 0
    absent = proba(made(id), np.flatnonzero(WEIGHTS))
    np.testing.assert_allclose(weighed, absent, rtol=0, atol=rounding)


@pytest.mark.parametrize("id", [id for id in WEIGHING if id not in NOT_TWICE])
def test_a_bag_of_weight_2_is_a_bag_that_is_there_twice(id):
    rows = np.repeat(np.arange(len(TRAIN)), WEIGHTS.astype(int))
    weighed = proba(made(id, whole=True), sample_weight=WEIGHTS)
    np.testing.assert_allclose(weighed, proba(made(id, whole=True), rows), atol=2e-6)
    assert np.abs(weighed - proba(made(id, whole=True))).max() > 1e-4


@pytest.mark.parametrize("id", NOT_TWICE)
def test_weights_of_the_others_are_used(id):
    weights = np.where(np.arange(len(TRAIN)) % 2, 5.0, 1.0)
    assert np.abs(proba(made(id), sample_weight=weights) - proba(made(id))).max() > 1e-5


@pytest.mark.parametrize("id", WITHOUT)
@pytest.mark.parametrize("option", ["sample_weight", "class_weight", "validation"])
def test_others_refuse_what_they_cannot_do(id, option):
    with pytest.raises(MiplError, match=f"cannot .*; leave {option} out"):
        proba(made(id), **{option: np.ones(len(TRAIN))})


def test_label_weights_keep_a_row_per_bag():
    model = MIPLMA(training=FEW)
    proba(model, sample_weight=WEIGHTS)
    assert model.label_weights_.shape == TRAIN.candidates.matrix.shape
    absent = WEIGHTS == 0
    first = TRAIN.candidates.initial_weights()
    np.testing.assert_array_equal(model.label_weights_[absent], first[absent])
    assert np.abs(model.label_weights_ - first)[~absent].max() > 1e-4


def test_scaling_counts_instances_as_their_bags():
    model = ABMIL(training=FEW)
    proba(model, sample_weight=WEIGHTS)
    rows = np.repeat(np.arange(len(TRAIN)), WEIGHTS.astype(int))
    x = TRAIN.bags[rows].instances.astype(np.float64)
    scaling = model.module_.scaling
    np.testing.assert_allclose(scaling.mean, x.mean(axis=0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(scaling.scale, x.std(axis=0), rtol=1e-5)


class Deaf(ABMIL):
    """A method whose loss averages without asking for weights."""

    def _loss(self, out, batch, w, clock):
        return {"loss": weighted_log_loss(out.log_p, w).mean(-1)}


def test_a_loss_that_does_not_weigh_is_told():
    with pytest.raises(MiplError, match="loss of Deaf does not weigh bags"):
        proba(Deaf(training=FEW), sample_weight=WEIGHTS)


@pytest.mark.parametrize(
    "wrapped",
    [
        Degraded(PRODEN(training=FEW)),
        Ensemble(ABMIL(training=FEW, dropout=0.0), n=2),
    ],
    ids=["degraded", "ensemble"],
)
def test_wrappers_pass_weights_on(wrapped):
    rows = np.repeat(np.arange(len(TRAIN)), WEIGHTS.astype(int))
    weighed = proba(wrapped, sample_weight=WEIGHTS)
    np.testing.assert_allclose(weighed, proba(wrapped, rows), atol=2e-6)
    assert np.abs(weighed - proba(wrapped)).max() > 1e-4


def test_a_wrapper_of_a_method_that_cannot_is_told():
    with pytest.raises(MiplError, match="OneVsRest cannot weigh bags"):
        proba(OneVsRest(ABMIL(training=FEW)), sample_weight=WEIGHTS)


# -- classes --------------------------------------------------------------------------


def test_a_bag_counts_as_its_candidates_do():
    model, classes = ABMIL(training=FEW), TRAIN.candidates.classes
    given = {classes[0]: 4.0, classes[2]: 0.5}
    of_class = np.array([given.get(name, 1.0) for name in classes])
    each = TRAIN.candidates.initial_weights() @ of_class
    by_class = proba(model, class_weight=given)
    np.testing.assert_array_equal(by_class, proba(model, sample_weight=each))
    both = proba(model, class_weight=given, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(both, proba(model, sample_weight=each * WEIGHTS))


def test_balanced_gives_classes_the_same_share():
    labels = np.array([0] * 30 + [1] * 10)
    bags = np.random.default_rng(0).normal(size=(40, 3, 2))
    model = MeanPooling()
    balanced = model.fit(bags, labels, class_weight="balanced").predict_proba(bags)
    weights = {0: 40 / (2 * 30), 1: 40 / (2 * 10)}
    told = model.fit(bags, labels, class_weight=weights).predict_proba(bags)
    np.testing.assert_allclose(balanced, told, atol=1e-12)
    plain = model.fit(bags, labels).predict_proba(bags)
    assert (balanced[:, 1] > plain[:, 1]).all()


# -- mistakes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"sample_weight": [1.0, 2.0]}, r"one per bag; got an array of shape \(2,\)"),
        ({"sample_weight": "heavy"}, "sample_weight must be"),
        ({"sample_weight": -np.ones(len(TRAIN))}, "that of bag 0 is -1"),
        ({"sample_weight": np.full(len(TRAIN), np.nan)}, "that of bag 0 is nan"),
        ({"sample_weight": np.zeros(len(TRAIN))}, "every sample_weight is zero"),
        ({"class_weight": "even"}, "'balanced' or a mapping"),
        ({"class_weight": {"oak": 1}}, "class_weight names 'oak'; the classes are"),
        ({"class_weight": {0: -1.0}}, "finite numbers of at least 0"),
        ({"class_weight": {0: "much"}}, "finite numbers of at least 0"),
    ],
)
def test_mistakes_are_sentences(given, told):
    with pytest.raises(MiplError, match=told):
        proba(MIPLMA(training=FEW), **given)


def test_an_unknown_option_is_no_option():
    with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
        proba(MIPLMA(training=FEW), weight=WEIGHTS)


def test_what_cannot_be_weighed_is_told():
    by_epoch = MIPLMA(margin="epoch", training=Training(epochs=2, batch_size=8))
    with pytest.raises(MiplError, match="margins over a whole epoch cannot be weighed"):
        proba(by_epoch, sample_weight=WEIGHTS + 1)
    recorded = MIPLMA(training=Training(epochs=2, record_bags=(0,)))
    with pytest.raises(MiplError, match="record_bags of Training counts all bags"):
        proba(recorded, sample_weight=WEIGHTS)


def test_a_checkpoint_of_other_weights_is_refused(tmp_path):
    model = MIPLMA(training=Training(epochs=2))
    proba(model, checkpoint=tmp_path / "state", sample_weight=WEIGHTS + 1)
    with pytest.raises(MiplError, match="weights of bags"):
        proba(model, checkpoint=tmp_path / "state", sample_weight=WEIGHTS + 2)
