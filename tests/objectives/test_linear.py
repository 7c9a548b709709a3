"""The linear objective."""

import numpy as np
import torch

from mipl.objectives import linear_objective


def test_it_is_the_triple_sum():
    rng = np.random.default_rng(0)
    scores, w = rng.normal(size=(3, 4, 2)), rng.random((3, 4))
    intercept = rng.normal(size=(1, 4))
    found = linear_objective(*map(torch.tensor, (scores, w, intercept)))
    for i in range(3):
        naive = sum(
            w[i, c] * (intercept[0, c] + scores[i, c, s])
            for c in range(4)
            for s in range(2)
        )
        assert np.isclose(found[i], naive)
