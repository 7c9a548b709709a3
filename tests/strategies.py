"""Hypothesis strategies that several tests share."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

quick = settings(derandomize=True, max_examples=50, deadline=None)


@st.composite
def lists_of_arrays(draw, largest=2.0**100):
    """A few bags of a few instances of a few features."""
    d = draw(st.integers(1, 4))
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=7))
    number = st.floats(-largest, largest, width=32)
    return [draw(hnp.arrays(np.float32, (n, d), elements=number)) for n in sizes]


@st.composite
def scores_and_sets(draw, score):
    """Scores of a few bags for a few classes, and candidate sets, none empty."""
    k = draw(st.integers(2, 5))
    row = st.lists(score, min_size=k, max_size=k)
    sets = st.lists(st.booleans(), min_size=k, max_size=k).filter(any)
    rows = draw(st.lists(st.tuples(row, sets), min_size=1, max_size=8))
    return np.array([r for r, _ in rows], float), np.array([s for _, s in rows])
