"""Power over time and frequency, streamed: the same grid at any rate of samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.fft import next_fast_len, rfft
from scipy.sparse import csr_array

from mipl.audio.recordings import Samples, Sound
from mipl.errors import MiplError

Floats = npt.NDArray[np.float32]

_FLOOR = 1e-12  # Of power; full scale is about 1.
_RUN_SECONDS = 10.0  # Transformed at a time.


@dataclass(frozen=True)
class SoundGrid:
    """Frames every ``hop`` seconds; bands of equal width in hertz, and of mel.

    Attributes
    ----------
    window, hop : float
        Seconds that a frame looks at, and between two frames.
    low, high : float
        Hertz.
    bins, mels : int
        Bands of equal width, and of equal width on the mel scale.
    """

    window: float
    hop: float
    low: float
    high: float
    bins: int
    mels: int

    def seconds(self, first: float, behind: float) -> tuple[float, float]:
        """Return when frames ``first`` to ``behind - 1`` begin and end.

        A frame stands for a hop around the middle of what it looks at.
        """
        lead = (self.window - self.hop) / 2
        return first * self.hop + lead, behind * self.hop + lead

    def frames(self, seconds: float) -> int:
        """Return how many frames a span has, at least one."""
        return max(1, round(seconds / self.hop))

    def hertz(self, first: float, behind: float) -> tuple[float, float]:
        """Return from where to where bins ``first`` to ``behind - 1`` reach."""
        width = (self.high - self.low) / self.bins
        return self.low + first * width, self.low + behind * width

    def edges(self) -> npt.NDArray[np.float64]:
        """Return the edges of the bins, (bins + 1,) in hertz."""
        return np.linspace(self.low, self.high, self.bins + 1)

    def mel_edges(self) -> npt.NDArray[np.float64]:
        """Return the edges of the mel bands, (mels + 1,) in hertz."""
        ends = _mel(np.array([self.low, self.high]))
        return _hertz(np.linspace(ends[0], ends[1], self.mels + 1))


class Frames(NamedTuple):
    """Some frames in a row.

    Attributes
    ----------
    first : int
        The number of the first of them in the recording.
    linear, mel : (t, bins) and (t, mels)
        Power in bands of equal width, and in bands of mel.
    """

    first: int
    linear: Floats
    mel: Floats


def frames_of(sound: Sound, grid: SoundGrid, seconds: float) -> Iterator[Frames]:
    """Give the frames of a recording, those of ``seconds`` at a time.

    The samples behind the last whole frame are left out; a recording shorter than one
    frame is filled up with silence.
    """
    if 2 * grid.high > sound.rate:
        raise MiplError(
            f"has {sound.rate:,} samples per second, so that nothing is known above "
            f"{sound.rate / 2:,.0f} Hz; give high={sound.rate // 2} or lower for all "
            f"recordings (it is {grid.high:g}), or leave it out."
        )
    bands = _bands(grid, sound.rate)
    per_run = grid.frames(min(seconds, _RUN_SECONDS))
    waiting: list[Frames] = []
    first, begun = 0, 0
    for powers in _spectra(sound, grid, per_run):
        linear, mel = (np.asarray((powers @ band), np.float32) for band in bands)
        waiting.append(Frames(first, linear, mel))
        first += len(powers)
        if (first - begun) * grid.hop >= seconds:
            yield _joined(waiting)
            waiting, begun = [], first
    if waiting:
        yield _joined(waiting)
    if not first:
        raise MiplError("has no samples; leave it out.")


def decibels(power: Floats) -> Floats:
    """Return 10 log10 of power, -120 for silence.

    Examples
    --------
    >>> decibels(np.array([1.0, 0.01, 0.0], np.float32)).round(3).tolist()
    [0.0, -20.0, -120.0]
    """
    found: Floats = 10 * np.log10(np.maximum(power, np.float32(_FLOOR)))
    return found


def _joined(parts: list[Frames]) -> Frames:
    return Frames(
        parts[0].first,
        np.concatenate([part.linear for part in parts]),
        np.concatenate([part.mel for part in parts]),
    )


def _spectra(sound: Sound, grid: SoundGrid, per_run: int) -> Iterator[Floats]:
    """Give the power of frames at all frequencies of the transform, some at a time."""
    length = max(2, round(grid.window * sound.rate))
    weight = np.hanning(length + 1)[:-1].astype(np.float32)
    size = next_fast_len(length, real=True)
    # By Parseval: the frequencies of a frame add up to the power of its samples.
    scale = np.float32(2 / (size * float((weight**2).sum())))
    step = grid.hop * sound.rate
    held = np.zeros(0, np.float32)
    done = gone = 0  # Frames that were given, samples that were dropped.
    for block in _blocks_and_end(sound, length):
        held = np.concatenate([held, block])
        while True:
            # Where a frame begins is rounded, so that hops do not drift at odd rates.
            starts = np.rint((done + np.arange(per_run)) * step).astype(np.int64) - gone
            starts = starts[starts + length <= len(held)]
            if not len(starts):
                break
            rows = held[starts[:, None] + np.arange(length)]
            found = rfft(rows * weight, size, axis=1, overwrite_x=True)
            yield (found.real**2 + found.imag**2) * scale
            done += len(starts)
            drop = min(int(np.rint(done * step)) - gone, len(held))
            held, gone = held[drop:], gone + drop


def _blocks_and_end(sound: Sound, length: int) -> Iterator[Samples]:
    """Give the blocks; what is shorter than one frame is filled up."""
    total = 0
    for block in sound.blocks:
        total += len(block)
        yield block
    if 0 < total < length:
        yield np.zeros(length - total, np.float32)


@lru_cache(maxsize=8)
def _bands(grid: SoundGrid, rate: int) -> tuple[Any, Any]:
    """Return what turns powers (t, f) into those of bins and of mel bands."""
    size = next_fast_len(max(2, round(grid.window * rate)), real=True)
    centres = np.arange(size // 2 + 1) * rate / size
    linear, mel = (
        _shares(centres, edges) for edges in (grid.edges(), grid.mel_edges())
    )
    return csr_array(linear.T), csr_array(mel.T)


def _shares(
    centres: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """Return the share of each frequency of the transform in each band, (b, f).

    A frequency stands for the span half-way to its neighbours. Every band sees
    something, however narrow it is.
    """
    half = (centres[1] - centres[0]) / 2
    low, high = (centres - half)[None, :], (centres + half)[None, :]
    inside = np.minimum(high, edges[1:, None]) - np.maximum(low, edges[:-1, None])
    found: npt.NDArray[np.float32] = (inside.clip(0) / (2 * half)).astype(np.float32)
    return found


def _mel(hertz: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = 2595 * np.log10(1 + hertz / 700)
    return found


def _hertz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = 700 * (10 ** (mel / 2595) - 1)
    return found
