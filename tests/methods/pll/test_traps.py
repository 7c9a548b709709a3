"""Traps of the published programs, into which this library must not fall."""

import numpy as np
import pytest
import torch
from tests.methods.pll.problem import problem, terms, uniform, updated
from tests.methods.settings import PARTIAL, small
from tests.training.interrupted import bits, fit_in_parts, stopped_at

from mipl import CAVL, LWS, POP, Training, method
from mipl.methods.pll.cavl import activation_values

NETWORKS = ("proden", "proden-ma", "rc", "cc", "lws", "cavl", "pop")
FORMS = {id: small(id) for id in NETWORKS} | {
    "lws, cross-entropy": small("lws", form="cross-entropy")
}
BY_CONFIDENCE = ("proden", "proden-ma", "rc", "cc", "pop")
X, SETS, Y = problem(m=41, k=4, d=3)
TENSOR = torch.tensor(SETS)


# -- CAVL: a non-candidate is chosen ---------------------------------------------------


def below_zero(sets):
    """Return logits whose activation values are negative on all candidates."""
    return torch.where(sets, -1.0, 3.0).double() - torch.arange(sets.shape[1]) / 10


def test_no_non_candidate_is_chosen_by_cavl_where_all_candidates_are_negative():
    z = below_zero(TENSOR)
    assert (activation_values(z)[TENSOR] < 0).all()
    w = uniform(TENSOR)
    chosen = updated(CAVL(), z, w, TENSOR)
    assert (chosen.sum(dim=1) == 1).all() and (chosen[~TENSOR] == 0).all()
    first = SETS.argmax(axis=1)  # Its logit is the largest of the candidates.
    np.testing.assert_array_equal(chosen.argmax(dim=1), first)


def test_the_published_cavl_leaves_the_candidates_there():
    chosen = updated(CAVL(restrict=False), below_zero(TENSOR), uniform(TENSOR), TENSOR)
    some = ~SETS.all(axis=1)
    assert (chosen[some] * ~TENSOR[some]).sum() == some.sum()


def test_every_label_that_cavl_ends_with_is_a_candidate():
    model = small("cavl").fit(X, SETS)
    assert SETS[np.arange(len(X)), model.disambiguated_].all()
    assert set(np.unique(model.label_weights_)) == {0.0, 1.0}


# -- 0 * -inf --------------------------------------------------------------------------


@pytest.mark.parametrize("id", FORMS)
@pytest.mark.parametrize("winner", ["candidates", "others"])
def test_a_weight_of_zero_times_the_log_of_zero_is_zero(id, winner):
    """Logits so far apart that probabilities are 0 in float32, on either side."""
    inside = winner == "candidates"
    far = torch.where(TENSOR == inside, 0.0, -1e4) + torch.arange(4) * 300.0
    z = far.float().requires_grad_()
    w = uniform(TENSOR).float()
    for _ in range(2):  # The second time with the weights that the first one gives.
        total = sum(terms(FORMS[id], z, w, TENSOR).values())
        (slope,) = torch.autograd.grad(total, z)
        assert torch.isfinite(total) and torch.isfinite(slope).all()
        w = updated(FORMS[id], z.detach(), w, TENSOR)
        assert torch.isfinite(w).all() and (w >= 0).all()
    if id in BY_CONFIDENCE:
        np.testing.assert_allclose(w.sum(dim=1), 1, atol=1e-6)


@pytest.mark.parametrize("id", NETWORKS)
def test_features_without_scaling_leave_all_numbers_finite(id):
    wild = X * np.array([1e5, 1.0, 1e-5], dtype=np.float32)
    model = small(id, scaling="none").fit(wild, SETS)
    p, w = model.predict_proba(wild), model.label_weights_
    assert np.isfinite(p).all() and np.isfinite(w).all()
    np.testing.assert_allclose(w.sum(axis=1), 1)
    assert all(np.isfinite(list(e.values())).all() for e in model.history_)


# -- full candidate sets ---------------------------------------------------------------


