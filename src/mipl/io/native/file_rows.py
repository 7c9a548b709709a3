"""Rows of an HDF5 file that are read when they are asked for."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.frozen import Array
from mipl.errors import BadFile
from mipl.fenced.hdf5_library import h5py
from mipl.io.row_ranges import RowRanges, Spans

Stamp = tuple[int, int]
_CACHED_CHUNKS = 16 << 20
_JOINED = 8 << 20  # Bytes read together where few of the rows are wanted.


def stamp_of(path: Path) -> Stamp:
    """Return size and time of change, by which an exchanged file is noticed."""
    try:
        status = path.stat()
    except OSError:
        raise BadFile(f"{path} is gone; its bags were still to be read.") from None
    return status.st_size, status.st_mtime_ns


class FileRows:
    """Runs of rows of one two-dimensional array in a file that was checked before.

    Holds the name of the file and the runs, no numbers; each process opens the file for
    itself, so objects can be pickled and survive a fork.

    Parameters
    ----------
    path : file
    name : str
        Name of the array in the file.
    width : int
        Number of columns.
    dtype : dtype
        Type of the numbers on disk.
    runs : RowRanges
        The rows that belong to this object.
    stamp : (size, time of change)
        The state of the file that was checked; another state is refused.
    """

    __slots__ = ("_dtype", "_name", "_path", "_runs", "_stamp", "_width")

    def __init__(
        self,
        path: Path,
        name: str,
        width: int,
        dtype: Any,
        runs: RowRanges,
        stamp: Stamp,
    ) -> None:
        self._path = path
        self._name = name
        self._width = width
        self._dtype: np.dtype[Any] = np.dtype(dtype)
        self._runs = runs
        self._stamp = stamp

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""
        return (len(self._runs), self._width)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers on disk."""
        return self._dtype

    def __getitem__(self, rows: slice) -> Array:
        """Read a run of rows, in the order of the file, into one array."""
        start, stop, _ = rows.indices(len(self._runs))
        out = np.empty((max(stop - start, 0), self._width), self._dtype)
        array = _opened(self._path, self._name, self._stamp, os.getpid())
        try:
            # A chunk is read as a whole, so rows near each other are read together.
            near = array.chunks[0] if array.chunks else 1
            most = max(1, _JOINED // (self._width * self._dtype.itemsize))
            for group in self._runs.spans(start, stop).groups(near, most):
                _read(array, group, out)
        except (OSError, RuntimeError, ValueError) as error:
            raise BadFile(
                f"{self._path} is damaged: rows of {self._name!r} cannot be read "
                f"({str(error)[:100]})."
            ) from None
        return out

    def select(
        self, starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]
    ) -> FileRows:
        """Return the rows of these runs, one after another, still on disk."""
        runs = self._runs.select(starts, stops)
        return FileRows(
            self._path, self._name, self._width, self._dtype, runs, self._stamp
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return FileRows, tuple(
            getattr(self, name)
            for name in ("_path", "_name", "_width", "_dtype", "_runs", "_stamp")
        )

    def __repr__(self) -> str:
        return f"FileRows({self._path}, {self.shape[0]} x {self.shape[1]})"


def _read(array: h5py.Dataset, spans: Spans, out: Array) -> None:
    first, last = int(spans.firsts[0]), int(spans.lasts.max())
    if len(spans) == 1:
        place = int(spans.places[0])
        array.read_direct(out, np.s_[first:last], np.s_[place : place + last - first])
    else:
        out[spans.targets()] = array[first:last][spans.inside()]


@lru_cache(maxsize=8)
def _opened(path: Path, name: str, stamp: Stamp, process: int) -> h5py.Dataset:
    """Open the array, once per process: a file is not shared across a fork."""
    if stamp_of(path) != stamp:
        raise BadFile(f"{path} was changed since it was read; read it again.")
    try:
        file = h5py.File(path, "r", locking=False, rdcc_nbytes=_CACHED_CHUNKS)
        return file[name]
    except (OSError, RuntimeError, KeyError) as error:
        raise BadFile(f"{path} cannot be opened: {str(error)[:100]}.") from None
