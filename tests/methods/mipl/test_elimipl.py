"""ELIMIPL: arguments, readings, its loss recomputed, images, what it learns."""

import math

import numpy as np
import pytest
from tests.methods.mipl.images import learns_images

from mipl import ELIMIPL, MiplError, Training, load_dataset
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=12)


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"mu": -1}, "mu of ELIMIPL must be a number >= 0; got -1."),
        ({"gamma": "big"}, "gamma of ELIMIPL must be a number >= 0; got 'big'."),
        ({"width": 0}, "width of ELIMIPL must be an integer >= 1; got 0."),
        (
            {"attention_bias": "some"},
            "attention_bias of ELIMIPL must be one of False, True, 'gates'; "
            "got 'some'.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        ELIMIPL(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def test_the_readings_differ_where_paper_and_program_differ():
    paper, released = ELIMIPL.paper().get_params(), ELIMIPL.released().get_params()
    expected = {
        "shared_gate": (False, True),
        "score_head": ("linear", "mlp"),
        "classifier": ("softmax", "sigmoid-softmax"),
        "update_first": (True, False),
        "alpha_lag": (0, 1),
        "dropout": (0.0, 0.5),
    }
    for name, pair in expected.items():
        assert (paper[name], released[name]) == pair, name
    assert not paper["training__nesterov"]
    model = ELIMIPL.released().set_params(training__epochs=7)
    assert (model.training.nesterov, model.training.batch_size) == (True, 1)
    assert ELIMIPL.paper(mu=3.0, classifier="sigmoid-softmax").mu == 3.0


@pytest.mark.parametrize("reading", [ELIMIPL.paper, ELIMIPL.released])
def test_the_loss_of_an_epoch_recomputed(reading):
    """All bags in one step without dropout, from the probabilities recorded."""
    bags = tuple(range(12))
    training = Training(epochs=3, batch_size=None, dtype="float64", record_bags=bags)
    model = reading(mu=0.7, gamma=1.3, width=6, dropout=0.0, training=training)
    seen = []
    loss = model._loss
    model._loss = lambda out, *rest: seen.append((out, rest)) or loss(out, *rest)
    model.fit(PROBLEM.bags, PROBLEM.y)
    for entry, (out, (batch, w, _)) in zip(model.history_, seen, strict=True):
        mapping = sparsity = inhibition = 0.0
        for p, inside, weights in zip(
            out.p.tolist(), batch.candidates.tolist(), w.tolist(), strict=True
        ):
            for c, held in enumerate(inside):
                if held:
                    mapping -= weights[c] * math.log(p[c]) / 12
                    sparsity += 0.7 * p[c] / 12
                else:
                    inhibition -= 1.3 * math.log(1 - p[c]) / 12
        assert math.isclose(entry["mapping"], mapping)
        assert math.isclose(entry["sparsity"], sparsity)
        assert math.isclose(entry["inhibition"], inhibition, abs_tol=1e-12)
        assert math.isclose(entry["loss"], mapping + sparsity + inhibition)


def test_attention_is_the_softmax_of_scores_over_the_root_of_the_width():
    model = ELIMIPL(width=9, training=Training(epochs=2)).fit(PROBLEM.bags, PROBLEM.y)
    module = model.module_.double()
    for bag in PROBLEM.bags:
        x = module.scaling.mean.new_tensor(bag)
        scores = module.attention.score(module.embed(x)).detach().numpy() / 3
        expected = np.exp(scores) / np.exp(scores).sum()
        np.testing.assert_allclose(model.attend([bag]), expected, atol=1e-6)


def test_images():
    learns_images(ELIMIPL(width=4))


@pytest.mark.parametrize("reading", [ELIMIPL.paper, ELIMIPL.released])
def test_it_learns_from_candidates(reading):
    train, test = load_dataset("synthetic", r=1).split(0)
    model = reading().set_params(training__epochs=10, training__batch_size=4)
    model.set_params(training__lr=0.05)
    model.fit(train.bags, train.candidates)
    assert model.score(test.bags, test.labels) > 3 / len(train.classes)
