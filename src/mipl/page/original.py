"""The pictures that bags were cut from, where they lie in the workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.bags import Bags
from mipl.errors import MiplError
from mipl.images.pixels import read_pixels
from mipl.page.instance_pictures import ACROSS, PER_SHEET, TILE
from mipl.page.png import Bytes, png
from mipl.page.workspace import Workspace

_SUFFIXES = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
_LARGEST = 1024  # Pixels of the longer side of what is sent.


def original_path(workspace: Workspace, bags: Bags, bag: int) -> Path | None:
    """Return the picture of a bag; None where there is none, or not in the workspace.

    What a data set names is of unknown origin: no file from elsewhere is ever sent.
    """
    if bags.uris is None or bags.coords is None or bags.coords.shape[1] != 4:
        return None
    try:
        path = Path(str(bags.uris[bag]))
        real = path.resolve(strict=True)
        inside = real.is_relative_to(workspace.folder) and real.is_file()
    except (OSError, ValueError, RuntimeError):
        return None
    return real if inside and real.suffix.lower() in _SUFFIXES else None


def original(path: Path) -> bytes:
    """Return a picture as a PNG that is not too large."""
    return png(_thinned(_pixels(path), _LARGEST))


def crops(path: Path, bags: Bags, bag: int, number: int) -> bytes:
    """Return a sheet of the instances of a bag, cut out of its picture."""
    pixels = _pixels(path)
    one = bags[bag : bag + 1]
    boxes = np.asarray(one.coords)[number * PER_SHEET : (number + 1) * PER_SHEET]
    if not len(boxes):
        raise MiplError("there is no such sheet of this bag.")
    down = -(-len(boxes) // ACROSS)
    canvas = np.full((down * TILE, ACROSS * TILE, 3), 120, np.uint8)
    for place, box in enumerate(boxes):
        y, x = divmod(place, ACROSS)
        part = _cut(pixels, box)
        high, wide = part.shape[:2]
        top, left = y * TILE + (TILE - high) // 2, x * TILE + (TILE - wide) // 2
        canvas[top : top + high, left : left + wide] = part
    return png(canvas)


def _cut(pixels: Bytes, box: npt.NDArray[Any]) -> Bytes:
    """Return a part of a picture, as large as a tile has room for."""
    height, width = pixels.shape[:2]
    x0, y0, x1, y1 = np.rint(box).astype(int)
    x0, x1 = np.clip([x0, max(x1, x0 + 1)], 0, width)
    y0, y1 = np.clip([y0, max(y1, y0 + 1)], 0, height)
    part = pixels[y0:y1, x0:x1]
    if not part.size:
        return np.zeros((1, 1, 3), np.uint8)
    part = _thinned(part, TILE - 2)
    factor = max(1, (TILE - 2) // max(part.shape[:2]))
    return part.repeat(factor, axis=0).repeat(factor, axis=1)


def _thinned(pixels: Bytes, largest: int) -> Bytes:
    step = -(-max(pixels.shape[:2]) // largest)
    return np.ascontiguousarray(pixels[::step, ::step])


def _pixels(path: Path) -> Bytes:
    return np.asarray(read_pixels(path), dtype=np.uint8)
