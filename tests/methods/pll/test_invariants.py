"""What must hold for partial-label methods whatever the data."""

import numpy as np
import pytest
import torch
from sklearn.kernel_ridge import KernelRidge
from tests.methods.pll.problem import problem, standardised, terms, uniform, updated
from tests.methods.settings import PARTIAL, small
from torch.nn.functional import cross_entropy

from mipl import CC, PLAGGD, POP, PRODEN, RC, Training
from mipl.methods.bases.partial_network import plain_sgd
from mipl.objectives.simplex import project_rows

NETWORKS = [id for id in PARTIAL if hasattr(small(id), "backbone")]
X, SETS, Y = problem(m=30, k=4)
TENSOR = torch.tensor(SETS)
# M3PL's solver chooses among assignments of equal cost; true labels leave no choice.
NO_TIES = {"m3pl": np.eye(4, dtype=bool)[Y]}
ALL_AT_ONCE = {"training__batch_size": None, "training__dtype": "float64"}


def logits(seed=0):
    chance = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(SETS.shape, dtype=torch.float64, generator=chance)


# -- true labels only ------------------------------------------------------------------


class SamePRODEN(PRODEN):
    """PRODEN from the starting values of RC and CC."""

    _xavier = False


@pytest.mark.parametrize("kind", [SamePRODEN, RC, CC])
def test_singletons_make_it_plain_cross_entropy(kind):
    """The model of a bare loop of torch, from the same start."""
    still = plain_sgd(epochs=1, lr=1e-30, batch_size=None, dtype="float64")
    layer = _affine(kind(scaling="none", training=still, random_state=1).fit(X, Y))
    weight, bias = (v.detach().clone().requires_grad_() for v in layer.parameters())
    descent = torch.optim.SGD([weight, bias], lr=0.1, momentum=0.9, weight_decay=0.01)
    x, y = torch.tensor(X).double(), torch.tensor(Y)
    for _ in range(7):
        descent.zero_grad()
        cross_entropy(x @ weight.T + bias, y).backward()
        descent.step()
    training = still.set_params(epochs=7, lr=0.1, weight_decay=0.01)
    model = kind(scaling="none", training=training, random_state=1).fit(X, Y)
    expected = torch.softmax(x @ weight.T + bias, dim=1).detach()
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    np.testing.assert_array_equal(model.label_weights_, np.eye(4)[Y])


def _affine(model):
    (layer,) = (m for m in model.module_.modules() if isinstance(m, torch.nn.Linear))
    return layer


def test_pop_without_purification_is_proden():
    training = Training(epochs=6, batch_size=8)
    pop = POP(warm_up=6, training=training, random_state=0).fit(X, SETS)
    proden = PRODEN(training=training, random_state=0).fit(X, SETS)
    np.testing.assert_array_equal(pop.predict_proba(X), proden.predict_proba(X))
    np.testing.assert_array_equal(pop.label_weights_, proden.label_weights_)


# -- gradients -------------------------------------------------------------------------


def test_the_gradient_of_cc_is_that_of_rc_with_the_weights_of_the_moment():
    z = logits().requires_grad_()
    now = updated(RC(), z.detach(), uniform(TENSOR), TENSOR)
    of_cc, of_rc = (
        torch.autograd.grad(sum(terms(model, z, now, TENSOR).values()), z)[0]
        for model in (CC(), RC())
    )
    np.testing.assert_allclose(of_cc, of_rc, atol=1e-14)
    stale = sum(terms(RC(), z, uniform(TENSOR), TENSOR).values())
    assert not np.allclose(of_cc, torch.autograd.grad(stale, z)[0], atol=1e-3)


# -- order of rows and of classes ------------------------------------------------------


@pytest.mark.parametrize("id", NETWORKS)
def test_permuted_rows_and_classes_permute_losses_and_label_weights(id):
    model, z, w = small(id), logits(1), uniform(TENSOR)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(X)), rng.permutation(4)

    def moved(a):
        return a[rows][:, columns]

    plain, other = terms(model, z, w, TENSOR), terms(model, *map(moved, (z, w, TENSOR)))
    for name, value in plain.items():
        np.testing.assert_allclose(other[name], value, atol=1e-14)
    weights = updated(model, z, w, TENSOR)
    again = updated(model, *map(moved, (z, w, TENSOR)))
    np.testing.assert_allclose(again, moved(weights), atol=1e-14)


