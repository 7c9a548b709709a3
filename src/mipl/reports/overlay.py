"""The weights of instances, drawn over the picture that the bag was made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError
from mipl.experiments.explanation import Explanation
from mipl.images.kmeans_seg import KMeansSeg
from mipl.images.pixels import Pixels, read_pixels
from mipl.reports.bag_plots import draw_classes, instance_weights
from mipl.reports.plots import drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = "viridis"
_OPACITY = 0.6


def draw_overlay(
    told: Explanation, generator: Mapping[str, Any] | None = None
) -> Figure:
    """Draw a bag's picture, the same under its instances' weights, and its classes.

    The bag needs ``coords`` of four columns (x0, y0, x1, y1 in pixels) and the address
    of its picture in ``uris``, as the generators of ``mipl.images`` give them.
    ``generator`` is what the data set tells of its generator (``facts["generator"]``):
    the regions of KMeansSeg are then drawn as they are, instead of their boxes.
    """
    weight, name = instance_weights(told)
    boxes, pixels = _boxes(told), _picture(told)
    if (generator or {}).get("kind") == KMeansSeg.__name__:
        heat = _of_regions(told, weight, pixels, generator or {})
    else:
        heat = heat_map(boxes, weight, (pixels.shape[0], pixels.shape[1]))
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
        shade = covered.imshow(
            heat, cmap=_COLOURS, alpha=_OPACITY, interpolation="none"
        )
        # Room taken from both keeps the two pictures of one size, side by side.
        figure.colorbar(shade, ax=[plain, covered], label=name, shrink=0.8)
        plain.set_title(Path(_address(told)).name)
        covered.set_title(f"{told.bag.n_instances} instances by {name}")
        draw_classes(classes, told)
        figure.suptitle(
            f"{told.name}: {told.predicted} (p = {told.p.max():.3f}, margin "
            f"{told.margin:+.3f})",
            x=0.01,
            ha="left",
        )
    return figure


def heat_map(
    boxes: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
    shape: tuple[int, int],
) -> npt.NDArray[np.float64]:
    """Return for each pixel the mean weight of the boxes on it, NaN where none is.

    Examples
    --------
    >>> boxes = np.array([[0, 0, 2, 1], [1, 0, 3, 1]])
    >>> heat_map(boxes, np.array([0.2, 0.8]), (1, 4)).round(2).tolist()
    [[0.2, 0.5, 0.8, nan]]
    """
    total, count = np.zeros(shape), np.zeros(shape)
    for (x0, y0, x1, y1), w in zip(np.rint(boxes).astype(int), weight, strict=True):
        total[y0:y1, x0:x1] += w
        count[y0:y1, x0:x1] += 1
    heat = np.full(shape, np.nan)
    np.divide(total, count, out=heat, where=count > 0)
    return heat


def _of_regions(
    told: Explanation,
    weight: npt.NDArray[np.float64],
    pixels: Pixels,
    generator: Mapping[str, Any],
) -> npt.NDArray[np.float64]:
    """Return for each pixel the weight of its region, NaN where none is."""
    made = KMeansSeg(generator.get("block"), wavelet=generator.get("wavelet", "haar"))
    made.check()
    try:
        regions = made.regions(pixels, told.bag.instances)
    except MiplError as error:
        raise MiplError(f"{_address(told)} {error}") from None
    return np.where(regions < 0, np.nan, weight[regions])


def _boxes(told: Explanation) -> npt.NDArray[np.float64]:
    coords = told.bag.coords
    if coords is None or coords.shape[1] != 4:
        raise MiplError(
            f"{told.name} has no boxes (coords x0, y0, x1, y1 in pixels) to draw over "
            "a picture; make the bags with mipl images to-bags."
        )
    return np.asarray(coords, dtype=np.float64)


def _address(told: Explanation) -> str:
    if told.bag.uris is None:
        raise MiplError(
            f"{told.name} does not say which picture it comes from (uris); make the "
            "bags from picture files with mipl images to-bags."
        )
    return str(told.bag.uris[0])


def _picture(told: Explanation) -> Pixels:
    address = _address(told)
    if not Path(address).is_file():
        raise MiplError(
            f"the picture of {told.name}, {address}, is not there; put it back, or "
            "make the bags again."
        )
    return read_pixels(address)
