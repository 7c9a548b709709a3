"""Bags: many sets of instances as one flat array and its offsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from types import EllipsisType
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from mipl.errors import MiplError

Array = npt.NDArray[Any]
Index = int | slice | Sequence[int] | Sequence[bool] | Array


@runtime_checkable
class Rows(Protocol):
    """Instances that stay on disk until they are asked for."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers on disk."""

    def __getitem__(self, rows: slice) -> Array:
        """Read a run of rows."""

    def select(self, starts: Array, stops: Array) -> Rows:
        """Return the rows of these runs, one after another, still on disk."""


class Bags:
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

    __slots__ = (
        "bag_ids",
        "coords",
        "instance_labels",
        "instance_shape",
        "instances",
        "offsets",
        "uris",
    )

    instances: Any  # (N, d) float32 array, or Rows on disk
    offsets: npt.NDArray[np.int64]
    bag_ids: Array | None
    coords: Array | None
    instance_labels: Array | None
    uris: Array | None
    instance_shape: tuple[int, ...] | None

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
    ) -> None:
        if isinstance(data, Bags):
            bag_ids = data.bag_ids if bag_ids is None else bag_ids
            coords = data.coords if coords is None else coords
            uris = data.uris if uris is None else uris
            if instance_labels is None:
                instance_labels = data.instance_labels
            instance_shape = instance_shape or data.instance_shape
            data, offsets = data.instances, data.offsets
        ids = None if bag_ids is None else _column("bag_ids", bag_ids)
        if offsets is None:
            data, offsets, shape = _stack(data, ids)
            instance_shape = instance_shape or shape
        rows, shape = (data, None) if _on_disk(data) else _as_rows(data)
        offsets = _as_offsets(offsets, rows.shape[0], ids)
        instance_shape = instance_shape or shape
        self._freeze(
            instances=rows,
            offsets=offsets,
            bag_ids=_aligned("bag_ids", ids, len(offsets) - 1, "bags"),
            coords=_aligned("coords", coords, rows.shape[0], "instances"),
            instance_labels=_aligned(
                "instance_labels", instance_labels, rows.shape[0], "instances"
            ),
            uris=_aligned("uris", uris, len(offsets) - 1, "bags"),
            instance_shape=_as_shape(instance_shape, rows.shape[1]),
        )
        if not _on_disk(rows):
            _check_finite(rows, self)

    def _freeze(self, **fields: Any) -> None:
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                value = value.view()
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Bags are frozen; {name} cannot be set.")

    __delattr__ = __setattr__  # type: ignore[assignment]

    @classmethod
    def _made(cls, **fields: Any) -> Bags:
        """Build from parts that were checked before."""
        bags = cls.__new__(cls)
        bags._freeze(**fields)
        return bags

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
        """Whether the instances are read from a file as they are needed."""
        return _on_disk(self.instances)

    # -- access -------------------------------------------------------------------

    def bag(self, index: int) -> Array:
        """Return the instances of one bag as a (n_i, d) array."""
        return cast(Array, self[index].load().instances)

    def __iter__(self) -> Iterator[Array]:
        return (self.bag(i) for i in range(len(self)))

    def __getitem__(self, key: Index | tuple[Index, EllipsisType]) -> Bags:
        if isinstance(key, tuple):  # scikit-learn asks for bags[key, ...].
            if len(key) != 2 or key[1] is not Ellipsis:
                raise IndexError("bags have one axis; index them with one key.")
            key = key[0]
        if isinstance(key, slice) and key.step in (None, 1):
            return self._run(*key.indices(len(self))[:2])
        chosen = np.arange(len(self))[key]
        return self._chosen(np.atleast_1d(chosen))

    def _run(self, start: int, stop: int) -> Bags:
        stop = max(start, stop)
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        if _on_disk(self.instances):
            rows = self.instances.select(np.array([first]), np.array([last]))
        else:
            rows = self.instances[first:last]
        bags, instances = slice(start, stop), slice(first, last)
        return self._part(rows, self.offsets[start : stop + 1] - first, bags, instances)

    def _chosen(self, chosen: npt.NDArray[np.int64]) -> Bags:
        starts, stops = self.offsets[chosen], self.offsets[chosen + 1]
        offsets = np.concatenate([[0], np.cumsum(stops - starts)])
        taken = np.repeat(starts - offsets[:-1], stops - starts)
        taken += np.arange(offsets[-1])  # (N',)
        on_disk = _on_disk(self.instances)
        rows = (
            self.instances.select(starts, stops) if on_disk else self.instances[taken]
        )
        return self._part(rows, offsets, chosen, taken)

    def _part(self, rows: Any, offsets: Array, bags: Any, instances: Any) -> Bags:
        def of(array: Array | None, index: Any) -> Array | None:
            return None if array is None else array[index]

        return Bags._made(
            instances=rows,
            offsets=offsets,
            bag_ids=of(self.bag_ids, bags),
            coords=of(self.coords, instances),
            instance_labels=of(self.instance_labels, instances),
            uris=of(self.uris, bags),
            instance_shape=self.instance_shape,
        )

    def load(self) -> Bags:
        """Return the same bags in memory, checked to be finite."""
        if not _on_disk(self.instances):
            return self
        rows = self.instances[: self.instances.shape[0]]
        return self.with_instances(np.asarray(rows, np.float32))

    def with_instances(
        self, rows: Array, instance_shape: tuple[int, ...] | None = None
    ) -> Bags:
        """Return bags of the same sizes and names with other instances."""
        return Bags(
            rows,
            self.offsets,
            bag_ids=self.bag_ids,
            coords=self.coords,
            instance_labels=self.instance_labels,
            uris=self.uris,
            instance_shape=instance_shape or self.instance_shape
            if rows.shape[1] == self.n_features
            else instance_shape,
        )

    def pieces(self, most: int) -> Iterator[Bags]:
        """Give runs of whole bags of about ``most`` instances, in memory."""
        start = 0
        while start < len(self):
            reach = int(self.offsets[start]) + most
            stop = int(np.searchsorted(self.offsets, reach, side="right")) - 1
            stop = max(stop, start + 1)
            yield self[start:stop].load()
            start = stop

    def name(self, index: int) -> str:
        """Return how messages call a bag: its number, and its id where it has one."""
        return _name(index, self.bag_ids)

    def digest(self) -> str:
        """Return a hash of the content, the same in memory and on disk."""
        total = sha256(repr((self.n_features, self.instance_shape)).encode())
        total.update(np.ascontiguousarray(self.offsets).tobytes())
        for piece in self.pieces(1 << 16):
            total.update(np.ascontiguousarray(piece.instances).tobytes())
        return total.hexdigest()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return an object array of the (n_i, d) arrays."""
        array = np.empty(len(self), dtype=object)
        for i, bag in enumerate(self):
            array[i] = bag
        return array

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (tuple(getattr(self, name) for name in self.__slots__),)

    def __repr__(self) -> str:
        sizes = self.sizes
        span = f"{sizes.min()}-{sizes.max()} per bag" if len(self) else "empty"
        place = ", on disk" if self.on_disk else ""
        return (
            f"Bags({len(self)} bags, {self.n_instances} instances x "
            f"{self.n_features} features, {span}{place})"
        )


def _rebuild(values: tuple[Any, ...]) -> Bags:
    return Bags._made(**dict(zip(Bags.__slots__, values, strict=True)))


def _on_disk(rows: Any) -> bool:
    return not isinstance(rows, np.ndarray) and isinstance(rows, Rows)


def _name(index: int, ids: Array | None) -> str:
    named = ids is not None and index < len(ids)
    return f"bag {index} ({str(ids[index])!r})" if named else f"bag {index}"  # type: ignore[index]


def _stack(data: Any, ids: Array | None) -> tuple[Any, Array, tuple[int, ...] | None]:
    """Read a list of bags, a 3-D array or a 2-D array as flat rows and offsets."""
    if _on_disk(data):
        raise MiplError("instances on disk need offsets; give Bags(rows, offsets).")
    if hasattr(data, "to_numpy"):
        data = data.to_numpy()
    if isinstance(data, np.ndarray) and data.dtype != object:
        return _stack_array(data)
    if not hasattr(data, "__len__"):
        raise MiplError(
            f"bags must be a list of (n_i, d) arrays; got a {type(data).__name__}."
        )
    depth = np.ndim(data[0]) if len(data) and not hasattr(data[0], "toarray") else 0
    if len(data) and depth < 2:
        return _stack_array(_numbers(data, "the instances"))
    bags = [_numbers(bag, _name(i, ids)) for i, bag in enumerate(data)]
    for i, bag in enumerate(bags):
        if bag.ndim < 2:
            raise MiplError(
                f"{_name(i, ids)} has shape {bag.shape}; it must be (n_i, d): "
                "one row per instance."
            )
        if len(bag) == 0:
            raise MiplError(
                f"{_name(i, ids)} has no instances; a bag needs at least one: "
                "drop it and its candidates."
            )
        if bag.shape[1:] != bags[0].shape[1:]:
            raise MiplError(
                f"{_name(i, ids)} has instances of shape {bag.shape[1:]}, bag 0 of "
                f"{bags[0].shape[1:]}; all instances must have the same features."
            )
    if not bags:
        raise MiplError("there are no bags; give at least one.")
    offsets = np.concatenate([[0], np.cumsum([len(bag) for bag in bags])])
    return np.concatenate(bags), offsets, None


def _stack_array(data: Array) -> tuple[Array, Array, tuple[int, ...] | None]:
    if data.ndim < 2:
        raise MiplError(
            f"Reshape your data: bags must be a list of (n_i, d) arrays, a 3-D or a "
            f"2-D array; got shape {data.shape}."
        )
    if len(data) == 0:
        raise MiplError("there are no bags (0 samples); give at least one.")
    if data.ndim == 2:
        return data, np.arange(len(data) + 1), None
    if data.shape[1] == 0:
        raise MiplError("bag 0 has no instances; a bag needs at least one.")
    m, n = data.shape[:2]
    return data.reshape(m * n, *data.shape[2:]), np.arange(m + 1) * n, None


def _numbers(value: Any, what: str) -> Array:
    if hasattr(value, "toarray"):
        raise MiplError(f"{what} is sparse; give dense arrays: x.toarray().")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise MiplError(
            f"{what} cannot be read as an array: {error}; "
            "every instance needs the same number of features."
        ) from error
    if array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise MiplError(
                f"{what} must hold numbers only; got {str(error)[:80]}."
            ) from error
    if array.dtype.kind == "c":
        raise MiplError(f"Complex data not supported: {what} must hold real numbers.")
    if array.dtype.kind not in "biuf":
        raise MiplError(f"{what} must hold numbers; got dtype {array.dtype}.")
    return array


def _as_rows(data: Any) -> tuple[Array, tuple[int, ...] | None]:
    array = _numbers(data, "the instances")
    if array.ndim < 2:
        raise MiplError(f"instances must be (N, d) rows; got shape {array.shape}.")
    shape = array.shape[1:] if array.ndim > 2 else None
    array = array.reshape(len(array), int(np.prod(array.shape[1:])))
    if array.shape[1] == 0:
        raise MiplError(
            f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    with np.errstate(over="ignore"):  # What overflows is named by the finite check.
        rows = np.ascontiguousarray(array, dtype=np.float32)
    return rows, shape


def _as_offsets(offsets: Any, n: int, ids: Array | None) -> npt.NDArray[np.int64]:
    array = np.asarray(offsets)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < 1:
        raise MiplError(
            f"offsets must be a 1-D array of integers that rises from 0 to {n}; "
            f"got {array.dtype} of shape {array.shape}."
        )
    array = array.astype(np.int64)
    if array[0] != 0 or array[-1] != n:
        raise MiplError(
            f"offsets must rise from 0 to the number of instances {n}; "
            f"they go from {array[0]} to {array[-1]}."
        )
    steps = np.diff(array)
    if (steps < 1).any():
        i = int(np.argmax(steps < 1))
        what = "has no instances" if steps[i] == 0 else "ends before it begins"
        raise MiplError(
            f"{_name(i, ids)} {what}; a bag needs at least one instance: "
            "drop it and its candidates."
        )
    return array


def _as_shape(shape: tuple[int, ...] | None, d: int) -> tuple[int, ...] | None:
    if shape is None:
        return None
    shape = tuple(int(side) for side in shape)
    if int(np.prod(shape)) != d:
        raise MiplError(
            f"instance_shape {shape} holds {int(np.prod(shape))} numbers, "
            f"but instances have {d}."
        )
    return shape


def _column(name: str, values: Any) -> Array:
    array = np.asarray(values)
    if array.dtype == object:
        array = np.asarray([str(value) for value in array.tolist()])
    if array.dtype.kind not in "biufU":
        raise MiplError(f"{name} must be numbers or text; got dtype {array.dtype}.")
    return array


def _aligned(name: str, values: Any, n: int, of: str) -> Array | None:
    if values is None:
        return None
    array = _column(name, values)
    if len(array) != n:
        raise MiplError(f"{name} has {len(array)} entries for {n} {of}.")
    return array


def _check_finite(rows: Array, bags: Bags) -> None:
    if np.isfinite(np.sum(rows, dtype=np.float64)) and np.isfinite(rows).all():
        return
    row, feature = (int(i[0]) for i in np.nonzero(~np.isfinite(rows)))
    index = int(np.searchsorted(bags.offsets, row, side="right")) - 1
    what = (
        "NaN" if np.isnan(rows[row, feature]) else "infinity or too large for float32"
    )
    raise MiplError(
        f"{bags.name(index)} holds {what} at instance {row - bags.offsets[index]}, "
        f"feature {feature}; every number must be finite: replace or drop it."
    )