@pytest.mark.parametrize("id", PARTIAL)
def test_permuted_rows_give_the_same_model(id):
    given = ALL_AT_ONCE if id in NETWORKS else {}
    model = small(id, random_state=0).set_params(**given)
    order = np.random.default_rng(1).permutation(len(X))
    y = NO_TIES.get(id, SETS)
    p, w = model.fit(X, y).predict_proba(X), model.label_weights_
    q = model.fit(X[order], y[order]).predict_proba(X)
    # Solvers stop within a tolerance, wherever they come from.
    atol = 1e-9 if id in NETWORKS else 5e-3
    np.testing.assert_allclose(q, p, atol=atol)
    np.testing.assert_allclose(model.label_weights_, w[order], atol=atol)


@pytest.mark.parametrize("id", ["pl-aggd", "pl-svm", "m3pl"])
def test_permuted_classes_give_the_same_model(id):
    """Networks start from values of their own for each class."""
    model = small(id, random_state=0)
    columns = np.array([2, 0, 3, 1])
    y = NO_TIES.get(id, SETS)
    p, w = model.fit(X, y).predict_proba(X), model.label_weights_
    q = model.fit(X, y[:, columns]).predict_proba(X)
    np.testing.assert_allclose(q, p[:, columns], atol=5e-3)
    np.testing.assert_allclose(model.label_weights_, w[:, columns], atol=5e-3)


# -- label weights ---------------------------------------------------------------------


@pytest.mark.parametrize("id", PARTIAL)
def test_label_weights_lie_on_the_simplex_of_the_candidates(id):
    sets = SETS.copy()
    sets[0], sets[1] = True, [True, False, False, False]  # A full set, a singleton.
    model = small(id).fit(X, sets)
    w = model.label_weights_
    assert w.dtype == np.float64 and (w >= 0).all() and (w[~sets] == 0).all()
    np.testing.assert_allclose(w.sum(axis=1), 1, atol=1e-6)
    assert w[1].tolist() == [1, 0, 0, 0]
    np.testing.assert_array_equal(model.disambiguated_, w.argmax(axis=1))


def test_projection_on_the_simplex_is_idempotent():
    rows = np.random.default_rng(0).normal(size=(20, 4)) * 3
    allowed = SETS[:20]
    once = project_rows(rows, allowed)
    np.testing.assert_allclose(project_rows(once, allowed), once, atol=1e-15)


# -- PL-AGGD ---------------------------------------------------------------------------


def test_the_regression_of_pl_aggd_is_kernel_ridge_on_centred_targets():
    model = PLAGGD(k=4, gamma=0.2).fit(X, SETS)
    x = standardised(X)
    far = np.sqrt(np.square(x[:, None] - x[None]).sum(axis=2))
    width = far[np.triu_indices(len(x), 1)].mean()
    kernel = np.exp(-np.square(far) / (2 * width**2))
    ridge = KernelRidge(alpha=0.2, kernel="precomputed")
    ridge.fit(kernel, model.label_weights_ - model.bias_)
    np.testing.assert_allclose(model.alpha_, ridge.dual_coef_, atol=1e-4)
    # The bias is the best one: residuals of the dual problem sum to 0.
    np.testing.assert_allclose(model.alpha_.sum(axis=0), 0, atol=1e-9)


# -- degenerate input ------------------------------------------------------------------


@pytest.mark.parametrize("id", PARTIAL)
@pytest.mark.parametrize(
    ("x", "sets"),
    [
        (X[:2], [{0, 1}, {1, 2}]),
        (X[:1], [{"elm", "oak"}]),
        (np.concatenate([X, np.full((len(X), 2), 9.0)], axis=1), SETS),
        (np.ones_like(X), SETS),
        (np.concatenate([X, X]), np.concatenate([SETS, SETS])),
    ],
    ids=["two rows", "one row", "constant columns", "equal rows", "duplicates"],
)
def test_degenerate_rows_give_finite_probabilities(id, x, sets):
    p = small(id).fit(x, sets).predict_proba(x)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("id", PARTIAL)
def test_one_class_is_certain_and_an_unused_one_is_kept(id):
    p = small(id).fit(X, np.zeros(len(X), int)).predict_proba(X)
    assert (p == 1).all() and p.shape == (len(X), 1)
    wide = np.concatenate([SETS, np.zeros((len(X), 1), bool)], axis=1)
    model = small(id).fit(X, wide)
    assert model.predict_proba(X).shape == (len(X), 5)
    assert (model.label_weights_[:, 4] == 0).all()
