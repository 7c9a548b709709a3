"""Losses on normal latent variables, against SciPy and a numerical integral."""

import numpy as np
import torch
from scipy.integrate import quad
from scipy.stats import norm

from mipl.objectives import log_density, standard_kl

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
