"""Marks in a text: each letter once, weights of overlapping instances averaged."""

import numpy as np
import pytest

from mipl import Bags
from mipl.reports.marked_text import MarkedText
from mipl.runs.explanation import Explanation

TEXT = "abcdefghij klmnopq\nrstuvwxyz"


def drawn(seed):
    """Return up to six spans: where they begin, how long they are, what they weigh."""
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 7)
    return list(
        zip(rng.integers(0, 21, n), rng.integers(1, 9, n), rng.random(n), strict=True)
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


@pytest.mark.parametrize("seed", range(40))
def test_pieces_are_the_text_with_the_mean_weight_of_each_letter(seed):
    text, places, weight = marked(drawn(seed))
    pieces = text.pieces()
    assert "".join(piece.text for piece in pieces) == TEXT
    found = [piece.weight for piece in pieces for _ in piece.text]
    for i, value in enumerate(found):
        over = weight[(places[:, 0] <= i) & (i < places[:, 1])]
        assert (value is None) == (not len(over))
        if value is not None:
            assert abs(value - over.mean()) < 1e-9


@pytest.mark.parametrize(("first", "behind"), [(0, 28), (0, 11), (7, 12), (10, 28)])
@pytest.mark.parametrize("seed", range(10))
def test_a_part_of_the_text_is_marked_as_in_the_whole(seed, first, behind):
    text, _, _ = marked(drawn(seed))
    whole = [p.weight for p in text.pieces() for _ in p.text][first:behind]
    part = text.pieces(first, behind)
    assert "".join(piece.text for piece in part) == TEXT[first:behind]
    for one, other in zip((p.weight for p in part for _ in p.text), whole, strict=True):
        assert one is other is None or abs(one - other) < 1e-9
