"""One file per bag: .npy, or HDF5 with ``features`` (``feats``) and ``coords``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile
from mipl.fenced.hdf5_arrays import ATTRIBUTES
from mipl.files import existing_file, holds_file, inside
from mipl.io.arrays import npy
from mipl.io.fence.reading import fenced
from mipl.io.folders import tiles
from mipl.io.folders.layouts import (
    COORDS,
    FEATURES,
    HDF5,
    INSTANCE_LABELS,
    SUFFIXES,
    refuse_pickles,
)


@dataclass(frozen=True, eq=False)
class BagContent:
    """The instances of one bag, and what is known of them."""

    features: Array  # (n_i, d)
    coords: Array | None = None  # (n_i, c)
    labels: Array | None = None  # (n_i,)
    told: tiles.Attributes = field(default_factory=dict)


def locate(name: str, folders: Sequence[Path]) -> Path:
    """Find a file that a label table names, inside one of these folders."""
    for folder in folders:
        for suffix in ("", *SUFFIXES):
            file = inside(folder, name + suffix)
            if holds_file(file):
                return file
    if not any(file.suffix in SUFFIXES for file in folders[0].iterdir()):
        refuse_pickles(folders[-1])
    raise BadFile(f"the bag file {name[:80]!r} is not in {folders[0]}; check its name.")


def read_bag(files: Sequence[Path]) -> BagContent:
    """Read a bag from its file, or from several that are joined."""
    parts = [_read_file(file) for file in files]
    widths = [part.features.shape[1:] for part in parts]
    for file, width in zip(files, widths, strict=True):
        if width != widths[0]:
            raise BadFile(
                f"{file} has instances of shape {width}, {files[0]} of {widths[0]}; "
                "the files of a bag must agree."
            )
    return BagContent(
        np.concatenate([part.features for part in parts]),
        joined([part.coords for part in parts]),
        joined([part.labels for part in parts]),
        parts[0].told,
    )


def read_array(file: Path) -> Array:
    """Read one .npy file of unknown origin."""
    with existing_file(file).open("rb") as stream:
        return npy.read_array(stream, file.stat().st_size, str(file))


def _read_file(file: Path) -> BagContent:
    told: tiles.Attributes = {}
    if file.suffix.lower() in HDF5:
        arrays, told = _read_hdf5(file)
        features = arrays.get(FEATURES, arrays.get("feats"))
        if features is None:
            raise BadFile(f"{file} holds neither a data set features nor feats.")
    else:
        features, arrays = read_array(file), {}
    features = _checked(features, file)
    coords = arrays.get(COORDS)
    coords = _beside(file, COORDS) if coords is None else coords
    labels = next(
        (
            found
            for name in INSTANCE_LABELS
            if (found := _beside(file, name)) is not None
        ),
        None,
    )
    if coords is not None:
        coords = tiles.boxes(_rows(coords, len(features), file, COORDS), told)
    if labels is not None:
        labels = _rows(labels, len(features), file, "labels").ravel()
    return BagContent(features, coords, labels, told)


def _read_hdf5(file: Path) -> tuple[dict[str, Array], tiles.Attributes]:
    """Return the arrays of a feature file and what is written beside them."""
    frames = fenced(
        file, "hdf5", wanted=[FEATURES, "feats", COORDS], attributes=tiles.WANTED
    )
    arrays = {frame.name: frame for frame in frames}
    told = json.loads(arrays.pop(ATTRIBUTES).text)
    return {n: f.array for n, f in arrays.items() if f.array is not None}, told


def _checked(features: Array, file: Path) -> Array:
    if features.ndim == 3 and len(features) == 1:
        features = features[0]  # A batch of one, as feature extractors write it.
    if (
        features.ndim < 2
        or not all(features.shape)
        or features.dtype.kind not in "biuf"
    ):
        raise BadFile(
            f"{file} must hold (n, d) numbers, at least one row; it holds "
            f"{features.dtype} of shape {features.shape}."
        )
    if not np.isfinite(features).all():
        row = int(
            np.argmin(np.isfinite(features.reshape(len(features), -1)).all(axis=1))
        )
        raise BadFile(f"{file} holds NaN or infinity at instance {row}.")
    return features


def _beside(file: Path, *kinds: str) -> Array | None:
    """Read the file of the same name in the folder ``coords`` or ``inst_labels``."""
    for root in (file.parent.parent, file.parent.parent.parent):
        # torchmil keeps those of several extractors in features/features_name.
        if file.parent.relative_to(root).parts[:1] != (FEATURES,):
            continue
        for kind in kinds:
            other = root / kind / f"{file.stem}.npy"
            if other.is_file():
                return read_array(other)
    return None


def _rows(values: Array, n: int, file: Path, what: str) -> Array:
    if values.ndim == 3 and len(values) == 1:
        values = values[0]
    if values.ndim not in (1, 2) or len(values) != n:
        raise BadFile(
            f"{what} of {file} must have a row for each of {n} instances; "
            f"their shape is {values.shape}."
        )
    return values


def joined(parts: list[Array | None]) -> Array | None:
    """Join what every file has; what one lacks, the bag lacks."""
    known = [part for part in parts if part is not None]
    alike = len({part.shape[1:] for part in known}) == 1
    return np.concatenate(known) if alike and len(known) == len(parts) else None
