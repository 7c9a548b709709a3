"""MATLAB files of both kinds as frames."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from mipl.fenced.frames import Budget, Frame, Refused
from mipl.fenced.mat5 import read_mat5
from mipl.fenced.mat73 import read_mat73

HEADER = 128
HDF5_AT = 512  # A version 7.3 file is HDF5 behind this many bytes.
_HDF5 = b"\x89HDF\r\n\x1a\n"


def read_variables(file: int, budget: Budget, wanted: Sequence[str]) -> Iterator[Frame]:
    """Give the wanted variables of a MAT file; of all others only name and class.

    A cell array is a frame with its shape, then one frame per cell in column order.
    """
    head = os.pread(file, HEADER, 0)
    kind = mat_kind(head, os.pread(file, len(_HDF5), HDF5_AT))
    if kind is None:
        raise Refused(
            "it is not a MATLAB file of version 5 or 7.3; "
            "save it in MATLAB with -v7 or -v7.3"
        )
    if kind == "7.3":
        yield from read_mat73(file, budget, wanted)
    else:
        yield from read_mat5(file, budget, wanted)


def mat_kind(head: bytes, at_512: bytes) -> str | None:
    """Tell the version of a MATLAB file from its first bytes: "5", "7.3" or None."""
    if at_512 == _HDF5 and head[124:128] in (b"\x00\x02IM", b"\x02\x00MI"):
        return "7.3"
    if head[124:128] in (b"\x00\x01IM", b"\x01\x00MI"):
        return "5"
    return None
