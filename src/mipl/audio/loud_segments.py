"""Segments of a spectrogram that stand out from the noise around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import binary_closing, find_objects, label, uniform_filter

from mipl.audio.spectrogram import Floats, Frames, SoundGrid, decibels

Mask = npt.NDArray[np.bool_]

NOISE_PERCENTILE = 20
_SMOOTHED = 3, 5  # Frames and bins: single values of a noise's power vary by 5.6 dB.
_CLOSED = np.ones((3, 3), bool)
_TOUCHING = np.ones((3, 3), int)  # Corners touch, too: chirps are oblique.
_BESIDE_PEAK = 3.0  # Decibels; of the segment where nothing stands out.


@dataclass(frozen=True, eq=False)
class Segment:
    """A part of a spectrogram.

    Attributes
    ----------
    first, low : int
        Its first frame in the recording, and its lowest bin.
    mask : (t, f) bool
        What of its box belongs to it.
    excess, mel : (t, f) and (t, mels)
        Decibels above the noise, of the bins of its box and of all mel bands.
    level : (t, mels)
        Decibels of the mel bands as they are.
    """

    first: int
    low: int
    mask: Mask
    excess: Floats
    mel: Floats
    level: Floats

    @property
    def behind(self) -> int:
        """The frame behind the last."""
        return self.first + len(self.mask)

    @property
    def above(self) -> int:
        """The bin above the highest."""
        return self.low + int(self.mask.shape[1])

    def place(self, grid: SoundGrid) -> tuple[float, float, float, float]:
        """Return start, end, lowest and highest frequency."""
        return *grid.seconds(self.first, self.behind), *grid.hertz(self.low, self.above)


@dataclass(frozen=True)
class Loudness:
    """What stands out.

    Attributes
    ----------
    threshold : float
        Decibels above the noise of a frequency, its lower fifth over the last minute.
    shortest, longest : int
        Frames of a segment; what is longer is cut.
    narrowest : int
        Bins.
    """

    threshold: float
    shortest: int
    longest: int
    narrowest: int


class Floor:
    """The noise of each band over the frames seen last, up to a minute of them."""

    def __init__(self, frames: int) -> None:
        self._frames = frames
        self._seen: Floats | None = None

    def of(self, values: Floats) -> Floats:
        """Take the next values (t, b) in decibels and return the noise (b,)."""
        parts = [values] if self._seen is None else [self._seen, values]
        self._seen = np.concatenate(parts)[-self._frames :]
        at = len(self._seen) * NOISE_PERCENTILE // 100
        found: Floats = np.partition(self._seen, at, axis=0)[at]
        return found


def loud_segments(
    parts: Iterator[Frames], grid: SoundGrid, loudness: Loudness, minute: int
) -> Iterator[Segment]:
    """Give the segments of a recording in the order in which they begin.

    A segment that reaches the end of a part is looked at again with the next one, so
    parts do not cut it. Where nothing stands out, the surroundings of the loudest spot
    are the one segment: a recording is a bag of one instance at least.
    """
    floors = Floor(minute), Floor(minute)
    held: _Levels | None = None
    quiet: Segment | None = None
    found = 0
    after = next(parts, None)
    while after is not None:
        part, after = after, next(parts, None)
        levels = _Levels.of(part, floors)
        if held is not None:
            levels = held.followed_by(levels)
        boxes, marks = _boxes(levels, loudness)
        cut = len(levels.linear)
        if after is not None:
            cut = _cut(boxes, cut, loudness.longest)
        ready = [box for box in boxes if box.first < cut]
        for box in sorted(ready, key=lambda box: (box.first, box.low)):
            found += 1
            yield levels.segment(box, marks == box.number)
        if not found:
            quiet = _louder(quiet, _loudest(levels))
        held = levels.behind(cut)
    if not found and quiet is not None:
        yield quiet


@dataclass(frozen=True)
class _Box:
    number: int
    first: int
    behind: int
    low: int
    above: int


@dataclass(frozen=True, eq=False)
class _Levels:
    """Frames in decibels, and above the noise; smoothed to look for segments in."""

    first: int
    linear: Floats
    smooth: Floats
    mel: Floats
    level: Floats

    @classmethod
    def of(cls, part: Frames, floors: tuple[Floor, Floor]) -> _Levels:
        smooth = decibels(uniform_filter(part.linear, _SMOOTHED, mode="nearest"))
        noise, level = floors[0].of(smooth), decibels(part.mel)
        return cls(
            part.first,
            decibels(part.linear) - noise,
            smooth - noise,
            level - floors[1].of(level),
            level,
        )

    def followed_by(self, other: _Levels) -> _Levels:
        return _Levels(
            self.first,
            *(
                np.concatenate([getattr(self, name), getattr(other, name)])
                for name in ("linear", "smooth", "mel", "level")
            ),
        )

    def behind(self, cut: int) -> _Levels | None:
        """Return what is looked at again."""
        if cut >= len(self.linear):
            return None
        parts = (self.linear, self.smooth, self.mel, self.level)
        return _Levels(self.first + cut, *(part[cut:] for part in parts))

    def segment(self, box: _Box, inside: Mask) -> Segment:
        times, bins = slice(box.first, box.behind), slice(box.low, box.above)
        return Segment(
            self.first + box.first,
            box.low,
            inside[times, bins],
            self.linear[times, bins],
            self.mel[times],
            self.level[times],
        )


def _boxes(
    levels: _Levels, loudness: Loudness
) -> tuple[list[_Box], npt.NDArray[np.int32]]:
    """Return the boxes of connected loud spots, and whose each spot is."""
    loud = binary_closing(np.pad(levels.smooth > loudness.threshold, 1), _CLOSED)[
        1:-1, 1:-1
    ]
    marks, _ = label(loud, _TOUCHING, output=np.int32)
    boxes: list[_Box] = []
    for number, found in enumerate(find_objects(marks), 1):
        times, bins = found
        if bins.stop - bins.start < loudness.narrowest:
            continue
        for first in range(times.start, times.stop, loudness.longest):
            behind = min(first + loudness.longest, times.stop)
            if behind - first >= loudness.shortest:
                boxes.append(_Box(number, first, behind, bins.start, bins.stop))
    return boxes, marks


def _cut(boxes: list[_Box], end: int, longest: int) -> int:
    """Return before which frame all is decided; what follows is looked at again."""
    cut = end
    while True:
        over = [box.first for box in boxes if box.first < cut and box.behind >= cut]
        earliest = min(over, default=cut)
        if earliest == cut or end - earliest > longest:
            return cut
        cut = earliest


def _loudest(levels: _Levels) -> Segment:
    """Return the surroundings of the loudest spot."""
    smooth = levels.smooth
    time, band = np.unravel_index(int(smooth.argmax()), smooth.shape)
    marks, _ = label(smooth >= smooth.max() - _BESIDE_PEAK, _TOUCHING, output=np.int32)
    number = int(marks[time, band])
    times, bins = find_objects(marks)[number - 1]
    box = _Box(number, times.start, times.stop, bins.start, bins.stop)
    return levels.segment(box, marks == number)


def _louder(one: Segment | None, other: Segment) -> Segment:
    if one is None or other.excess.max() > one.excess.max():
        return other
    return one
