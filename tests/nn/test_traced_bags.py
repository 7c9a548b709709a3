"""Operations a graph can hold, against those of the training."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick

from mipl.nn.segments import Segments
from mipl.nn.traced_bags import TracedSegments


@quick
@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 99))
def test_they_say_what_those_of_the_training_say(sizes, seed):
    sizes, chance = torch.tensor(sizes), np.random.default_rng(seed)
    n = int(sizes.sum())
    x = torch.from_numpy(chance.normal(size=(n, 3)))
    a = torch.from_numpy(chance.normal(size=n))
    offsets = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
    mine, theirs = TracedSegments.between(offsets, x), Segments.of(sizes)
    assert mine.sizes.tolist() == theirs.sizes.tolist()
    assert mine.bag.tolist() == theirs.bag.tolist()
    for values in (x, a):
        for name in ("sum", "mean", "max", "softmax"):
            found = getattr(mine, name)(values)
            np.testing.assert_allclose(found, getattr(theirs, name)(values), atol=1e-12)
    centred = mine.centre(a)
    np.testing.assert_allclose(mine.std(centred), theirs.std(centred), atol=1e-12)
    both = mine.weighted_sum(a, x), theirs.weighted_sum(a, x)
    np.testing.assert_allclose(*both, atol=1e-12)
