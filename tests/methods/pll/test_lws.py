"""LWS: both forms of its loss recomputed, with a weight for each term."""

import math

import numpy as np
import pytest
import torch
from tests.methods.pll.problem import problem, terms

from mipl import LWS, MiplError, Training

SETS = torch.tensor([[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 0, 0]], dtype=torch.bool)


def psi(form, z, c):
    """Return the loss of a label as a candidate, and as none."""
    if form == "sigmoid":
        return 1 / (1 + math.exp(z[c])), 1 / (1 + math.exp(-z[c]))
    p = math.exp(z[c]) / sum(math.exp(v) for v in z)
    return -math.log(p + 1e-8), -math.log(1 - p + 1e-8)


@pytest.mark.parametrize("form", ["sigmoid", "cross-entropy"])
@pytest.mark.parametrize("alpha", [None, 0.25, 0.0])
def test_the_loss_recomputed_label_by_label(form, alpha):
    rng = np.random.default_rng(0)
    z, w = rng.normal(size=SETS.shape), rng.random(size=SETS.shape)
    given = {} if alpha is None else {"candidate_weight": alpha}
    inside = outside = 0.0
    for i, candidates in enumerate(SETS.tolist()):
        for c, is_candidate in enumerate(candidates):
            pair = psi(form, z[i], c)
            if is_candidate:
                inside += (1.0 if alpha is None else alpha) * w[i, c] * pair[0] / 3
            else:
                outside += 1.5 * w[i, c] * pair[1] / 3
    model = LWS(form, beta=1.5, **given)
    told = terms(model, torch.tensor(z), torch.tensor(w), SETS)
    assert told.keys() == {"candidates", "others"}
    assert told["candidates"].item() == pytest.approx(inside, abs=1e-12)
    assert told["others"].item() == pytest.approx(outside, abs=1e-12)


def test_the_weight_is_that_of_the_fit():
    x, sets, _ = problem()
    steps = Training(epochs=1, batch_size=None, dtype="float64")
    once, half = (
        LWS(candidate_weight=a, training=steps).fit(x, sets).history_[0]
        for a in (1.0, 0.5)
    )
    assert half["candidates"] == pytest.approx(once["candidates"] / 2, rel=1e-9)
    assert half["others"] == once["others"] > 0


def test_a_negative_weight_is_refused():
    x, sets, _ = problem()
    with pytest.raises(MiplError, match="candidate_weight of LWS must be a number >= "):
        LWS(candidate_weight=-1).fit(x, sets)
