"""The mixed-effects model: posterior, draws, standardised scores, head."""

import numpy as np
import pytest
import torch
from torch.distributions import MultivariateNormal, kl_divergence

from mipl.nn import Segments
from mipl.nn.dropout import rekey
from mipl.nn.initialisation import initialise
from mipl.nn.mixed_effects import (
    CoefficientPosterior,
    KeyedNormal,
    MixedNetwork,
    StandardHead,
    mean_and_std,
    standardised,
)

WIDTH, CLASSES = 3, 2


@pytest.fixture
def posterior():
    found = CoefficientPosterior(WIDTH, CLASSES).double()
    initialise(found, 0)
    with torch.no_grad():
        rng = torch.manual_seed(1)
        found.factor.add_(0.2 * torch.randn(2, 6, 6, generator=rng).double())
        found.log_sigma_attention.copy_(torch.tensor([[0.3, -0.2]]))
        found.log_sigma_score.copy_(torch.tensor([[0.1, 0.5]]))
    return found


def covariance(posterior, c):
    f = posterior.factor[c]
    return f @ f.T + torch.diag(posterior.log_diagonal[c].exp())


def test_the_divergence_is_that_of_two_gaussians(posterior):
    found = posterior.kl()
    for c in range(CLASSES):
        ours = MultivariateNormal(posterior.mean[c], covariance(posterior, c))
        sigma = [posterior.log_sigma_attention[0, c].exp()] * WIDTH
        sigma += [posterior.log_sigma_score[0, c].exp()] * WIDTH
        variances = torch.stack(sigma) ** 2
        prior = MultivariateNormal(torch.zeros(6).double(), torch.diag(variances))
        torch.testing.assert_close(found[c], kl_divergence(ours, prior))


def test_draws_have_the_posteriors_mean_and_covariance(posterior):
    n = 200_000
    rng = torch.manual_seed(0)
    noise = torch.randn(2, n, CLASSES, 2 * WIDTH, generator=rng, dtype=torch.float64)
    with torch.no_grad():
        drawn = posterior.sample(*noise)
        beta = torch.cat([drawn.attention, drawn.score])  # (2 L, k, S)
        for c in range(CLASSES):
            mean = beta[:, c].mean(1)
            torch.testing.assert_close(mean, posterior.mean[c], atol=0.01, rtol=0)
            spread = torch.cov(beta[:, c])
            torch.testing.assert_close(
                spread, covariance(posterior, c), atol=0.02, rtol=0
            )


def test_a_diverged_posterior_has_no_finite_divergence(posterior):
    with torch.no_grad():
        posterior.factor[0, 0, 0] = torch.nan
    assert not torch.isfinite(posterior.kl()).all()


def test_normal_draws_are_a_function_of_the_key():
    noise, like = KeyedNormal(), torch.zeros(1)
    rekey(noise, 5)
    first, again = noise((3, 4), like), noise((3, 4), like)
    rekey(noise, 6)
    assert (first == again).all() and (first != noise((3, 4), like)).any()
    assert first.dtype == torch.float32


def test_scores_are_standardised_over_the_bags():
    z = torch.tensor([[1.0, 5.0], [2.0, 5.0], [6.0, 5.0]], requires_grad=True)
    found = standardised(z)
    column = np.array([1.0, 2.0, 6.0])
    expected = (column - 3) / column.std(ddof=1)
    np.testing.assert_allclose(found[:, 0].detach(), expected, rtol=1e-6)
    assert (found[:, 1] == 0).all()
    found.sum().backward()
    assert torch.isfinite(z.grad).all()
    assert standardised(z[:1]).tolist() == [[0.0, 0.0]]
    mean, spread = mean_and_std(z)
    assert mean.tolist() == [3.0, 5.0] and spread[1] == 1


def test_the_head_uses_the_statistics_it_was_given():
    head = StandardHead(2).double()
    z = torch.tensor([[1.0, 0.0], [3.0, 4.0]], dtype=torch.float64)
    head.settle(z, torch.tensor([2.0, 0.5]))
    root = np.sqrt(2)
    scores = np.array([[-1 / root * 2, -2 / (2 * root) * 0.5]])
    expected = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(head(z[:1]).exp().detach(), expected, rtol=1e-9)
    other = StandardHead(2).double()
    other.uses_intercept = True
    with torch.no_grad():
        other.intercept.copy_(torch.tensor([[0.0, 1.0]]))
    assert other.classify(z * 0)[0, 1] > other.classify(z * 0)[0, 0]


def test_bags_are_scored_class_by_class_and_draw_by_draw(posterior):
    module = MixedNetwork(
        torch.nn.Identity(),
        torch.nn.Identity(),
        posterior,
        StandardHead(CLASSES),
        samples=3,
    ).double()
    sizes = [2, 1, 4]
    x = torch.randn(7, WIDTH, dtype=torch.float64, generator=torch.manual_seed(2))
    out = module(x, Segments.of(torch.tensor(sizes)), 1.0)
    drawn = (out.coefficients.attention, out.coefficients.score)
    naive = np.zeros((3, CLASSES, 3))
    for i, bag in enumerate(x.split(sizes)):
        for c, s in np.ndindex(CLASSES, 3):
            u, b = (part[:, c, s].detach() for part in drawn)
            naive[i, c, s] = torch.softmax(bag @ u, dim=0) @ (bag @ b)
    np.testing.assert_allclose(out.z.detach(), naive, atol=1e-12)
    rms = np.sqrt((out.coefficients.score.detach().numpy() ** 2).mean(0))
    scores = (naive - naive.mean(0)) / naive.std(0, ddof=1) * rms
    np.testing.assert_allclose(out.bag_scores().detach(), scores, atol=1e-10)
    p = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(out.p.detach(), p.mean(2), atol=1e-10)
