"""Simulated annotators against what their model says, vote by vote."""

from itertools import product

import numpy as np
import pytest

from mipl.data.annotators import annotated, confusion_of_size, crowd_sets
from mipl.data.candidate_generators import crowd, generate_candidates
from mipl.errors import MiplError


def rng(seed=0):
    return np.random.default_rng(seed)


def test_votes_have_the_chances_of_the_matrix():
    chances = np.array([[0.0, 0.1, 0.6], [0.3, 0.0, 0.5], [0.9, 0.0, 0.0]])
    labels = np.arange(30_000) % 3
    votes = annotated(labels, chances, rng())
    named = np.zeros((len(labels), 3, 3))  # bag, annotator, class
    named[votes.bag, votes.annotator, votes.column] = 1
    for y in range(3):
        expected = np.where(np.arange(3) == y, 1.0, chances[y])
        found = named[labels == y].mean(axis=0)  # (annotator, class)
        np.testing.assert_allclose(found, [expected] * 3, atol=0.02)


def test_the_surest_label_is_drawn_in_proportion():
    labels = np.zeros(40_000, dtype=int)
    votes = annotated(labels, np.array([[0.0, 1.0, 0.5]] * 3), rng())
    sure = np.zeros((len(labels), 3, 3))
    sure[votes.bag, votes.annotator, votes.column] = votes.weight
    # All three named: the chances are 1 : 1 : 0.5.
    all_named = (sure > 0).all(axis=2)
    first = sure.argmax(axis=2)[all_named]
    shares = np.bincount(first, minlength=3) / len(first)
    np.testing.assert_allclose(shares, [0.4, 0.4, 0.2], atol=0.01)


def _chances_of_sets(q):
    """Two classes, truth 0: enumerate who names class 1 and whom each is surest of."""
    both = alone = none = 0.0
    for names in product([0, 1], repeat=3):
        chance = np.prod([q if n else 1 - q for n in names])
        if sum(names) >= 2:
            both += chance
            continue
        # Fewer than two agree on class 1: the surest labels count.
        for wrong in product([0, 1], repeat=3):
            if any(w and not n for w, n in zip(wrong, names, strict=True)):
                continue
            surest = [
                (q if w else 1) / (1 + q) if n else 1.0
                for w, n in zip(wrong, names, strict=True)
            ]
            share = chance * np.prod(surest)
            if all(wrong):
                none += share
            elif any(wrong):
                both += share
            else:
                alone += share
    return both / (1 - none), alone / (1 - none)


@pytest.mark.parametrize("q", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_set_sizes_of_two_classes_by_enumeration(q):
    m = 20_000
    matrix = crowd(np.zeros(m, dtype=int), 2, q, rng())
    both, alone = _chances_of_sets(q)
    assert both + alone == pytest.approx(1)
    assert matrix[:, 0].all()
    assert matrix.all(axis=1).mean() == pytest.approx(both, abs=0.015)


@pytest.mark.parametrize(
    ("k", "size"), [(7, 2.08), (5, 2.08), (5, 1.0), (5, 3.5), (2, 2)]
)
def test_the_average_size_can_be_set(k, size):
    labels = np.arange(200 * k) % k

    def sets(q):
        return crowd_sets(labels, np.full((k, k), q), rng(1))

    q = confusion_of_size(size, k, sets)
    assert sets(q).sum(axis=1).mean() == pytest.approx(size, abs=0.01)


def test_confused_classes_stay_among_themselves():
    chances = np.zeros((4, 4))
    chances[0, 1] = chances[1, 0] = 0.7
    labels = np.arange(400) % 4
    made, facts = generate_candidates(labels, np.arange(4), "crowd", q=chances)
    assert (made.sizes[labels >= 2] == 1).all()
    assert made.matrix[labels < 2][:, :2].mean() > 0.7
    assert not made.matrix[labels < 2][:, 2:].any()
    assert facts["q"] == chances.tolist()


def test_wrong_arguments():
    with pytest.raises(MiplError, match="must be 1 to 5"):
        confusion_of_size(6, 5, lambda q: np.ones((1, 5), bool))
    with pytest.raises(MiplError, match="q must be a probability"):
        crowd(np.zeros(2, int), 3, 1.5, rng())
    with pytest.raises(MiplError, match="Q must have one row"):
        crowd(np.zeros(2, int), 3, np.zeros((2, 2)), rng())
