"""Instances as GeoJSON that QuPath imports: a detection for each tile."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError
from mipl.runs.explanation import Explanation
from mipl.runs.instance_places import Places

# A ramp from dark blue to yellow, of which QuPath shows the colour of a class.
_RAMP = np.array([[13, 8, 135], [126, 3, 168], [204, 71, 120], [248, 149, 64]])


def geojson(
    told: Explanation,
    places: Places,
    top: int | None = None,
    mpp: float | None = None,
) -> str:
    """Return a FeatureCollection of the tiles, in pixels of the slide at full size.

    Each is a rectangle with the object type ``detection``, a class by its quarter of
    attention, and measurements: attention, its rank, and the score of each class, by
    which QuPath's measurement maps colour them.

    Parameters
    ----------
    told, places : what the model says of a bag, and where its instances lie
    top : int, optional
        Only those with the most attention.
    mpp : float, optional
        Microns per pixel, where places are in microns.
    """
    if places.in_time:
        raise MiplError(
            f"{told.name} has no tiles; GeoJSON is for slides: write a table."
        )
    which = told.order()[:top]
    boxes = places.in_pixels(mpp)[which]
    names, values = _measurements(told, which)
    quarter = _quarters(told, which)
    head = [json.dumps(name, ensure_ascii=False) for name in names]
    kinds = [
        json.dumps({"name": f"attention {n}", "color": _RAMP[n - 1].tolist()})
        for n in (1, 2, 3, 4)
    ]
    lines = [
        _feature(box, kinds[kind], head, row)
        for box, kind, row in zip(
            np.round(boxes, 2).tolist(), quarter.tolist(), values.tolist(), strict=True
        )
    ]
    body = ",\n".join(lines)
    return f'{{"type": "FeatureCollection", "features": [\n{body}\n]}}\n'


def _feature(box: list[float], kind: str, head: list[str], row: list[float]) -> str:
    """Write one tile; text is put together because json takes ten times as long."""
    x0, y0, x1, y1 = box
    measured = ", ".join(f"{n}: {v!r}" for n, v in zip(head, row, strict=True))
    ring = f"[[{x0}, {y0}], [{x1}, {y0}], [{x1}, {y1}], [{x0}, {y1}], [{x0}, {y0}]]"
    return (
        '{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": '
        f'[{ring}]}}, "properties": {{"objectType": "detection", "classification": '
        f'{kind}, "measurements": {{{measured}}}}}}}'
    )


def _measurements(
    told: Explanation, which: npt.NDArray[np.int64]
) -> tuple[list[str], npt.NDArray[np.float64]]:
    names, columns = [], []
    for name, values in (("attention", told.attention), ("rank", told.rank)):
        if values is not None:
            names.append(name)
            columns.append(values[which])
    if told.class_scores is not None:
        names += [f"score {name}" for name in told.classes.tolist()]
        columns += list(told.class_scores[which].T)
    if not columns:
        raise MiplError("this method gives its instances no weights; nothing to write.")
    stacked: npt.NDArray[np.float64] = np.stack(columns, axis=1)
    return names, stacked.round(9)


def _quarters(told: Explanation, which: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return 0 to 3: the quarter of the bag that an instance is in, by its weight."""
    n = told.bag.n_instances
    place = np.empty(n, dtype=np.int64)
    place[told.order()] = np.arange(n)[::-1]
    return 4 * place[which] // n
