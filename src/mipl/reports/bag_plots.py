"""Pictures of bags: which instances a model looked at, and what it makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError, counted
from mipl.reports.plots import (
    ATTENTION,
    GRID,
    NEGATIVE,
    PALE,
    POSITIVE,
    SERIES,
    drawing,
    shortened,
)
from mipl.runs.explanation import Explanation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PER_ROW = 10
_MOST_IMAGES = 40
_MOST_BARS = 30
_AS_INK: dict[str, Any] = {
    "cmap": "gray_r",
    "vmin": 0,
    "vmax": 1,
    "interpolation": "none",
}


def draw_bag(rows: Sequence[tuple[str, Explanation]]) -> Figure:
    """Draw one bag of images as several models see it, a row each.

    Below each image stands a bar for its attention; instances of the true class have a
    green frame.
    """
    first = rows[0][1]
    n = first.bag.n_instances
    with drawing() as matplotlib:
        figure: Figure = matplotlib.figure.Figure(
            figsize=(10.5, (10.5 / n * 1.65 + 0.3) * len(rows)),
            layout="constrained",
        )
        figure.get_layout_engine().set(h_pad=0.02, w_pad=0.02)  # type: ignore[union-attr,call-arg]
        axes = figure.subplots(len(rows), 1, squeeze=False).ravel()
        for axis, (title, told) in zip(axes, rows, strict=True):
            weight, _ = instance_weights(told)
            _strip(axis, told, np.arange(n), _relative(weight), n)
            axis.set_title(title, fontsize=9.5, pad=3)
    return figure


def draw_explanation(told: Explanation) -> Figure:
    """Draw what a model says about a bag: its instances, and its classes.

    Instances are drawn as images where their declared shape is one, otherwise as bars;
    those with the largest weight come first.
    """
    weight, name = instance_weights(told)
    pictured = image_shape(told.bag.instance_shape) is not None
    most = _MOST_IMAGES if pictured else _MOST_BARS
    order = told.order()[:most]
    per_row = min(_PER_ROW, len(order))
    n_rows = math.ceil(len(order) / per_row) if pictured else 1
    with drawing() as matplotlib:
        height = 1.65 * n_rows + 0.7 if pictured else 0.24 * len(order) + 1.4
        figure: Figure = matplotlib.figure.Figure(
            figsize=(11, max(height, 2.8)), layout="constrained"
        )
        grid = figure.add_gridspec(n_rows, 2, width_ratios=(3, 1))
        if pictured:
            for row in range(n_rows):
                axis = figure.add_subplot(grid[row, 0])
                part = order[row * per_row : (row + 1) * per_row]
                _strip(axis, told, part, _relative(weight)[part], per_row)
                _values(axis, weight[part])
        else:
            _bars(figure.add_subplot(grid[0, 0]), told, order, weight, name)
        draw_classes(figure.add_subplot(grid[:, 1]), told)
        figure.suptitle(_headline(told, name, len(order)), x=0.01, ha="left")
    return figure


def image_shape(shape: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return the shape of an instance as (h, w) or (h, w, 3) can be drawn, or None.

    Examples
    --------
    >>> image_shape((1, 28, 28)), image_shape((3, 8, 8)), image_shape((5,))
    ((28, 28), (8, 8, 3), None)
    """
    if shape is None:
        return None
    if len(shape) == 2:
        return shape
    if len(shape) == 3 and shape[0] in (1, 3):
        return shape[1:] if shape[0] == 1 else (*shape[1:], 3)
    return None


def _images(told: Explanation) -> npt.NDArray[np.float64]:
    """Return the instances as images from 0 to 1: (n, h, w) or (n, h, w, 3)."""
    shape = told.bag.instance_shape
    assert shape is not None
    x: npt.NDArray[np.float64] = np.asarray(told.bag.instances, dtype=np.float64)
    x = (x - x.min()) / max(np.ptp(x), 1e-12)
    if len(shape) == 3 and shape[0] == 3:
        return np.moveaxis(x.reshape(-1, *shape), 1, -1)
    return x.reshape(-1, *shape[-2:])


def instance_weights(told: Explanation) -> tuple[npt.NDArray[np.float64], str]:
    """Return what a model looked at, and what the numbers are called."""
    if told.attention is not None:
        return told.attention, "attention"
    if told.scores is not None:
        return told.scores, f"score of {told.predicted}"
    raise MiplError("this method gives its instances no weights; nothing to draw.")


