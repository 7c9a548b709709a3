"""BagLearner: methods of the library put together from parts, to the bit."""

import numpy as np
import pytest
import torch

import mipl
from mipl import BagLearner, MiplError, Training
from mipl.parts import (
    AttentionEntropy,
    CalibratableLoss,
    InhibitionLoss,
    MarginLoss,
    SigmoidWeights,
    SoftmaxWeights,
    SparsityLoss,
)
from mipl.testing import check_bag_classifier

ONE_BAG = {"lr": 0.01, "clip": None, "batch_size": 1}
ADAM = {
    "optimiser": "adam",
    "lr": 5e-4,
    "weight_decay": 1e-4,
    "clip": None,
    "schedule": "constant",
    "batch_size": 1,
}


def trained(model, **settings):
    """The same with few epochs, and a seed."""
    settings = {"epochs": 4, **settings}
    return model.set_params(training=Training(**settings), random_state=3)


def miplma():
    return BagLearner(), mipl.MIPLMA(), {"lr": 0.1, "batch_size": 32}


def elimipl():
    learner = BagLearner(
        attention="additive",
        head="sigmoid-softmax",
        loss=["log", SparsityLoss(10.0), InhibitionLoss(10.0)],
        update="momentum",
        unit_start=False,
    )
    return learner, mipl.ELIMIPL(), ONE_BAG


def demipl():
    learner = BagLearner(
        attention="disambiguated",
        head="sigmoid-softmax",
        loss=["log", AttentionEntropy(1e-3)],
        update="momentum",
        unit_start=False,
        width=500,
    )
    return learner, mipl.DEMIPL(), ONE_BAG


def cdl():
    margin_aware = SoftmaxWeights(
        shared_gate=True,
        score_head="mlp",
        standardise="scores",
        scaled=True,
        tau=5.0,
        tau_lag=1,
    )
    learner = BagLearner(
        attention=margin_aware,
        loss="calibratable",
        update="momentum",
        schedule="held-first",
        update_first=True,
        unit_start=False,
    )
    return learner, mipl.CDL(), ONE_BAG


def abmil():
    learner = BagLearner(
        attention="plain", loss="repeated", update="none", unit_start=False
    )
    return learner, mipl.ABMIL(), ADAM


def released():
    """MIPLMA as its authors' program computes it."""
    learner = BagLearner(
        attention=SoftmaxWeights(
            shared_gate=True,
            score_head="mlp",
            standardise="scores",
            scaled=True,
            tau=5.0,
            tau_lag=1,
        ),
        head="sigmoid-softmax",
        loss=["log", MarginLoss(0.5, over="bag", scale=0.5, ddof=1)],
        update="momentum",
        unit_start=False,
    )
    return learner, mipl.MIPLMA.released(), ONE_BAG


@pytest.mark.parametrize("both", [miplma, elimipl, demipl, cdl, abmil, released])
def test_a_method_of_the_library_to_the_bit(both):
    learner, method, settings = both()
    data = mipl.load_dataset("synthetic", r=1, n_bags=40, seed=1)
    train, test = data.split(0)
    models = [trained(model, **settings) for model in (learner, method)]
    one, other = (model.fit(train.bags, train.candidates) for model in models)
    assert np.array_equal(one.predict_proba(test.bags), other.predict_proba(test.bags))
    assert np.array_equal(one.label_weights_, other.label_weights_)
    assert np.array_equal(one.attend(test.bags), other.attend(test.bags))
    assert [e["loss"] for e in one.history_] == [e["loss"] for e in other.history_]
    assert len({e["loss"] for e in one.history_}) == 4  # Something moved.


@pytest.mark.parametrize("both", [miplma, elimipl, demipl, cdl, abmil, released])
def test_weights_of_bags_count_as_in_the_method(both):
    learner, method, settings = both()
    train, test = mipl.load_dataset("synthetic", r=1, n_bags=40, seed=1).split(0)
    weights = np.arange(len(train)) % 3 + 0.5
    one, other = (
        trained(model, **settings).fit(
            train.bags, train.candidates, sample_weight=weights
        )
        for model in (learner, method)
    )
    assert np.array_equal(one.predict_proba(test.bags), other.predict_proba(test.bags))
    plain = trained(both()[0], **settings).fit(train.bags, train.candidates)
    assert np.abs(one.predict_proba(test.bags) - plain.predict_proba(test.bags)).any()


def uneven(out, batch, w, clock):
    """How far probabilities are from even: one number, in which bags do not count."""
    return out.p.square().sum() / len(batch)


def by_bag(out, batch, w, clock):
    """The same, one for each bag."""
    return out.p.square().sum(dim=1)


@pytest.mark.filterwarnings("error")
def test_terms_that_do_not_weigh_bags_are_told_once():
    train, _ = mipl.load_dataset("synthetic", r=1, n_bags=40, seed=1).split(0)
    weights = np.arange(len(train)) % 3 + 0.5

    def fit(*losses, **given):
        training = mipl.Training(epochs=2, batch_size=8)
        model = mipl.BagLearner(loss=losses, training=training)
        return model.fit(train.bags, train.candidates, **given)

    with pytest.warns(UserWarning, match="alike in 'uneven' of the loss of Ba") as told:
        mixed = fit("log", uneven, sample_weight=weights)
    assert len(told) == 1
    fit("log", uneven)
    fit("log", by_bag, "margin", sample_weight=weights)
    with pytest.raises(MiplError, match="does not weigh bags"):
        fit(uneven, uneven, sample_weight=weights)
    # The other term weighs them all the same.
    plain = fit("log", uneven)
    assert np.abs(mixed.label_weights_ - plain.label_weights_).max() > 0


