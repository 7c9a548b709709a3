"""The results page: gaps first, a command beside every number, costs of the rest."""

import re

import pytest
from tests.runs.stores import diverge, store_of
from tools.results_page import results_page

from mipl.datasets.published_sets import BIRDSONG, SIVAL
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot
from mipl.paper.entrants import (
    CDL,
    DEMIPL,
    ELIMIPL,
    MALAB,
    MIPLGP,
    OURS,
    RELEASED,
)
from mipl.paper.index import ARTEFACTS
from mipl.reports.entry_text import entry_text

VALUES = {
    Spot(OURS, SIVAL, 1): [0.80, 0.81],
    Spot(OURS, BIRDSONG, 1): [0.70, 0.71],
    Spot(RELEASED, SIVAL, 1): [0.70],
    Spot(ELIMIPL, SIVAL, 1): [0.50, 0.51],  # Published: .675±.022.
    Spot(MIPLGP, BIRDSONG, 1): [0.74, 0.751],  # Above ours.
    Spot(DEMIPL, SIVAL, 1): [0.62, 0.64],  # Published: .635±.041.
}
SHOWN = [ARTEFACTS[name] for name in ("table2", "highest", "tableA2", "figA2")]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    store = store_of(tmp_path_factory.mktemp("page"), VALUES)
    return results_page(store, SHOWN, Selection(), "make results")


def section(page, title):
    return page.split(f"## {title}\n")[1].split("\n## ")[0]


def test_where_we_are_behind_comes_first(page):
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert headings[:7] == [
        "Where we are behind",
        "What of the paper holds here",
        "What was not measured",
        "How to read this page",
        "Every data set",
        "Where another method is better here",
        "Lower here than published",
    ]
    behind = section(page, "Where we are behind")
    assert "| Birdsong-MIPL | 1 | rebuilt |" in behind
    assert "ours -.099" in behind  # .705 against .8038.
    assert "SIVAL" not in behind
    assert "1 of 2 cells measured are below" in behind


def test_rivals_below_their_published_figure_are_listed(page):
    lower = section(page, "Lower here than published")
    assert (
        "| ELIMIPL | SIVAL-MIPL | 1 | raw features | .505 (2) | .675 | -.170 |" in lower
    )
    assert "DEMIPL" not in lower


def test_a_split_without_any_spread_beside_it_is_not_lower_by_a_hair(tmp_path):
    assert [cdl.variant for cdl in CDL[3:5]] == ["sam-cc", "dam-cn"]
    close, far = Spot(CDL[3], BIRDSONG, 2), Spot(CDL[4], BIRDSONG, 2)
    store = store_of(tmp_path, VALUES | {close: [0.7718], far: [0.7]})
    page = results_page(store, [ARTEFACTS["later"]], Selection(), "make results")
    lower = section(page, "Lower here than published")
    assert "CDL (SAM-CC)" not in lower  # Published: .772, without a spread.
    assert "CDL (DAM-CN)" in lower


def test_methods_of_ours_that_beat_ours_are_listed(page):
    better = section(page, "Where another method is better here")
    rows = [line for line in better.splitlines() if line.startswith("| MIPLGP")]
    told = "| MIPLGP | Birdsong-MIPL | 1 | rebuilt | .746 (2) | +.041 ○ |"
    assert [row.startswith(told) for row in rows] == [True]
    assert "ELIMIPL" not in better


def test_variants_above_ours_are_listed_though_ours_stands_in_another_table(tmp_path):
    store = store_of(tmp_path, VALUES | {Spot(MALAB, SIVAL, 1): [0.90, 0.912]})
    shown = [*SHOWN, ARTEFACTS["variants"]]
    page = results_page(store, shown, Selection(), "make results")
    better = section(page, "Where another method is better here")
    assert "| MIPL-MaLab | SIVAL-MIPL | 1 | raw features | .906 (2) | +.101 ○ |" in (
        better
    )


def test_every_row_with_results_has_its_command(page):
    table = section(page, f"table2: {ARTEFACTS['table2'].title}")
    rows = [line for line in table.splitlines() if line.startswith("| MIPLMA (ours)")]
    assert len(rows) == 1  # Those of r = 2 and 3 have no result.
    assert rows[0].endswith("| mipl reproduce table2 --method miplma --r 1 |")
    assert "rows without any result yet are left out" in table


