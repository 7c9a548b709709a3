"""Statements are counted in the paper's tables as the paper counts them, or not."""

import pytest

from mipl.datasets.published_sets import KMNIST, SIVAL
from mipl.paper.cells import Cell, Spot, spots
from mipl.paper.claim import (
    ABOVE,
    FAILS,
    HOLDS,
    IN_PART,
    SAME,
    SIGNIFICANT,
    UNKNOWN,
    Amount,
    Basis,
    Claim,
    Count,
    pairs,
)
from mipl.paper.entrants import DEMIPL, MIPLGP, OURS, PRODEN_MA, PRODEN_MLP
from mipl.paper.published import published
from mipl.paper.statements import claims

OURS_AT, THEIRS_AT = Spot(OURS, SIVAL, 1), Spot(DEMIPL, SIVAL, 1)
PAIR = pairs([OURS_AT], [THEIRS_AT])


def cells(ours, theirs):
    return {
        OURS_AT: Cell(OURS_AT, dict(enumerate(ours))),
        THEIRS_AT: Cell(THEIRS_AT, dict(enumerate(theirs))),
    }


def test_above_is_about_means_on_shared_splits():
    claim = Claim("", "", PAIR)
    assert claim.count(cells([0.6, 0.6], [0.5, 0.5, 0.99])) == Count(1, 1, 0)
    assert claim.count(cells([0.6], [0.6])) == Count(0, 1, 0)
    assert claim.count(cells([], [0.6])) == Count(0, 0, 1)
    assert claim.count({}) == Count(0, 0, 1)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        # All of them, where the paper's tables cannot tell.
        (Claim("", "all", PAIR, SIGNIFICANT), [FAILS, FAILS, IN_PART, HOLDS]),
        # As often as its tables: two of three.
        (
            Claim("", "", PAIR, SIGNIFICANT, Count(2, 3, 0)),
            [FAILS, FAILS, HOLDS, HOLDS],
        ),
        (Claim("", "generally", PAIR, most=True), [FAILS, FAILS, HOLDS, HOLDS]),
        (Claim("", "not all", PAIR, denied=True), [HOLDS, HOLDS, HOLDS, FAILS]),
    ],
)
def test_a_claim_holds_as_often_as_the_paper_says(claim, told):
    assert [claim.verdict(Count(n, 4, 9)) for n in (0, 2, 3, 4)] == told
    assert claim.verdict(Count(0, 0, 9)) == UNKNOWN


def test_of_most_and_not_of_all_are_the_papers_own_words():
    found = claims(OURS)
    most = {claim.says for claim in found if claim.most}
    denied = [claim.says for claim in found if claim.denied]
    assert most == {"generally", "in most cases"}
    assert denied == ["not consistently"]


def test_a_claim_rests_on_the_splits_it_compares():
    found = cells([0.6, 0.63, 0.59], [0.5, 0.52])
    for how in (ABOVE, SIGNIFICANT):
        assert Claim("", "", PAIR, how).basis(found) == Basis(2, 2, (2,))
    groups = Claim("", "", PAIR, SIGNIFICANT).basis(found, paired=False)
    assert groups == Basis(2, 2, (3, 2))  # Two groups need no splits in common.
    assert Claim("", "", PAIR).basis(cells([0.6], [])) == Basis(0, 2, ())


@pytest.mark.parametrize(
    ("theirs", "won", "same"),
    [
        ([0.50, 0.52, 0.49], 1, 0),
        ([0.61, 0.59, 0.62], 0, 1),
        ([0.70, 0.73, 0.69], 0, 0),
    ],
)
def test_significant_and_same_ask_the_t_test(theirs, won, same):
    found = cells([0.60, 0.63, 0.59], theirs)
    assert Claim("", "", PAIR, SIGNIFICANT).count(found) == Count(won, 1, 0)
    assert Claim("", "", PAIR, SAME).count(found) == Count(same, 1, 0)


def test_a_gain_is_the_difference_on_shared_splits():
    q = KMNIST[-1]
    ma, plain = Spot(PRODEN_MA, q, None), Spot(PRODEN_MLP, q, None)
    found = {
        ma: Cell(ma, {0: 0.8, 1: 0.9}),
        plain: Cell(plain, {1: 0.7, 2: 0.1}),
    }
    assert Amount(ma, plain).measured(found).values == {1: pytest.approx(0.2)}
    assert Amount(ma, plain).published() == pytest.approx(0.816 - 0.772)


def test_counted_naively_in_the_papers_tables():
    """What the paper's own accuracies give, whatever its text says."""
    above = 0
    for name in ("elimipl", "demipl", "miplgp"):
        for data in ("mnist-mipl", "fmnist-mipl", "birdsong-mipl", "sival-mipl"):
            for r in (1, 2, 3):
                ours = published("miplma", "", data, r).mean
                above += ours > published(name, "", data, r).mean
    told = {claim.statement: claim.count_published() for claim in claims(OURS)}
    assert told["above the MIPL methods"] == Count(above, 36, 0)
    assert told["CRC: above the MIPL methods"] == Count(11, 11, 0)
    assert told["CRC: above PLL, MLP"] == Count(37, 40, 0)
    assert told["significant wins: all"] == Count(477, 495, 0)
    assert told["PRODEN-MA above PRODEN at every q"] == Count(5, 5, 0)
    assert told["MaLab above MaIns"] is None  # A figure, which prints no numbers.


@pytest.mark.parametrize(
    ("statement", "comparisons"),
    [
        ("above the MIPL methods", 36),
        ("above ELIMIPL and DEMIPL", 24),
        ("above MIPLGP", 12),
        ("significantly above PLL, linear", 144),
        ("significantly above PLL, MLP", 120),
        ("CRC: above the MIPL methods", 11),
        ("CRC: above PLL, MLP", 40),
        ("margin distribution above mean margin, released form", 12),
        ("LOSS-ATTEN above the other MIL methods", 24),
        ("Mean above MaxMin on MNIST-MIPL", 18),
        ("its gain is larger at q=0.9 than at the others", 4),
        ("lambda 3-7 no different from 5", 12),
        ("lambda 5 above 8-10", 9),
        ("tau0 6-10 no different from 5", 30),
    ],
)
def test_as_many_comparisons_as_the_text_speaks_of(statement, comparisons):
    [claim] = [one for one in claims(OURS) if one.statement == statement]
    assert len(claim.pairs) == comparisons
    assert len(set(claim.pairs)) == comparisons


def test_statements_pair_cells_of_the_same_data_and_r():
    for claim in claims(OURS):
        if "features" in claim.statement or "patches" in claim.statement:
            continue
        for a, b in claim.pairs:
            assert a.spot.r == b.spot.r
            same_method = a.spot.entrant == b.spot.entrant
            assert (a.spot.source == b.spot.source) != same_method or a.less


def test_pairs_keep_their_order():
    better, worse = spots((MIPLGP,), [SIVAL]), spots((DEMIPL,), [SIVAL])
    assert [(a.spot.r, b.spot.r) for a, b in pairs(better, worse)] == [
        (1, 1),
        (2, 2),
        (3, 3),
    ]
