"""The entropy of attention."""

import math

import numpy as np
import torch
from torch.autograd import gradcheck

from mipl.nn.attention import attention_entropy


def test_it_is_minus_a_log_a():
    scores = [-30.0, -3.0, -0.5, 0.0, 1.0, 4.0]
    a = [1 / (1 + math.exp(-s)) for s in scores]
    found = attention_entropy(torch.tensor(scores, dtype=torch.float64))
    np.testing.assert_allclose(found, [-x * math.log(x) for x in a], atol=1e-15)


def test_gradients():
    scores = torch.linspace(-5, 5, 7, dtype=torch.float64, requires_grad=True)
    assert gradcheck(attention_entropy, (scores,))


def test_far_scores_cost_nothing_and_pull_nowhere():
    """The published program has NaN here: 0 times the logarithm of 0."""
    scores = torch.tensor([-1000.0, -104.0, 1000.0], requires_grad=True)
    entropy = attention_entropy(scores)
    entropy.sum().backward()
    np.testing.assert_allclose(entropy.detach(), 0, atol=1e-30)
    np.testing.assert_allclose(scores.grad, 0, atol=1e-30)
