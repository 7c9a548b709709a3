"""The table of wins: entries and totals recounted by hand."""

import csv

from tests.runs.stores import store_of

from mipl.datasets.published_sets import ROW, SIVAL
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot
from mipl.paper.entrants import DEMIPL, ELIMIPL, MIL, OURS, PLL
from mipl.paper.sheet import Tally
from mipl.paper.tables.table_a4 import TABLE
from mipl.reports.formats import written

OURS_SIVAL = [0.80, 0.82, 0.84]
VALUES = {
    Spot(OURS, SIVAL, 1): OURS_SIVAL,
    Spot(OURS, ROW, None): [0.5, 0.51, 0.52],
    Spot(DEMIPL, SIVAL, 1): [0.70, 0.73, 0.74],  # Won.
    Spot(ELIMIPL, SIVAL, 1): [0.80, 0.83, 0.83],  # Tied.
    Spot(MIL[0], SIVAL, 1): [0.90, 0.93, 0.94],  # Lost.
    Spot(PLL[0], ROW, None): [0.4, 0.42, 0.41],  # Won.
    Spot(PLL[1], ROW, None): [0.4],  # One split tells nothing.
}


def test_entries_and_totals(tmp_path):
    product = TABLE.build(store_of(tmp_path, VALUES), Selection())
    [sheet] = product.sheets
    rows = {row[0]: row[1:] for row in sheet.rows}
    assert rows["r = 1"] == (
        Tally(0, 0, 1, 27, (28, 0, 0)),
        Tally(0, 0, 0, 104, (104, 0, 0)),
        Tally(1, 1, 0, 10, (9, 2, 1)),
        Tally(1, 1, 1, 141, (141, 2, 1)),
    )
    assert rows["r = 2"][0] == "–"
    assert rows["CRC-MIPL"][1] == Tally(1, 0, 0, 103, (98, 4, 2))
    assert rows["in total"][3] == Tally(2, 1, 1, 491, (477, 13, 5))


def test_published_counts_are_in_the_csv(tmp_path):
    product = TABLE.build(store_of(tmp_path, VALUES), Selection())
    row = {
        row[""]: row for row in csv.DictReader(written([product], "csv").split("\n"))
    }
    ours = [row["r = 1"][f"MIPL {what}"] for what in ("win", "tie", "loss")]
    paper = [row["r = 1"][f"MIPL published {what}"] for what in ("win", "tie", "loss")]
    assert (ours, paper) == (["1", "1", "0"], ["9", "2", "1"])
    assert row["r = 2"]["MIL published win"] == ""  # The paper has no such entry.


def test_a_selection_counts_only_what_it_leaves(tmp_path):
    only = Selection(data=("sival-mipl",), methods=("miplma", "demipl"))
    [sheet] = TABLE.build(store_of(tmp_path, VALUES), only).sheets
    assert sheet.rows[-1][-1] == Tally(1, 0, 0, 2, (477, 13, 5))