def half_log(out, batch, w, clock):
    """The log loss at half its weight, one number for each bag."""
    return -0.5 * (w * out.log_p).masked_fill(w == 0, 0.0).sum(-1)


def two_maps(width, n_classes):
    """A head with a hidden layer."""
    maps = [torch.nn.Linear(width, 8), torch.nn.ReLU(), torch.nn.Linear(8, n_classes)]
    return torch.nn.Sequential(*maps, torch.nn.LogSoftmax(dim=1))


def hard(out, batch, w, clock):
    """All weight to the likeliest candidate."""
    p = out.p * batch.candidates
    return torch.nn.functional.one_hot(p.argmax(-1), p.shape[-1]).to(w)


def quarter(epoch, epochs):
    return 0.25


@pytest.fixture
def small():
    return mipl.load_dataset("synthetic", r=1, n_bags=40)


def test_functions_stand_in_for_any_part(small):
    learner = BagLearner(
        attention=lambda width, k: SigmoidWeights().build(width, k),
        head=two_maps,
        loss=[half_log, half_log],
        update=hard,
        schedule=quarter,
    )
    model = trained(learner, lr=0.05, batch_size=8).fit(small.bags, small.candidates)
    weights = model.label_weights_
    assert set(np.unique(weights)) == {0.0, 1.0} and (weights.sum(1) == 1).all()
    last = model.history_[-1]
    assert last["half_log"] == pytest.approx(last["half_log 2"])
    assert last["loss"] == pytest.approx(2 * last["half_log"])


def test_a_loss_of_a_function_is_that_of_the_part(small):
    def log(out, batch, w, clock):
        return -(w * out.log_p.masked_fill(w == 0, 0.0)).sum(-1)

    pair = [BagLearner(loss=one, update="momentum") for one in ("log", log)]
    one, other = (trained(m).fit(small.bags, small.candidates) for m in pair)
    assert np.array_equal(
        one.predict_proba(small.bags), other.predict_proba(small.bags)
    )


def test_parts_are_saved_with_their_arguments(small, tmp_path):
    learner = trained(cdl()[0].set_params(loss=[CalibratableLoss("cc", 0.5)]))
    model = learner.fit(small.bags, small.candidates)
    model.save(tmp_path / "model")
    again = mipl.load_model(tmp_path / "model")
    assert again.attention.tau == 5.0 and again.loss[0].gamma == 0.5
    assert np.array_equal(
        again.predict_proba(small.bags), model.predict_proba(small.bags)
    )


def test_functions_are_named_in_files_and_must_be_given_again(small, tmp_path):
    learner = trained(BagLearner(loss=("log", half_log), head=two_maps))
    model = learner.fit(small.bags, small.candidates)
    model.save(tmp_path / "model")
    with pytest.raises(
        MiplError, match=r"function 'two_maps' .*functions=\[two_maps\]"
    ):
        mipl.load_model(tmp_path / "model")
    with pytest.raises(MiplError, match="function 'half_log'"):
        mipl.load_model(tmp_path / "model", functions=[two_maps])
    again = mipl.load_model(tmp_path / "model", functions=[half_log, two_maps])
    assert again.loss[1] is half_log
    assert np.array_equal(
        again.predict_proba(small.bags), model.predict_proba(small.bags)
    )
    model.loss = lambda out, batch, w, clock: 0
    with pytest.raises(
        MiplError, match="loss of BagLearner is a function without a na"
    ):
        model.save(tmp_path / "other")


@pytest.mark.usefixtures("own_methods_forgotten")
def test_an_id_of_parts_loads_where_it_is_registered(small, tmp_path):
    mipl.register(BagLearner, "halves", "Half a log loss.", loss=(half_log, "margin"))
    run = mipl.Run("halves", "digits-mipl", {"training__epochs": 2}, split=0)
    run.execute(tmp_path / "run")
    again = mipl.load_model(tmp_path / "run")
    assert again.loss == (half_log, "margin")
    assert "half_log" not in (tmp_path / "run/run.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"attention": "margn"}, "attention of BagLearner must be one of 'margin', "),
        ({"head": torch.nn.Linear(2, 2)}, "head of BagLearner must be one of 'softmax"),
        ({"attention": 3}, "attention of BagLearner must be .* or a function; got 3"),
        ({"loss": ()}, r"loss of BagLearner must have a term at least; got \(\)"),
        ({"loss": ("log", "lg")}, "loss of BagLearner must be one of 'log'.*got 'lg'"),
        ({"loss": MarginLoss(-1)}, "lam of MarginLoss must be a number >= 0; got -1"),
        ({"loss": lambda *a: 1.0}, "loss of BagLearner must return a number, or one"),
        ({"update": lambda o, b, w, c: w[:, 0]}, "must return label weights of w's sh"),
        ({"schedule": lambda t, n: 2}, "must return a number from 0 to 1; got 2"),
        ({"head": lambda width, k: 0}, "head of BagLearner must return a torch module"),
        ({"attention": lambda width, k: 0}, "must return an Attention of mipl.nn"),
    ],
)
def test_what_is_no_part_is_told_in_one_sentence(small, arguments, sentence):
    with pytest.raises(MiplError, match=sentence):
        trained(BagLearner(**arguments)).fit(small.bags, small.candidates)


def test_it_keeps_the_contract():
    quick = Training(epochs=6, lr=0.3, batch_size=32)
    check_bag_classifier(BagLearner(width=4, training=quick))
