"""The weights of instances, drawn over the picture that the bag was made of."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError, counted
from mipl.images.image_bags import Area, ImageBags, PictureBag
from mipl.images.pixels import Pixels, read_pixels
from mipl.reports.bag_plots import draw_classes, headline, instance_weights
from mipl.reports.originals import original_of
from mipl.reports.plots import drawing, shortened
from mipl.runs.explanation import Explanation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = "viridis"
_OPACITY = 0.6


def draw_overlay(told: Explanation, generator: ImageBags | None = None) -> Figure:
    """Draw a bag's picture, the same under its instances' weights, and its classes.

    The bag needs ``coords`` of four columns (x0, y0, x1, y1 in pixels) and the address
    of its picture in ``uris``, as the generators of ``mipl.images`` give them.
    ``generator`` is what made the bag; by its ``areas``, instances that are no boxes
    are drawn as they are.
    """
    weight, name = instance_weights(told)
    boxes, pixels = _boxes(told), read_pixels(_path(told))
    areas = _areas(told, generator or ImageBags(), pixels, boxes)
    heat = heat_map(areas, weight, (pixels.shape[0], pixels.shape[1]))
    with drawing() as matplotlib:
        figure: Figure = matplotlib.figure.Figure(
            figsize=(11, 4.2), layout="constrained"
        )
        plain, covered, classes = figure.subplots(1, 3, width_ratios=(2, 2, 1.6))
        for axis in (plain, covered):
            axis.axis("off")
        plain.imshow(pixels, interpolation="none")
        # Below colours that mean something, the picture has none of its own.
        grey = pixels.mean(axis=2)
        covered.imshow(grey, cmap="gray", vmin=0, vmax=255, interpolation="none")
        # From 0: small differences would else look as large as large ones.
        shade = covered.imshow(
            heat,
            cmap=_COLOURS,
            vmin=min(0.0, float(weight.min())),
            alpha=_OPACITY,
            interpolation="none",
        )
        # Room taken from both keeps the two pictures of one size, side by side.
        figure.colorbar(shade, ax=[plain, covered], label=name, shrink=0.8)
        plain.set_title(shortened(_path(told).name))
        covered.set_title(f"{counted(told.bag.n_instances, 'instance')} by {name}")
        draw_classes(classes, told)
        figure.suptitle(headline(told), x=0.01, ha="left")
    return figure


def heat_map(
    areas: Iterable[Area], weight: npt.NDArray[np.float64], shape: tuple[int, int]
) -> npt.NDArray[np.float64]:
    """Return for each pixel the mean weight of the areas on it, NaN where none is.

    Examples
    --------
    >>> areas = np.s_[:, 0:2], np.array([[False, True, True, False]])
    >>> heat_map(areas, np.array([0.2, 0.8]), (1, 4)).round(2).tolist()
    [[0.2, 0.5, 0.8, nan]]
    """
    total, count = np.zeros(shape), np.zeros(shape)
    for area, w in zip(areas, weight, strict=True):
        total[area] += w
        count[area] += 1
    heat = np.full(shape, np.nan)
    np.divide(total, count, out=heat, where=count > 0)
    return heat


def _areas(
    told: Explanation,
    generator: ImageBags,
    pixels: Pixels,
    boxes: npt.NDArray[np.float32],
) -> Iterable[Area]:
    """Return the pixels of each instance; refuse a picture that they do not fit."""
    height, width = pixels.shape[:2]
    outside = (boxes[:, :2] >= (width, height)) | (boxes[:, 2:] <= 0)
    if outside.any():
        number = int(outside.any(axis=1).argmax())
        raise MiplError(
            f"{_path(told)} has {width} x {height} pixels, and instance {number} of "
            f"{told.name} lies at {boxes[number].tolist()}, outside: it is another "
            "picture than the bag was made of; put that one back."
        )
    try:
        return generator.areas(pixels, PictureBag(told.bag.instances, boxes))
    except MiplError as error:
        raise MiplError(f"{_path(told)} {error}") from None


def _boxes(told: Explanation) -> npt.NDArray[np.float32]:
    coords = told.bag.coords
    if coords is None or coords.shape[1] != 4:
        raise MiplError(
            f"{told.name} has no boxes (coords x0, y0, x1, y1 in pixels) to draw over "
            "a picture; make the bags with mipl images to-bags."
        )
    return np.asarray(coords, dtype=np.float32)


def _path(told: Explanation) -> Path:
    return original_of(told, "picture", "mipl images to-bags")
