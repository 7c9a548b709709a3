"""Agreement of annotators: published examples, and naive recomputation."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from mipl.data.agreement import Agreement, agreement
from mipl.data.crowd import Votes


def votes_of(rows, classes) -> Votes:
    """Votes of a table with a row per annotator and a text per bag; '.': none."""
    given = [
        (bag, who, classes.index(label))
        for who, row in enumerate(rows)
        for bag, label in enumerate(row.split())
        if label != "."
    ]
    bag, who, column = np.array(given).T
    return Votes(bag, who, column, classes, n_bags=len(rows[0].split()))


def test_the_published_example_of_four_observers() -> None:
    # Krippendorff (2011), Computing Krippendorff's alpha-reliability, example C:
    # twelve units, of which one has a single value; nominal alpha .743.
    rows = ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3"]
    rows += [". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."]
    found = agreement(votes_of(rows, list("12345")), list("ABCD"))
    assert found.alpha == pytest.approx(0.743, abs=5e-4)
    assert (found.votes, found.undecided, found.missing) == (41, 0, 7)


def test_the_published_example_of_two_observers() -> None:
    # The same paper, example B: alpha .692 for names.
    rows = ["a a b b d c c c e d d a", "b a b b b c c c e d d d"]
    found = agreement(votes_of(rows, list("abcde")), ["Meg", "Owen"])
    assert found.alpha == pytest.approx(0.692, abs=5e-4)
    assert (found.pairs[0].bags, found.pairs[0].alike) == (12, 9)


def test_the_textbook_example_of_cohens_kappa() -> None:
    # 50 proposals: both yes 20, only the first 5, only the second 10, both no 15.
    one = ["y"] * 25 + ["n"] * 25
    other = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    found = agreement(votes_of([" ".join(one), " ".join(other)], ["n", "y"]), "AB")
    assert found.pairs[0].kappa == pytest.approx(0.4)
    assert found.confusions[0].votes == 15


def test_pairs_and_alpha_as_computed_naively() -> None:
    rng = np.random.default_rng(0)
    given = rng.integers(-1, 3, size=(30, 4))  # -1: no vote
    bag, who = np.nonzero(given >= 0)
    votes = Votes(bag, who, given[bag, who], ["a", "b", "c"], n_bags=30)
    found = agreement(votes, list("wxyz"))
    for pair in found.pairs:
        a, b = ("wxyz".index(name) for name in (pair.first, pair.second))
        both = (given[:, a] >= 0) & (given[:, b] >= 0)
        one, other = given[both, a], given[both, b]
        assert pair.bags == both.sum() and pair.alike == (one == other).sum()
        assert pair.kappa == pytest.approx(cohen_kappa_score(one, other))
    assert len(found.pairs) == 6
    kappas = [pair.kappa for pair in found.pairs]
    assert kappas == sorted(kappas)
    assert found.alpha == pytest.approx(_naive_alpha(given))
    confused = {(c.first, c.second): c.votes for c in found.confusions}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        n = sum((row == i).sum() * (row == j).sum() for row in given)
        assert confused["abc"[i], "abc"[j]] == n


def _naive_alpha(given) -> float:
    """One minus observed over expected disagreement, by all pairs of values."""
    units = [row[row >= 0] for row in given]
    units = [unit for unit in units if len(unit) > 1]
    observed = 0.0
    for unit in units:
        differ = sum(a != b for i, a in enumerate(unit) for b in np.delete(unit, i))
        observed += differ / (len(unit) - 1)
    every = np.concatenate(units)
    differ = sum(a != b for i, a in enumerate(every) for b in np.delete(every, i))
    n = len(every)
    return 1 - (observed / n) / (differ / (n * (n - 1)))


def test_votes_for_several_labels_are_undecided() -> None:
    votes = Votes([0, 0, 0, 1, 1], [0, 0, 1, 0, 1], [0, 1, 0, 1, 1], ["a", "b"])
    found = agreement(votes, ["x", "y"])
    assert (found.votes, found.undecided, found.missing) == (3, 1, 0)
    assert found.pairs[0].bags == 1 and found.confusions == ()


def test_what_chance_explains_has_no_figure() -> None:
    found = agreement(votes_of(["a a", "a a"], ["a", "b"]), ["x", "y"])
    assert found.alpha is None and found.pairs[0].kappa is None
    alone = agreement(votes_of(["a b"], ["a", "b"]), ["x"])
    assert alone.alpha is None and alone.pairs == ()
    assert "not defined" in found.lines()["Krippendorff's alpha"]


def test_it_comes_back_from_a_fact_and_from_nothing_else() -> None:
    found = agreement(votes_of(["a b a", "a a b"], ["a", "b"]), ["x", "y"])
    assert Agreement.of_fact(found.as_dict()) == found
    for foreign in (None, 3, "x", {"alpha": 1}, {**found.as_dict(), "pairs": [1]}):
        assert Agreement.of_fact(foreign) is None
