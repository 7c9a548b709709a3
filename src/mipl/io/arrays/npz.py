"""NumPy archives: our own, and the usual layouts of bags and of partial labels."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bag_metadata import bag_name
from mipl.data.bags import Bags
from mipl.data.blocks import blocks
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.features import Features
from mipl.data.frozen import Array
from mipl.data.splits import Split
from mipl.errors import BadFile
from mipl.io import dataset_record as records
from mipl.io.arrays.archive import is_archive_of_arrays, read_arrays, write_arrays
from mipl.io.left_out import LeftOut, note_bad_rows, note_empty_sets

_PIECE = 1 << 16
_RECORD = "record"
_ALIASES = {
    "instances": ("instances", "X", "x", "features", "data"),
    "offsets": ("offsets",),
    "candidates": ("candidates", "partial_target", "partial_targets"),
    "weights": ("weights",),
    "labels": ("labels", "bag_labels", "y", "label", "target"),
    "classes": ("classes", "class_names"),
    "bag_ids": ("bag_ids", "bag_id"),
    "groups": ("groups", "group"),
    "coords": ("coords",),
    "instance_labels": ("instance_labels", "instance_label"),
    "uris": ("uris", "uri"),
}
_PER_BAG = ("candidates", "weights", "labels", "bag_ids", "groups", "uris")
_PER_INSTANCE = ("instances", "coords", "instance_labels")
_OF_BAGS = ("bag_ids", "coords", "instance_labels", "uris")


def sniff(path: Path) -> bool:
    """Tell by content whether this is an .npz file."""
    return path.is_file() and is_archive_of_arrays(path)


def read(path: str | Path, left: LeftOut | None = None) -> Dataset:
    """Read a data set from an .npz file.

    Besides our own files these layouts are known: flat bags (``instances`` or ``X``
    of shape (N, d), ``offsets``, and ``candidates`` (m, k) or ``bag_labels``), and
    partial labels (``X`` (m, d), ``candidates`` (m, k), ``y``). Whole-number labels
    beside textual ``class_names`` are their positions, from 0. ``left`` takes the bags
    that cannot be used; otherwise they are refused.
    """
    path = Path(path)
    left = LeftOut("raise", path) if left is None else left
    arrays, record, found = _members(path)
    found, kept, total = _usable(found, left, labelled=True)
    details = {"name": path.stem} if record is None else records.details(record)
    candidates, labels = _labelling(found, path)
    splits = _read_splits(arrays, record, path)
    if len(kept) < total:
        splits = {
            name: [split.checked(total).among(kept, total) for split in folds]
            for name, folds in splits.items()
        }
    return Dataset(
        _bags(found, record),
        candidates,
        labels=labels,
        groups=found["groups"],
        splits=splits,
        **details,
    )


def read_bags(path: str | Path, left: LeftOut | None = None) -> Bags:
    """Read the bags of an .npz file; labels are neither needed nor read."""
    _, record, found = _members(Path(path))
    left = LeftOut("raise", path) if left is None else left
    return _bags(_usable(found, left, labelled=False)[0], record)


def _usable(
    found: dict[str, Array | None], left: LeftOut, labelled: bool
) -> tuple[dict[str, Array | None], Array, int]:
    """Return the arrays of the bags that can be used, their numbers, and how many.

    Arrays of another form than bags have are left for ``Bags`` to tell of.
    """
    x, offsets = found["instances"], found["offsets"]
    assert x is not None
    flat = offsets is not None
    if offsets is None:
        offsets = np.arange(len(x) + 1 if x.ndim else 1)
    steps = np.diff(offsets) if offsets.ndim == 1 else np.array([-1])
    whole = x.ndim > 1 and x.size and x.dtype.kind in "biuf" and len(steps)
    if not whole or (steps < 0).any() or offsets[-1] != len(x) or offsets[0] != 0:
        return found, np.arange(len(steps)), len(steps)
    total = len(steps)
    ids = found["bag_ids"]
    names = [bag_name(ids, i) for i in range(total)]
    note_bad_rows(x.reshape(len(x), -1), offsets, names, left)
    matrix = found["candidates"]
    if labelled and matrix is not None and len(matrix) == total:
        note_empty_sets(matrix.reshape(total, -1), names, left)
    left.settle(total)
    kept = left.usable(names)
    if len(kept) == total:
        return found, kept, total
    rows = np.flatnonzero(np.isin(np.repeat(np.arange(total), steps), kept))
    taken = dict(found)
    for name in _PER_BAG:
        if (values := found[name]) is not None:
            taken[name] = values[kept]
    for name in _PER_INSTANCE:
        if (values := found[name]) is not None:
            taken[name] = values[rows]
    if flat:
        taken["offsets"] = np.concatenate([[0], np.cumsum(steps[kept])])
    return taken, kept, total


def _members(
    path: Path,
) -> tuple[dict[str, Array], dict[str, Any] | None, dict[str, Array | None]]:
    """Return all arrays, the record of a file of ours, and the arrays by meaning."""
    arrays = read_arrays(path)
    record = _record_of(arrays, path)
    found = {field: _pick(arrays, field, path) for field in _ALIASES}
    if found["instances"] is None:
        raise BadFile(
            f"{path} has no instances; one of {', '.join(_ALIASES['instances'])} is "
            f"read, it holds {', '.join(sorted(arrays))[:200]}."
        )
    return arrays, record, found


def _bags(found: dict[str, Array | None], record: dict[str, Any] | None) -> Bags:
    bags = Bags(
        found["instances"],
        found["offsets"],
        **{name: found[name] for name in _OF_BAGS},
        instance_shape=None if record is None else records.shape_of(record),
    )
    if record is None:
        return bags
    told = Features.of_facts(record["facts"], bags.n_features)
    return Bags(bags, features=told)


def write(dataset: Dataset, path: str | Path) -> None:
    """Write a data set as one .npz file, uncompressed and without pickle."""
    bags, candidates = dataset.bags, dataset.candidates
    pieces = (block.rows for block in blocks(bags, _PIECE))
    arrays: dict[str, Any] = {
        "instances": (np.float32, (bags.n_instances, bags.n_features), pieces),
        "offsets": bags.offsets,
        "candidates": candidates.matrix,
        "weights": candidates.weights,
        "classes": candidates.classes,
        "labels": dataset.labels,
        "groups": dataset.groups,
        **{name: getattr(bags, name) for name in _OF_BAGS},
        **_split_arrays(dataset),
    }
    present = {name: value for name, value in arrays.items() if value is not None}
    members = {
        name: value if isinstance(value, tuple) else records.plain_array(value, name)
        for name, value in present.items()
    }
    text = records.to_json(
        dataset, splits=list(dataset.splits), members=sorted([*members, _RECORD])
    )
    write_arrays(Path(path), {_RECORD: np.array(text), **members})


def _record_of(arrays: dict[str, Array], path: Path) -> dict[str, Any] | None:
    """Return the record of a file of ours, if it is one, and compare its members."""
    stored = arrays.get(_RECORD)
    if stored is None or stored.shape != () or stored.dtype.kind != "U":
        return None
    record = records.from_json(str(stored), f"the record of {path}")
    if record.get("members") != sorted(arrays):
        raise BadFile(f"{path} is damaged: arrays were added or are missing.")
    return record


def _pick(arrays: dict[str, Array], field: str, path: Path) -> Array | None:
    names = [name for name in _ALIASES[field] if name in arrays]
    if len(names) > 1:
        raise BadFile(
            f"{path} holds {' and '.join(names)}; {field} must be given once."
        )
    return arrays[names[0]] if names else None


def _labelling(
    found: dict[str, Array | None], path: Path
) -> tuple[Candidates, Array | None]:
    """Return candidate sets and true labels, of which one may stand for both."""
    matrix, labels, classes = found["candidates"], found["labels"], found["classes"]
    if matrix is None and labels is None:
        raise BadFile(
            f"{path} has no labels; candidates (m, k) or bag_labels (m,) are needed."
        )
    if labels is not None and classes is not None:
        labels = _as_names(labels, classes, path)
    if matrix is None:
        assert labels is not None
        named = labels.dtype.kind == "U"  # True labels, of which '|' divides none.
        return Candidates([[n] for n in labels] if named else labels, classes), labels
    if matrix.ndim == 2 and (matrix.dtype == bool or matrix.shape[1] == 1):
        names = np.arange(matrix.shape[1]) if classes is None else classes
        return Candidates.from_parts(matrix != 0, names, found["weights"]), labels
    return Candidates(matrix, classes), labels


def _as_names(labels: Array, classes: Array, path: Path) -> Array:
    if labels.dtype.kind not in "iu" or classes.dtype.kind != "U":
        return labels
    if len(labels) and not 0 <= labels.min() <= labels.max() < len(classes):
        raise BadFile(
            f"labels of {path} must be positions 0 to {len(classes) - 1} in its class "
            f"names; they go from {labels.min()} to {labels.max()}."
        )
    return classes[labels]


def _split_arrays(dataset: Dataset) -> dict[str, Array]:
    """Give each set of splits four arrays: flat bag numbers and where folds begin."""
    arrays = {}
    for number, splits in enumerate(dataset.splits.values()):
        for part in ("train", "test"):
            folds = [getattr(split, part) for split in splits]
            sizes = [len(fold) for fold in folds]
            arrays[f"split{number}_{part}"] = np.concatenate([*folds, np.zeros(0, int)])
            arrays[f"split{number}_{part}_offsets"] = np.cumsum([0, *sizes])
    return arrays


def _read_splits(
    arrays: dict[str, Array], record: dict[str, Any] | None, path: Path
) -> dict[str, list[Split]]:
    names = [] if record is None else record.get("splits")
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise BadFile(f"the record of {path} is damaged: splits must be names.")
    splits = {}
    for number, name in enumerate(names):
        try:
            train, test = (
                _runs(arrays[stem], arrays[f"{stem}_offsets"])
                for stem in (f"split{number}_train", f"split{number}_test")
            )
            splits[name] = [Split(a, b) for a, b in zip(train, test, strict=True)]
        except (KeyError, TypeError, ValueError):
            raise BadFile(f"the splits {name!r} of {path} are damaged.") from None
    return splits


def _runs(flat: Array, offsets: Array) -> list[Array]:
    if flat.ndim != 1 or offsets.ndim != 1:
        raise ValueError("bag numbers and offsets are lists.")
    return [flat[start:stop] for start, stop in pairwise(offsets.tolist())]
