"""What feature files tell of their tiles: size, unit, extractor, magnification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile

Attributes = Mapping[str, str | float]

# As TRIDENT, CLAM and STAMP name them.
WANTED = (
    "patch_size_level0", "patch_size", "patch_level", "downsample", "tile_size_um",
    "unit", "encoder", "extractor", "target_magnification", "level0_width",
    "level0_height",
)  # fmt: skip
_MICRONS = "um"


def boxes(coords: Array, told: Attributes) -> Array:
    """Return coordinates of corners as boxes x0, y0, x1, y1 where sizes are known.

    They are in pixels of the slide at full size, or in microns.

    Examples
    --------
    >>> boxes(np.array([[0, 512]]), {"patch_size_level0": 512}).tolist()
    [[0, 512, 512, 1024]]
    """
    side = _side(told)
    if side is None or coords.ndim != 2 or coords.shape[1] != 2:
        return coords
    whole = coords.dtype.kind in "iu" and side == int(side)
    corners = coords.astype(np.int64) if whole else coords.astype(np.float64)
    return np.concatenate([corners, corners + (int(side) if whole else side)], axis=1)


def _side(told: Attributes) -> float | None:
    if told.get("unit") == _MICRONS:
        return _number(told, "tile_size_um")
    side = _number(told, "patch_size_level0")
    if side is None and told.get("patch_level", 0) == 0:
        return _number(told, "patch_size")
    if side is None:
        side, by = _number(told, "patch_size"), _number(told, "downsample")
        return None if side is None or by is None else side * by
    return side


def _number(told: Attributes, name: str) -> float | None:
    value = told.get(name)
    return value if isinstance(value, (int, float)) and value > 0 else None


def tile_facts(
    told: Sequence[tuple[str, Path, Attributes]], folder: Path
) -> dict[str, Any]:
    """Return what a data set keeps of its files; those of two extractors are refused.

    Parameters
    ----------
    told : sequence of (bag id, file, attributes)
    folder : path
        TRIDENT names the extractor in it.
    """
    facts: dict[str, Any] = {}
    for fact, names in _FACTS.items():
        known = [
            (file, value)
            for _, file, own in told
            for value in [next((own[name] for name in names if name in own), None)]
            if value is not None
        ]
        for file, value in known:
            if value != known[0][1]:
                raise BadFile(
                    f"{file} has {fact} {value!r}, {known[0][0]} {known[0][1]!r}; the "
                    "features of a data set must be made alike: keep one kind."
                )
        if known:
            facts[fact] = known[0][1]
    if "extractor" not in facts and folder.name.startswith("features_"):
        facts["extractor"] = folder.name.removeprefix("features_")
    sizes = {
        name: [int(side) for side in (width, height)]
        for name, _, own in told
        if (width := _number(own, "level0_width"))
        and (height := _number(own, "level0_height"))
    }
    return facts | ({"slide_sizes": sizes} if sizes else {})


_FACTS = {
    "extractor": ("extractor", "encoder"),
    "magnification": ("target_magnification",),
    "unit": ("unit",),
}
