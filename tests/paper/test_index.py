"""Every artefact: what it plans, and that all of it exists."""

import pytest

from mipl.datasets import CATALOG
from mipl.datasets.published_sets import SOURCES
from mipl.methods.catalogue.registry import methods
from mipl.paper.artefact_selection import Selection
from mipl.paper.index import ARTEFACTS, artefact
from mipl.paper.published import accuracies
from mipl.runs.store import Store

PAPER = (
    *(f"table{n}" for n in range(1, 7)),
    *(f"tableA{n}" for n in range(1, 6)),
    *("fig1", "fig3", "figA1", "figA2", "figA3", "figA4", "claims"),
)
WHOLE = Selection(presets=("ours",))


def test_all_tables_and_figures_of_the_paper_are_there():
    assert set(PAPER) <= set(ARTEFACTS)
    assert all(name == one.name and one.title for name, one in ARTEFACTS.items())


def test_an_unknown_name_is_told():
    with pytest.raises(ValueError, match="tabel2"):
        artefact("tabel2")


@pytest.mark.parametrize("name", ARTEFACTS)
def test_planned_methods_and_data_sets_exist(name):
    runs = ARTEFACTS[name].plan(Selection())
    known = {row.id for row in methods()}
    assert {run.method for run in runs} <= known
    assert {run.data for run in runs} <= set(CATALOG)
    assert len(set(runs)) == len(runs)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("table1", 0),
        ("table2", 12 * (1 + 3 + 3 + 12)),
        ("table3", 4 * (1 + 3 + 12) - 1),
        ("table4", 2 * 3),
        ("table5", 2 * 3),
        ("table6", 5 * 2),
        ("tableA1", 4 * (1 + 7)),
        ("tableA2", 12 * (1 + 10)),
        ("tableA3", 4 * (1 + 10)),
        ("tableA4", 28 + 3 * (104 + 12) + 104 + 15 + 12 + 6),
        ("tableA5", 12 * 2),
        ("fig3", 3 * 4),
        ("figA1", (12 + 4) * (1 + 4)),
        ("figA3", 3 * 9),
        ("figA4", 2 * 3 * 7),
    ],
)
def test_ten_splits_of_as_many_cells_as_the_paper_has(name, cells):
    assert len(ARTEFACTS[name].plan(WHOLE)) == 10 * cells


def test_single_bags_need_one_run_each():
    assert len(ARTEFACTS["figA2"].plan(WHOLE)) == 3
    assert len(ARTEFACTS["fig1"].plan(WHOLE)) == 4


@pytest.mark.parametrize(
    "name", ["table2", "table3", "table4", "table5", "table6", "tableA1", "tableA3"]
)
def test_every_published_cell_of_a_table_has_runs_of_ours(name):
    planned = {
        (s.entrant.name or s.entrant.method, s.entrant.variant, s.source.id, s.r)
        for s in ARTEFACTS[name].spots(WHOLE)
    }
    printed = {(f.method, f.variant, f.data, f.r) for f in accuracies(name)}
    assert printed <= planned


@pytest.mark.parametrize("name", sorted(set(ARTEFACTS) - {"table1"}))
def test_an_empty_store_gives_gaps_and_no_error(name, tmp_path):
    one = ARTEFACTS[name]
    few = Selection(splits=(0,))
    product = one.build(Store(tmp_path / "empty.db", create=True), few)
    assert product.missing == product.runs >= len(one.plan(few))
    assert product.sheets or name in ("curves", "fig1", "figA2")
    assert not product.pictures


def test_the_data_sets_of_the_paper(tmp_path):
    store = Store(tmp_path / "empty.db", create=True)
    [sheet] = ARTEFACTS["table1"].build(store, Selection(data=("mnist-mipl",))).sheets
    [row] = sheet.rows
    assert row[:9] == (
        "MNIST-MIPL",
        "500",
        "20664",
        "48",
        "35",
        "41.33",
        "784",
        "5",
        "2, 3, 4",
    )


def test_sources_are_known_by_the_paper():
    assert {figure.data for figure in accuracies()} - set(SOURCES) == {"crc-mipl-r34-9"}
