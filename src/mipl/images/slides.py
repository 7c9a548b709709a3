"""Whole slides, read by tiffslide or OpenSlide where one of them is installed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mipl.errors import BadFile, MiplError
from mipl.files import existing_file
from mipl.images.pixels import Pixels, read_pixels

_READERS = (("tiffslide", "TiffSlide"), ("openslide", "OpenSlide"))
_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp")


class Slide:
    """A slide: its size in pixels, microns per pixel, and its pixels where asked for.

    Parameters
    ----------
    path : file
        Whatever tiffslide or OpenSlide reads.

    Attributes
    ----------
    size : (width, height) in pixels
    mpp : float or None
        Microns per pixel at full size, where the file tells.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = existing_file(path)
        with closing(_open(self.path)) as opened:
            width, height = opened.dimensions
            self.mpp = _microns(opened.properties)
        self.size = (int(width), int(height))

    def thumbnail(self, side: int) -> Pixels:
        """Return the whole slide at most ``side`` pixels wide and high."""
        return self._read(lambda opened: opened.get_thumbnail((side, side)))

    def region(self, box: tuple[float, float, float, float], side: int) -> Pixels:
        """Return what lies in a box x0, y0, x1, y1, about ``side`` pixels wide."""
        x0, y0, x1, y1 = box

        def part(opened: Any) -> Any:
            level = opened.get_best_level_for_downsample(max(1.0, (x1 - x0) / side))
            by = float(opened.level_downsamples[level])
            size = max(1, round((x1 - x0) / by)), max(1, round((y1 - y0) / by))
            return opened.read_region((round(x0), round(y0)), level, size)

        return self._read(part)

    def _read(self, part: Callable[[Any], Any]) -> Pixels:
        """Open the slide for one part of it, so that no file stays open."""
        with closing(_open(self.path)) as opened:
            try:
                return np.asarray(part(opened).convert("RGB"))
            except Exception as error:  # Readers raise whatever their libraries do.
                raise BadFile(
                    f"{self.path} cannot be read: {str(error)[:100]}."
                ) from None


def _microns(properties: Any) -> float | None:
    """Return microns per pixel at full size, where the file tells."""
    for name in ("tiffslide.mpp-x", "openslide.mpp-x"):
        try:
            value = float(properties[name])
        except (KeyError, TypeError, ValueError):
            continue
        if np.isfinite(value) and value > 0:
            return value
    return None


def _open(path: Path) -> Any:
    for module, kind in _READERS:
        try:
            reader = getattr(import_module(module), kind)
        except (ImportError, OSError):  # OpenSlide's own library may be missing.
            continue
        try:
            return reader(str(path))
        except Exception as error:
            raise BadFile(
                f"{path} cannot be opened as a slide: {str(error)[:100]}."
            ) from None
    raise MiplError(
        f"reading {path.name} needs tiffslide or OpenSlide, and neither is installed; "
        "install one with pip install tiffslide, or give a picture of the whole slide "
        "as --thumbnail."
    )


def read_thumbnail(path: str | Path) -> Pixels:
    """Read a picture of a whole slide."""
    path = existing_file(path)
    if path.suffix.lower() not in (*_PICTURES, ".tif", ".tiff"):
        raise MiplError(
            f"{path} is no picture ({', '.join(_PICTURES)}); a slide is given as "
            "--slide."
        )
    return read_pixels(path)
