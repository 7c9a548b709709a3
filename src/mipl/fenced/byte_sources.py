"""Where a reader takes its bytes from: a span of a file, as it is or inflated."""

from __future__ import annotations

import os
import zlib
from typing import Protocol

from mipl.fenced.frames import Refused

_PIECE = 1 << 16
_AHEAD = 1 << 14


class ByteSource(Protocol):
    """Bytes in order, counted."""

    @property
    def position(self) -> int:
        """Number of the next byte."""

    def take(self, n: int) -> bytes:
        """Return exactly the next ``n`` bytes, or refuse the file."""

    def finish(self) -> None:
        """Refuse the file if something is left over or a checksum is wrong."""


class Plain:
    """The bytes ``start`` to ``end`` of an open file."""

    def __init__(self, file: int, start: int, end: int) -> None:
        self.file = file
        self.position = start
        self.end = end

    def take(self, n: int) -> bytes:
        """Read ``n`` bytes."""
        if n > self.end - self.position:
            raise Refused("it is truncated")
        parts = []
        while n:
            piece = os.pread(self.file, min(n, 1 << 30), self.position)
            if not piece:
                raise Refused("it became shorter while it was read")
            parts.append(piece)
            self.position += len(piece)
            n -= len(piece)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def finish(self) -> None:
        """Nothing is hidden in plain bytes."""


class Inflated:
    """The zlib stream at ``start`` to ``end`` of a file, inflated as it is read.

    Hardly more is inflated than was asked for, so a bomb costs nothing.
    """

    def __init__(self, file: int, start: int, end: int) -> None:
        self.plain = Plain(file, start, end)
        self.inflater = zlib.decompressobj()
        self.position = 0
        self.ready = b""  # Inflated already, from byte ``used`` on not yet taken.
        self.used = 0

    def take(self, n: int) -> bytes:
        """Inflate ``n`` bytes."""
        self.position += n
        taken = self.ready[self.used : self.used + n]
        self.used += len(taken)
        if len(taken) == n:
            return taken
        parts, missing = [taken], n - len(taken)
        while missing:
            self.ready = self._inflate(max(missing, _AHEAD))
            if not self.ready:
                raise Refused("it is truncated (compressed data end early)")
            parts.append(self.ready[:missing])
            self.used = len(parts[-1])
            missing -= self.used
        return b"".join(parts)

    def _inflate(self, n: int) -> bytes:
        """Inflate up to ``n`` bytes; none means the end of the stream."""
        piece = b""
        while not piece and not self.inflater.eof:
            tail = self.inflater.unconsumed_tail
            left = self.plain.end - self.plain.position
            if not tail and not left:
                # Output may still wait inside the inflater.
                piece = self.inflater.decompress(b"", n)
                break
            tail = tail or self.plain.take(min(_PIECE, left))
            try:
                piece = self.inflater.decompress(tail, n)
            except zlib.error as error:
                raise Refused(f"it is damaged ({error})") from None
        return piece

    def finish(self) -> None:
        """Read the checksum at the end of the stream, which must end the span."""
        more = self.used < len(self.ready) or self._inflate(1)
        rest = self.inflater.unused_data or self.plain.position < self.plain.end
        if more or rest or not self.inflater.eof:
            raise Refused("it is damaged (compressed data do not end with the matrix)")
