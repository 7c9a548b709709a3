"""Regression with Gaussian processes, against dense formulas with NumPy."""

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal

from mipl.errors import Diverged
from mipl.nn.gp import (
    ClasswiseGP,
    ConjugateRegression,
    DistinctRows,
    ExactRegression,
    NearestObservations,
    Observations,
    SparseRegression,
    conjugate,
)
from mipl.nn.gp.regression import grams, root_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))
Y = RNG.normal(size=(12, 3)) - 2
NOISE = np.where(RNG.random((12, 3)) < 0.4, RNG.uniform(0.3, 2, (12, 3)), 9.0)
NEW = RNG.normal(size=(4, 2))
POINTS = X[:5] + 0.1
SCALE, LENGTH, CONSTANTS, EXTRA = 1.7, 0.8, np.array([-1.0, 0.0, 2.0]), 0.4


@pytest.fixture
def gp():
    """Processes with given values of all that can be learnt."""
    gp = ClasswiseGP(3, nu=2.5, length=None, mean="constant", extra_noise=True)
    gp.kernel.outputscale = torch.tensor(SCALE, dtype=torch.float64)
    gp.kernel.base_kernel.lengthscale = torch.tensor(LENGTH, dtype=torch.float64)
    gp.mean.initialize(constant=torch.tensor(CONSTANTS))
    gp.extra.initialize(noise=torch.full((3, 1), EXTRA, dtype=torch.float64))
    return gp


def matern(a, b):
    r = np.sqrt(5) * np.linalg.norm(a[:, None] - b[None], axis=2) / LENGTH
    return SCALE * (1 + r + r**2 / 3) * np.exp(-r)


def dense(cross, inner, new, c):
    """Posterior mean and covariance of class c from covariances with the rows."""
    inverse = np.linalg.inv(inner + np.diag(NOISE[:, c] + EXTRA))
    mean = CONSTANTS[c] + cross @ inverse @ (Y[:, c] - CONSTANTS[c])
    return mean, new - cross @ inverse @ cross.T


def nystrom(a, b):
    inner = matern(POINTS, POINTS) + 1e-6 * SCALE * np.eye(5)
    return matern(a, POINTS) @ np.linalg.inv(inner) @ matern(POINTS, b)


def noise(gp):
    return torch.tensor(NOISE) + gp.noise


def exact(gp):
    return ExactRegression(gp, torch.tensor(X), noise(gp))


def sparse(gp, points=POINTS):
    return SparseRegression(gp, torch.tensor(X), noise(gp), torch.tensor(points))


def test_exact_evidence(gp):
    found = exact(gp).evidence(torch.tensor(Y)).detach()
    for c in range(3):
        covariance = matern(X, X) + np.diag(NOISE[:, c] + EXTRA)
        law = multivariate_normal(np.full(12, CONSTANTS[c]), covariance)
        assert np.isclose(found[c], law.logpdf(Y[:, c]), atol=1e-9)


def test_sparse_evidence_is_the_bound_of_titsias(gp):
    found = sparse(gp).evidence(torch.tensor(Y)).detach()
    above = exact(gp).evidence(torch.tensor(Y)).detach()
    for c in range(3):
        seen, noise = nystrom(X, X), NOISE[:, c] + EXTRA
        law = multivariate_normal(np.full(12, CONSTANTS[c]), seen + np.diag(noise))
        unseen = (np.diag(matern(X, X) - seen) / noise).sum()
        assert np.isclose(found[c], law.logpdf(Y[:, c]) - unseen / 2, atol=1e-9)
    assert (found < above).all()


def test_points_at_all_rows_make_it_exact(gp):
    found, expected = sparse(gp, X), exact(gp)
    y = torch.tensor(Y)
    for name in ("evidence", "fitted"):
        one, other = (getattr(r, name)(y).detach() for r in (found, expected))
        np.testing.assert_allclose(one, other, atol=1e-4)


