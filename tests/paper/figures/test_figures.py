"""Bars, sweeps and curves hold what the store holds."""

from dataclasses import replace

import pytest
from tests.runs.stores import store_of

from mipl.datasets.published_sets import BIRDSONG, SIVAL
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot
from mipl.paper.entrants import LAMBDAS, OURS, RELEASED, at
from mipl.paper.figures.curves import FIGURE as CURVES
from mipl.paper.figures.curves import NAMES
from mipl.paper.figures.fig3 import FIGURE as FIG3
from mipl.paper.figures.fig_a1 import FIGURE as FIG_A1
from mipl.paper.figures.fig_a3 import FIGURE as FIG_A3
from mipl.paper.figures.fig_a4 import FIGURE as FIG_A4
from mipl.paper.panels import Point
from mipl.runs.result import Result
from mipl.runs.store import Store


def test_bars_have_a_group_per_r_and_a_bar_per_method(tmp_path):
    store = store_of(tmp_path, {Spot(RELEASED, SIVAL, 2): [0.6, 0.7]})
    [picture] = FIG3.build(store, Selection()).pictures
    [panel] = picture.panels
    assert panel.groups == ("r = 1", "r = 2", "r = 3")
    name, points = panel.series[0]
    assert name == "MIPLMA (released)"
    assert points[1] == Point(pytest.approx(0.65), pytest.approx(0.05))
    assert points[0] == points[2] == Point(None, None)
    assert len(panel.series) == 4


def test_data_sets_without_r_share_a_panel(tmp_path):
    store = store_of(tmp_path, {Spot(OURS, BIRDSONG, 1): [0.7]})
    [picture] = FIG_A1.build(store, Selection()).pictures
    assert [panel.title for panel in picture.panels][-1] == "CRC-MIPL"
    assert picture.panels[-1].groups == ("C-Row", "C-SBN", "C-KMeans", "C-SIFT")
    assert len(picture.panels) == 5


@pytest.mark.parametrize("figure", [FIG_A1, FIG_A3, FIG_A4])
def test_nothing_is_drawn_of_nothing(figure, tmp_path):
    assert figure.build(store_of(tmp_path, {}), Selection()).pictures == ()


def test_one_split_has_no_spread(tmp_path):
    one, three = Spot(OURS, BIRDSONG, 1), Spot(OURS, BIRDSONG, 2)
    store = store_of(tmp_path, {one: [0.7], three: [0.5, 0.7, 0.6]})
    [picture] = FIG_A1.build(store, Selection()).pictures
    [panel] = [panel for panel in picture.panels if panel.title == BIRDSONG.title]
    [points] = [points for name, points in panel.series if name == OURS.title]
    assert points[0].std is None
    assert points[1].std == pytest.approx(0.1 * (2 / 3) ** 0.5)


def test_sweeps_have_a_line_per_r(tmp_path):
    spot = Spot(at(OURS, "lam", 4), BIRDSONG, 3)
    store = store_of(tmp_path, {spot: [0.7]})
    [picture] = FIG_A3.build(store, Selection()).pictures
    [panel] = picture.panels
    assert [name for name, _ in panel.series] == ["r = 1", "r = 2", "r = 3"]
    assert panel.series[2][1][LAMBDAS.index(4)].mean == pytest.approx(0.7)
    assert sum(p.mean is not None for _, points in panel.series for p in points) == 1
    [run] = spot.runs(Selection(splits=(0,)))
    assert run.arguments == {"lam": 4.0}


def test_a_panel_per_data_set_and_the_reading_that_was_selected():
    runs = FIG_A4.plan(Selection(presets=("released",), splits=(0,), r=(1,)))
    assert {run.data for run in runs} == {"mnist-mipl", "birdsong-mipl"}
    assert {run.method for run in runs} == {"miplma-released"}
    assert sorted({run.arguments["tau"] for run in runs}) == [4, 5, 6, 7, 8, 9, 10]


def test_curves_are_those_of_runs_that_have_all_of_them(tmp_path):
    store = Store(tmp_path / "curves.db", create=True)
    whole, part = Spot(OURS, SIVAL, 1).runs(Selection(splits=(0, 1)))
    store.record(
        Result(whole, "finished", 0.8, 1.0), {name: [0.5, 0.4] for name in NAMES}
    )
    store.record(Result(part, "finished", 0.8, 1.0), {"loss": [0.5, 0.4]})
    product = CURVES.build(store, Selection(splits=(0, 1)))
    [(title, methods)] = product.curves
    assert title == "SIVAL-MIPL, r = 1"
    [(name, histories)] = methods
    assert name == "MIPLMA (ours)"
    assert histories == [[dict.fromkeys(NAMES, 0.5), dict.fromkeys(NAMES, 0.4)]]


def test_digits_are_run_by_their_own_settings():
    runs = CURVES.plan(Selection(data=("digits-mipl",), splits=(0,), r=(1,)))
    assert [dict(run.arguments) for run in runs] == [{}, {}]
    plain = replace(runs[0], method="miplma-released")
    assert runs[1] == plain
