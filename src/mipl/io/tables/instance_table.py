"""Long tables: one row per instance, with the id of its bag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mipl.data.bag_metadata import bag_name
from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError, unknown
from mipl.io.left_out import LeftOut
from mipl.io.tables.candidate_columns import PREFIXES
from mipl.io.tables.columns import Columns, numbered
from mipl.io.tables.label_options import USUAL, LabelOptions, columns_named
from mipl.io.tables.split_columns import split_columns
from mipl.io.tables.table_file import read_long

INSTANCE_LABEL = "instance_label"
COORD = "coord_"
_COORDS = (("x", "y"), ("start", "end"))


@dataclass(frozen=True, eq=False)
class InstanceTable:
    """Instances sorted by bag, bags in the order of first appearance."""

    keys: list[str]
    offsets: Array
    features: list[str]
    rows: Array  # (N, d)
    instance_labels: Array | None
    coords: Array | None  # (N, c)
    coord_names: list[str]
    per_bag: Columns

    def take(self, which: Array) -> InstanceTable:
        """Return the rows of some bags, in this order."""
        if len(which) == len(self.keys) and (which == np.arange(len(which))).all():
            return self
        rows = np.concatenate(
            [np.arange(self.offsets[bag], self.offsets[bag + 1]) for bag in which]
        )

        def of(values: Array | None) -> Array | None:
            return None if values is None else values[rows]

        sizes = np.diff(self.offsets)[which]
        return InstanceTable(
            [self.keys[bag] for bag in which],
            np.concatenate([[0], np.cumsum(sizes)]),
            self.features,
            self.rows[rows],
            of(self.instance_labels),
            of(self.coords),
            self.coord_names,
            self.per_bag.take(which.tolist()),
        )


@dataclass(frozen=True)
class InstanceOptions:
    """Which columns of a long table mean what.

    Parameters
    ----------
    labels : LabelOptions
        Their ``bag_id`` holds here, too.
    features : list of column names, optional
        By default every column of numbers that means nothing else.
    coords : list of column names, optional
        By default ``coord_0``, ``coord_1``, ... or x and y, or start and end, if other
        columns are left to be features.
    names : list of str, optional
        All columns, where it is known which were written.
    """

    labels: LabelOptions
    features: Sequence[str] | None = None
    coords: Sequence[str] | None = None
    names: Sequence[str] | None = None


@dataclass(frozen=True)
class _Layout:
    bag: str
    label: str | None
    coords: list[str]
    features: list[str]
    per_bag: list[str]
    names: list[str]

    @property
    def kept(self) -> list[str]:
        label = [] if self.label is None else [self.label]
        return list(dict.fromkeys([self.bag, *label, *self.coords, *self.per_bag]))


def read_instances(
    path: Path,
    options: InstanceOptions,
    left: LeftOut,
    types: Mapping[str, str] | None = None,
) -> InstanceTable:
    """Read a long table; ``mipl.io.tables.long_table.read`` says what it may hold.

    ``left`` takes the bags with cells that are no finite numbers.
    """
    found: list[_Layout] = []

    def choose(names: list[str], numeric: set[str]) -> tuple[list[str], list[str]]:
        found.append(_layout(path, names, numeric, options))
        return found[0].kept, found[0].features

    columns, features, rows = read_long(path, choose)
    layout, types = found[0], types or {}
    keys, codes = numbered(columns.text(layout.bag))
    _note_not_finite(columns, features, rows, codes, keys, left)
    firsts = np.unique(codes, return_index=True)[1]
    per_bag = _constant(columns, layout.per_bag, codes, firsts)
    order = np.argsort(codes, kind="stable")
    in_place = bool((np.diff(codes) >= 0).all())
    columns = columns if in_place else columns.take(order.tolist())
    labels = layout.label
    return InstanceTable(
        keys=keys,
        offsets=np.concatenate([[0], np.cumsum(np.bincount(codes))]),
        features=features,
        rows=rows if in_place else rows[order],
        instance_labels=(
            None
            if labels is None
            else columns.typed(labels, types.get("instance_labels"))
        ),
        coords=_coords(columns, layout.coords, types.get("coords")),
        coord_names=layout.coords,
        per_bag=replace(per_bag, others=layout.names),
    )


def _note_not_finite(
    columns: Columns,
    features: list[str],
    rows: Array,
    codes: Array,
    keys: list[str],
    left: LeftOut,
) -> None:
    """Note the bags with empty cells or numbers that are not finite."""
    finite = np.isfinite(rows)
    if finite.all():
        return
    for row in np.flatnonzero(~finite.all(axis=1)).tolist():
        place = columns.place(row, features[int(finite[row].argmin())])
        reason = (
            f"{place} must be a finite number; it is empty, NaN or too large (bag "
            f"{keys[codes[row]][:40]!r})"
        )
        bag = bag_name(np.asarray(keys), int(codes[row]))
        left.add(keys[codes[row]], reason, "non-finite", bag)


def _layout(
    path: Path, names: list[str], numeric: set[str], options: InstanceOptions
) -> _Layout:
    if options.names is not None and list(options.names) != names:
        raise BadFile(
            f"the columns of {path} are not those it was written with; if the change "
            f"is meant, delete {path.name}.json beside it."
        )
    header = Columns(path, {name: [] for name in names}, [])
    bag = options.labels.column(header, "bag_id")
    if bag is None:
        raise MiplError(
            f"{path} has no column of bag ids; name it with bag_id=, or add a column "
            "bag_id that numbers the rows if each is a bag of its own; its columns are "
            f"{', '.join(names)[:200]}."
        )
    told = columns_named("features", options.features)
    known, chosen = set(names), set(told)
    for name in (*told, *columns_named("coords", options.coords)):
        if name not in known:
            raise MiplError(f"{path}: {unknown('column', name, names)}")
    per_bag = [name for name in _per_bag(header, options.labels) if name not in chosen]
    label = header.find(INSTANCE_LABEL, "inst_label")
    used = {bag, label, *per_bag}
    free = [name for name in names if name in numeric and name not in used]
    coords = _coord_columns(free, told, options.coords)
    features = told or [name for name in free if name not in coords]
    if not features:
        raise BadFile(
            f"{path} has no feature columns; every instance needs at least one number."
        )
    return _Layout(bag, label, coords, features, [bag, *per_bag], names)


def _per_bag(header: Columns, options: LabelOptions) -> list[str]:
    """Return the columns that speak of the bag, not of the instance."""
    roles = [options.find(header, role) for role in USUAL if role != "bag_id"]
    folds = [c for found in split_columns(header).values() for c in found.values()]
    prefixed = [name for name in header.cells if name.startswith(PREFIXES)]
    told = options.candidates
    listed = [] if told is None or isinstance(told, str) else list(told)
    listed += options.annotators or ()
    here = [name for name in listed if name in header.cells]
    return [n for n in (*roles, *folds, *prefixed, *here) if n is not None]


def _coord_columns(
    free: list[str], features: list[str], told: Sequence[str] | None
) -> list[str]:
    if told is not None:
        return list(told)
    numbered = [name for name in free if name.startswith(COORD)]
    for names in (numbered, *_COORDS):
        clear = all(name in free and name not in features for name in names)
        if names and clear and (features or len(free) > len(names)):
            return list(names)
    return []


def _constant(
    columns: Columns, names: list[str], codes: Array, firsts: Array
) -> Columns:
    """Return one row per bag of the columns that are the same in all its rows."""
    cells = {name: columns.cells[name] for name in names}
    for name, values in cells.items():
        for row, code in enumerate(codes.tolist()):
            if values[row] != values[firsts[code]]:
                raise BadFile(
                    f"{columns.place(row, name)} must be the same for all instances "
                    f"of a bag; it differs from {columns.unit} "
                    f"{columns.numbers[firsts[code]]}."
                )
    part = Columns(columns.path, cells, columns.numbers, columns.unit)
    return part.take(firsts.tolist())


def _coords(columns: Columns, names: list[str], dtype: str | None) -> Array | None:
    if not names:
        return None
    values = [
        np.array(columns.floats(name)) if dtype is None else columns.typed(name, dtype)
        for name in names
    ]
    return np.stack(values, axis=1)  # (N, c)
