"""A saved model comes back bit for bit."""

import numpy as np
import pytest
import torch
from sklearn.base import clone

from mipl import MIPLMA, Bags, MiplError, Training, load_model
from mipl.data.features import Features
from mipl.errors import BadFile
from mipl.methods.saving.model_file import CARD, FACTS, VALUES

QUICK = Training(epochs=2, batch_size=4)


def round_trip(model, folder, encoder=None):
    model.save(folder)
    return load_model(folder, encoder=encoder)


# -- the same again --------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        MIPLMA(training=QUICK),
        MIPLMA.released(training=QUICK, random_state=3),
        MIPLMA.paper(training=QUICK),
        MIPLMA(training=Training(epochs=2, dtype="float64")),
        MIPLMA(training=Training(epochs=3, stop_on="covering_rate", holdout=0.5)),
        MIPLMA(scaling="none", width=np.int64(5), lam=np.float32(0.25), training=QUICK),
        MIPLMA(),
    ],
    ids=["ours", "released", "paper", "float64", "stopped", "odd", "untouched"],
)
def test_a_loaded_model_says_the_same_bit_for_bit(tmp_path, model, made, assert_same):
    data = made()
    model.fit(data.bags, data.candidates)
    again = round_trip(model, tmp_path / "model")
    assert_same(model, again, data)
    assert type(again.training) is type(model.training)


@pytest.mark.parametrize("names", [(2, 0, 7), (1.5, 2.0, 3.25), ("é|`", "", "日本")])
def test_class_names_keep_type_and_order(tmp_path, names, made, assert_same):
    data = made(names)
    model = MIPLMA(training=QUICK).fit(data.bags, data.candidates)
    assert_same(model, round_trip(model, tmp_path / "model"), data)


def test_images_and_their_shape_come_back(tmp_path, made, assert_same):
    data = made(shape=(1, 28, 28))
    model = MIPLMA(training=QUICK).fit(data.bags, data.candidates)
    again = round_trip(model, tmp_path / "model")
    assert again.instance_shape_ == (1, 28, 28)
    assert_same(model, again, data)


@pytest.mark.parametrize("by", ["labels", "candidates"])
def test_calibration_comes_back(tmp_path, by, made, assert_same):
    data = made()
    model = MIPLMA(training=QUICK).fit(data.bags, data.candidates)
    model.calibrate(data.bags, **{by: getattr(data, by)})
    again = round_trip(model, tmp_path / "model")
    assert again.temperature_ == model.temperature_
    assert_same(model, again, data)
    for alpha in (0.15, 0.3, 0.6):
        sets = model.predict_set(data.bags, alpha)
        assert (sets == again.predict_set(data.bags, alpha)).all()


def test_records_of_bags_come_back(tmp_path, made):
    data = made()
    model = MIPLMA(training=Training(epochs=3, record_bags=(1, 4)))
    model.fit(data.bags, data.candidates)
    again = round_trip(model, tmp_path / "model")
    assert len(again.record_) == len(model.record_) == 3
    for one, other in zip(model.record_, again.record_, strict=True):
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[name], other[name]) for name in one)


def test_a_frame_of_single_instances_keeps_its_feature_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"red": [0.0, 1.0, 2.0], "blue": [1.0, 0.0, 1.0]})
    model = MIPLMA(training=QUICK).fit(frame, ["a", "b", "a"])
    again = round_trip(model, tmp_path / "model")
    assert again.feature_names_in_.tolist() == ["red", "blue"]
    assert (again.predict_proba(frame) == model.predict_proba(frame)).all()
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame[["blue", "red"]])


def test_a_random_state_of_the_caller_is_saved_as_none(tmp_path, made):
    data = made()
    model = MIPLMA(training=QUICK, random_state=np.random.RandomState(0))
    again = round_trip(model.fit(data.bags, data.candidates), tmp_path / "model")
    assert again.random_state is None
    assert (again.predict(data.bags) == model.predict(data.bags)).all()


def test_a_loaded_model_can_be_cloned_saved_and_fitted_again(
    tmp_path, made, assert_same
):
    data = made()
    model = MIPLMA(training=QUICK, random_state=1).fit(data.bags, data.candidates)
    again = round_trip(model, tmp_path / "model")
    assert_same(model, round_trip(again, tmp_path / "again"), data)
    assert_same(model, clone(again).fit(data.bags, data.candidates), data)
    assert_same(model, again.fit(data.bags, data.candidates), data)


def test_the_same_model_gives_the_same_files(tmp_path, made):
    data = made()
    model = MIPLMA(training=QUICK).fit(data.bags, data.candidates)
    for name in "ab":
        model.save(tmp_path / name)
    for name in (VALUES, FACTS, CARD):
        one, other = ((tmp_path / folder / name).read_bytes() for folder in "ab")
        assert one == other


# -- an encoder of the user's own ------------------------------------------------------


def own_encoder(width=6):
    with torch.random.fork_rng():
        return torch.nn.Sequential(
            torch.nn.Linear(4, width), torch.nn.BatchNorm1d(width), torch.nn.ReLU()
        )


def test_an_own_encoder_is_given_again_and_filled_from_the_file(
    tmp_path, made, assert_same
):
    data = made()
    model = MIPLMA(encoder=own_encoder(), training=QUICK)
    model.fit(data.bags, data.candidates)
    with pytest.raises(MiplError, match="trained with an encoder of your own, torch"):
        round_trip(model, tmp_path / "model")
    again = load_model(tmp_path / "model", encoder=own_encoder())
    assert_same(model, again, data)


@pytest.mark.parametrize(
    "other", [own_encoder(5), torch.nn.Linear(3, 6), torch.nn.Linear(4, 6), "linear"]
)
def test_another_encoder_does_not_fit(tmp_path, other, made):
    data = made()
    model = MIPLMA(encoder=own_encoder(), training=QUICK)
    model.fit(data.bags, data.candidates).save(tmp_path / "model")
    with pytest.raises(BadFile, match="cannot be loaded"):
        load_model(tmp_path / "model", encoder=other)


def test_an_encoder_that_nobody_needs_is_refused(saved):
    with pytest.raises(MiplError, match="leave encoder out"):
        load_model(saved, encoder=own_encoder())


def test_names_and_source_of_features_come_back(tmp_path, made):
    data = made()
    names = [f"x{i}" for i in range(data.bags.n_features)]
    bags = Bags(data.bags, features=Features(names, "uni_v1", 20))
    model = MIPLMA(training=QUICK).fit(bags, data.candidates)
    again = round_trip(model, tmp_path / "model")
    assert again.feature_names_in_.tolist() == names
    assert again.feature_source_ == {"extractor": "uni_v1", "magnification": 20}
    with pytest.raises(MiplError, match="feature names should match"):
        again.predict(Bags(data.bags, features=names[::-1]))
