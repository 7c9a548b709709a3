"""The list of claims: counts of the paper, of its tables, and of a store."""

import pytest
from tests.runs.stores import store_of

from mipl.datasets.published_sets import SIVAL
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot
from mipl.paper.entrants import DEMIPL, ELIMIPL, MAINS, MALAB, OURS
from mipl.paper.tables.claims import TABLE
from mipl.reports.formats import FORMATS, written

VALUES = {
    Spot(OURS, SIVAL, 1): [0.8, 0.82],
    Spot(DEMIPL, SIVAL, 1): [0.7, 0.71],
    Spot(ELIMIPL, SIVAL, 1): [0.9],
    Spot(MALAB, SIVAL, 2): [0.6],
    Spot(MAINS, SIVAL, 2): [0.5],
}


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_says_what_a_claim_rests_on(format, tmp_path):
    product = TABLE.build(store_of(tmp_path, VALUES), Selection())
    assert "3 of 48 cells, 1-2 splits" in written([product], format)


def test_counts_stand_beside_the_papers(tmp_path):
    [sheet] = TABLE.build(store_of(tmp_path, VALUES), Selection()).sheets
    rows = {row[0]: row[1:] for row in sheet.rows}
    assert rows["above the MIPL methods"] == (
        "33 of 36",
        "31 of 36",
        "1 of 2",
        "34",
        "3 of 48 cells, 1-2 splits",  # Ours has two, of which ELIMIPL has one.
    )
    assert rows["MaLab above MaIns"] == (
        "yes",
        "-",
        "1 of 1",
        "2",
        "2 of 6 cells, 1 split",
    )
    # One split in common makes no t-test; 36 + 15 rivals, and ours on 12 + 4 + 2.
    assert rows["significant wins: MIPL"][-1] == "2 of 69 cells, 2 splits"
    assert rows["significant wins: all"][1:3] == (
        "477 of 495 (96.4 %)",
        "1 of 1 (100.0 %)",
    )
    assert rows["significant wins: MIL"][2] == "-"
    assert len(rows) == len(sheet.rows)  # No statement stands there twice.
