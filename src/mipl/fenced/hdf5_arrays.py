"""Named arrays of any HDF5 file as frames, and what is written beside them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mipl.fenced.frames import Budget, Frame
from mipl.fenced.hdf5_safe import member, numbers, open_hdf5

ATTRIBUTES = ":attributes"  # No name of an array: HDF5 files name theirs otherwise.
_LONGEST = 200


def read_arrays(
    file: int, budget: Budget, wanted: Sequence[str], attributes: Sequence[str] = ()
) -> Iterator[Frame]:
    """Give those of the wanted arrays that the file holds at its top.

    A last frame has, as a JSON object, those of the wanted attributes that the file or
    one of these arrays has, where they are a number or a short text.
    """
    with open_hdf5(file) as top:
        owners = [top]
        for name in wanted:
            item = member(top, name)
            if item is not None:
                owners.append(item)
                yield Frame.of_array(name, numbers(item, name, budget, True))
        if attributes:
            found = {
                name: value
                for name in attributes
                for owner in owners
                if (value := _plain(owner, name)) is not None
            }
            yield Frame.of_text(ATTRIBUTES, json.dumps(found))


def _plain(owner: Any, name: str) -> str | float | None:
    """Return an attribute that is a text or finite number; of two equal ones, one."""
    if name not in owner.attrs or owner.attrs.get_id(name).get_storage_size() > 4096:
        return None
    value = owner.attrs[name]
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else None
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" or not array.size or len(np.unique(array)) > 1:
        return None
    number = array.ravel()[0].item()
    return number if math.isfinite(number) else None
