"""The table of wins counts what the paper's counts."""

import pytest
from scipy import stats

from mipl.datasets.published_sets import BENCHMARKS
from mipl.paper.cells import Cell, Spot
from mipl.paper.composition import (
    FAMILIES,
    ROWS,
    against,
    everything,
    tally,
    with_leader,
)
from mipl.paper.entrants import OURS, PLL
from mipl.paper.published import counts


@pytest.mark.parametrize("one", counts(), ids=lambda c: f"{c.row} {c.family}")
def test_as_many_cells_as_the_paper_counts(one):
    found = against(one.row, one.family)
    assert len(found) == one.win + one.tie + one.loss
    assert len(set(found)) == len(found)


def test_the_whole_table():
    assert len(PLL) == 26
    assert len(everything()) == 495
    assert not against("2", "mil")
    assert {(row, f) for row in ROWS for f in FAMILIES if against(row, f)} == {
        (c.row, c.family) for c in counts()
    }


def test_a_leader_stands_before_its_rivals_once_per_data_set_and_r():
    found = with_leader(OURS, against("1", "mipl"))
    assert [s.entrant for s in found[:4]] == [OURS] * 4
    assert [s.source for s in found[:4]] == list(BENCHMARKS)
    assert len(found) == 16


def test_tally_recounted_naively():
    """Verdicts of a paired t-test, computed here by SciPy's own p-value."""
    ours = [0.80, 0.82, 0.78, 0.81]
    rivals = against("1", "mipl")
    values = {spot: [] for spot in rivals}
    for place, spot in enumerate(rivals):
        shift = (place - 6) / 100
        values[spot] = [
            v - shift + n for v, n in zip(ours, (0.01, 0, -0.01, 0), strict=True)
        ]
    cells = {spot: Cell(spot, dict(enumerate(v))) for spot, v in values.items()}
    for source in BENCHMARKS:
        spot = Spot(OURS, source, 1)
        cells[spot] = Cell(spot, dict(enumerate(ours)))
    expected = {"win": 0, "tie": 0, "loss": 0}
    for spot in rivals:
        test = stats.ttest_rel(ours, values[spot])
        kind = "tie" if test.pvalue >= 0.05 else "win" if test.statistic > 0 else "loss"
        expected[kind] += 1
    found = tally(OURS, rivals, cells)
    assert (found.win, found.tie, found.loss) == tuple(expected.values())
    assert min(expected.values()) > 0
    assert found.untested == 0


def test_cells_with_one_split_in_common_are_untested():
    rivals = against("1", "mil")
    every = with_leader(OURS, rivals)
    cells = {spot: Cell(spot, {0: 0.5}) for spot in every}
    assert tally(OURS, rivals, cells).untested == 28
