"""Reading files of unknown origin in a child process under limits.

Parsers written in C can crash, hang or take all memory on a damaged file. Here they run
in a child that has limited address space and processor time, may write no file, and
gets the open file itself, never its name. Only plain arrays come back, counted before
memory is taken. Whatever goes wrong there is one sentence here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mipl.errors import BadFile, MiplError
from mipl.fenced.frames import Array, Frame, Refused
from mipl.files import existing
from mipl.io.fence.pool import lend

_MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a child may use; grows with the file, so that large honest files work.

    Parameters
    ----------
    total : int
        Bytes that it may hand over.
    memory : int
        Bytes of address space beyond what Python and NumPy take.
    cpu, wall : int
        Seconds of processor time, and of waiting.
    """

    total: int
    memory: int
    cpu: int
    wall: int

    @classmethod
    def of(cls, size: int, max_bytes: int | None = None) -> Limits:
        """Return the limits for a file of ``size`` bytes.

        Examples
        --------
        >>> Limits.of(1000).cpu, Limits.of(1 << 30).cpu
        (10, 266)
        """
        total = 64 * _MIB + 100 * size if max_bytes is None else max_bytes
        memory = 512 * _MIB + 6 * size
        if max_bytes is not None:
            memory = max(memory, 512 * _MIB + 4 * max_bytes)
        cpu = 10 + size // (4 * _MIB)
        return cls(total, memory, cpu, 60 + 4 * cpu)

    @classmethod
    def of_stream(cls, size: int, max_bytes: int) -> Limits:
        """Return the limits where nobody keeps what is handed over.

        The child holds a block at a time, however much there is; a few bytes may be
        minutes of sound, and whoever takes the blocks works on them meanwhile.

        Examples
        --------
        >>> Limits.of_stream(1 << 20, 1 << 40).cpu
        132
        """
        cpu = 120 + 12 * (size // _MIB)
        return cls(max_bytes, 512 * _MIB, cpu, 600 + 10 * cpu)


def fenced(
    path: str | Path,
    task: str,
    *,
    max_bytes: int | None = None,
    streamed: bool = False,
    **options: Any,
) -> Iterator[Frame]:
    """Run a task of ``mipl.fenced.tasks`` on a file and give its frames one by one.

    ``max_bytes`` raises (or lowers) what the file may unpack to; where it is
    ``streamed``, none of it is kept here or there. Any failure is a ``BadFile`` that
    names the file.
    """
    path = existing(path)
    if not path.is_file():
        raise MiplError(f"{path} is not a file; give the name of a file.")
    with _opened(path) as file:
        size = os.fstat(file).st_size
        if streamed and max_bytes is not None:
            limits = Limits.of_stream(size, max_bytes)
        else:
            limits = Limits.of(size, max_bytes)
        order = {
            "task": task,
            "options": options,
            "total": limits.total,
            "memory": limits.memory,
            "cpu": limits.cpu,
        }
        with lend() as server:
            try:
                yield from server.frames(file, order, limits.wall)
            except Refused as refusal:
                raise BadFile(f"{path} cannot be read: {refusal}.") from None


def fenced_arrays(path: str | Path, task: str, **options: Any) -> dict[str, Array]:
    """Return the arrays that a task gives for a file, by name.

    ``fenced_arrays("slide.h5", "hdf5", wanted=["features", "coords"])`` reads those of
    the arrays that an HDF5 file holds.
    """
    return {
        frame.name: frame.array
        for frame in fenced(path, task, **options)
        if frame.array is not None
    }


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    try:
        file = os.open(path, os.O_RDONLY)
    except PermissionError:
        raise MiplError(f"{path} cannot be opened: permission denied.") from None
    try:
        yield file
    finally:
        os.close(file)
