"""One file per bag: .npy, or HDF5 with ``features`` (``feats``) and ``coords``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError
from mipl.files import inside
from mipl.io.arrays import npy
from mipl.io.fence.reading import fenced_arrays

FEATURES, COORDS, INSTANCE_LABELS = "features", "coords", "inst_labels"
# Where toolkits put the files: ours and torchmil's, STAMP's, CLAM's.
_FOLDERS = (FEATURES, "feats", "h5_files")
_TRIDENT = "features_*"
_HDF5 = (".h5", ".hdf5")
_SUFFIXES = (".npy", *_HDF5)


@dataclass(frozen=True, eq=False)
class BagContent:
    """The instances of one bag, and what is known of them."""

    features: Array  # (n_i, d)
    coords: Array | None = None  # (n_i, c)
    labels: Array | None = None  # (n_i,)


def features_folder(root: Path) -> Path:
    """Return the folder that holds the bag files: a known sub-folder, or the root."""
    for name in _FOLDERS:
        if (root / name).is_dir():
            return root / name
    trident = [folder for folder in sorted(root.glob(_TRIDENT)) if folder.is_dir()]
    if len(trident) > 1:
        raise MiplError(
            f"{root} holds several feature folders, "
            f"{', '.join(folder.name for folder in trident)[:200]}; give one of them."
        )
    return trident[0] if trident else root


def bag_files(folder: Path) -> dict[str, Path]:
    """Return the bag files of a folder by their names without suffix, sorted."""
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix.lower() in _SUFFIXES and not file.name.startswith("."):
            if file.stem in found:
                raise BadFile(
                    f"{folder} holds both {found[file.stem].name} and {file.name}."
                )
            found[file.stem] = file
    if not found:
        raise BadFile(
            f"{folder} holds no bags; it needs a .npy or HDF5 (.h5) file per bag."
        )
    return found


def locate(name: str, folders: Sequence[Path]) -> Path:
    """Find a file that a label table names, inside one of these folders."""
    for folder in folders:
        for suffix in ("", *_SUFFIXES):
            file = inside(folder, name + suffix)
            with suppress(OSError):  # A name too long for any file.
                if file.is_file():
                    return file
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
    )


def read_array(file: Path) -> Array:
    """Read one .npy file of unknown origin."""
    with file.open("rb") as stream:
        return npy.read_array(stream, file.stat().st_size, str(file))


def _read_file(file: Path) -> BagContent:
    if file.suffix.lower() in _HDF5:
        arrays = fenced_arrays(file, "hdf5", wanted=[FEATURES, "feats", COORDS])
        features = arrays.get(FEATURES, arrays.get("feats"))
        if features is None:
            raise BadFile(f"{file} holds neither a data set features nor feats.")
    else:
        features, arrays = read_array(file), {}
    features = _checked(features, file)
    coords = arrays.get(COORDS)
    coords = _beside(file, COORDS) if coords is None else coords
    labels = _beside(file, INSTANCE_LABELS)
    return BagContent(
        features,
        None if coords is None else _rows(coords, len(features), file, COORDS),
        None
        if labels is None
        else _rows(labels, len(features), file, "labels").ravel(),
    )


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


def _beside(file: Path, kind: str) -> Array | None:
    """Read the file of the same name in the folder ``coords`` or ``inst_labels``."""
    other = file.parent.parent / kind / f"{file.stem}.npy"
    return (
        read_array(other) if file.parent.name == FEATURES and other.is_file() else None
    )


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
    return np.concatenate(known) if len(known) == len(parts) else None
