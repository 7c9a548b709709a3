"""Entries as lines: figures as papers print them."""

import numpy as np
import pytest
from tests.reports.products import BEATEN, DIVERGED, MEASURED, MISSING

from mipl.paper.cells import Cell
from mipl.paper.published import highest
from mipl.paper.sheet import Gap, Score, Tally
from mipl.reports.entry_text import EntryText, entry_text, share


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, ".000"), (0.05, ".050"), (0.9994, ".999"), (0.9996, "1.000"), (1, "1.000")],
)
def test_shares_have_no_leading_zero(value, text):
    assert share(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.1, "+.100"), (-0.1, "-.100")])
def test_differences_have_a_sign(value, text):
    assert share(value, sign=True) == text


def test_a_score_has_ours_with_ddof_0_then_the_published_one():
    mean, std = np.mean([0.8, 0.83, 0.776]), np.std([0.8, 0.83, 0.776])
    first, second = entry_text(MEASURED).lines
    assert first == f".{mean * 1000:.0f}±.{std * 1000:03.0f} (3)"
    assert second == f"paper .703±.026, +.{(mean - 0.703) * 1000:03.0f}"
    assert entry_text(MEASURED).bold


def test_a_score_short_of_splits_says_so_and_has_a_mark():
    assert entry_text(BEATEN) == EntryText(
        (".625±.025 (2 of 10) ●", "paper .635±.041, -.010")
    )


def test_one_split_has_no_spread():
    score = Score(Cell(BEATEN.cell.spot, {4: 0.6}, 1))
    assert entry_text(score).lines[0] == ".600 (1)"


def test_missing_cells_tell_the_runs_that_would_fill_them():
    assert entry_text(MISSING) == EntryText(("10 runs missing",))


def test_cells_that_diverged_say_so_and_are_not_missing():
    spot = BEATEN.cell.spot
    assert entry_text(DIVERGED).lines == ("10 diverged",)
    some = Score(Cell(spot, {}, 10, diverged=3))
    assert entry_text(some).lines[0] == "3 diverged, 7 runs missing"
    rest = Score(Cell(spot, {0: 0.6, 1: 0.65}, 10, diverged=8), verdict="win")
    assert entry_text(rest).lines[0] == ".625±.025 (2 of 10, 8 diverged) ●"


def test_a_tally_tells_what_was_not_tested():
    assert entry_text(Tally(3, 2, 1, 6, (9, 2, 1))).lines == (
        "3/2/1",
        "6 not tested",
        "paper 9/2/1",
    )


def test_a_gap_has_a_star_where_it_may_not_be_compared():
    best, fair = highest("sival-mipl", 1)
    first, second = entry_text(Gap(MEASURED.cell, best)).lines
    assert first == ".779±.030*, ours +.023"
    assert second == "FastMIPL, AAAI 2025; transductive"
    assert entry_text(Gap(MEASURED.cell, fair)).lines[0] == ".755±.020, ours +.047"
    assert entry_text(Gap(MISSING.cell, fair)).lines[0] == ".755±.020"
