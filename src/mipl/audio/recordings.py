"""Recordings to be turned into bags: files, and arrays with their rate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from mipl.errors import BadFile, MiplError, MissingExtra
from mipl.fenced.sound_file import NO_READER
from mipl.generators.item import Item
from mipl.io.fence.reading import fenced

Samples = npt.NDArray[np.float32]  # (n,), mono

_MOST_SECONDS = 24 * 3600.0
_BLOCK = 1 << 18


class Sound(NamedTuple):
    """A recording as a stream: its rate, and blocks of mono samples in their order."""

    rate: int
    blocks: Iterator[Samples]


@dataclass(frozen=True, eq=False)
class Recording(Item):
    """One recording: its name among the others, and its file or (samples, rate)."""

    noun: ClassVar[str] = "recording"
    suffixes: ClassVar[tuple[str, ...]] = (".wav", ".flac", ".ogg", ".mp3")
    accepted: ClassVar[str] = "a list of paths or of pairs (samples, rate), or a folder"

    @classmethod
    def of_memory(cls, given: Any, place: int) -> Self:
        """Take samples (n,) or (n, channels) and their number per second."""
        name = f"recording {place}"
        try:
            samples, rate = given
            array, whole = np.asarray(samples), int(rate)
        except (TypeError, ValueError):
            array, whole = np.zeros(0), 0
        if array.ndim not in (1, 2) or not array.size or whole < 1:
            raise MiplError(
                f"{name} must be a path, or a pair of samples, (n,) or (n, channels), "
                "and their number per second."
            )
        return cls(name, (_as_floats(array, name), whole))

    def content(self) -> Self:
        """Return the recording itself, which is read when it is played."""
        return self

    @contextmanager
    def played(self) -> Iterator[Sound]:
        """Give the recording as a stream; behind the fence where it is a file."""
        if isinstance(self.source, Path):
            with _of_file(self.source) as sound:
                yield sound
            return
        samples, rate = self.source
        starts = range(0, len(samples), _BLOCK)
        yield Sound(rate, (samples[i : i + _BLOCK] for i in starts))

    def check(self) -> None:
        """Read it to its end."""
        with self.played() as sound:
            for _ in sound.blocks:
                pass

    def memory_digest(self) -> str:
        """Return a hash of the samples and their rate."""
        samples, rate = self.source
        return sha256(f"{rate} ".encode() + samples.tobytes()).hexdigest()


def _as_floats(array: npt.NDArray[Any], name: str) -> Samples:
    """Return the mean of the channels; whole numbers are of the range of their type."""
    if array.dtype.kind == "i":
        array = array / -float(np.iinfo(array.dtype).min)
    elif array.dtype.kind != "f":
        raise MiplError(
            f"{name} must have samples from -1 to 1 or signed whole numbers; got "
            f"{array.dtype}."
        )
    mono = array if array.ndim == 1 else array.mean(axis=1)
    found: Samples = np.ascontiguousarray(mono, np.float32)
    if not np.isfinite(found).all():
        raise MiplError(f"{name} has samples that are no finite numbers.")
    return found


@contextmanager
def _of_file(path: Path) -> Iterator[Sound]:
    """Open a file behind the fence; the child decodes as the blocks are asked for."""
    frames: Any = fenced(
        path, "sound", streamed=True, max_bytes=1 << 40, most_seconds=_MOST_SECONDS
    )
    with closing(frames):
        first = next(frames)
        if first.name == NO_READER or first.array is None:
            raise MissingExtra.of("reading recordings", "soundfile", "audio")
        yield Sound(int(first.array[0]), _samples(frames, path))


def _samples(frames: Any, path: Path) -> Iterator[Samples]:
    for frame in frames:
        if frame.array is None or frame.array.dtype != np.float32:
            raise BadFile(f"{path} cannot be read: the reader's answer is garbled.")
        yield frame.array
