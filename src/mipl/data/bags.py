"""Bags: many sets of instances as one flat array and its offsets."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mipl.data.arrays import Namer, Rows, as_rows, check_finite, on_disk, texts
from mipl.data.bag_metadata import METADATA, bag_name, checked
from mipl.data.features import Features
from mipl.data.frozen import Array, Frozen
from mipl.data.half_rows import HalfRows
from mipl.data.indexing import Index, chosen
from mipl.data.stacking import as_offsets, stack
from mipl.errors import MiplError, counted

__all__ = ["Array", "Bags", "Index", "Rows"]

_PIECE = 1 << 16  # Instances held in memory at a time.
BLOCK = 1 << 22  # Numbers held in memory at a time.


class Bags(Frozen):
    """An immutable sequence of bags.

    ``instances`` holds the rows of all bags one after another and bag ``i`` owns rows
    ``offsets[i]:offsets[i + 1]``. Indexing with a number, a slice, a list or a boolean
    mask gives ``Bags`` again (a slice copies nothing), so scikit-learn's splitters take
    it; iterating gives the (n_i, d) arrays.

    Parameters
    ----------
    data : list of (n_i, d) arrays, 3-D array, 2-D array, Bags, or flat (N, d) rows
        A 2-D array is read as bags of one instance, unless ``offsets`` is given.
        Instances with more axes (images) are flattened and keep ``instance_shape``.
        A writeable array is copied; a read-only float32 one is used as it is.
    offsets : (m + 1,) integers, optional
        Where each bag begins in flat rows; rises from 0 to N.
    bag_ids : (m,) names, optional
    coords : (N, c), optional
        Position of each instance in its picture, or start and end in seconds.
    instance_labels : (N,), optional
        Class of each instance, where known.
    uris : (m,) addresses, optional
        Where each bag came from: a picture, a recording.
    instance_shape : tuple of int, optional
        Shape of one instance, e.g. ``(1, 28, 28)``.
    features : list of names or Features, optional
        What the numbers of an instance are; of data frames, the names of the columns. A
        model compares those it has learnt from with those it is asked about.

    Examples
    --------
    >>> bags = Bags([np.zeros((3, 2)), np.ones((1, 2))])
    >>> bags
    Bags(2 bags, 4 instances x 2 features, 1-3 per bag)
    >>> bags[1:].instances.tolist()
    [[1.0, 1.0]]
    >>> [bag.shape for bag in bags]
    [(3, 2), (1, 2)]
    """

    __slots__ = ("instances", "offsets", *METADATA)

    instances: Any  # (N, d) float32 array, or Rows on disk
    offsets: npt.NDArray[np.int64]
    bag_ids: Array | None
    coords: Array | None
    instance_labels: Array | None
    uris: Array | None
    instance_shape: tuple[int, ...] | None
    features: Features | None

    def __init__(
        self,
        data: Any,
        offsets: Any = None,
        *,
        bag_ids: Any = None,
        coords: Any = None,
        instance_labels: Any = None,
        uris: Any = None,
        instance_shape: tuple[int, ...] | None = None,
        features: Any = None,
    ) -> None:
        values = (bag_ids, coords, instance_labels, uris, instance_shape, features)
        given = dict(zip(METADATA, values, strict=True))
        if isinstance(data, Bags):
            given = {k: getattr(data, k) if v is None else v for k, v in given.items()}
        if given["bag_ids"] is not None:
            given["bag_ids"] = texts("bag_ids", given["bag_ids"])
        name = partial(bag_name, given["bag_ids"])
        rows, offsets, shape = _flat(data, offsets, name)
        if given["instance_shape"] is None:
            given["instance_shape"] = shape
        if given["features"] is None and not isinstance(data, Bags):
            given["features"] = Features.of_frames(data)
        n_bags, (n_rows, d) = len(offsets) - 1, rows.shape
        self._put(rows, offsets, *checked(given, n_bags, n_rows, d))

    # -- size ---------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def shape(self) -> tuple[int]:
        """``(m,)``: to scikit-learn, bags are a one-dimensional array of objects."""
        return (len(self),)

    @property
    def ndim(self) -> int:
        """One, as ``shape`` says."""
        return 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """Object, as for an array of arrays."""
        return np.dtype(object)

    @property
    def n_instances(self) -> int:
        """Number of instances in all bags."""
        return int(self.offsets[-1])

    @property
    def n_features(self) -> int:
        """Number of features of an instance."""
        return int(self.instances.shape[1])

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of instances of each bag."""
        return np.diff(self.offsets)

    @property
    def bag_of_instance(self) -> npt.NDArray[np.int64]:
        """Number of the bag that owns each instance."""
        return np.repeat(np.arange(len(self)), self.sizes)  # (N,)

    @property
    def on_disk(self) -> bool:
        """Whether the instances are made float32 only as they are needed.

        They lie in a file then, or in memory as float16.
        """
        return on_disk(self.instances)

    # -- access -------------------------------------------------------------------

    def bag(self, index: int) -> Array:
        """Return the instances of one bag as a (n_i, d) array."""
        return cast(Array, self[index].load().instances)

    def __iter__(self) -> Iterator[Array]:
        return (self.bag(i) for i in range(len(self)))

    def __getitem__(self, key: Index) -> Bags:
        which = chosen(key, len(self))
        if isinstance(which, slice):
            return self._run(which.start, which.stop)
        starts, stops = self.offsets[which], self.offsets[which + 1]
        offsets = np.concatenate([[0], np.cumsum(stops - starts)])
        taken = np.repeat(starts - offsets[:-1], stops - starts)
        taken += np.arange(offsets[-1])  # (N',)
        rows = (
            self.instances.select(starts, stops)
            if self.on_disk
            else self.instances[taken]
        )
        return self._part(rows, offsets, which, taken)

    def _run(self, start: int, stop: int, loaded: bool = False) -> Bags:
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        bags, instances = slice(start, stop), slice(first, last)
        rows = (
            self.instances.select(np.array([first]), np.array([last]))
            if self.on_disk and not loaded
            else self.rows(instances)
        )
        return self._part(rows, self.offsets[start : stop + 1] - first, bags, instances)

    def _part(self, rows: Any, offsets: Array, bags: Any, instances: Any) -> Bags:
        def of(array: Array | None, index: Any) -> Array | None:
            return None if array is None else array[index]

        return Bags._made(
            rows,
            offsets,
            of(self.bag_ids, bags),
            of(self.coords, instances),
            of(self.instance_labels, instances),
            of(self.uris, bags),
            self.instance_shape,
            self.features,
        )

    def load(self) -> Bags:
        """Return the same bags in memory, checked to be finite."""
        return self._run(0, len(self), loaded=True) if self.on_disk else self

    def rows(self, which: slice | npt.NDArray[np.int64]) -> Array:
        """Return some of the instances, by their numbers, as a (n, d) array.

        From disk no others are read, and these are checked to be finite.
        """
        if not self.on_disk:
            return cast(Array, self.instances[which])
        if isinstance(which, slice):
            numbers = np.arange(*which.indices(self.n_instances))
            read = self.instances[which]
        else:
            numbers = which
            read = self.instances.select(which, which + 1)[: len(which)]
        read.flags.writeable = False  # It was read for us and need not be copied.
        rows, _ = as_rows(read)
        if not isinstance(self.instances, HalfRows):  # Those were checked before.
            check_finite(rows, self.offsets, self.name, numbers)
        return rows

    def with_instances(
        self, rows: Array, instance_shape: tuple[int, ...] | None = None
    ) -> Bags:
        """Return bags of the same sizes and names with other instances.

        They keep ``instance_shape`` where the number of features stays the same, and no
        names of features: whose they are is not known.
        """
        if instance_shape is None and rows.shape[1:] == (self.n_features,):
            instance_shape = self.instance_shape
        return Bags(
            rows,
            self.offsets,
            bag_ids=self.bag_ids,
            coords=self.coords,
            instance_labels=self.instance_labels,
            uris=self.uris,
            instance_shape=instance_shape,
        )

    def pieces(self, most: int = _PIECE) -> Iterator[Bags]:
        """Give runs of whole bags of at most ``most`` instances, in memory.

        A bag that is larger comes alone.
        """
        for start, stop in self.spans(most):
            yield self._run(start, stop, loaded=True)

    def spans(self, most: int) -> Iterator[tuple[int, int]]:
        """Give first and past-the-last bag of the runs that ``pieces`` loads."""
        start = 0
        while start < len(self):
            reach = int(self.offsets[start]) + most
            stop = int(np.searchsorted(self.offsets, reach, side="right")) - 1
            stop = max(stop, start + 1)
            yield start, stop
            start = stop

    def name(self, index: int) -> str:
        """Return how messages call a bag: its number, and its id where it has one."""
        return bag_name(self.bag_ids, index)

    def digest(self) -> str:
        """Return a hash of the content, the same in memory and on disk."""
        total = sha256(repr((self.n_features, self.instance_shape)).encode())
        total.update(np.ascontiguousarray(self.offsets).tobytes())
        step = max(1, BLOCK // self.n_features)
        for start in range(0, self.n_instances, step):
            rows = self.rows(slice(start, start + step))
            total.update(np.ascontiguousarray(rows).tobytes())
        return total.hexdigest()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return an object array of the (n_i, d) arrays."""
        if dtype is not None and np.dtype(dtype).kind in "fiu":
            asking = _asking()
            raise MiplError(
                f"{asking or 'what asks for a table'} takes a table with a row per "
                "sample, and bags are none; PerInstance("
                f"{f'{asking}()' if asking else '...'}) of mipl applies it to the "
                "instances of bags."
            )
        array = np.empty(len(self), dtype=object)
        for i, bag in enumerate(self):
            array[i] = bag
        return array

    def __repr__(self) -> str:
        sizes = self.sizes
        span = f"{sizes.min()}-{sizes.max()} per bag" if len(self) else "empty"
        place = ", float16" if isinstance(self.instances, HalfRows) else ""
        place = ", on disk" if self.on_disk and not place else place
        return (
            f"Bags({counted(len(self), 'bag')}, "
            f"{counted(self.n_instances, 'instance')} x "
            f"{counted(self.n_features, 'feature')}, {span}{place})"
        )


def _asking() -> str | None:
    """Return the name of the estimator that asks for numbers, if one does."""
    frame = sys._getframe(2)
    while frame is not None:
        one = frame.f_locals.get("self")
        if hasattr(one, "get_params"):
            return type(one).__name__
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _flat(
    data: Any, offsets: Any, name: Namer
) -> tuple[Any, npt.NDArray[np.int64], tuple[int, ...] | None]:
    """Return checked rows, offsets and, where the data shows it, the instance shape."""
    if isinstance(data, Bags):
        if offsets is not None:
            raise MiplError(
                "Bags have offsets already; to divide their instances anew "
                "give Bags(bags.instances, offsets)."
            )
        return data.instances, as_offsets(data.offsets, data.n_instances, name), None
    if offsets is None:
        data, offsets = stack(data, name)
    if on_disk(data):
        return data, as_offsets(offsets, data.shape[0], name), None
    rows, shape = as_rows(data)
    offsets = as_offsets(offsets, len(rows), name)
    check_finite(rows, offsets, name)
    return rows, offsets, shape