@pytest.mark.parametrize(("make", "k"), [(exact, matern), (sparse, nystrom)])
def test_posterior(gp, make, k):
    regression, y = make(gp), torch.tensor(Y)
    fitted, summary = regression.fitted(y).detach(), regression.summary(y)
    mean, variance = (v.detach() for v in summary.marginals(gp, torch.tensor(NEW)))
    covariance = summary.covariance(gp, torch.tensor(NEW)).detach()
    for c in range(3):
        of_rows, _ = dense(k(X, X), k(X, X), k(X, X), c)
        np.testing.assert_allclose(fitted[:, c], of_rows, atol=1e-9)
        of_new, spread = dense(k(NEW, X), k(X, X), matern(NEW, NEW), c)
        np.testing.assert_allclose(mean[:, c], of_new, atol=1e-9)
        np.testing.assert_allclose(covariance[c], spread, atol=1e-8)
        np.testing.assert_allclose(variance[:, c], np.diag(spread), atol=1e-8)


def test_grams_and_their_gradient_are_those_of_one_product_per_class():
    v = torch.tensor(RNG.normal(size=(4, 12)))
    noise = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)
    factors = torch.tensor(RNG.normal(size=(3, 4, 4)))
    found = []
    for function in (grams, lambda v, p: torch.einsum("mi,ci,ni->cmn", v, p, v)):
        given = [tensor.clone().requires_grad_() for tensor in (v, noise)]
        gram = function(given[0], 1 / (torch.tensor(NOISE).T + given[1][:, None]))
        (gram * factors).sum().backward()
        found.append([gram.detach(), *(tensor.grad for tensor in given)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_what_is_no_covariance_is_refused():
    for broken in (-torch.eye(3), torch.full((3, 3), torch.nan)):
        with pytest.raises(Diverged, match="not positive definite"):
            root_of(broken)


def test_a_given_length_is_kept_and_zero_means_stay():
    gp = ClasswiseGP(2, nu=0.5, length=0.3, mean="zero", extra_noise=False)
    assert np.isclose(float(gp.length), 0.3, atol=1e-12)
    learnt = [name for name, p in gp.named_parameters() if p.requires_grad]
    assert learnt == ["kernel.raw_outputscale"]
    assert (gp.constants == 0).all() and (gp.noise == 0).all()


# -- gradients of the evidence ---------------------------------------------------------


def test_the_gradient_of_the_exact_evidence_is_that_of_the_density(gp):
    """All that is learnt, and the targets, against torch's own derivative."""
    weight, targets = torch.tensor([1.0, 0.5, 2.0]), torch.tensor(Y)
    found = []
    for naive in (False, True):
        y = targets.clone().requires_grad_()
        evidence = exact(gp).evidence(y)
        if naive:
            k = gp.between(torch.tensor(X), torch.tensor(X))
            evidence = torch.stack(
                [
                    torch.distributions.MultivariateNormal(
                        gp.constants[c].expand(12), k + torch.diag(noise(gp)[:, c])
                    ).log_prob(y[:, c])
                    for c in range(3)
                ]
            )
        learnt = [p for p in gp.parameters() if p.requires_grad]
        found.append(torch.autograd.grad((weight * evidence).sum(), [*learnt, y]))
    assert len(found[0]) == 5  # Scale, length, constants, noise, targets.
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


# -- conjugate gradients ---------------------------------------------------------------


def observed(gp, x=X):
    return Observations(torch.tensor(x), torch.tensor(Y), noise(gp).detach())


def conjugate_regression(gp, seen, points=POINTS, memory=1.0, state=None):
    blank = ConjugateRegression.blank(3, len(seen.x), seen.x.device)
    given = (torch.tensor(points), memory, blank if state is None else state)
    return ConjugateRegression(gp, seen, *given)


def finished(regression):
    while not regression.done():
        regression.iterate()
    return regression.summary()


@pytest.mark.parametrize("memory", [1.0, 0.0])
def test_conjugate_gradients_end_at_the_exact_posterior_means(gp, memory, monkeypatch):
    monkeypatch.setattr(conjugate, "_PRECISION", 1e-6)
    monkeypatch.setattr(conjugate, "_ROWS", 5)
    summary = finished(conjugate_regression(gp, observed(gp), memory=memory))
    found = summary.means(gp, torch.tensor(NEW)).detach().numpy()
    for c in range(3):
        mean, _ = dense(matern(NEW, X), matern(X, X), matern(NEW, NEW), c)
        np.testing.assert_allclose(found[:, c], mean, atol=1e-5)


def test_variances_of_conjugate_gradients_are_those_of_the_inducing_points(gp):
    whole = finished(conjugate_regression(gp, observed(gp)))
    found = whole.marginals(gp, torch.tensor(NEW))[1].detach().numpy()
    for c in range(3):
        _, covariance = dense(nystrom(NEW, X), nystrom(X, X), nystrom(NEW, NEW), c)
        unseen = matern(NEW, NEW) - nystrom(NEW, NEW)
        np.testing.assert_allclose(found[:, c], np.diag(covariance + unseen), atol=1e-8)


def test_as_many_inducing_points_as_rows_precondition_to_few_iterations(gp):
    all_points = conjugate_regression(gp, observed(gp), X)
    finished(all_points)
    assert all_points.iterations == 1


def test_iterations_go_on_from_a_state_that_was_kept(gp, monkeypatch):
    monkeypatch.setattr(conjugate, "_PRECISION", 1e-5)
    expected = conjugate_regression(gp, observed(gp))
    weights = finished(expected).weights
    paused = conjugate_regression(gp, observed(gp))
    for _ in range(expected.iterations // 2):
        paused.iterate()
    kept = {name: tensor.clone() for name, tensor in paused.state.items()}
    resumed = conjugate_regression(gp, observed(gp), state=kept)
    assert 0 < resumed.iterations < expected.iterations
    assert (finished(resumed).weights == weights).all()


def test_a_class_whose_targets_are_its_mean_has_no_weights(gp):
    seen = observed(gp)
    seen.targets[:, 1] = gp.constants[1].detach()
    weights = finished(conjugate_regression(gp, seen)).weights
    assert (weights[1] == 0).all() and bool(weights.isfinite().all())


# -- equal rows, neighbours ------------------------------------------------------------


def test_equal_rows_are_worth_one_with_less_noise(gp):
    """The posterior of all rows is that of the different ones."""
    rows = X[[0, 1, 2, 0, 3, 0, 4, 1, 5, 6, 7, 7]]
    distinct = DistinctRows.among(torch.tensor(rows))
    seen = distinct.observed(torch.tensor(Y), noise(gp).detach())
    assert seen.x.shape == (8, 2)
    summary = ExactRegression(gp, seen.x, seen.noise).summary(seen.targets)
    mean, variance = (v.detach() for v in summary.marginals(gp, torch.tensor(NEW)))
    for c in range(3):
        k = matern(rows, rows), matern(NEW, NEW)
        expected, spread = dense(matern(NEW, rows), *k, c)
        np.testing.assert_allclose(mean[:, c], expected, atol=1e-9)
        np.testing.assert_allclose(variance[:, c], np.diag(spread), atol=1e-8)


@pytest.mark.parametrize("n", [1, 4, 12, 99])
def test_neighbours_give_the_posterior_of_the_nearest_rows(gp, n):
    nearest = NearestObservations.of(observed(gp), n)
    mean, variance = (v.detach() for v in nearest.marginals(gp, torch.tensor(NEW)))
    assert (nearest.means(gp, torch.tensor(NEW)).detach() == mean).all()
    for i, c in np.ndindex(len(NEW), 3):
        order = np.argsort(np.linalg.norm(X - NEW[i], axis=1))[:n]
        x, new = X[order], NEW[i : i + 1]
        inverse = np.linalg.inv(matern(x, x) + np.diag(NOISE[order, c] + EXTRA))
        k = matern(new, x) @ inverse
        expected = CONSTANTS[c] + k @ (Y[order, c] - CONSTANTS[c])
        spread = SCALE - k @ matern(x, new)
        assert np.isclose(mean[i, c], expected[0], atol=1e-9)
        assert np.isclose(variance[i, c], spread[0, 0], atol=1e-9)