def _relative(weight: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return weights relative to the largest; some forms of attention go below 0."""
    return weight / max(float(np.abs(weight).max()), 1e-12)


def _strip(
    axis: Axes,
    told: Explanation,
    which: npt.NDArray[np.int64],
    heights: npt.NDArray[np.float64],
    room: int,
) -> None:
    """Draw instances side by side, with a bar from 0 to 1 below each."""
    images = _images(told)
    _, tall, wide = images.shape[:3]
    height = 0.9 * tall / wide
    axis.axis("off")
    for place, (index, share) in enumerate(zip(which, heights, strict=True)):
        extent = (place + 0.05, place + 0.95, 0.0, height)
        axis.imshow(images[index], extent=extent, **_AS_INK)
        frame, width = (POSITIVE, 1.8) if _positive(told, index) else (PALE, 0.6)
        _box(axis, place + 0.05, 0, 0.9, height, frame, width)
        colour = ATTENTION if share >= 0 else NEGATIVE
        for part, fill in ((1.0, GRID), (abs(share), colour)):
            axis.bar(place + 0.5, 0.5 * part, 0.9, bottom=-0.6, color=fill, linewidth=0)
    axis.set(xlim=(0, room), ylim=(-0.65, height + 0.06), aspect="equal")


def _box(
    axis: Axes, x: float, y: float, w: float, h: float, colour: str, width: float
) -> None:
    xs, ys = (x, x + w, x + w, x, x), (y, y, y + h, y + h, y)
    axis.plot(xs, ys, color=colour, linewidth=width, solid_joinstyle="miter")


def _values(axis: Axes, weights: npt.NDArray[np.float64]) -> None:
    for place, weight in enumerate(weights):
        at = (place + 0.5, -0.68)
        axis.text(*at, f"{weight:.3f}", ha="center", va="top", fontsize=8)
    axis.set_ylim(bottom=-0.95)


def _positive(told: Explanation, index: int) -> bool:
    labels = told.bag.instance_labels
    return labels is not None and told.label is not None and labels[index] == told.label


def _bars(
    axis: Axes,
    told: Explanation,
    order: npt.NDArray[np.int64],
    weight: npt.NDArray[np.float64],
    name: str,
) -> None:
    colours = [POSITIVE if _positive(told, index) else ATTENTION for index in order]
    places = np.arange(len(order))
    axis.barh(places, weight[order], color=colours, height=0.75)
    labels = told.bag.instance_labels
    axis.set_yticks(
        places,
        [f"{i}" if labels is None else f"{i} ({labels[i]})" for i in order],
        fontsize=8,
    )
    axis.invert_yaxis()
    axis.set(xlabel=name, ylabel="instance")
    axis.grid(axis="x", color=GRID)
    axis.set_axisbelow(True)


def draw_classes(axis: Axes, told: Explanation) -> None:
    """Draw the probabilities of the classes as bars, candidates in colour."""
    names = [str(name) for name in told.classes]
    places = np.arange(len(names))
    colours = [SERIES[0] if inside else PALE for inside in told.candidates]
    axis.barh(places, told.p, color=colours, height=0.7)
    short = [shortened(name) for name in names]
    marks = [
        f"{s} *" if n == str(told.label) else s
        for n, s in zip(names, short, strict=True)
    ]
    axis.set_yticks(places, marks)
    axis.invert_yaxis()
    axis.set(xlim=(0, 1), xlabel="probability")
    note = "blue: candidates" + (", *: true class" if told.label is not None else "")
    axis.set_title(note, fontsize=9)


def headline(told: Explanation) -> str:
    """Return the bag's name and what it is taken for, in a line."""
    return (
        f"{shortened(told.name, 60)}: {shortened(str(told.predicted))} "
        f"(p = {told.p.max():.3f}, margin {told.margin:+.3f})"
    )


def _headline(told: Explanation, name: str, drawn: int) -> str:
    of = f"{drawn} of " if drawn < told.bag.n_instances else ""
    known = told.label is not None and told.bag.instance_labels is not None
    marked = ", green: of the true class" if known else ""
    drawn_of = f"{of}{counted(told.bag.n_instances, 'instance')}"
    return f"{headline(told)}; {drawn_of} by {name}{marked}"
