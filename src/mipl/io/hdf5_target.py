"""New HDF5 files, written so that a full disk cannot reach the HDF5 library.

Where a write fails, the library's clean-up crashes the interpreter. So it writes
through Python: after the first failure its writes are kept in memory, it closes in
peace, and then the failure is raised.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mipl.fenced.hdf5_library import h5py

_OVERHEAD = 1 << 16  # Bytes of headers and of the smallest arrays.


@contextmanager
def new_hdf5(
    path: Path, expected: int = 0, **options: Any
) -> Iterator[tuple[h5py.File, Callable[[], None]]]:
    """Give a new file, and what to call now and then to hear of a failure early.

    Parameters
    ----------
    path : Path
        A place that has no file yet.
    expected : int
        Bytes that are to come, for which the disk must have room.
    **options
        Of ``h5py.File``.
    """
    if expected and shutil.disk_usage(path.parent).free < expected + _OVERHEAD:
        raise OSError(errno.ENOSPC, f"no space for {expected:,} bytes on its disk")
    with path.open("wb+", buffering=0) as file:
        target = _Target(file.fileno())
        try:
            with h5py.File(target, "w", **options) as top:
                yield top, target.check
        finally:
            # What the library says of a file that it could not read back is no news.
            target.check()


class _Target(io.RawIOBase):
    """A file whose writes seem to succeed, and the first of its failures."""

    def __init__(self, handle: int) -> None:
        super().__init__()
        self._handle = handle
        self._place = self._size = 0
        self._failure: OSError | None = None
        self._late: list[tuple[int, bytes]] = []  # What came after the failure.

    def check(self) -> None:
        """Raise the first failure, if there was one."""
        if self._failure is not None:
            raise self._failure

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move to a place counted from the start, from here or from the end."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}
        self._place = start[whence] + offset
        return self._place

    def tell(self) -> int:
        """Return the place."""
        return self._place

    def write(self, data: Any, /) -> int:
        """Take all of the data, whether or not the disk does."""
        rest = memoryview(data).cast("B")
        length, done = len(rest), 0
        if self._failure is None:
            try:
                while done < length:
                    done += os.pwrite(self._handle, rest[done:], self._place + done)
            except OSError as error:
                self._failure = error
        if done < length:
            self._late.append((self._place + done, bytes(rest[done:])))
        self._place += length
        self._size = max(self._size, self._place)
        return length

    def readinto(self, buffer: Any, /) -> int:
        """Read what was written, also what the disk did not take."""
        out = memoryview(buffer).cast("B")
        start, stop = self._place, self._place + len(out)
        there = os.pread(self._handle, len(out), start)
        out[:] = there.ljust(len(out), b"\0")
        for place, data in self._late:
            first, last = max(place, start), min(place + len(data), stop)
            if first < last:
                out[first - start : last - start] = data[first - place : last - place]
        self._place = stop
        return len(out)

    def truncate(self, size: int | None = None, /) -> int:
        """Cut or lengthen the file."""
        self._size = self._place if size is None else size
        if self._failure is None:
            try:
                os.ftruncate(self._handle, self._size)
            except OSError as error:
                self._failure = error
        return self._size
