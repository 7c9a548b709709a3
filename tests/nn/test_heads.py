"""Heads, and the cap of the published one."""

import math

import numpy as np
import pytest
import torch

from mipl.nn import SigmoidSoftmaxHead, SoftmaxHead
from mipl.nn.heads import SigmoidHead, two_sided
from mipl.nn.initialisation import initialise


def made(kind, width=3, k=5):
    head = kind(width, k)
    initialise(head, 0)
    return head.double()


@pytest.mark.parametrize("kind", [SoftmaxHead, SigmoidSoftmaxHead])
def test_the_head_is_the_formula(kind):
    head, z = made(kind).eval(), np.random.default_rng(0).normal(size=(4, 3))
    weight, bias = (p.detach().numpy() for p in head.classifier.parameters())
    o = z @ weight.T + bias
    o = 1 / (1 + np.exp(-o)) if kind is SigmoidSoftmaxHead else o
    expected = np.exp(o) / np.exp(o).sum(axis=1, keepdims=True)
    found = head(torch.tensor(z)).exp().detach()
    np.testing.assert_allclose(found, expected, atol=1e-14)


@pytest.mark.parametrize(
    ("k", "cap"), [(5, 0.405), (7, 0.312), (13, 0.185), (25, 0.102)]
)
def test_no_probability_of_the_published_head_exceeds_its_cap(k, cap):
    head = made(SigmoidSoftmaxHead, k=k).eval()
    with torch.no_grad():
        head.classifier.bias.fill_(-1e4)
        head.classifier.bias[0] = 1e4
    largest = float(head(torch.ones(6, 3, dtype=torch.float64)).exp().detach().max())
    assert math.isclose(largest, math.e / (math.e + k - 1), rel_tol=1e-12)
    assert round(largest, 3) == cap


def test_the_sigmoid_is_clamped_in_training_only_and_then_has_no_gradient():
    head = made(SigmoidSoftmaxHead)
    with torch.no_grad():
        head.classifier.bias.copy_(torch.tensor([30.0, -30.0, 0.0, 0.0, 0.0]))
    z = torch.zeros(1, 3, dtype=torch.float64)
    o = torch.tensor([[1 - 1e-5, 1e-5, 0.5, 0.5, 0.5]], dtype=torch.float64)
    head.train()
    log_p = head(z)
    np.testing.assert_allclose(log_p.detach(), o.log_softmax(1), atol=1e-14)
    log_p[0, 2].backward()
    assert head.classifier.bias.grad[:2].tolist() == [0.0, 0.0]
    assert head.classifier.bias.grad[2] > 0
    o = torch.tensor([[1.0, 0.0, 0.5, 0.5, 0.5]], dtype=torch.float64)
    np.testing.assert_allclose(head.eval()(z).detach(), o.log_softmax(1), atol=1e-12)


def test_the_softmax_head_reaches_every_probability():
    head = made(SoftmaxHead)
    with torch.no_grad():
        head.classifier.bias[0] = 1e4
    p = head(torch.zeros(1, 3, dtype=torch.float64)).exp()
    assert p[0, 0] == 1.0
    assert torch.isfinite(head(torch.full((1, 3), 1e30, dtype=torch.float64))).all()


def test_one_logit_gives_two_probabilities():
    head = SigmoidHead(3)
    initialise(head, 0)
    z = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    expected = 1 / (1 + np.exp(-head.classifier(z).detach().numpy()[:, 0]))
    found = head(z).exp().detach().numpy()
    np.testing.assert_allclose(found, np.stack([1 - expected, expected], 1), atol=1e-6)
    far = two_sided(torch.tensor([[-1e4], [1e4]]))
    assert torch.isfinite(far).all() and far.max() == 0
