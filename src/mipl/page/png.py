"""PNG files of arrays, made with nothing but zlib."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
_KINDS = {1: 0, 3: 2, 4: 6}  # Channels and PNG's number of their meaning.


def png(pixels: Bytes) -> bytes:
    r"""Return the PNG file of (h, w, c) bytes, with 1, 3 or 4 channels.

    Examples
    --------
    >>> png(np.zeros((2, 3, 1), np.uint8))[:8]
    b'\x89PNG\r\n\x1a\n'
    """
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # 0: no filter.
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, _KINDS[channels], 0, 0, 0)
    data = zlib.compress(rows.tobytes(), 6)
    parts = _part(b"IHDR", head) + _part(b"IDAT", data) + _part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def _part(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def grey(values: npt.NDArray[Any]) -> Bytes:
    """Return finite numbers as bytes, from the least (0) to the greatest (255).

    Examples
    --------
    >>> grey(np.array([1.0, 2.0, 3.0])).tolist()
    [0, 127, 255]
    """
    least, most = float(values.min()), float(values.max())
    scale = 255 / (most - least) if most > least else 0.0
    return ((values - least) * scale).astype(np.uint8)
