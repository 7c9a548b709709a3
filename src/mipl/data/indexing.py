"""Which bags an index names: one meaning for all containers."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType

import numpy as np
import numpy.typing as npt

from mipl.data.frozen import Array

Key = int | slice | Sequence[int] | Sequence[bool] | Array
Index = Key | tuple[Key, EllipsisType]


def chosen(key: Index, n: int) -> slice | npt.NDArray[np.int64]:
    """Return the numbers of the bags that ``key`` names, or a slice for a plain run.

    Examples
    --------
    >>> chosen(-1, 4), chosen(slice(1, 9), 4)
    (slice(3, 4, None), slice(1, 4, None))
    >>> chosen([True, False, True, False], 4).tolist()
    [0, 2]
    """
    if isinstance(key, tuple):  # scikit-learn asks for bags[key, ...].
        if len(key) != 2 or key[1] is not Ellipsis:
            raise IndexError("bags have one axis; index them with one key.")
        key = key[0]
    if isinstance(key, slice) and key.step in (None, 1):
        start, stop, _ = key.indices(n)
        return slice(start, max(start, stop))
    if isinstance(key, (bool, np.bool_)):
        raise IndexError("a bag number must be an integer; got a single boolean.")
    if isinstance(key, (int, np.integer)):
        if not -n <= key < n:
            raise IndexError(f"bag {key} is out of range for {n} bags.")
        return slice(int(key) % n, int(key) % n + 1)
    numbers = np.atleast_1d(np.arange(n)[key])
    if numbers.ndim != 1:
        raise IndexError(f"bags have one axis; got a key of shape {numbers.shape}.")
    return numbers
