"""The entropy of inferred labels."""

import math

import numpy as np
import torch
from torch.autograd import gradcheck

from mipl.objectives import bernoulli_entropy


def test_it_is_the_mean_of_the_labels_entropies():
    q = [[0.2, 0.5, 0.9], [0.0, 1.0, 0.3]]

    def entropy(x):
        return 0.0 if x in (0, 1) else -x * math.log(x) - (1 - x) * math.log(1 - x)

    expected = [sum(map(entropy, row)) / 3 for row in q]
    found = bernoulli_entropy(torch.tensor(q, dtype=torch.float64))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_gradients_inside_and_none_at_the_edges():
    q = torch.tensor([[0.2, 0.5, 0.9]], dtype=torch.float64, requires_grad=True)
    assert gradcheck(bernoulli_entropy, (q,))
    edge = torch.tensor([[0.0, 1.0]], requires_grad=True)
    bernoulli_entropy(edge).sum().backward()
    assert edge.grad.tolist() == [[0.0, 0.0]]
