"""CDL: its six variants, its schedule of label weights, images, what it learns."""

from itertools import product

import numpy as np
import pytest
from tests.methods.mipl.images import learns_images

from mipl import CDL, MiplError, Training, load_dataset
from mipl.nn.attention import MarginAttention, SigmoidAttention
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=12)
VARIANTS = list(product(("dam", "sam", "mam"), ("cc", "cn")))


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        (
            {"attention": "best"},
            "attention of CDL must be one of 'mam', 'sam', 'dam'; got 'best'.",
        ),
        ({"contrast": "nn"}, "contrast of CDL must be one of 'cn', 'cc'; got 'nn'."),
        ({"gamma": -1}, "gamma of CDL must be a number >= 0; got -1."),
        ({"tau": 0.01}, "tau 0.01 must not lie below tau_min 0.1."),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        CDL(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(("attention", "contrast"), VARIANTS)
def test_each_variant_has_its_own_attention_and_loss(attention, contrast):
    bags = tuple(range(12))
    training = Training(
        epochs=2, lr=1e-9, batch_size=None, dtype="float64", record_bags=bags
    )
    model = CDL(attention, contrast, width=6, dropout=0.0, training=training)
    model.fit(PROBLEM.bags, PROBLEM.y)
    kind = SigmoidAttention if attention == "dam" else MarginAttention
    assert type(model.module_.attention) is kind
    if attention != "dam":
        z_scores = {"mam": "scores", "sam": "none"}[attention]
        assert model.module_.attention.standardise == z_scores
    # With such a learning rate the network stays where it was.
    model.tau_ = model.tau if attention == "mam" else 1.0
    p = model.predict_proba(PROBLEM.bags)
    losses = []
    for row, sets in zip(p, PROBLEM.candidates, strict=True):
        first, second = sorted(row[sets])[::-1]
        other = second if contrast == "cc" else row[~sets].max()
        losses.append(-(1 - first + other) * 0.5 * np.log(row[sets]).sum())
    assert np.isclose(model.history_[0]["loss"], np.mean(losses), rtol=1e-6)
    assert model.history_[0]["tau"] == (5.0 if attention == "mam" else 1.0)


def test_label_weights_are_even_in_the_first_epoch_and_follow_the_paper_then():
    """alpha_t = (T - t) / T from the second epoch on, and weights before the loss."""
    bags = tuple(range(12))
    training = Training(epochs=4, batch_size=5, dtype="float64", record_bags=bags)
    model = CDL(width=6, training=training).fit(PROBLEM.bags, PROBLEM.y)
    even = PROBLEM.candidates / 2
    np.testing.assert_allclose(model.record_[0]["label_weights"], even)
    assert np.abs(model.record_[1]["label_weights"] - even).max() > 1e-3
    assert [entry["alpha"] for entry in model.history_] == [1.0, 0.5, 0.25, 0.0]
    assert model.update_first


def test_probabilities_are_not_capped():
    """Without a sigmoid before the softmax a class may become certain."""
    train, _ = load_dataset("synthetic", r=1).split(0)
    training = Training(epochs=15, batch_size=4, lr=0.05)
    model = CDL("sam", training=training).fit(train.bags, train.candidates)
    k = len(train.classes)
    assert model.predict_proba(train.bags).max() > np.e / (np.e + k - 1) + 0.2


@pytest.mark.parametrize("attention", ["dam", "sam", "mam"])
def test_images(attention):
    learns_images(CDL(attention, width=4))


@pytest.mark.parametrize(("attention", "contrast"), VARIANTS)
def test_every_variant_learns_from_candidates(attention, contrast):
    train, test = load_dataset("synthetic", r=1).split(0)
    training = Training(epochs=10, batch_size=4, lr=0.05)
    model = CDL(attention, contrast, training=training)
    model.fit(train.bags, train.candidates)
    assert model.score(test.bags, test.labels) > 2 / len(train.classes)
