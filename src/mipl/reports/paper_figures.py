"""The paper's figures in its layout, told apart in grey and by the colour-blind."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mipl.paper.panels import (
    AttentionPanel,
    BarPanel,
    ConfusionPanel,
    CurvePanel,
    LinePanel,
    Panel,
    PanelGrid,
    Point,
    RankPanel,
    ReliabilityPanel,
    SweepPanel,
    TracePanel,
)
from mipl.reports.plots import (
    ATTENTION,
    GRID,
    INK,
    NEGATIVE,
    POSITIVE,
    SERIES,
    drawing,
)
from mipl.reports.rank_plot import draw_ranks, rank_height
from mipl.reports.result_plots import (
    confusion_side,
    draw_confusion,
    draw_curves_of,
    draw_lines,
    draw_reliability,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Fill and hatching of the bars: each differs from the next in grey, too.
_FILLS = (
    (SERIES[0], ""),
    ("#e69f00", "//"),
    ("#005c43", ".."),
    ("#f2d0b5", "xx"),
    ("#56b4e9", "\\\\"),
    ("#ececec", ""),
)
_MARKERS = "osD^v"
_GAP = "no result"
_DIAMETER = 500.0  # Points of a circle whose standard deviation is the mean itself.
_WIDEST = 0.08  # Relative spread above which a circle would cover its neighbours.


_LETTER = 0.095  # Inches that a letter below a group of bars takes.


def draw(picture: PanelGrid) -> Figure:
    """Draw the panels of a picture, a grid of them."""
    columns = max(picture.columns, 1)
    rows = math.ceil(len(picture.panels) / columns)
    first = picture.panels[0]
    wide, tall = _size(first)
    with drawing() as matplotlib:
        figure: Figure = matplotlib.figure.Figure(
            figsize=(min(wide * columns, 13), tall * rows), layout="constrained"
        )
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axis, panel in zip(axes, picture.panels, strict=False):
            _DRAWN[type(panel)](axis, panel)
        for axis in axes[len(picture.panels) :]:
            axis.axis("off")
        _share_legend(figure, list(axes), len(picture.panels))
    return figure


def _size(panel: Panel) -> tuple[float, float]:
    """Return width and height of one panel, in inches."""
    if isinstance(panel, RankPanel):
        return 8.0, rank_height(len(panel.names))
    if isinstance(panel, BarPanel):
        return max(1.2 + 0.21 * len(panel.series) * len(panel.groups), 4.2), 2.9
    if isinstance(panel, ConfusionPanel):
        side = confusion_side(len(panel.classes))
        return side, side
    if isinstance(panel, ReliabilityPanel):
        return 3.9, 4.0
    if isinstance(panel, (LinePanel, CurvePanel)):
        return 4.4, 3.1
    return (7.0, 3.2) if isinstance(panel, SweepPanel) else (4.2, 2.3)


def _share_legend(figure: Figure, axes: list[Axes], used: int) -> None:
    """Put one legend into the empty place of the grid, or above all panels."""
    found = [axis.get_legend_handles_labels() for axis in axes]
    pairs = (zip(names, handles, strict=True) for handles, names in found)
    each = {name: handle for pair in pairs for name, handle in pair}
    names = sorted(each, key=lambda name: name == _GAP)  # It comes last.
    handles = [each[name] for name in names]
    if not names:
        return
    if used < len(axes):
        axes[used].legend(handles, names, loc="center", frameon=False, fontsize=10)
    else:
        columns = min(len(names), max(int(figure.get_figwidth() / 2.1), 1))
        figure.legend(
            handles, names, loc="outside upper left", ncols=columns, frameon=False
        )


def _bars(axis: Axes, panel: BarPanel) -> None:
    width = 0.84 / len(panel.series)
    for place, (name, points) in enumerate(panel.series):
        fill, hatch = _FILLS[place % len(_FILLS)]
        # Of what is not known, too, a bar that is not drawn: the legend shows its look.
        axis.bar(
            [g - 0.42 + (place + 0.5) * width for g in range(len(points))],
            [math.nan if p.mean is None else p.mean for p in points],
            width,
            yerr=[p.std or 0.0 for p in points],
            label=name,
            color=fill,
            hatch=hatch,
            edgecolor=INK,
            linewidth=0.6,
            error_kw={"elinewidth": 0.9, "capsize": 2, "ecolor": INK},
        )
        for group, point in enumerate(points):
            if point.mean is None:  # A gap would read as an accuracy of zero.
                x = group - 0.42 + (place + 0.5) * width
                axis.text(x, 0.01, "?", ha="center", va="bottom", fontsize=8)
    if any(point.mean is None for _, points in panel.series for point in points):
        axis.plot([], [], marker="$?$", linestyle="", color=INK, label=_GAP)
    axis.set_xticks(range(len(panel.groups)), panel.groups)
    if sum(map(len, panel.groups)) * _LETTER > _size(panel)[0]:
        axis.tick_params(axis="x", rotation=20)
        for label in axis.get_xticklabels():
            label.set_horizontalalignment("right")
    tops = [p.mean + (p.std or 0) for _, ps in panel.series for p in ps if p.mean]
    top = 1.02 if max(tops, default=1.0) <= 1 else 1.05 * max(tops)
    axis.set(ylim=(0, top), ylabel=panel.figure, title=panel.title)
    axis.set_xlim(-0.55, len(panel.groups) - 0.45)
    _calm(axis)


def _sweep(axis: Axes, panel: SweepPanel) -> None:
    """Draw a section for each r; the diameter of a circle is its relative spread."""
    step = len(panel.values) + 1.5
    ticks, names = [], []
    for place, (name, points) in enumerate(panel.series):
        colour, marker = SERIES[place % len(SERIES)], _MARKERS[place % len(_MARKERS)]
        xs = [place * step + x for x in range(len(panel.values))]
        known = [(x, p) for x, p in zip(xs, points, strict=True) if p.mean is not None]
        at = [x for x, _ in known]
        means = [p.mean or 0.0 for _, p in known]
        areas = [_area(_spread(p)) for _, p in known]
        axis.scatter(at, means, s=areas, color=colour, alpha=0.35, linewidth=0)
        axis.plot(at, means, f"{marker}-", color=colour, linewidth=1.2, markersize=3)
        _write_spreads(axis, known)
        ticks += xs
        names += [f"{value:g}" for value in panel.values]
        middle = place * step + (len(panel.values) - 1) / 2
        across: dict[str, Any] = {
            "ha": "center",
            "transform": axis.get_xaxis_transform(),
        }
        axis.text(middle, 1.01, name, **across)
        if not known:
            axis.text(middle, 0.5, _GAP, **across)
    told = "diameter of a circle: its standard deviation, here 2 % of the mean"
    if any(_spread(p) > _WIDEST for _, points in panel.series for p in points):
        told += f";\nabove {_WIDEST * 100:g} % it is written, in %"
    axis.scatter([], [], s=_area(0.02), color=GRID, edgecolor=INK, label=told)
    axis.set_xticks(ticks, names, fontsize=8)
    axis.set(xlabel=panel.argument, ylabel="accuracy")
    axis.set_title(panel.title, pad=16)
    axis.margins(y=0.25)
    axis.set_ylim(bottom=max(axis.get_ylim()[0], 0.0))
    if not any(p.mean is not None for _, points in panel.series for p in points):
        axis.set_yticks([])
    _calm(axis)


def _write_spreads(axis: Axes, known: Sequence[tuple[float, Point]]) -> None:
    """Write spreads that are too wide, beside their points and off the line."""
    for place, (x, point) in enumerate(known):
        if _spread(point) <= _WIDEST:
            continue
        mean = point.mean or 0.0
        rises = any((after.mean or 0.0) > mean for _, after in known[place + 1 :][:1])
        axis.annotate(
            f"{100 * _spread(point):.0f}",
            (x, mean),
            (4, -2 if rises else 2),
            textcoords="offset points",
            va="top" if rises else "bottom",
            fontsize=8,
        )


def _spread(point: Point) -> float:
    """Return the standard deviation relative to the mean."""
    return (point.std or 0.0) / max(point.mean or 0.0, 1e-9)


def _area(spread: float) -> float:
    """Return the area of a circle, in square points; next to none where it is told."""
    diameter = _DIAMETER * spread if spread <= _WIDEST else 0.0
    return float(max(diameter**2, 4.0))


def _attention(axis: Axes, panel: AttentionPanel) -> None:
    axis.set(title=panel.title, xlabel="index", ylabel="attention")
    if panel.weights is None:
        _absent(axis)
        return
    for wanted, colour, hatch, name in (
        (True, ATTENTION, "//", "positive instance"),
        (False, NEGATIVE, "", "negative instance"),
    ):
        chosen = [i for i, positive in enumerate(panel.positive) if positive == wanted]
        heights = [panel.weights[i] for i in chosen]
        axis.bar(chosen, heights, 0.85, color=colour, hatch=hatch, label=name)
    axis.locator_params(axis="x", integer=True)
    _calm(axis)


def _traces(axis: Axes, panel: TracePanel) -> None:
    axis.set(title=panel.title, xlabel="epoch", ylabel="probability", ylim=(0, 1.02))
    if panel.candidate is None or panel.other is None:
        _absent(axis)
        return
    for values, colour, style, name in (
        (panel.candidate, POSITIVE, "-", "best candidate"),
        (panel.other, SERIES[0], "--", "best non-candidate"),
    ):
        epochs = range(1, len(values) + 1)
        axis.plot(epochs, values, style, color=colour, linewidth=1.6, label=name)
    axis.locator_params(axis="x", integer=True)
    _calm(axis)


def _absent(axis: Axes) -> None:
    where = {"ha": "center", "va": "center", "transform": axis.transAxes}
    axis.text(0.5, 0.5, _GAP, **where)  # type: ignore[arg-type]
    axis.set_xticks([])
    axis.set_yticks([])


def _calm(axis: Axes) -> None:
    axis.grid(axis="y", color=GRID)
    axis.set_axisbelow(True)


_DRAWN: dict[type[Any], Callable[[Axes, Any], None]] = {
    BarPanel: _bars,
    SweepPanel: _sweep,
    AttentionPanel: _attention,
    TracePanel: _traces,
    RankPanel: draw_ranks,
    LinePanel: draw_lines,
    CurvePanel: draw_curves_of,
    ReliabilityPanel: draw_reliability,
    ConfusionPanel: draw_confusion,
}
