"""Panels of results as reviewers of a journal expect them: axes, units, spreads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mipl.paper.panels import (
    ConfusionPanel,
    CurvePanel,
    LinePanel,
    ReliabilityPanel,
)
from mipl.reports.plots import GRID, INK, PALE, SERIES, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS, _STYLES = "os^DvP", ("-", "--", "-.", ":")
_APART = 8.0  # Largest by smallest gap of values from which an axis is logarithmic.
_SMOOTH = 0.15  # Opacity of single runs.


def draw_lines(axis: Axes, panel: LinePanel) -> None:
    """Draw a line of means for each series, with standard deviations as bars."""
    for place, (name, points) in enumerate(panel.series):
        known = [
            (x, p.mean, p.std or 0.0)
            for x, p in zip(panel.values, points, strict=True)
            if p.mean is not None
        ]
        if not known:
            continue
        xs, means, spreads = zip(*known, strict=True)
        # No share is below 0 or above 1, and no bar says so.
        shares = 0 <= min(means) and max(means) <= 1
        pairs = list(zip(means, spreads, strict=True))
        below = [min(s, m) if shares else s for m, s in pairs]
        above = [min(s, 1 - m) if shares else s for m, s in pairs]
        axis.errorbar(
            xs,
            means,
            [below, above],
            fmt=f"{_MARKERS[place % len(_MARKERS)]}{_STYLES[place % len(_STYLES)]}",
            color=SERIES[place % len(SERIES)],
            linewidth=1.5,
            markersize=4.5,
            capsize=2.5,
            elinewidth=0.9,
            label=name,
        )
    if spans_magnitudes(panel.values):
        axis.set_xscale("log")
    told = [
        x
        for place, x in enumerate(panel.values)
        if any(points[place].mean is not None for _, points in panel.series)
    ]
    if len(told) <= 8 and spans_magnitudes(told):
        axis.set_xticks(told, [f"{value:g}" for value in told])
        axis.set_xticks([], minor=True)
    axis.set(xlabel=panel.argument, ylabel=panel.figure, title=panel.title)
    axis.grid(axis="y", color=GRID)
    axis.set_axisbelow(True)


def spans_magnitudes(values: Sequence[float]) -> bool:
    """Tell whether numbers are spaced as on a logarithmic axis.

    Examples
    --------
    >>> spans_magnitudes([0.01, 0.1, 1.0]), spans_magnitudes([2, 3, 4, 10])
    (True, False)
    """
    if len(values) < 3 or min(values) <= 0:
        return False
    gaps = np.diff(sorted(values))
    return bool(gaps.max() / gaps.min() >= _APART)


def draw_curves_of(axis: Axes, panel: CurvePanel) -> None:
    """Draw the mean over runs as a line, the runs themselves faintly."""
    for place, (name, runs) in enumerate(panel.series):
        colour = SERIES[place % len(SERIES)]
        for run in runs:
            axis.plot(range(1, len(run) + 1), run, color=colour, alpha=_SMOOTH, lw=0.8)
        shortest = min(map(len, runs))  # Early stopping ends runs at different epochs.
        mean = np.mean([run[:shortest] for run in runs], axis=0)
        style = _STYLES[place % len(_STYLES)]
        epochs = range(1, shortest + 1)
        axis.plot(epochs, mean, style, color=colour, linewidth=1.8, label=name)
    axis.set(xlabel="epoch", ylabel=panel.figure, title=panel.title)
    axis.locator_params(axis="x", integer=True)
    axis.margins(x=0.02)
    axis.grid(axis="y", color=GRID)


def draw_reliability(axis: Axes, panel: ReliabilityPanel) -> None:
    """Draw how often predictions are right against how sure they are."""
    total = sum(n for *_, n in panel.bins)
    axis.plot([0, 1], [0, 1], "--", color="#8c959f", linewidth=1, label="calibrated")
    shares = [n / total for *_, n in panel.bins]
    middles = [mean for mean, *_ in panel.bins]
    axis.bar(middles, shares, 0.07, color=PALE, lw=0, label="share of test bags")
    for mean, share, _ in panel.bins:
        axis.plot([mean, mean], [mean, share], color=SERIES[1], linewidth=1, alpha=0.6)
    xs, ys, _ = zip(*panel.bins, strict=True)
    axis.plot(
        xs, ys, "o-", color=SERIES[0], linewidth=1.5, markersize=5, label="share right"
    )
    axis.text(0.03, 0.95, f"ECE {panel.ece:.3f}", va="top", transform=axis.transAxes)
    axis.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="confidence", ylabel="share")
    axis.set_title(panel.title)
    axis.set_aspect("equal")


def draw_confusion(axis: Axes, panel: ConfusionPanel) -> None:
    """Draw shares of each true class as shades, counts as numbers where they fit."""
    counts = np.array(panel.counts, dtype=float)
    rows = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(rows > 0, rows, 1)
    axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    k = len(panel.classes)
    if k <= 15:
        for (row, column), count in np.ndenumerate(counts):
            dark = shares[row, column] > 0.55
            axis.text(
                column,
                row,
                f"{count:.0f}",
                ha="center",
                va="center",
                fontsize=max(6.0, 10 - k / 4),
                color="white" if dark else INK,
            )
    names = [shortened(name, 14) for name in panel.classes]
    size = max(6.0, 10 - k / 6)
    steep = 90 if max(map(len, names)) > 3 else 0
    axis.set_xticks(range(k), names, rotation=steep, fontsize=size)
    axis.set_yticks(range(k), names, fontsize=size)
    axis.set(xlabel="predicted", ylabel="true", title=panel.title)
    axis.tick_params(length=0)
    for side in axis.spines.values():
        side.set_visible(False)


def confusion_side(classes: int) -> float:
    """Return the width of a confusion's panel, in inches."""
    return math.sqrt(classes) * 1.1 + 1.4
