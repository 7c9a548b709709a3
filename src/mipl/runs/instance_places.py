"""Where the instances of a bag lie: tiles of a slide, or spans of a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.bags import Bags
from mipl.errors import MiplError

Floats = npt.NDArray[np.float64]

PIXELS, MICRONS, SECONDS, LETTERS = "px", "um", "s", "letters"
TIMES, TIMES_AND_BANDS = ("start", "end"), ("start", "end", "low", "high")
IN_TEXT = ("from", "to")


@dataclass(frozen=True, eq=False)
class Places:
    """The place of each instance.

    Attributes
    ----------
    boxes : (n, 4) x0, y0, x1, y1 on a slide, or (n, 2) start and end in a recording
        or a document
    unit : "px", "um", "s" or "letters"
    bands : (n, 2) or None
        Lowest and highest frequency in a recording, in hertz.
    """

    boxes: Floats
    unit: str
    bands: Floats | None = None

    @property
    def in_time(self) -> bool:
        """Whether these are spans of a recording or a document."""
        return bool(self.boxes.shape[1] == 2)

    def in_pixels(self, mpp: float | None) -> Floats:
        """Return boxes in pixels of the slide at full size."""
        if self.unit == PIXELS:
            return self.boxes
        if mpp is None:
            raise MiplError(
                "the coordinates are in microns; give the microns per pixel of the "
                "slide, --mpp, to have them in pixels."
            )
        return self.boxes / mpp


def places_of(bag: Bags, facts: Mapping[str, Any]) -> Places:
    """Read the coordinates of a bag as what they are.

    Four columns are boxes, two the corners of tiles whose side is the usual distance
    between neighbours, unless the data set says in ``facts["coords"]`` that they are
    times (``["start", "end"]``, also with ``"low", "high"``, frequencies) or letters
    (``["from", "to"]``); one column is points in time.

    Examples
    --------
    >>> bag = Bags([np.zeros((3, 1))], coords=[[0, 0], [256, 0], [256, 256]])
    >>> places_of(bag, {}).boxes[1].tolist()
    [256.0, 0.0, 512.0, 256.0]
    """
    if bag.coords is None:
        raise MiplError(
            f"{bag.name(0)} has no coordinates to draw a map by; give coords with the "
            "bags."
        )
    if bag.uris is not None and "|" in str(bag.uris[0]):
        raise MiplError(
            f"{bag.name(0)} joins several slides, which have no map in common; import "
            "each as a bag of its own (bag_id= of the column of files)."
        )
    coords: Floats = np.asarray(bag.coords, dtype=np.float64)
    width = coords.shape[1]
    unit = MICRONS if facts.get("unit") == MICRONS else PIXELS
    if width == 1:
        return Places(np.repeat(coords, 2, axis=1), SECONDS)
    names = tuple(facts.get("coords") or ())
    if width == 2 and names in (TIMES, IN_TEXT):
        return Places(coords, SECONDS if names == TIMES else LETTERS)
    if names == TIMES_AND_BANDS:
        return Places(coords[:, :2], SECONDS, coords[:, 2:])
    if width == 2:
        return Places(np.concatenate([coords, coords + _side(coords)], axis=1), unit)
    if width == 4:
        return Places(coords, unit)
    raise MiplError(
        f"{bag.name(0)} has coordinates of {width} columns; a map needs one or two "
        "(times), two (corners) or four (boxes)."
    )


def _side(corners: Floats) -> float:
    """Return the usual distance between neighbours, the side of a tile."""
    gaps = [np.diff(np.unique(corners[:, axis])) for axis in (0, 1)]
    steps = np.concatenate(gaps).round(3)
    if not len(steps):
        return 1.0
    values, counts = np.unique(steps, return_counts=True)
    return float(values[counts.argmax()])
