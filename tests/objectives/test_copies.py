"""A bag repeated per candidate: its loss is the sum over the copies."""

import numpy as np
import torch

from mipl.objectives import copies, weighted_log_loss


def test_a_loss_weighted_by_copies_is_the_sum_over_labels():
    log_p = torch.randn(4, 3, generator=torch.Generator().manual_seed(0)).log_softmax(1)
    sets = torch.tensor([[1, 1, 0], [0, 1, 0], [1, 1, 1], [1, 0, 1]]).bool()
    even = sets / sets.sum(dim=1, keepdim=True)
    found = weighted_log_loss(log_p, copies(even, sets))
    naive = [-sum(float(log_p[i, c]) for c in range(3) if sets[i, c]) for i in range(4)]
    np.testing.assert_allclose(found, naive, rtol=1e-6)


def test_uneven_weights_share_out_as_many_copies():
    sets = torch.tensor([[True, True, False]])
    assert copies(torch.tensor([[0.75, 0.25, 0.0]]), sets).tolist() == [[1.5, 0.5, 0.0]]
