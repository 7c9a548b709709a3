"""The first screen of the results: each answer recounted from a small store."""

import pytest
from tests.runs.stores import diverge, store_of
from tools.answers import answers, known_cells, what_holds, what_is_empty, wins

from mipl.datasets.published_sets import BIRDSONG, SIVAL
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot
from mipl.paper.claim import FAILS, HOLDS, UNKNOWN
from mipl.paper.entrants import DEMIPL, ELIMIPL, MIPLGP, OURS
from mipl.paper.index import ARTEFACTS

SHOWN = [ARTEFACTS["table2"], ARTEFACTS["tableA4"], ARTEFACTS["highest"]]
ALL = Selection()
VALUES = {
    Spot(OURS, SIVAL, 1): [0.80, 0.81, 0.82],
    Spot(ELIMIPL, SIVAL, 1): [0.70, 0.712, 0.718],  # A win.
    Spot(MIPLGP, SIVAL, 1): [0.79, 0.82, 0.81],  # A tie.
    Spot(DEMIPL, SIVAL, 1): [0.90, 0.912, 0.918],  # A loss.
    Spot(OURS, BIRDSONG, 1): [0.70],
}


@pytest.fixture
def cells(tmp_path):
    store = store_of(tmp_path, VALUES)
    diverge(store, Spot(MIPLGP, BIRDSONG, 3), range(10))
    return known_cells(store, SHOWN, ALL)


def test_wins_are_of_all_cells_and_say_how_many_are_not_tested(cells):
    told = wins(cells, ALL)
    assert "the paper's 495 cells: **1 / 1 / 1**, 492 not tested yet" in told
    assert "(the paper: 477 / 13 / 5)" in told


def test_what_does_not_hold_comes_first_and_what_is_unknown_last(cells):
    found = {one.claim.statement: one for one in answers(cells, ALL)}
    order = [one.verdict for one in found.values()]
    assert order[0] == FAILS and order[-1] == UNKNOWN
    assert order.index(HOLDS) > order.index(FAILS)
    # MIPLGP .8067 below DEMIPL .91; the paper has it above in all three.
    gp = found["MIPLGP above DEMIPL on SIVAL-MIPL"]
    assert gp.verdict == FAILS
    assert gp.line[2:] == ["all 3 (3 of 3)", "0 of 1", "2 of 6 cells, 3 splits"]
    # .81 above .8067.
    assert found["above MIPLGP"].verdict == HOLDS
    assert found["CRC: above PLL, MLP"].verdict == UNKNOWN


def test_the_summary_counts_the_lines_below_it(cells):
    summary, _, _, _, *rows = what_holds(cells, ALL)
    fails = sum(row.startswith("| does not |") for row in rows)
    holds = sum(row.startswith("| holds |") for row in rows)
    assert f"{holds} of the {len(rows)} statements" in summary
    assert f" {fails} do not, " in summary


def test_cells_without_runs_are_counted_and_named_once(cells):
    lines = what_is_empty(cells, SHOWN, ALL)
    # Four of three splits, one of one, and one that diverged on all ten.
    [row] = [line for line in lines if line.startswith("| table2")]
    n_cells, empty, few, some = (int(cell) for cell in row.strip(" |").split("|")[1:])
    assert (n_cells - empty, few, some) == (6, 1, 4)
    gp = [line for line in lines if "MIPLGP" in line]
    assert len(gp) == 1
    assert "Birdsong-MIPL (r = 1, 2)" in gp[0] and "SIVAL-MIPL (r = 2, 3)" in gp[0]
