from collections import defaultdict

import numpy as np
import pytest

from mipl.data.crowd import Votes, at_least, crc, union
from mipl.errors import MiplError

CLASSES = ["ash", "elm", "fir", "oak"]


def random_votes(seed, n_bags=60, workers=3):
    """Every worker gives every bag one to three labels with probabilities."""
    rng = np.random.default_rng(seed)
    rows = []
    for bag in range(n_bags):
        for worker in range(workers):
            chosen = rng.choice(4, size=rng.integers(1, 4), replace=False)
            sure = rng.dirichlet(np.ones(len(chosen)))
            rows += [
                (bag, worker, int(c), float(p))
                for c, p in zip(chosen, sure, strict=True)
            ]
    order = rng.permutation(len(rows))
    return [rows[i] for i in order]


def as_votes(rows, **more):
    bag, annotator, column, weight = (list(part) for part in zip(*rows, strict=True))
    return Votes(bag, annotator, column, CLASSES, weight, **more)


def naive(rows, rule):
    """Recompute sets and weights bag by bag with plain dictionaries."""
    bags = defaultdict(lambda: defaultdict(dict))
    for bag, worker, column, weight in rows:
        bags[bag][worker][column] = weight
    sets, weights = [], []
    for bag in sorted(bags):
        chosen = rule(bags[bag])
        total = {c: sum(w.get(c, 0.0) for w in bags[bag].values()) for c in chosen}
        sets.append({CLASSES[c] for c in chosen})
        weights.append(
            [total.get(c, 0.0) / sum(total.values()) for c in range(len(CLASSES))]
        )
    return sets, np.array(weights)


def rule_at_least(t):
    return lambda workers: {
        c for c in range(4) if sum(c in labels for labels in workers.values()) >= t
    }


def rule_crc(workers):
    agreed = rule_at_least(2)(workers)
    if len(agreed) > 1:
        return agreed
    return {max(labels, key=labels.get) for labels in workers.values()}


@pytest.mark.parametrize("seed", range(5))
def test_rules_agree_with_a_naive_recount(seed):
    rows = random_votes(seed)
    votes = as_votes(rows)
    for made, rule in (
        (union(votes), rule_at_least(1)),
        (at_least(votes, 1), rule_at_least(1)),
        (crc(votes), rule_crc),
    ):
        sets, weights = naive(rows, rule)
        assert [set(s) for s in made] == sets
        np.testing.assert_allclose(made.initial_weights(), weights, atol=1e-12)


def test_at_least_two():
    rows = [(0, 0, 0, 1), (0, 1, 0, 1), (0, 2, 1, 1), (1, 0, 2, 1), (1, 5, 2, 1)]
    made = at_least(as_votes(rows), 2)
    assert [set(s) for s in made] == [{"ash"}, {"fir"}]
    with pytest.raises(MiplError, match="bag 0 has no label with at least 3"):
        at_least(as_votes(rows), 3)


def test_a_repeated_vote_adds_weight_but_no_annotator():
    votes = as_votes([(0, 0, 0, 1), (0, 0, 0, 1), (0, 1, 1, 1), (0, 2, 1, 1)])
    assert [set(s) for s in at_least(votes, 2)] == [{"elm"}]
    np.testing.assert_allclose(union(votes).weights, [[0.5, 0.5, 0, 0]])


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        # Two labels in at least two sets.
        ([{0: 0.9, 1: 0.1}, {0: 0.5, 1: 0.5}, {2: 1.0}], {0, 1}),
        # One label agreed: each worker's most probable label instead.
        ([{0: 0.4, 1: 0.6}, {0: 0.9, 2: 0.1}, {3: 1.0}], {1, 0, 3}),
        # None agreed.
        ([{0: 1.0}, {1: 1.0}, {2: 0.3, 3: 0.7}], {0, 1, 3}),
        # All agree on one: a set of one is possible.
        ([{2: 1.0}, {2: 1.0}, {2: 0.8, 0: 0.2}], {2}),
        # Equal probabilities: the first in the order of the classes.
        ([{3: 0.5, 1: 0.5}, {0: 1.0}, {2: 1.0}], {0, 1, 2}),
    ],
)
def test_crc_rule_by_hand(sets, expected):
    rows = [(0, w, c, p) for w, part in enumerate(sets) for c, p in part.items()]
    assert set(*crc(as_votes(rows))) == {CLASSES[c] for c in expected}


def test_crc_takes_any_three_of_many_annotators():
    rows = [(0, 7, 0, 1), (0, 8, 1, 1), (0, 9, 1, 1), (1, 1, 2, 1), (1, 2, 2, 1)]
    with pytest.raises(
        MiplError, match="bag 1 has 2 annotators where the CRC rule needs 3"
    ):
        crc(as_votes(rows))
    made = crc(as_votes([*rows, (1, 7, 2, 1)]))
    assert [set(s) for s in made] == [{"ash", "elm"}, {"fir"}]


def test_a_vote_of_weight_nothing_is_no_vote():
    made = union(as_votes([(0, 0, 0, 0.0), (0, 0, 1, 0.3)]))
    assert [set(s) for s in made] == [{"elm"}]


def test_bags_without_votes_are_named():
    with pytest.raises(MiplError, match="bag 1 has no votes"):
        union(as_votes([(0, 0, 0, 1), (2, 0, 0, 1)]))
    with pytest.raises(MiplError, match="bag 1 has no votes"):
        union(as_votes([(0, 0, 0, 1)], n_bags=2))
    with pytest.raises(MiplError, match="bag 1 has no votes, as have 2 more"):
        union(as_votes([(0, 0, 0, 1)], n_bags=4))


def test_plain_votes_give_shares():
    votes = Votes([0, 0, 0], [0, 1, 2], [3, 3, 0], CLASSES)
    np.testing.assert_allclose(union(votes).weights, [[1 / 3, 0, 0, 2 / 3]])
    assert union(votes).classes.tolist() == CLASSES


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [0], [4], CLASSES), "column 4"),
        (([0], [0], [-1], CLASSES), "column of votes must be >= 0"),
        (([0.5], [0], [0], CLASSES), "whole numbers"),
        ((["a"], [0], [0], CLASSES), "whole numbers"),
        (([0, 1], [0], [0], CLASSES), "equally long"),
        (([0], [0], [0], CLASSES, [-1.0]), "must be >= 0; got -1.0"),
        (([0], [0], [0], CLASSES, [np.nan]), "finite"),
        (([0], [0], [0], CLASSES, ["x"]), "finite numbers"),
        (([3], [0], [0], CLASSES, [1.0], 2), "bag 3 of 2 bags"),
        (([0], [0], [0], ["a", "a"]), "twice"),
    ],
)
def test_wrong_votes_are_told(arguments, message):
    with pytest.raises(MiplError, match=message):
        Votes(*arguments)


@pytest.mark.parametrize("t", [0, 1.5, True, "2"])
def test_wrong_t_is_told(t):
    with pytest.raises(MiplError, match="t must be a whole number"):
        at_least(Votes([0], [0], [0], CLASSES), t)


def test_no_votes_at_all_is_told():
    with pytest.raises(MiplError):
        union(Votes([], [], [], CLASSES))
    with pytest.raises(MiplError):
        crc(Votes([], [], [], CLASSES))
