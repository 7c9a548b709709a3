"""Reliability: doubts of instances by loops, when it is mixed in, and predictions."""

import numpy as np
import pytest
import torch

from mipl.nn.reliability import Reliability

RNG = np.random.default_rng(0)
LOGITS = torch.from_numpy(RNG.normal(size=(5, 3, 2)))  # Instances, classes, draws.
EVEN = torch.full((5, 3, 2), 0.2, dtype=torch.float64)


def naive(logits, over, weight):
    """Mix even attention of instances with their reliability, number by number."""
    n, k, draws = logits.shape
    doubt = np.zeros(logits.shape)
    for j, c, s in np.ndindex(n, k, draws):
        along = logits[j, c] if over == "draws" else logits[j, :, s]
        doubt[j, c, s] = k / sum(max(float(logit), 0) + 1e-6 + 1 for logit in along)
    doubt = (doubt - doubt.min()) / (doubt.max() - doubt.min() + 1e-8)
    share = weight * doubt.mean()
    return (1 - share) * 0.2 + share * (1 - doubt)


@pytest.mark.parametrize("over", ["draws", "classes"])
def test_attention_is_mixed_as_it_is_written(over):
    found = Reliability(over, 0.3, 0.0, 1)(EVEN, LOGITS)
    np.testing.assert_allclose(found, naive(LOGITS, over, 0.3), atol=1e-12)


def test_below_the_threshold_nothing_is_mixed_in():
    assert torch.equal(Reliability("draws", 0.3, 0.99, 1)(EVEN, LOGITS), EVEN)


def test_it_mixes_from_its_first_epoch_on():
    reliability = Reliability("draws", 0.3, 0.0, 3)
    mixes = []
    for epoch in range(4):
        reliability.epoch.fill_(epoch)
        mixes.append(reliability.mixes())
    assert mixes == [False, False, True, True]


def test_the_mean_doubt_is_a_constant_to_the_gradient():
    """What is left is that of the doubts, with their least and greatest."""
    logits = LOGITS.clone().requires_grad_()
    pull = torch.from_numpy(RNG.normal(size=(5, 3, 2)))
    (Reliability("draws", 0.3, 0.0, 1)(EVEN, logits) * pull).sum().backward()
    mean = float(_scaled(LOGITS.numpy()).mean())
    step, slopes = 1e-6, np.zeros(LOGITS.shape)
    for place in np.ndindex(*LOGITS.shape):
        values = []
        for sign in (1, -1):
            moved = LOGITS.numpy().copy()
            moved[place] += sign * step
            share = 0.3 * mean
            values.append((share * (1 - _scaled(moved)) * pull.numpy()).sum())
        slopes[place] = (values[0] - values[1]) / (2 * step)
    np.testing.assert_allclose(logits.grad, slopes, atol=1e-7)


def _scaled(logits):
    u = 3 / (np.maximum(logits, 0) + 1 + 1e-6).sum(axis=2, keepdims=True)
    return (u - u.min()) / (u.max() - u.min() + 1e-8)


@pytest.mark.parametrize("over", ["draws", "classes"])
def test_predictions_use_what_the_training_bags_have_told(over):
    reliability = Reliability(over, 0.3, 0.0, 1).double()
    logits, a = LOGITS[..., 0], EVEN[..., 0]
    assert torch.equal(reliability.predict(a, logits), a)
    reliability.settle(logits)
    whole = reliability.predict(a, logits)
    expected = naive(LOGITS[..., :1], over, 0.3)[..., 0]
    np.testing.assert_allclose(whole, expected, atol=1e-12)
    alone = reliability.predict(a[:1], logits[:1])
    torch.testing.assert_close(alone, whole[:1], rtol=0, atol=1e-15)
    far = reliability.predict(a, logits * 100)
    assert ((far >= 0) & (far <= 1)).all()
