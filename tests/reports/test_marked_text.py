"""Marks in a text: each letter once, weights of overlapping instances averaged."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mipl import Bags
from mipl.reports.marked_text import MarkedText
from mipl.runs.explanation import Explanation

TEXT = "abcdefghij klmnopq\nrstuvwxyz"
SPANS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 8), st.floats(0.01, 1)),
    min_size=1,
    max_size=6,
)


def marked(spans):
    places = np.array([[a, min(a + n, len(TEXT))] for a, n, _ in spans])
    weight = np.array([w for *_, w in spans])
    n = len(spans)
    told = Explanation(
        "bag", Bags([np.zeros((n, 1))]), np.array(["a"]), np.ones(1), np.ones(1, bool),
        np.ones(1), 0.0, None, weight, None, None, {},
    )  # fmt: skip
    return MarkedText(told, "attention", TEXT, places, weight), places, weight


@given(SPANS)
def test_pieces_are_the_text_with_the_mean_weight_of_each_letter(spans):
    text, places, weight = marked(spans)
    pieces = text.pieces()
    assert "".join(piece.text for piece in pieces) == TEXT
    found = [piece.weight for piece in pieces for _ in piece.text]
    for i, value in enumerate(found):
        over = weight[(places[:, 0] <= i) & (i < places[:, 1])]
        assert (value is None) == (not len(over))
        if value is not None:
            assert abs(value - over.mean()) < 1e-9


@given(SPANS, st.integers(0, 10), st.integers(11, 28))
def test_a_part_of_the_text_is_marked_as_in_the_whole(spans, first, behind):
    text, _, _ = marked(spans)
    whole = [p.weight for p in text.pieces() for _ in p.text][first:behind]
    part = text.pieces(first, behind)
    assert "".join(piece.text for piece in part) == TEXT[first:behind]
    for one, other in zip((p.weight for p in part for _ in p.text), whole, strict=True):
        assert one is other is None or abs(one - other) < 1e-9
