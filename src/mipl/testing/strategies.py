"""Hypothesis strategies: bags, candidate sets, and both together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates

__all__ = ["bags", "candidates", "problems"]

_NAMES = ("ash", "beech", "elm", "oak", "pine", "rowan", "willow", "yew")


@st.composite
def bags(
    draw: st.DrawFn,
    *,
    n_bags: int | None = None,
    max_bags: int = 6,
    max_size: int = 5,
    max_features: int = 4,
    largest: float = 100.0,
) -> Bags:
    """Draw a few bags of a few instances, of numbers up to ``largest``.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(bags(max_size=3))
    ... def test_sizes(x):
    ...     assert 1 <= x.sizes.min() and x.sizes.max() <= 3
    >>> test_sizes()
    """
    few = n_bags or 1
    sizes = draw(
        st.lists(st.integers(1, max_size), min_size=few, max_size=n_bags or max_bags)
    )
    d = draw(st.integers(1, max_features))
    number = st.floats(-largest, largest, width=32)
    rows = draw(hnp.arrays(np.float32, (sum(sizes), d), elements=number))
    return Bags(rows, np.cumsum([0, *sizes]))


@st.composite
def candidates(
    draw: st.DrawFn,
    n_bags: int,
    *,
    max_classes: int = 5,
    weighted: bool = False,
) -> Candidates:
    """Draw a candidate set for each bag, none of them empty.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(candidates(4))
    ... def test_sets(y):
    ...     assert len(y) == 4 and y.sizes.min() >= 1
    >>> test_sets()
    """
    k = draw(st.integers(2, max_classes))
    sets = st.lists(st.booleans(), min_size=k, max_size=k).filter(any)
    matrix: npt.NDArray[Any] = np.array(
        draw(st.lists(sets, min_size=n_bags, max_size=n_bags))
    )
    if weighted:
        votes = hnp.arrays(np.float64, matrix.shape, elements=st.floats(0.5, 9.5))
        matrix = matrix * draw(votes)
    return Candidates(matrix, classes=_NAMES[:k])


@st.composite
def problems(draw: st.DrawFn, /, **arguments: Any) -> tuple[Bags, Candidates]:
    """Draw bags, by the arguments of ``bags``, and a candidate set for each.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(problems(max_bags=3))
    ... def test_lengths(problem):
    ...     assert len(problem[0]) == len(problem[1]) <= 3
    >>> test_lengths()
    """
    x = draw(bags(**arguments))
    return x, draw(candidates(len(x)))
