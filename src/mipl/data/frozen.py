"""Objects and arrays that nobody can change."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def frozen(array: Array, dtype: npt.DTypeLike | None = None) -> Array:
    """Return a read-only array that later writes of the caller do not reach.

    A writeable array is copied; a read-only one of the right type is used as it is.
    """
    copy = True if array.flags.writeable else None
    fresh = np.array(array, dtype=dtype or array.dtype, order="C", copy=copy)
    fresh.flags.writeable = False
    return fresh


class Frozen:
    """A record whose fields are its ``__slots__`` and are set once."""

    __slots__: tuple[str, ...] = ()

    @classmethod
    def _made(cls, *values: Any) -> Self:
        """Build from parts that were checked before and belong to nobody else."""
        record = cls.__new__(cls)
        record._put(*values)
        return record

    def _put(self, *values: Any) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} are frozen; {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} are frozen; {name} must stay.")

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, name) for name in self.__slots__)
        return _rebuild, (type(self), values)


def _rebuild(kind: type[Frozen], values: tuple[Any, ...]) -> Frozen:
    return kind._made(*values)