def test_the_command_of_a_rival_shows_its_mark_again(tmp_path):
    """Alone it is compared with nothing: ours must stand in the command, too."""
    store = store_of(tmp_path, VALUES)
    page = results_page(store, SHOWN, Selection(), "make results")
    table = section(page, f"table2: {ARTEFACTS['table2'].title}")
    [row] = [line for line in table.splitlines() if line.startswith("| ELIMIPL | 1")]
    *_, shown, command, _ = row.split("|")
    assert " ● " in shown.replace("<br>", " ")
    assert command.strip() == (
        "mipl reproduce table2 --method miplma --method elimipl --r 1"
    )
    only = Selection(methods=("miplma", "elimipl"), r=(1,))
    [sheet] = ARTEFACTS["table2"].build(store, only).sheets
    again = {row[0]: [entry_text(entry) for entry in row[2:]] for row in sheet.rows}
    assert any(one.lines[0].endswith(" ●") for one in again["ELIMIPL"])
    better = section(page, "Where another method is better here")
    assert "--method miplma --method miplgp --data birdsong-mipl --r 1 |" in better


def test_what_is_missing_is_counted_and_estimated(page):
    """A run took two seconds; of methods never run nobody knows the time."""
    missing = section(page, "What is missing")
    [row] = [line for line in missing.splitlines() if line.startswith("| highest")]
    runs = 2 * (12 + 6) * 10
    assert row.startswith(f"| highest | {runs} | {runs - 5} |")
    assert "| figA2 | 3 | 3 | 0 | ≈1 min |" in missing
    assert "| tableA2 | 1440 | 1435 | 0 | ≈" in missing
    [unknown] = [line for line in missing.splitlines() if "| PRODEN (Mean)" in line]
    assert " 30: ? " in unknown
    heads, row = (
        next(line for line in missing.splitlines() if line.startswith(start))
        for start in ("| method", "| MIPLMA (ours)")
    )
    cells = dict(zip(heads.split(" | "), row.split(" | "), strict=True))
    # Three r on ten splits, less two runs known, of two seconds each.
    assert (cells["SIVAL-MIPL"], cells["Birdsong-MIPL"]) == ("28: 1 min", "28: 1 min")
    # 2 s for 48425 x 38 numbers are 9.2 s for 20664 x 784: their ratio to the 0.7.
    assert cells["MNIST-MIPL"] == "30: ≈5 min"


def test_each_missing_run_is_counted_once_in_all(page):
    missing = section(page, "What is missing")
    [total] = re.findall(r"In total (\d+) runs are missing", missing)
    plans = [set(one.plan(Selection())) for one in SHOWN]
    assert int(total) == len(set.union(*plans)) - 11


def test_what_diverged_is_shown_and_not_counted_as_missing(tmp_path):
    store = store_of(tmp_path, VALUES)
    diverge(store, Spot(MIPLGP, SIVAL, 2), range(10))
    page = results_page(store, SHOWN, Selection(), "make results")
    assert "11 finished runs, 10 that diverged and 0 that failed" in page
    table = section(page, f"table2: {ARTEFACTS['table2'].title}")
    [row] = [line for line in table.splitlines() if line.startswith("| MIPLGP | 2")]
    assert "| 10 diverged<br>paper" in row
    missing = section(page, "What is missing")
    [row] = [line for line in missing.splitlines() if line.startswith("| table2")]
    runs, left, diverged = (int(cell) for cell in row.split(" | ")[1:4])
    assert (runs - left - diverged, diverged) == (11, 10)


def test_the_page_tells_how_it_was_made(page):
    assert "11 finished runs, 0 that diverged and 0 that failed: 0.0 hours" in page
    assert "\n    make results\n" in page


def test_nothing_is_said_twice(page):
    again = section(page, f"tableA2: {ARTEFACTS['tableA2'].title}")
    assert "Nothing but what stands above was computed yet." in again
    assert page.count("two-sided t-test at .05") == 1


def test_a_row_of_one_data_set_names_it_in_its_command(page):
    every = section(page, "Every data set")
    methods = "--method miplma --method miplma-released"
    assert f"mipl reproduce highest {methods} --data sival-mipl --r 1" in every
