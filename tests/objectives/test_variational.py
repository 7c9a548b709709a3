"""Terms of variational bounds."""

import math

import numpy as np
import torch
from scipy.integrate import quad
from scipy.stats import norm
from torch.autograd import gradcheck

from mipl.objectives import (
    bernoulli_entropy,
    linear_objective,
    log_density,
    standard_kl,
)

MEAN, LOGVAR = np.array([[0.3, -1.2], [2.0, 0.0]]), np.array([[0.1, -0.7], [1.5, 0.0]])


def test_the_divergence_is_the_integral():
    def divergence(mean, logvar):
        q = norm(mean, np.exp(logvar / 2))
        return quad(lambda x: q.pdf(x) * (q.logpdf(x) - norm.logpdf(x)), -30, 30)[0]

    expected = np.vectorize(divergence)(MEAN, LOGVAR).mean(axis=1)
    found = standard_kl(torch.tensor(MEAN), torch.tensor(LOGVAR))
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_the_density_is_that_of_a_normal():
    x = np.array([[0.0, 0.5], [-3.0, 1.0]])
    expected = norm(MEAN, np.exp(LOGVAR / 2)).logpdf(x).mean(axis=1)
    found = log_density(torch.tensor(x), torch.tensor(MEAN), torch.tensor(LOGVAR))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_it_is_the_mean_of_the_labels_entropies():
    q = [[0.2, 0.5, 0.9], [0.0, 1.0, 0.3]]

    def entropy(x):
        return 0.0 if x in (0, 1) else -x * math.log(x) - (1 - x) * math.log(1 - x)

    expected = [sum(map(entropy, row)) / 3 for row in q]
    found = bernoulli_entropy(torch.tensor(q, dtype=torch.float64))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_gradients_inside_and_none_at_the_edges():
    q = torch.tensor([[0.2, 0.5, 0.9]], dtype=torch.float64, requires_grad=True)
    assert gradcheck(bernoulli_entropy, (q,))
    edge = torch.tensor([[0.0, 1.0]], requires_grad=True)
    bernoulli_entropy(edge).sum().backward()
    assert edge.grad.tolist() == [[0.0, 0.0]]


def test_it_is_the_triple_sum():
    rng = np.random.default_rng(0)
    scores, w = rng.normal(size=(3, 4, 2)), rng.random((3, 4))
    intercept = rng.normal(size=(1, 4))
    found = linear_objective(*map(torch.tensor, (scores, w, intercept)))
    for i in range(3):
        naive = sum(
            w[i, c] * (intercept[0, c] + scores[i, c, s])
            for c in range(4)
            for s in range(2)
        )
        assert np.isclose(found[i], naive)
