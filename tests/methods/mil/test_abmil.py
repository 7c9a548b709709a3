"""ABMIL and GatedABMIL: attention and loss recomputed, heads, copies, images."""

import math

import numpy as np
import pytest
import torch
from tests.methods.mil.recorded import visits
from tests.methods.mipl.images import learns_images

from mipl import (
    ABMIL,
    Bags,
    GatedABMIL,
    MiplError,
    Training,
    fit_together,
    load_dataset,
)
from mipl.nn import GatedScore
from mipl.nn.attention import PlainScore
from mipl.nn.initialisation import initialise
from mipl.testing.checks.problem import make_problem

FORMS = (ABMIL, GatedABMIL)
PROBLEM = make_problem(n_bags=12)
TWO = make_problem(n_bags=12, names=(0, 1))


def quick(**settings):
    usual = {"epochs": 3, "optimiser": "adam", "lr": 0.01, "dtype": "float64"}
    return Training(**(usual | settings))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        (
            {"head": "tanh"},
            "head of {} must be one of 'softmax', 'sigmoid'; got 'tanh'.",
        ),
        (
            {"attention_width": 0},
            "attention_width of {} must be an integer >= 1; got 0.",
        ),
        (
            {"width": ()},
            "width of {} must be an integer >= 1 or several of them; got ().",
        ),
        (
            {"head": "sigmoid"},
            "head='sigmoid' of {} is for two classes; these are 3: take "
            "head='softmax', or OneVsRest around it.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(form, argument, sentence):
    with pytest.raises(MiplError) as refused:
        form(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence.format(form.__name__)


def test_a_gate_of_zeros_gives_half_the_plain_scores():
    plain = PlainScore(5, 4)
    gated = GatedScore(5, 4, shared=False, head="linear", bias=True)
    for score in (plain, gated):
        initialise(score, 1)
    with torch.no_grad():
        gated.gate.load_state_dict(plain.gate.state_dict())
        gated.score_out.load_state_dict(plain.score_out.state_dict())
        for zero in (
            plain.score_out.bias,
            gated.score_out.bias,
            gated.gate_sigmoid.weight,
            gated.gate_sigmoid.bias,
        ):
            zero.zero_()
        h = torch.randn(7, 5, generator=torch.Generator().manual_seed(0))
        torch.testing.assert_close(gated(h), plain(h) / 2)


@pytest.mark.parametrize("form", FORMS)
def test_attention_is_the_formula_of_the_paper(form):
    model = form(attention_width=4, width=6, training=quick())
    model.fit(PROBLEM.bags, PROBLEM.y)
    module = model.module_
    value = {
        name: p.detach().numpy() for name, p in module.attention.named_parameters()
    }

    def affine(layer, x):
        return x @ value[f"score.{layer}.weight"].T + value[f"score.{layer}.bias"]

    for bag in PROBLEM.bags:
        h = module.embed(torch.tensor(bag).double()).detach().numpy()
        hidden = np.tanh(affine("gate", h))
        if form is GatedABMIL:
            hidden = hidden / (1 + np.exp(-affine("gate_sigmoid", h)))
        scores = np.exp(affine("score_out", hidden)[:, 0])
        found = model.attend([bag])
        np.testing.assert_allclose(found, scores / scores.sum(), atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("head", ["softmax", "sigmoid"])
def test_the_losses_of_the_copies_of_a_bag_add_up(form, head):
    """Of a bag with candidates {0, 1}, one copy has the label 0 and one the label 1."""
    training = quick(batch_size=5)
    model = form(width=6, head=head, dropout=0.0, training=training)
    seen = visits(model, TWO.bags, TWO.y)
    assert TWO.candidates.all(axis=1).any()
    assert len(seen) == 9  # Three epochs of three steps.
    losses = [0.0] * 3
    for step, (out, batch, _) in enumerate(seen):
        rows = zip(out.p.tolist(), batch.candidates.tolist(), strict=True)
        for p, inside in rows:
            for label in (0, 1):
                if inside[label]:  # A copy with this label.
                    losses[step // 3] -= math.log(p[label]) / 12
    for entry, expected in zip(model.history_, losses, strict=True):
        assert math.isclose(entry["loss"], expected, rel_tol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_copies_together_are_copies_in_one_step(form):
    """All bags at once: candidate sets, and each bag repeated, give the same model."""
    sets = [set(np.flatnonzero(inside).tolist()) for inside in TWO.candidates]
    pairs = [(bag, c) for bag, s in zip(TWO.bags, sets, strict=True) for c in s]
    training = Training(
        epochs=4, lr=0.1, batch_size=None, clip=None, weight_decay=0.0, dtype="float64"
    )
    model = form(width=6, dropout=0.0, scaling="none", training=training)
    once = model.fit(TWO.bags, sets).predict_proba(TWO.bags)
    # The mean is over copies there, and over bags here.
    model.set_params(training__lr=0.1 * len(pairs) / len(sets))
    model.fit([bag for bag, _ in pairs], [c for _, c in pairs])
    np.testing.assert_allclose(model.predict_proba(TWO.bags), once, atol=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_label_weights_stay_even_on_the_candidates(form):
    model = form(width=6, training=quick()).fit(PROBLEM.bags, PROBLEM.y)
    even = PROBLEM.candidates / PROBLEM.candidates.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.label_weights_, even, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_a_bag_beside_longer_bags_is_as_alone(form):
    model = form(width=6, training=quick()).fit(PROBLEM.bags, PROBLEM.y)
    mixed = [PROBLEM.bags[0][:1], np.concatenate(PROBLEM.bags), PROBLEM.bags[3]]
    together, attention = model.predict_proba(mixed), model.attend(mixed)
    apart = [model.predict_proba([bag])[0] for bag in mixed]
    np.testing.assert_allclose(together, apart, atol=1e-12)
    alone = np.concatenate([model.attend([bag]) for bag in mixed])
    np.testing.assert_allclose(attention, alone, atol=1e-12)
    assert attention[0] == 1.0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("head", ["softmax", "sigmoid"])
def test_one_and_two_outputs_learn_two_classes(form, head):
    """As a learner of one-vs-rest is asked: classes 0 and 1."""
    train, test = load_dataset("synthetic", r=0).split(0)
    labels = [(part.labels == train.classes[0]).astype(int) for part in (train, test)]
    training = quick(epochs=15, batch_size=8, dtype="float32")
    model = form(width=32, head=head, training=training).fit(train.bags, labels[0])
    assert model.classes_.tolist() == [0, 1]
    p = model.predict_proba(test.bags)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    assert model.score(test.bags, labels[1]) > 0.9


def test_several_layers_as_on_the_classical_sets():
    model = ABMIL(width=(9, 7, 5), training=quick()).fit(PROBLEM.bags, PROBLEM.y)
    d = PROBLEM.bags[0].shape[1]
    shapes = [tuple(p.shape) for p in model.module_.encoder.parameters()]
    assert shapes == [(9, d), (9,), (7, 9), (7,), (5, 7), (5,)]
    assert model.transform(PROBLEM.bags).shape == (12, 5)


@pytest.mark.parametrize("form", FORMS)
def test_images(form):
    learns_images(form(width=4, attention_width=3))


@pytest.mark.parametrize("form", FORMS)
def test_folds_are_fitted_together_to_the_same(form):
    bags = Bags(PROBLEM.bags)
    parts = [np.flatnonzero(np.arange(12) != i) for i in range(3)]
    problems = [(bags[part], PROBLEM.y[part]) for part in parts]
    models = [form(width=(6, 4), training=quick(), random_state=i) for i in range(3)]
    fit_together(models, problems)
    for i, (model, problem) in enumerate(zip(models, problems, strict=True)):
        alone = form(width=(6, 4), training=quick(), random_state=i).fit(*problem)
        np.testing.assert_allclose(
            model.predict_proba(bags), alone.predict_proba(bags), atol=1e-9
        )