@pytest.mark.parametrize("id", PARTIAL)
@pytest.mark.parametrize("share", ["some", "all"])
def test_full_candidate_sets_give_finite_models(id, share):
    sets = SETS.copy()
    sets[:: 1 if share == "all" else 3] = True
    model = small(id).fit(X, sets)
    p, w = model.predict_proba(X), model.label_weights_
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(w.sum(axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("form", ["sigmoid", "cross-entropy"])
def test_a_full_set_has_no_second_term_in_lws(form):
    full = torch.ones_like(TENSOR)
    z = torch.randn(TENSOR.shape, dtype=torch.float64).requires_grad_()
    w = torch.rand(TENSOR.shape, dtype=torch.float64)
    others = terms(LWS(form=form), z, w, full)["others"]
    assert others.item() == 0
    assert (torch.autograd.grad(others, z)[0] == 0).all()
    weights = updated(LWS(form=form), z.detach(), w, full)
    np.testing.assert_allclose(weights.sum(dim=1), 1, atol=1e-6)


# -- drop_last -------------------------------------------------------------------------


@pytest.mark.parametrize("id", BY_CONFIDENCE)
@pytest.mark.parametrize("backbone", ["linear", "mlp"])
def test_no_row_is_left_out_of_an_epoch(id, backbone):
    """41 rows by 20 end with a batch of one, which the published program drops."""
    given = {"training__batch_size": 20, "training__epochs": 1, "backbone": backbone}
    model = small(id).set_params(**given).fit(X, SETS)
    several = SETS.sum(axis=1) > 1
    first = SETS / SETS.sum(axis=1, keepdims=True)
    moved = (model.label_weights_ != first).any(axis=1)
    assert several.sum() > 20 and moved[several].all()


def test_a_last_batch_of_one_row_moves_the_network():
    row, other = X[:1], X[1:2]
    given = {"training__batch_size": 1, "training__epochs": 1, "scaling": "none"}
    alone = small("proden").set_params(**given).fit(row, [[True, False]])
    both = small("proden").set_params(**given)
    both.fit(np.concatenate([row, other]), [[True, False], [False, True]])
    assert not np.allclose(alone.predict_proba(X), both.predict_proba(X))


# -- size distributions ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "mean", "full"),
    [(0.1, 2.29, 0.0), (0.3, 3.74, 0.0), (0.5, 5.5, 0.002), (0.7, 7.3, 0.04),
     (0.9, 9.1, 0.387)],
)  # fmt: skip
def test_size_distributions_of_flipped_sets_on_kmnist(q, mean, full, loaded):
    """The sizes that PRODEN's generator gives ten classes; none has one candidate."""
    sizes = loaded("kmnist", generator="flip", q=q).candidates.sizes
    assert sizes.min() >= 2 and abs(sizes.mean() - mean) < 0.06
    assert abs((sizes == 10).mean() - full) < 0.02


def test_size_distribution_of_uniform_sets_is_that_of_the_paper(loaded):
    """Of 2^9 - 1 sets one has a single label; the code's formula gives 10 of 1022."""
    sizes = loaded("kmnist", generator="uniform").candidates.sizes
    assert abs(sizes.mean() - 5.49) < 0.06 and sizes.max() == 9
    assert (sizes == 1).mean() < 0.005  # 0.0020, not 0.0098.


# -- POP: purified sets must outlast an interruption -----------------------------------

PURIFYING = {"theta": 0.3, "increment": 0.5, "window": 2, "warm_up": 2}


@pytest.mark.parametrize("stops", [(1,), (7, 8), (10, 17, 23)])
def test_pop_resumed_from_a_checkpoint_ends_with_the_same_bits(stops, tmp_path):
    training = Training(epochs=8, batch_size=12, lr=0.1)  # 4 steps an epoch.
    given = {**PURIFYING, "training": training, "random_state": 2}
    whole = POP(**given).fit(X, SETS)
    assert (whole.label_weights_[SETS] == 0).any(), "some candidates were dropped"
    kind = stopped_at(*stops, method=POP)
    path = tmp_path / "run.checkpoint"
    model = fit_in_parts(lambda: kind(**given), path, len(stops), X, SETS)
    assert bits(model, X) == bits(whole, X)
    assert kind.steps == 8 * 4


class Watched(POP):
    """Keeps the candidates that are left after each epoch, and the threshold."""

    def _end_epoch(self, state, clock):
        super()._end_epoch(state, clock)
        kept, theta = state.own["kept"].numpy().copy(), float(state.own["theta"])
        self.seen_ = [
            *getattr(self, "seen_", []),
            (kept, theta, state.w.numpy().copy()),
        ]


def test_pops_sets_only_shrink_and_never_empty():
    model = Watched(**PURIFYING, training=Training(epochs=12, batch_size=12))
    masks, thetas, weights = zip(*model.fit(X, SETS).seen_, strict=True)
    assert (masks[0] == SETS).all() and masks[-1].sum() < SETS.sum()
    for before, after in zip((SETS, *masks), masks, strict=False):
        assert (after <= before).all() and after.any(axis=1).all()
    for mask, w in zip(masks, weights, strict=True):
        assert (w[~mask] == 0).all()
    assert list(thetas) == sorted(thetas) and thetas[0] < thetas[-1] < 0.4 * 1.5


def test_every_network_is_among_those_tested():
    named = {id for id in PARTIAL if hasattr(method(id), "backbone")}
    assert named == set(NETWORKS)
