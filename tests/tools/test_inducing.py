"""The exact regression that inducing points are measured against."""

import numpy as np
import torch
from tools.inducing import exact_mean, sparse_mean

from mipl.nn.gp import ClasswiseGP, ExactRegression, Observations


def test_conjugate_gradients_and_points_everywhere_give_the_exact_means(monkeypatch):
    monkeypatch.setattr("mipl.nn.gp.conjugate._PRECISION", 1e-6)
    rng = np.random.default_rng(0)
    x, at = (torch.tensor(rng.normal(size=(n, 3))) for n in (40, 7))
    y = torch.tensor(rng.normal(size=(40, 2)))
    variances = torch.tensor(rng.uniform(0.5, 3.0, size=(40, 2)))
    gp = ClasswiseGP(2, nu=2.5, length=None, mean="constant", extra_noise=True)
    with torch.no_grad():
        gp.mean.raw_constant.copy_(torch.tensor([-1.0, 2.0]))
        seen = Observations(x, y, variances + gp.noise)
        exact = ExactRegression(gp, x, seen.noise).summary(y)
        expected, _ = exact.marginals(gp, at)
        by_steps = exact_mean(gp, seen, at)
        by_points = sparse_mean(gp, seen, at, 40)
    np.testing.assert_allclose(by_steps, expected, atol=1e-4)
    np.testing.assert_allclose(by_points, expected, atol=1e-4)
