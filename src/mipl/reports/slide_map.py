"""What a model looked at, as a map over the slide or a track along the recording."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError, counted
from mipl.images.pixels import Pixels
from mipl.images.slides import Slide
from mipl.reports.bag_plots import draw_classes, headline, instance_weights
from mipl.reports.plots import ATTENTION, GRID, INK, PALE, drawing
from mipl.reports.tile_raster import TileRaster
from mipl.runs.explanation import Explanation
from mipl.runs.instance_places import MICRONS, PIXELS, SECONDS, Places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = "inferno"
_OPACITY = 0.65
_TOP = 6
_TILE_SIDE = 160
_THUMBNAIL_SIDE = 2000
_STRETCH = 0.02  # Of a thumbnail, whose sides are rounded.

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Backdrop:
    """What the map lies on.

    Attributes
    ----------
    picture : (h, w, 3) or None
        The whole slide; None for its outline.
    size : (width, height) of the slide in pixels at full size
    mpp : float or None
        Microns per pixel at full size.
    slide : Slide or None
        Where tiles are taken from.
    """

    picture: Pixels | None = None
    size: tuple[float, float] | None = None
    mpp: float | None = None
    slide: Slide | None = None

    @classmethod
    def of_slide(cls, slide: Slide, mpp: float | None = None) -> Backdrop:
        """Lay the map on the thumbnail of a slide."""
        mpp = slide.mpp if mpp is None else mpp
        return cls(slide.thumbnail(_THUMBNAIL_SIDE), slide.size, mpp, slide)

    def check(self, name: str, boxes: Floats) -> None:
        """Refuse what is not a picture of the slide that the tiles are of."""
        if self.size is None:
            return
        width, height = self.size
        side = np.median(boxes[:, 2:] - boxes[:, :2], axis=0)
        far = boxes[:, 2:].max(axis=0)
        if (far > self.size + side).any() or (boxes[:, :2].min(axis=0) < -side).any():
            raise MiplError(
                f"{name} has tiles up to {far[0]:,.0f}, {far[1]:,.0f}, and the slide "
                f"is {width:,.0f} x {height:,.0f} pixels; give the slide of this bag, "
                "or its size."
            )
        if self.picture is None:
            return
        down, across = self.picture.shape[:2]
        if abs(across * height / (down * width) - 1) > _STRETCH + 1 / min(across, down):
            raise MiplError(
                f"the thumbnail, {across} x {down}, has other proportions than the "
                f"slide, {width:,.0f} x {height:,.0f} pixels; give a picture of the "
                "whole slide of this bag."
            )


def draw_map(
    told: Explanation, places: Places, backdrop: Backdrop | None = None
) -> Figure:
    """Draw attention and the score of the predicted class where the tiles lie.

    Attention is shown as its rank in the bag, from 0 to 1: raw, a few tiles of many
    thousands would be all that one sees. The tiles with the most stand beside the map,
    numbered as on it.
    """
    lying = backdrop or Backdrop()
    boxes = places.boxes
    if lying.size is not None and places.unit == MICRONS:
        boxes = places.in_pixels(lying.mpp)
    lying.check(told.name, boxes)
    raster = TileRaster.of(boxes)
    panels = _panels(told)
    top = told.order()[:_TOP]
    with drawing() as matplotlib:
        tall = _aspect(raster, lying)
        width = 4.3 * len(panels) + 3.4
        height = min(max(4.0 * tall + 0.9, 4.6), 9.0)
        figure: Figure = matplotlib.figure.Figure(
            figsize=(width, height), layout="constrained"
        )
        ratios = [1.0] * len(panels) + [0.75]
        grid = figure.add_gridspec(1, len(ratios), width_ratios=ratios)
        for place, (title, weight) in enumerate(panels):
            axis = figure.add_subplot(grid[0, place])
            _panel(axis, raster, weight, title, lying, boxes[top])
            _scale_bar(axis, places.unit, lying)
        beside = grid[0, len(panels)].subgridspec(2, 1, height_ratios=(1, 1.7))
        draw_classes(figure.add_subplot(beside[0]), told)
        _top_tiles(figure, beside[1], told, boxes, top, lying.slide)
        figure.suptitle(
            f"{headline(told)}; {counted(told.bag.n_instances, 'instance')}",
            x=0.01,
            ha="left",
        )
    return figure


def _panels(told: Explanation) -> list[tuple[str, Floats]]:
    """Return what to draw: titles, and a weight per instance."""
    found: list[tuple[str, Floats]] = []
    if told.rank is not None:
        found.append(("attention, by rank", told.rank))
    if told.scores is not None:
        found.append((f"score of {told.predicted}", told.scores))
    if not found:
        weight, name = instance_weights(told)
        found.append((name, weight))
    return found


def _aspect(raster: TileRaster, lying: Backdrop) -> float:
    if lying.size is not None:
        return lying.size[1] / lying.size[0]
    return raster.shape[0] / raster.shape[1]


def _panel(
    axis: Axes,
    raster: TileRaster,
    weight: Floats,
    title: str,
    lying: Backdrop,
    top: Floats,
) -> None:
    heat = raster.mean(weight)
    if lying.picture is not None and lying.size is not None:
        across, down = lying.size
        # Below colours that mean something, the picture has none of its own.
        grey = lying.picture.mean(axis=2)
        axis.imshow(grey, cmap="gray", vmin=0, vmax=255, extent=(0, across, down, 0))
    shade = axis.imshow(
        heat,
        cmap=_COLOURS,
        vmin=min(0.0, float(np.nanmin(heat))),
        vmax=max(1.0, float(np.nanmax(heat))),
        extent=raster.extent,
        interpolation="none",
        alpha=_OPACITY if lying.picture is not None else 1.0,
    )
    if lying.picture is None:
        _outline(axis, raster, np.isfinite(heat))
    for number, (x0, y0, x1, y1) in enumerate(top.tolist(), 1):
        axis.plot(
            (x0, x1, x1, x0, x0), (y0, y0, y1, y1, y0), color="#00c2ff", linewidth=1.0
        )
        axis.annotate(
            f"{number}", (x1, y0), color=INK, fontsize=8, xytext=(2, 2),
            textcoords="offset points",
            bbox={"boxstyle": "round,pad=.15", "fc": "white", "ec": "none"},
        )  # fmt: skip
    axis.set_aspect("equal")
    axis.axis("off")
    axis.set_title(title)
    assert axis.figure is not None
    axis.figure.colorbar(shade, ax=axis, location="bottom", shrink=0.7, pad=0.02)


def _outline(axis: Axes, raster: TileRaster, covered: npt.NDArray[np.bool_]) -> None:
    """Draw the border of the tissue, of which there is no picture."""
    left, right, _, top = raster.extent
    height, width = raster.shape
    step = (right - left) / width
    padded = np.pad(covered, 1).astype(float)
    across = left + (np.arange(width + 2) - 0.5) * step
    down = top + (np.arange(height + 2) - 0.5) * step
    axis.contour(across, down, padded, levels=[0.5], colors=[PALE], linewidths=1.0)


def _scale_bar(axis: Axes, unit: str, lying: Backdrop) -> None:
    """Draw a length that is a round number, at most a quarter of the width."""
    left, right = axis.get_xlim()
    bottom, top = axis.get_ylim()
    per = 1.0
    if unit == PIXELS or lying.size is not None:  # Else the map is in microns itself.
        unit, per = (MICRONS, lying.mpp) if lying.mpp else (PIXELS, 1.0)
    length = round_length((right - left) * per / 4)
    x, y = left + 0.03 * (right - left), bottom - 0.03 * (bottom - top)
    ends = (x, x + length / per), (y, y)
    for colour, width in (("white", 6), (INK, 3)):  # Seen on any ground.
        axis.plot(*ends, color=colour, linewidth=width, solid_capstyle="butt")
    ground = {"boxstyle": "round,pad=.2", "fc": "white", "ec": "none"}
    axis.annotate(
        length_text(length, unit), (x, y), xytext=(0, 8), fontsize=9, bbox=ground,
        textcoords="offset points", va="bottom",
    )  # fmt: skip


def round_length(most: float) -> float:
    """Return the largest of 1, 2, 5, 10, 20, ... that is no more than ``most``.

    Examples
    --------
    >>> round_length(740), round_length(0.3)
    (500.0, 0.2)
    """
    if most <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in (1, 2, 5) if step * power <= most * (1 + 1e-9))


def length_text(length: float, unit: str) -> str:
    """Write a length in the unit that people read.

    Examples
    --------
    >>> length_text(2000, "um"), length_text(50, "um"), length_text(5000, "px")
    ('2 mm', '50 µm', '5,000 px')
    """
    if unit == MICRONS:
        return f"{length / 1000:g} mm" if length >= 1000 else f"{length:g} µm"
    return f"{length:,g} px"


def _top_tiles(
    figure: Figure,
    place: Any,
    told: Explanation,
    boxes: Floats,
    top: npt.NDArray[np.int64],
    slide: Slide | None,
) -> None:
    """Show the tiles with the most weight, or where they lie if there is no slide."""
    weight, name = instance_weights(told)
    if slide is None:
        axis = figure.add_subplot(place)
        axis.axis("off")
        lines = [
            f"{number}  at {boxes[i, 0]:,.0f}, {boxes[i, 1]:,.0f}: {weight[i]:.2g}"
            for number, i in enumerate(top.tolist(), 1)
        ]
        heading = f"most {name}" if name == "attention" else f"highest {name}"
        axis.text(0, 1, "\n".join([heading, *lines]), va="top", fontsize=8.5)
        return
    grid = place.subgridspec(math.ceil(_TOP / 2), 2)
    for number, i in enumerate(top.tolist()):
        axis = figure.add_subplot(grid[number // 2, number % 2])
        axis.axis("off")
        x0, y0, x1, y1 = boxes[i].tolist()
        axis.imshow(slide.region((x0, y0, x1, y1), _TILE_SIDE), interpolation="none")
        axis.set_title(f"{number + 1}: {weight[i]:.3g}", fontsize=8.5)


def draw_track(told: Explanation, places: Places) -> Figure:
    """Draw attention and the scores of the classes along a recording or a text."""
    order = np.argsort(places.boxes[:, 0], kind="stable")
    start, end = places.boxes[order].T
    gap = float(np.median(np.diff(start))) if len(start) > 1 else 1.0
    end = np.where(end > start, end, start + (gap or 1.0))
    weight, name = instance_weights(told)
    with drawing() as matplotlib:
        figure: Figure = matplotlib.figure.Figure(
            figsize=(11, 4.6), layout="constrained"
        )
        grid = figure.add_gridspec(2, 2, width_ratios=(3, 1), height_ratios=(1.4, 1))
        upper = figure.add_subplot(grid[0, 0])
        _steps(upper, start, end, weight[order], ATTENTION)
        upper.set(ylabel=name)
        upper.set_ylim(bottom=min(0.0, float(weight.min())))
        lower = figure.add_subplot(grid[1, 0], sharex=upper)
        _score_rows(lower, told, start, end, order)
        lower.set_xlabel("seconds" if places.unit == SECONDS else "letters")
        upper.set_xlim(float(start.min()), float(end.max()))
        draw_classes(figure.add_subplot(grid[:, 1]), told)
        figure.suptitle(
            f"{headline(told)}; {counted(told.bag.n_instances, 'instance')}",
            x=0.01,
            ha="left",
        )
    return figure


def _steps(axis: Axes, start: Floats, end: Floats, values: Floats, colour: str) -> None:
    """Draw a value over each span, as one shape."""
    x = np.stack([start, start, end, end], axis=1).ravel()
    zero = np.zeros_like(values)
    y = np.stack([zero, values, values, zero], axis=1).ravel()
    axis.fill(x, y, color=colour, linewidth=0)
    axis.grid(axis="y", color=GRID)
    axis.set_axisbelow(True)


def _score_rows(
    axis: Axes,
    told: Explanation,
    start: Floats,
    end: Floats,
    order: npt.NDArray[np.int64],
) -> None:
    """Draw the scores of the candidates as rows of colour."""
    if told.class_scores is None:
        axis.axis("off")
        return
    shown = np.flatnonzero(told.candidates)[:8]
    edges = np.linspace(float(start.min()), float(end.max()), 1001)
    middle = (edges[:-1] + edges[1:]) / 2
    at = np.searchsorted(start, middle, side="right") - 1
    inside = (at >= 0) & (middle < end[at])
    rows = np.full((len(shown), len(middle)), np.nan)
    rows[:, inside] = told.class_scores[order][at[inside]][:, shown].T
    axis.imshow(
        rows,
        aspect="auto",
        cmap=_COLOURS,
        vmin=0,
        vmax=1,
        interpolation="none",
        extent=(edges[0], edges[-1], len(shown) - 0.5, -0.5),
    )
    axis.set_yticks(range(len(shown)), [str(told.classes[c]) for c in shown])
    axis.set_title("scores of the candidates, 0 to 1", fontsize=9)
