"""Margins against loops; violations in both spaces; full sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick, scores_and_sets

from mipl.errors import MiplError
from mipl.metrics import (
    instance_violation_rate,
    label_margins,
    margin_violation_rate,
)


@quick
@given(scores_and_sets(st.floats(-5, 5)))
def test_margins_equal_loops(given_values):
    p, sets = given_values
    naive = []
    for row, inside in zip(p, sets, strict=True):
        best = max(v for v, c in zip(row, inside, strict=True) if c)
        others = [v for v, c in zip(row, inside, strict=True) if not c]
        naive.append(best - max(others) if others else best)
    np.testing.assert_array_equal(label_margins(p, sets), naive)
    violated = sum(margin < 0 for margin in naive) / len(naive)
    assert margin_violation_rate(p, sets) == pytest.approx(violated)


def test_a_full_set_has_its_best_probability_as_margin():
    assert label_margins([[0.2, 0.5, 0.3]], [[True] * 3]).tolist() == [0.5]
    assert margin_violation_rate([[0.2, 0.5, 0.3]], [[True] * 3]) == 0


def test_a_tie_is_no_violation():
    assert margin_violation_rate([[0.5, 0.5]], [[True, False]]) == 0


def test_the_worked_example_of_the_specification():
    """Five classes behind a sigmoid and a softmax: margins reach (e-1)/(e+k-1)."""
    o = np.array([[1.0, 0.0, 0.0, 0.0, 0.0]])
    p = np.exp(o) / np.exp(o).sum()
    margin = label_margins(p, [[True, True, False, False, False]])[0]
    assert margin == pytest.approx(0.256, abs=5e-4)


@st.composite
def instance_scores(draw):
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=8))
    n = sum(sizes)
    scores = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    positive = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return sizes, scores, positive


@quick
@given(instance_scores())
def test_instance_violations_equal_loops(given_values):
    sizes, scores, positive = given_values
    offsets = np.cumsum([0, *sizes])
    found, left_out = [], 0
    for a, n in zip(offsets, sizes, strict=False):
        pairs = list(zip(scores[a : a + n], positive[a : a + n], strict=True))
        inside = [s for s, is_positive in pairs if is_positive]
        outside = [s for s, is_positive in pairs if not is_positive]
        if inside and outside:
            found.append(max(outside) > max(inside))
        else:
            left_out += 1
    if not found:
        with pytest.raises(MiplError, match="no bag has both positive and negative"):
            instance_violation_rate(scores, offsets, positive)
        return
    rate = instance_violation_rate(scores, offsets, positive)
    assert rate.value == pytest.approx(np.mean(found))
    assert (rate.n_bags, rate.n_left_out) == (len(found), left_out)


REFUSED = [
    ([0.1, 0.2], [0, 1], [True, False], "rise from 0 to 2"),
    ([0.1, 0.2], [0, 2, 2], [True, False], "rise from 0 to 2"),
    ([0.1, 0.2], [0.0, 2.0], [True, False], "offsets must be integers"),
    ([0.1, 0.2], [2], [True, False], "offsets must be integers"),
    ([0.1, np.inf], [0, 2], [True, False], "instance scores must be finite; row 1"),
    ([[0.1, 0.2]], [0, 2], [True, False], "instance scores must have 1 axes"),
    ([0.1, 0.2], [0, 2], [1, 0], "is_positive must be 2 booleans"),
    ([0.1, 0.2], [0, 2], [True], "is_positive must be 2 booleans"),
]


@pytest.mark.parametrize(("scores", "offsets", "positive", "text"), REFUSED)
def test_bad_input_is_refused_in_one_sentence(scores, offsets, positive, text):
    with pytest.raises(MiplError, match=text):
        instance_violation_rate(scores, offsets, positive)


def test_bad_margins_are_refused():
    with pytest.raises(MiplError, match="row 0 holds NaN"):
        label_margins([[np.nan, 1.0]], [[True, False]])
    with pytest.raises(MiplError, match=r"shape \(1, 2\)"):
        margin_violation_rate([[0.5, 0.5]], [[True]])
