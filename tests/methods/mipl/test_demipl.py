"""DEMIPL: arguments, readings, its loss recomputed, images, what it learns."""

import math

import numpy as np
import pytest
import torch
from tests.methods.mipl.images import images, learns_images

from mipl import DEMIPL, MiplError, Training, load_dataset
from mipl.nn.encoders import ConvEncoder
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=12)


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"lam": -1}, "lam of DEMIPL must be a number >= 0; got -1."),
        ({"alpha_lag": 2}, "alpha_lag of DEMIPL must be one of 0, 1; got 2."),
        (
            {"encoder": "none"},
            "encoder of DEMIPL must be one of 'auto', 'linear', 'conv', 'image' or a "
            "torch.nn.Module; got 'none'.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        DEMIPL(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def test_the_readings_differ_where_paper_and_program_differ():
    paper, released = DEMIPL.paper().get_params(), DEMIPL.released().get_params()
    expected = {
        "shared_gate": (False, True),
        "score_head": ("linear", "mlp"),
        "attention_bias": ("gates", True),
        "classifier": ("softmax", "sigmoid-softmax"),
        "update_first": (True, False),
        "alpha_lag": (0, 1),
        "dropout": (0.0, 0.5),
        "encoder": ("image", "auto"),
    }
    for name, pair in expected.items():
        assert (paper[name], released[name]) == pair, name
    assert not paper["training__nesterov"]
    assert DEMIPL.paper(lam=3.0, dropout=0.5).dropout == 0.5


def test_the_papers_reading_has_no_feature_network_and_biases_of_the_gates_alone():
    """z in R^d, W in R^{1 x k} without a bias."""
    model = DEMIPL.paper().set_params(training__epochs=1).fit(PROBLEM.bags, PROBLEM.y)
    shapes = {name: tuple(p.shape) for name, p in model.module_.named_parameters()}
    assert shapes == {
        "attention.score.gate.weight": (3, 4),
        "attention.score.gate.bias": (3,),
        "attention.score.gate_sigmoid.weight": (3, 4),
        "attention.score.gate_sigmoid.bias": (3,),
        "attention.score.score_out.weight": (1, 3),
        "head.classifier.weight": (3, 4),
        "head.classifier.bias": (3,),
    }
    assert model.transform(PROBLEM.bags).shape == (12, 4)


@pytest.mark.parametrize("true", [1, np.True_])
def test_biases_are_asked_for_by_whatever_is_true(true):
    """A grid of NumPy's values is not one of Python's True."""
    model = DEMIPL(attention_bias=true, training=Training(epochs=1))
    score = model.fit(PROBLEM.bags, PROBLEM.y).module_.attention.score
    assert score.gate.bias is not None and score.score_out.bias is not None


def loss_of_a_bag(model, bag, sets, weights):
    """Recompute the loss of one bag, instance by instance."""
    module = model.module_
    with torch.no_grad():
        h = module.embed(module.scaling.mean.new_tensor(bag))
        scores = module.attention.score(h).tolist()
        a = [1 / (1 + math.exp(-s)) for s in scores]
        z = sum(x * row for x, row in zip(a, h, strict=True)) / sum(a)
        p = module.head(z[None])[0].exp().tolist()
    entropy = -sum(x * math.log(x) for x in a)
    log_loss = -sum(weights[c] * math.log(p[c]) for c in range(3) if sets[c])
    return log_loss, entropy


@pytest.mark.parametrize("reading", [DEMIPL.paper, DEMIPL.released])
def test_the_loss_recomputed_bag_by_bag(reading):
    training = Training(epochs=1, lr=1e-12, batch_size=None, dtype="float64")
    model = reading(lam=0.7, width=6, dropout=0.0, update_first=False)
    model.set_params(training=training).fit(PROBLEM.bags, PROBLEM.y)
    model.module_.train()
    rows = zip(PROBLEM.bags, PROBLEM.candidates.tolist(), strict=True)
    each = [loss_of_a_bag(model, bag, sets, [0.5] * 3) for bag, sets in rows]
    log_loss, entropy = np.mean(each, axis=0)
    (told,) = model.history_
    assert math.isclose(told["disambiguation"], log_loss, rel_tol=1e-9)
    assert math.isclose(told["attention"], 0.7 * entropy, rel_tol=1e-9)


def test_bag_vectors_are_means_weighted_by_the_sigmoids():
    model = DEMIPL(width=5, training=Training(epochs=3)).fit(PROBLEM.bags, PROBLEM.y)
    module = model.module_.double()
    for bag in PROBLEM.bags:
        with torch.no_grad():
            h = module.embed(module.scaling.mean.new_tensor(bag)).numpy()
            a = torch.sigmoid(module.attention.score(torch.tensor(h))).numpy()
        np.testing.assert_allclose(model.attend([bag]), a / a.sum(), atol=1e-6)
        z = (a[:, None] * h).sum(0) / a.sum()
        np.testing.assert_allclose(model.transform([bag])[0], z, atol=1e-6)


def test_images():
    learns_images(DEMIPL(width=4))
    paper = DEMIPL.paper(width=4).set_params(training__epochs=1)
    assert isinstance(paper.fit(images(), [0, 1, 1, 0]).module_.encoder, ConvEncoder)


def test_far_features_do_not_break_the_attention():
    """Every sigmoid of a bag underflows to 0: the mean is still one of instances."""
    bags = [np.full((3, 4), v, dtype=np.float32) for v in (-1e4, 1e4) * 3]
    model = DEMIPL(scaling="none", training=Training(epochs=1, lr=1e-9, batch_size=1))
    model.fit(bags, [0, 1] * 3)
    np.testing.assert_allclose(model.attend(bags), 1 / 3, rtol=1e-6)


@pytest.mark.parametrize("reading", [DEMIPL.paper, DEMIPL.released])
def test_it_learns_from_candidates(reading):
    train, test = load_dataset("synthetic", r=1).split(0)
    model = reading().set_params(training__epochs=20, training__batch_size=4)
    model.set_params(training__lr=0.05).fit(train.bags, train.candidates)
    assert model.score(test.bags, test.labels) > 2 / len(train.classes)
