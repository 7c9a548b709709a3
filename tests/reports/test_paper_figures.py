"""Figures: what is drawn is what was given."""

import numpy as np
import pytest

from mipl.paper.panels import (
    AttentionPanel,
    BarPanel,
    PanelGrid,
    Point,
    RankPanel,
    SweepPanel,
    TracePanel,
)
from mipl.reports.paper_figures import draw
from mipl.reports.plots import save
from mipl.reports.rank_plot import alike

BARS = BarPanel(
    "SIVAL",
    ("r = 1", "r = 2"),
    (
        ("ours", (Point(0.8, 0.02), Point(0.7, 0.03))),
        ("other", (Point(0.6, 0.02), Point(None, None))),
    ),
)


def test_bars_have_the_heights_and_a_gap_is_no_zero():
    [axis] = draw(PanelGrid("bars", (BARS,))).axes
    heights = [bar.get_height() for bar in axis.patches]
    assert heights == pytest.approx([0.8, 0.7, 0.6, np.nan], nan_ok=True)
    assert [text.get_text() for text in axis.texts] == ["?"]
    names = [text.get_text() for text in axis.figure.legends[0].get_texts()]
    assert names == ["ours", "other", "no result"]
    hatches = {bar.get_hatch() for bar in axis.patches}
    assert len(hatches) == 2  # Told apart in grey.


def test_a_legend_shows_each_series_as_its_bars_look_where_the_last_panel_has_none():
    nothing = tuple((name, (Point(None, None),) * 2) for name, _ in BARS.series)
    figure = draw(PanelGrid("bars", (BARS, BarPanel("MNIST", BARS.groups, nothing)), 2))
    shown = [
        (patch.get_facecolor(), patch.get_hatch())
        for patch in figure.legends[0].get_patches()
    ]
    drawn = [(b.get_facecolor(), b.get_hatch()) for b in figure.axes[0].patches[::2]]
    assert shown == drawn
    assert len(set(shown)) == 2


def test_circles_grow_with_the_relative_spread():
    points = (Point(0.8, 0.02), Point(0.4, 0.02), Point(0.8, 0.0))
    sweep = SweepPanel("Birdsong", "λ", (2, 3, 4), (("r = 1", points),))
    [axis] = draw(PanelGrid("sweep", (sweep,))).axes
    sizes = axis.collections[0].get_sizes()
    diameters = np.sqrt(sizes[:2])
    assert diameters[1] == pytest.approx(2 * diameters[0])
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["2", "3", "4"]


def test_a_spread_too_wide_for_a_circle_is_written():
    points = (Point(0.8, 0.02), Point(0.4, 0.3), Point(None, None))
    sweep = SweepPanel("Birdsong", "λ", (2, 3, 4), (("r = 1", points),))
    figure = draw(PanelGrid("sweep", (sweep,)))
    [axis] = figure.axes
    assert [text.get_text() for text in axis.texts] == ["75", "r = 1"]
    fair, wide = axis.collections[0].get_sizes()
    assert wide < fair
    [legend] = figure.legends
    assert "above 8 % it is written, in %" in legend.get_texts()[0].get_text()


def test_a_written_spread_stands_where_the_line_does_not_go():
    points = (Point(0.4, 0.3), Point(0.8, 0.3), Point(0.2, 0.1))
    sweep = SweepPanel("Birdsong", "λ", (2, 3, 4), (("r = 1", points),))
    [axis] = draw(PanelGrid("sweep", (sweep,))).axes
    rising, falling, last = axis.texts[:3]
    assert rising.get_va() == "top" and rising.xyann[1] < 0
    assert {falling.get_va(), last.get_va()} == {"bottom"}
    assert falling.xyann[1] > 0 and last.xyann[1] > 0


def test_a_section_of_a_sweep_without_results_says_so():
    some, none = (Point(0.3, 0.02), Point(0.02, 0.0)), (Point(None, None),) * 2
    partly = SweepPanel("Birdsong", "λ", (2, 3), (("r = 1", some), ("r = 2", none)))
    empty = SweepPanel("MNIST", "λ", (2, 3), (("r = 1", none),))
    first, second = draw(PanelGrid("sweep", (partly, empty), 2)).axes
    texts = [[text.get_text() for text in axis.texts] for axis in (first, second)]
    assert texts == [["r = 1", "r = 2", "no result"], ["r = 1", "no result"]]
    assert first.get_ylim()[0] == 0.0  # Accuracies are not negative.
    assert second.get_yticks().tolist() == []  # No scale of nothing.


def test_attention_is_coloured_by_truth_and_an_absent_run_says_so():
    seen = AttentionPanel("ours", (0.7, 0.2, 0.1), (True, False, False))
    figure = draw(PanelGrid("a", (seen, AttentionPanel("other", None, ())), 2))
    first, second = figure.axes
    heights = [bar.get_height() for bar in first.patches]
    assert heights == [0.7, 0.2, 0.1]
    colours = [bar.get_facecolor() for bar in first.patches]
    assert colours[1] == colours[2] != colours[0]
    assert [text.get_text() for text in second.texts] == ["no result"]


def test_traces_start_at_epoch_one():
    [axis] = draw(PanelGrid("t", (TracePanel("c", (0.5, 0.9), (0.4, 0.1)),))).axes
    candidate, other = axis.lines
    assert candidate.get_xydata().tolist() == [[1, 0.5], [2, 0.9]]
    assert candidate.get_linestyle() != other.get_linestyle()
    assert all(float(tick).is_integer() for tick in axis.get_xticks())


def test_methods_that_cannot_be_told_apart_are_joined():
    assert alike([1.0, 2.0, 3.0], 0.5) == []
    assert alike([1.0, 2.0, 3.0], 5.0) == [(1.0, 3.0)]
    assert alike([1.0, 1.9, 2.8], 1.0) == [(1.0, 1.9), (1.9, 2.8)]


def test_every_kind_is_written(tmp_path):
    ranks = RankPanel("ranks", ("a", "b", "c"), (1.0, 2.2, 2.8), 0.9)
    for panel in (BARS, ranks, TracePanel("c", None, None)):
        path = tmp_path / f"{type(panel).__name__}.png"
        save(draw(PanelGrid("x", (panel,))), path)
        assert path.stat().st_size > 3000


def test_a_legend_takes_the_empty_place_of_a_grid():
    figure = draw(PanelGrid("grid", (BARS, BARS, BARS), 2))
    assert figure.axes[3].get_legend() is not None
    assert not figure.legends
