"""Where we are behind comes first, the farthest at the top."""

import csv

from tests.runs.stores import store_of

from mipl.datasets.published_sets import BIRDSONG, FMNIST, SIVAL, TISSUE
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot
from mipl.paper.entrants import OURS
from mipl.paper.sheet import Gap
from mipl.paper.tables.highest import SOURCES, TABLE
from mipl.reports.formats import written

VALUES = {
    Spot(OURS, SIVAL, 1): [0.76],  # Highest .779 transductive, .7549 otherwise.
    Spot(OURS, FMNIST, 3): [0.70],  # Highest .816.
    Spot(OURS, BIRDSONG, 1): [0.90],  # Highest .8038.
    Spot(OURS, TISSUE[0], None): [0.10],  # A stand-in: neither ahead nor behind.
}


def test_behind_is_sorted_and_all_data_sets_follow(tmp_path):
    product = TABLE.build(store_of(tmp_path, VALUES), Selection())
    behind, every = product.sheets
    assert [row[:2] for row in behind.rows] == [
        ("FMNIST-MIPL", "3"),
        ("SIVAL-MIPL", "1"),
    ]
    assert behind.notes[0].startswith("2 of 3 cells measured are below")
    assert "3 of the 3 have fewer than ten splits, and 9 cells" in behind.notes[0]
    assert len(every.rows) == sum(max(len(one.counts), 1) for one in SOURCES) == 18
    sival = next(row for row in every.rows if row[:2] == ("SIVAL-MIPL", "1"))
    gaps = [entry for entry in sival if isinstance(entry, Gap)]
    assert [gap.highest.mark for gap in gaps] == ["transductive", ""]
    assert gaps[0].value < 0 < gaps[1].value


def test_the_highest_figures_are_in_the_csv(tmp_path):
    product = TABLE.build(store_of(tmp_path, VALUES), Selection())
    rows = list(csv.DictReader(written([product], "csv").splitlines()))
    at = {(row["method"], row["data"], row["r"]): row for row in rows}  # The last.
    sival = at["miplma", "sival-mipl", "1"]
    told = {
        "highest published": "0.779",
        "highest published std": "0.03",
        "highest published by": "FastMIPL, AAAI 2025",
        "highest published mark": "transductive",
        "ours minus highest published": "-0.019",
        "highest without help": "0.7549",
        "ours minus highest without help": "0.0051",
    }
    assert sival | told == sival
    released = at["miplma-released", "sival-mipl", "1"]  # Not measured.
    assert released["highest published"] == "0.779"
    assert released["ours minus highest published"] == ""
    fmnist = rows[0]  # Farthest behind; "highest without help" is of the other sheet.
    assert (fmnist["data"], fmnist["highest published"]) == ("fmnist-mipl", "0.816")


def test_other_methods_alone_leave_nothing(tmp_path):
    only = Selection(methods=("miplma-released",))
    behind, every = TABLE.build(store_of(tmp_path, VALUES), only).sheets
    assert not behind.rows and not every.rows
