"""The list of claims: counts of the paper, of its tables, and of a store."""

from tests.experiments.stores import store_of

from mipl.experiments.artefact import Selection
from mipl.experiments.cells import Spot
from mipl.experiments.entrants import DEMIPL, ELIMIPL, MAINS, MALAB, OURS
from mipl.experiments.sources import SIVAL
from mipl.experiments.tables.claims import TABLE

VALUES = {
    Spot(OURS, SIVAL, 1): [0.8],
    Spot(DEMIPL, SIVAL, 1): [0.7],
    Spot(ELIMIPL, SIVAL, 1): [0.9],
    Spot(MALAB, SIVAL, 2): [0.6],
    Spot(MAINS, SIVAL, 2): [0.5],
}


def test_counts_stand_beside_the_papers(tmp_path):
    [sheet] = TABLE.build(store_of(tmp_path, VALUES), Selection()).sheets
    rows = {row[0]: row[1:] for row in sheet.rows}
    assert rows["above the MIPL methods"] == ("33 of 36", "31 of 36", "1 of 2", "34")
    assert rows["MaLab above MaIns"] == ("yes", "-", "1 of 1", "2")
    assert rows["significant wins: all"][:3] == ("96.4 %", "477 of 495 (96.4 %)", "-")
    assert len(rows) == len(sheet.rows)  # No statement stands there twice.
