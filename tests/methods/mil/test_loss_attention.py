"""LossAttention: its identities, its loss recomputed, gradients, images."""

import math

import numpy as np
import pytest
import torch
from tests.methods.mil.recorded import bags_of, visits
from tests.methods.mipl.images import learns_images

from mipl import LossAttention, MiplError, Training
from mipl.nn.attention import EvidenceScore
from mipl.nn.segments import Segments
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=12, sizes=(3, 1, 4, 2, 7))


def quick(**settings):
    usual = {"epochs": 3, "optimiser": "adam", "lr": 0.01, "dtype": "float64"}
    return Training(**(usual | settings))


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"lam": -1}, "lam of LossAttention must be a number >= 0; got -1."),
        (
            {"instance_reduction": "max"},
            "instance_reduction of LossAttention must be one of 'sum', 'mean'; "
            "got 'max'.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        LossAttention(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def test_the_logits_of_a_bag_are_the_weighted_logits_of_its_instances():
    model = LossAttention(width=6, training=quick()).fit(PROBLEM.bags, PROBLEM.y)
    classify = model.module_.head.classifier
    for bag in PROBLEM.bags:
        h = model.module_.embed(torch.tensor(bag).double())
        z = classify(h).detach().numpy()  # (n, k)
        weights = np.exp(z).sum(axis=1) / np.exp(z).sum()
        np.testing.assert_allclose(model.attend([bag]), weights, atol=1e-12)
        logits = weights @ z
        p = np.exp(logits) / np.exp(logits).sum()
        np.testing.assert_allclose(model.predict_proba([bag])[0], p, atol=1e-12)
        each = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_instances([bag]), each, atol=1e-12)


@pytest.mark.parametrize("shift", [3.0, -800.0, 1e6])
def test_attention_does_not_know_a_constant_added_to_all_logits(shift):
    """Also where exponentials would overflow, or all vanish."""
    logits = torch.randn(5, 3, generator=torch.Generator().manual_seed(0)).double()
    score, bags = EvidenceScore(torch.nn.Identity()), Segments.of(torch.tensor([3, 2]))
    found, moved = (bags.softmax(score(z)) for z in (logits, logits + shift))
    torch.testing.assert_close(moved, found, rtol=0, atol=1e-9)


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_the_loss_of_an_epoch_recomputed(reduction):
    training = quick(batch_size=None)
    model = LossAttention(0.7, reduction, width=6, dropout=0.0, training=training)
    seen = visits(model, PROBLEM.bags, PROBLEM.y)
    for entry, (out, batch, _) in zip(model.history_, seen, strict=True):
        bags = instances = 0.0
        for i, rows in enumerate(bags_of(batch)):
            a, of_rows = out.a[rows].tolist(), out.instance_log_p[rows].tolist()
            for c in torch.nonzero(batch.candidates[i])[:, 0].tolist():
                bags -= math.log(out.p[i, c].item()) / 12
                each = sum(-w * row[c] for w, row in zip(a, of_rows, strict=True))
                instances += 0.7 * each / (len(a) if reduction == "mean" else 1) / 12
        assert math.isclose(entry["bags"], bags, rel_tol=1e-12)
        assert math.isclose(entry["instances"], instances, rel_tol=1e-12)
        assert math.isclose(entry["loss"], bags + instances, rel_tol=1e-12)


def test_the_gradient_of_the_instances_goes_through_their_attention():
    model = LossAttention(width=5, dropout=0.0, training=quick(batch_size=None))
    seen, loss = [], model._loss

    def kept(out, batch, w, clock):
        targets = w * batch.candidates.sum(dim=1, keepdim=True)
        total = model._of_instances(out, batch, targets).sum()
        seen.append(torch.autograd.grad(total, out.scores, retain_graph=True)[0])
        return loss(out, batch, w, clock)

    model._loss = kept
    model.fit(PROBLEM.bags, PROBLEM.y)
    # As a constant, attention would let nothing through to its scores.
    assert seen[0].abs().max() > 1e-3


def test_bags_and_instances_have_one_classifier():
    model = LossAttention(width=5, training=quick()).fit(PROBLEM.bags, PROBLEM.y)
    module = model.module_
    assert module.head.classifier is module.attention.score.classifier
    names = [name for name, _ in module.named_parameters() if "classifier" in name]
    assert len(names) == 2


def test_images():
    learns_images(LossAttention(width=4))
