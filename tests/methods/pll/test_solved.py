"""What PLAGGD, PLSVM and M3PL have in common."""

import time

import numpy as np
import pytest
from tests.methods.pll.problem import problem
from threadpoolctl import threadpool_limits

from mipl.errors import MiplError
from mipl.methods.pll.m3pl import M3PL
from mipl.methods.pll.plaggd import PLAGGD
from mipl.methods.pll.plsvm import PLSVM

SMALL = [
    PLAGGD(k=3, max_iter=2),
    PLSVM(n_init=1, max_iter=30),
    M3PL(c_max=1.0, growth=20.0),
]
X, SETS, Y = problem()


def kind(model):
    return type(model).__name__


@pytest.mark.parametrize("model", SMALL, ids=kind)
def test_it_learns_from_candidates(model):
    model.fit(X, SETS)
    assert model.score(X, Y) > 0.8
    assert (model.disambiguated_ == Y).mean() > 0.8
    w = model.label_weights_
    assert (w[~SETS] == 0).all() and (w >= 0).all()
    np.testing.assert_allclose(w.sum(axis=1), 1)


@pytest.mark.parametrize("model", SMALL, ids=kind)
@pytest.mark.parametrize(
    "sets", [np.ones((6, 3), bool), np.eye(6, 3, dtype=bool) | [[True, False, False]]]
)
def test_full_sets_unused_classes_and_constant_features_give_finite_numbers(
    model, sets
):
    x = np.concatenate([X[:6], np.full((6, 1), 7.0)], axis=1)
    p = model.fit(x, sets).predict_proba(x)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize("model", SMALL, ids=kind)
def test_equal_rows_give_finite_numbers(model):
    p = model.fit(np.ones((5, 2)), SETS[:5]).predict_proba(np.ones((2, 2)))
    assert np.isfinite(p).all()


@pytest.mark.parametrize("model", [PLAGGD(), M3PL()], ids=kind)
def test_too_many_rows_are_refused_in_one_sentence(model):
    with pytest.raises(MiplError, match=r"is for at most 6000 rows, because .* 6001"):
        model.fit(np.zeros((6001, 1)), np.zeros(6001))


@pytest.mark.parametrize("model", SMALL, ids=kind)
def test_standardising_is_what_the_user_would_do(model):
    wide = X * np.array([1, 100, 1000], dtype=np.float32)
    scaled = ((wide - wide.mean(axis=0)) / wide.std(axis=0)).astype(np.float32)
    p = model.fit(wide, SETS).predict_proba(wide)
    model.set_params(scaling="none")
    q = model.fit(scaled, SETS).predict_proba(scaled)
    model.set_params(scaling="standard")
    np.testing.assert_allclose(p, q, atol=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "name", "rows", "most"),
    [(PLAGGD(), "birdsong-pll", 5000, 120), (M3PL(c_max=1.0), "lost", 897, 123)],
)  # M3PL: what another program takes for this fold of Lost.
def test_fits_take_no_longer_than_promised(model, name, rows, most, loaded):
    data = loaded(name)
    chosen = np.arange(rows) % len(data)  # BirdSong has 4,998.
    start = time.process_time()
    model.fit(data.bags.instances[chosen], data.candidates[chosen])
    assert time.process_time() - start < most


def test_threads_of_linear_algebra_do_not_change_the_bits():
    """Products of this size are shared out, and then add up in another order."""
    rng = np.random.default_rng(0)
    x, true = rng.normal(size=(1122, 108)), rng.integers(0, 16, 1122)
    sets = rng.random((1122, 16)) < 0.3
    sets[np.arange(1122), true] = True
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            model = PLSVM(n_init=1, max_iter=15).fit(x, sets)
            found.append((model.history_, model.predict_proba(x).tobytes()))
    assert found[0] == found[1]
