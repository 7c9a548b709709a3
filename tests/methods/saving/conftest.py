"""Models small enough to be trained, saved and damaged in no time."""

from dataclasses import dataclass

import numpy as np
import pytest

from mipl import MIPLMA, Bags, Candidates, Training
from mipl.seeds import stream

QUICK = Training(epochs=2, batch_size=4)


@dataclass
class Data:
    """A dozen bags of three classes."""

    bags: Bags
    candidates: Candidates
    labels: np.ndarray


def made_bags(names=("elm", "oak", "yew"), shape=None):
    rng = stream(5, "persist")
    d = 784 if shape else 4
    labels = np.array(names)[np.arange(12) % 3]
    bags = [rng.normal(size=(1 + i % 4, d)) + i % 3 for i in range(12)]
    sets = [{label, names[i % 2]} for i, label in enumerate(labels.tolist())]
    return Data(Bags(bags, instance_shape=shape), Candidates(sets, names), labels)


def compare(one, other, data):
    """Compare all that a model has learnt and all that it says, bit for bit."""
    assert (one.predict_proba(data.bags) == other.predict_proba(data.bags)).all()
    assert (one.predict(data.bags) == other.predict(data.bags)).all()
    assert (one.attend(data.bags) == other.attend(data.bags)).all()
    assert (one.transform(data.bags) == other.transform(data.bags)).all()
    instances = one.predict_instances(data.bags)
    assert (instances == other.predict_instances(data.bags)).all()
    assert (one.label_weights_ == other.label_weights_).all()
    assert one.classes_.dtype == other.classes_.dtype
    assert one.classes_.tolist() == other.classes_.tolist()
    for name in ("n_features_in_", "instance_shape_", "tau_", "n_iter_", "history_"):
        assert getattr(one, name) == getattr(other, name), name
    ours, others = one.get_params(), other.get_params()
    for both in (ours, others):
        both.pop("training")
        both.pop("encoder")
    assert ours == others


@pytest.fixture(scope="session")
def made():
    """Return what makes a dozen bags of three classes."""
    return made_bags


@pytest.fixture(scope="session")
def assert_same():
    """Return what compares two models, bit for bit."""
    return compare


@pytest.fixture(scope="session")
def fitted():
    """Return a trained and calibrated model, which tests must leave as it is."""
    data = made_bags()
    model = MIPLMA(training=QUICK, random_state=4).fit(data.bags, data.candidates)
    return model.calibrate(data.bags, labels=data.labels)


@pytest.fixture
def saved(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    return tmp_path / "model"
