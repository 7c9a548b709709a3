"""Named arrays of any HDF5 file as frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mipl.fenced.frames import Budget, Frame
from mipl.fenced.hdf5_safe import member, numbers, open_hdf5


def read_arrays(file: int, budget: Budget, wanted: Sequence[str]) -> Iterator[Frame]:
    """Give those of the wanted arrays that the file holds at its top."""
    with open_hdf5(file) as top:
        for name in wanted:
            item = member(top, name)
            if item is not None:
                yield Frame.of_array(name, numbers(item, name, budget, True))
