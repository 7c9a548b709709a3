"""The orders that pass between the caller and the server, over one local socket.

An order is JSON together with two descriptors: the open file and the pipe for the
answer. When the caller has what it wants it says so, and is told how the child ended.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

READY, DONE = b"r", b"d"
STATUS = struct.Struct("<i")
_LENGTH = struct.Struct("<I")


def send_order(
    control: socket.socket, order: dict[str, Any], file: int, pipe: int
) -> None:
    """Send an order; the descriptors travel with its length."""
    raw = json.dumps(order).encode()
    socket.send_fds(control, [_LENGTH.pack(len(raw))], [file, pipe])
    control.sendall(raw)


def receive_order(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Take one order and its two descriptors, or None when the caller is gone."""
    first, descriptors, _, _ = socket.recv_fds(control, _LENGTH.size, 2)
    if len(first) < _LENGTH.size or len(descriptors) != 2:
        return None
    (length,) = _LENGTH.unpack(first)
    raw = receive(control, length)
    return (json.loads(raw), list(descriptors)) if len(raw) == length else None


def receive(control: socket.socket, length: int) -> bytes:
    """Take this many bytes, or fewer where the other side is gone."""
    raw = b""
    while len(raw) < length:
        piece = control.recv(length - len(raw))
        if not piece:
            break
        raw += piece
    return raw
