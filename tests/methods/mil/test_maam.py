"""MAAM: MIPLMA's attention on true labels, its temperature, both readings."""

import math

import numpy as np
import pytest
import torch
from tests.methods.mil.recorded import visits
from tests.methods.mipl.images import learns_images

from mipl import MAAM, MIPLMA, MiplError, Training, load_model
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=12, sizes=(3, 1, 4, 2, 7))
FORMS = ("released", "paper")


def quick(**settings):
    usual = {"epochs": 3, "lr": 0.05, "batch_size": 4, "clip": None, "dtype": "float64"}
    return Training(**(usual | settings))


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        (
            {"attention": "ours"},
            "attention of MAAM must be one of 'released', 'paper'; got 'ours'.",
        ),
        ({"tau": 0.05}, "tau 0.05 must not lie below tau_min 0.1."),
        ({"lam": -1}, "lam of MAAM must be a number >= 0; got -1."),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        MAAM(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def test_the_temperature_reaches_its_floor_after_77_epochs():
    model = MAAM()
    assert model._tau_after(0) == model._clock(1, 100).tau == 5.0
    assert model._tau_after(76) > 0.1
    assert model._tau_after(77) == model._tau_after(100) == 0.1
    assert MAAM(tau_min=0.5)._tau_after(45) == 0.5 < MAAM(tau_min=0.5)._tau_after(44)


def test_the_temperature_of_the_end_is_kept_with_the_model(tmp_path):
    model = MAAM(width=4, training=quick()).fit(PROBLEM.bags, PROBLEM.y)
    model.save(tmp_path / "model")
    for kept in (model, load_model(tmp_path / "model")):
        assert math.isclose(kept.tau_, 5 * 0.95**3)


@pytest.mark.parametrize("form", FORMS)
def test_weights_sum_to_one_as_released_and_to_zero_as_written(form):
    model = MAAM(form, width=6, training=quick()).fit(PROBLEM.bags, PROBLEM.y)
    for bag in PROBLEM.bags:
        a = model.attend([bag])
        assert np.isfinite(a).all()
        total = 1.0 if form == "released" or len(a) == 1 else 0.0
        assert a.sum() == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_single_instances_are_learnt_and_predicted(form):
    rows = [bag[:1] for bag in PROBLEM.bags]
    model = MAAM(form, width=6, training=quick()).fit(rows, PROBLEM.labels)
    assert np.isfinite(model.predict_proba(rows)).all()
    assert all(math.isfinite(entry["loss"]) for entry in model.history_)


@pytest.mark.parametrize("lam", [0.0, 0.3])
def test_on_true_labels_it_is_miplmas_program(lam):
    settings = {"lam": lam, "width": 6, "training": quick(), "random_state": 0}
    model = MAAM(**settings).fit(PROBLEM.bags, PROBLEM.labels)
    whole = MIPLMA.released(**settings).fit(PROBLEM.bags, PROBLEM.labels)
    ours, theirs = model.module_.state_dict(), whole.module_.state_dict()
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        torch.testing.assert_close(ours[name], value, rtol=1e-9, atol=1e-11)
    assert ("margin" in model.history_[0]) == (lam > 0)


def test_the_losses_of_the_copies_of_a_bag_add_up():
    model = MAAM(width=6, dropout=0.0, training=quick(batch_size=None))
    seen = visits(model, PROBLEM.bags, PROBLEM.y)
    for entry, (out, batch, _) in zip(model.history_, seen, strict=True):
        rows = zip(out.p.tolist(), batch.candidates.tolist(), strict=True)
        expected = -sum(
            math.log(value)
            for p, inside in rows
            for value, held in zip(p, inside, strict=True)
            if held
        )
        assert math.isclose(entry["loss"], expected / 12, rel_tol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_images(form):
    learns_images(MAAM(form, width=4))
