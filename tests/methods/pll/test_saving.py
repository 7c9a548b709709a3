"""Partial-label models come back from files bit for bit."""

import numpy as np
import pytest
import torch
from tests.methods.pll.problem import problem
from tests.methods.settings import PARTIAL, small

from mipl import PRODEN, Candidates, Degraded, MiplError, Training, load_model

X, SETS, _ = problem()
NAMES = Candidates(SETS, classes=["ash", "elm", "oak"])
BAGS = [X[i : i + 1 + i % 3] for i in range(30)]


def assert_same(one, other, rows):
    assert type(one) is type(other) and repr(one) == repr(other)
    assert (one.predict_proba(rows) == other.predict_proba(rows)).all()
    assert (one.predict(rows) == other.predict(rows)).all()
    assert (one.label_weights_ == other.label_weights_).all()
    assert one.history_ == other.history_
    assert one.classes_.tolist() == other.classes_.tolist()


@pytest.mark.parametrize("id", PARTIAL)
def test_a_saved_model_says_the_same_bit_for_bit(id, tmp_path):
    model = small(id, random_state=1).fit(X, NAMES)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert_same(model, again, X)
    assert again.n_iter_ == model.n_iter_
    assert (again.disambiguated_ == model.disambiguated_).all()


@pytest.mark.parametrize("id", PARTIAL)
def test_a_saved_bag_method_says_the_same_bit_for_bit(id, tmp_path):
    model = small(id, reduction="maxmin", random_state=1).fit(BAGS, NAMES[:30])
    model.calibrate(BAGS, candidates=NAMES[:30])
    model.save(tmp_path / "model")
    assert_same(model, load_model(tmp_path / "model"), BAGS)
    card = (tmp_path / "model" / "README.md").read_text()
    names = type(model.estimator).__doc__.partition("References")[2].split()[1:3]
    assert " ".join(names) in card, "the card tells what to cite"


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_backbone_of_the_users_is_asked_for_and_filled(wrapped, tmp_path):
    def layers(seed):
        torch.manual_seed(seed)
        return torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh())

    with torch.random.fork_rng():
        own, other = layers(0), layers(1)
    inner = PRODEN(backbone=own, training=Training(epochs=2))
    model = (Degraded(inner) if wrapped else inner).fit(X, NAMES)
    model.save(tmp_path / "model")
    with pytest.raises(MiplError, match="trained with an encoder of your own"):
        load_model(tmp_path / "model")
    again = load_model(tmp_path / "model", encoder=other)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
