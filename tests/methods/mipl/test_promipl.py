"""ProMIPL: arguments, its loss and label weights recomputed, images, learning."""

import math

import numpy as np
import pytest
import torch
from tests.methods.mipl.images import learns_images

from mipl import MiplError, ProMIPL, Training, load_dataset, method
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=12)


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        (
            {"entropy_weight": -1},
            "entropy_weight of ProMIPL must be a number >= 0; got -1.",
        ),
        (
            {"tau_decay": 1.1},
            "tau_decay of ProMIPL must be a number in [1e-06, 1]; got 1.1.",
        ),
        ({"tau": 0}, "tau of ProMIPL must be a number >= 1e-06; got 0."),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        ProMIPL(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def test_the_settings_of_the_program_are_the_defaults():
    model = ProMIPL().set_params(training__epochs=100)
    assert (model.training.lr, model.training.schedule) == (0.01, "cosine")
    assert (model.training.batch_size, model.training.clip) == (1, None)
    assert (model.tau, model.tau_min, model.tau_decay) == (5.0, 0.1, 0.95)


@pytest.mark.parametrize("data", ["mnist-mipl", "fmnist-mipl"])
def test_on_images_temperature_and_rate_stay(data):
    model = method("promipl", published_for=data)
    assert {model._tau_after(epoch) for epoch in range(101)} == {5.0}
    assert (model.training.lr, model.training.schedule) == (0.005, "constant")


@pytest.mark.parametrize("data", ["birdsong-mipl", "sival-mipl", "crc-mipl-sift"])
def test_on_vectors_both_fall_and_gradients_have_no_bound(data):
    model = method("promipl", published_for=data)
    assert (model.tau, model.tau_min, model.tau_decay) == (5.0, 0.1, 0.95)
    assert (model.training.schedule, model.training.clip) == ("cosine", None)


def test_the_temperature_falls_after_each_epoch():
    """The first has the starting one, and predictions have that after the last."""
    training = Training(epochs=4, dtype="float64")
    model = ProMIPL(tau=2.0, tau_min=0.6, tau_decay=0.5, width=6, training=training)
    model.fit(PROBLEM.bags, PROBLEM.y)
    assert [entry["tau"] for entry in model.history_] == [2.0, 1.0, 0.6, 0.6]
    assert model.tau_ == 0.6
    constant = ProMIPL(tau=2.0, tau_decay=1.0, width=6, training=training)
    constant.fit(PROBLEM.bags, PROBLEM.y)
    assert {entry["tau"] for entry in constant.history_} == {constant.tau_} == {2.0}


def test_the_loss_and_the_label_weights_of_an_epoch_recomputed():
    training = Training(epochs=2, batch_size=None, dtype="float64")
    model = ProMIPL(0.7, 1.3, width=6, dropout=0.0, training=training)
    seen = []
    loss = model._loss

    def spied(out, batch, w, clock):
        with torch.no_grad():
            q = out.latent.infer(out.z, w)
            s = out.latent.generate(out.z, out.latent.sample(q, out.u))
        seen.append([t.tolist() for t in (q, s, out.p.detach(), w, batch.bags)])
        return loss(out, batch, w, clock)

    model._loss = spied
    model.fit(PROBLEM.bags, PROBLEM.y)
    for entry, (qs, ss, ps, ws, _) in zip(model.history_, seen, strict=True):
        terms = np.zeros(3)
        for q, s, p, w in zip(qs, ss, ps, ws, strict=True):
            total = sum(math.exp(v) for v in s)
            for c in range(3):
                terms[0] -= q[c] * math.log(p[c])
                terms[2] -= 1.3 * w[c] * math.log(math.exp(s[c]) / total)
                if 0 < q[c] < 1:
                    entropy = q[c] * math.log(q[c]) + (1 - q[c]) * math.log(1 - q[c])
                    terms[1] += 0.7 * entropy / 3
        told = [entry[n] for n in ("classification", "entropy", "reconstruction")]
        np.testing.assert_allclose(told, terms / 12, atol=1e-9)
    # The last update: alpha is one half, and moves to the explanation of the set.
    _, ss, _, ws, bags = seen[-1]
    for s, w, bag in zip(ss, ws, bags, strict=True):
        kept = np.where(PROBLEM.candidates[bag], s, 0)
        expected = 0.5 * np.array(w) + 0.5 * kept / kept.sum()
        np.testing.assert_allclose(model.label_weights_[bag], expected, atol=1e-12)


def test_the_classifier_does_not_teach_the_inference():
    """q is a constant in the first term."""
    training = Training(epochs=1, batch_size=None, dtype="float64")
    model = ProMIPL(0.0, 0.0, width=6, training=training).fit(PROBLEM.bags, PROBLEM.y)
    for name, value in model.module_.latent.named_parameters():
        assert value.grad is None or not value.grad.any(), name


def test_draws_follow_the_seed_and_predictions_draw_nothing():
    fits = [
        ProMIPL(width=6, dropout=0.0, random_state=0, training=Training(epochs=2)).fit(
            PROBLEM.bags, PROBLEM.y
        )
        for _ in range(2)
    ]
    first, second = (fit.predict_proba(PROBLEM.bags) for fit in fits)
    assert (first == second).all()
    assert (fits[0].predict_proba(PROBLEM.bags) == first).all()


def test_images():
    learns_images(ProMIPL(width=4))


def test_it_learns_from_candidates():
    train, test = load_dataset("synthetic", r=1).split(0)
    training = Training(epochs=20, lr=0.05, batch_size=4)
    model = ProMIPL(training=training).fit(train.bags, train.candidates)
    assert model.score(test.bags, test.labels) > 3 / len(train.classes)
