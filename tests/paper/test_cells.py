"""Cells: planned once, filled from a store, compared on shared splits."""

import numpy as np
import pytest
from tests.runs.stores import diverge, store_of

from mipl.datasets.published_sets import BENCHMARKS, ROW, SIVAL, TISSUE
from mipl.metrics.significance import t_test
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import (
    Cell,
    Spot,
    compared,
    measured,
    planned,
    selected,
    spots,
)
from mipl.paper.entrants import DEMIPL, LINEAR, MIL, MIPLGP, OURS, RIVALS


def test_cells_are_methods_times_data_sets_times_r():
    assert len(spots(LINEAR, BENCHMARKS)) == 12 * 4 * 3
    assert len(spots(MIL, BENCHMARKS, (1,))) == 28
    assert {spot.r for spot in spots(LINEAR, TISSUE)} == {None}


def test_a_selection_leaves_the_cells_asked_for():
    every = spots(RIVALS, (*BENCHMARKS, *TISSUE))
    assert {s.entrant for s in selected(every, Selection(methods=("demipl",)))} == {
        DEMIPL
    }
    by_catalog_name = selected(every, Selection(data=("crc-mipl",)))
    assert {s.source for s in by_catalog_name} == set(TISSUE)
    assert {s.source for s in selected(every, Selection(data=(ROW.id,)))} == {ROW}
    assert {s.r for s in selected(every, Selection(r=(2,)))} == {2, None}


def test_no_run_is_planned_twice():
    twice = spots((OURS, OURS), [SIVAL])
    runs = planned(twice, Selection(splits=(0, 4)))
    assert [(run.r, run.split) for run in runs] == [
        (r, split) for r in (1, 2, 3) for split in (0, 4)
    ]


def test_epochs_are_cut_where_a_method_has_them():
    cut = Selection(splits=(0,), epochs=3)
    [run] = planned([Spot(OURS, SIVAL, 1)], cut)
    assert run.arguments == {"training__epochs": 3}
    aggd = next(one for one in LINEAR if one.method == "pl-aggd")
    [run] = planned([Spot(aggd, SIVAL, 1)], cut)
    assert run.arguments == {"reduction": "mean"}


def test_a_cell_has_what_the_store_has(tmp_path):
    values = {Spot(OURS, SIVAL, 1): [0.7, 0.8], Spot(DEMIPL, ROW, None): [0.4]}
    store = store_of(tmp_path, values)
    asked = [*values, Spot(MIPLGP, SIVAL, 1)]
    cells = measured(store, asked, Selection(splits=(0, 1, 2)))
    first, second, third = cells.values()
    assert first.mean == pytest.approx(0.75)
    assert first.std == pytest.approx(np.std([0.7, 0.8]))
    assert (first.missing, second.missing, third.missing) == (1, 2, 3)
    assert (third.mean, third.std) == (None, None)


def test_runs_that_diverged_are_not_missing(tmp_path):
    spot = Spot(DEMIPL, SIVAL, 1)
    store = store_of(tmp_path, {spot: [0.6, 0.7]})
    diverge(store, spot, [2, 4])
    cell = measured(store, [spot], Selection())[spot]
    assert (len(cell.values), cell.diverged, cell.missing) == (2, 2, 6)
    assert cell.mean == pytest.approx(0.65)


def test_a_paired_comparison_takes_the_shared_splits():
    a = Cell(Spot(OURS, SIVAL, 1), {0: 0.8, 1: 0.9, 2: 0.7, 5: 0.0})
    b = Cell(Spot(DEMIPL, SIVAL, 1), {1: 0.85, 0: 0.76, 2: 0.66, 7: 1.0})
    p = t_test([0.8, 0.9, 0.7], [0.76, 0.85, 0.66]).p_value
    assert p < 0.05
    assert (compared(a, b), compared(b, a)) == ("win", "loss")
    assert compared(a, b, paired=False) == "tie"


def test_one_shared_split_tells_nothing():
    a = Cell(Spot(OURS, SIVAL, 1), {0: 0.8, 1: 0.9})
    b = Cell(Spot(DEMIPL, SIVAL, 1), {1: 0.1, 3: 0.2})
    assert compared(a, b) == ""
