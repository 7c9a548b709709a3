"""TimeWindows: equal spans of a recording."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mipl.audio.loud_segments import Floor, Segment
from mipl.audio.sound_bags import PART_SECONDS, SoundBags
from mipl.audio.spectrogram import Floats, Frames, decibels
from mipl.errors import MiplError
from mipl.parameters import number


class TimeWindows(SoundBags):
    """One instance per window of ``length`` seconds, a new one every ``step`` seconds.

    Log-mel features are decibels below full scale. The end of a recording that fills
    no window is left out, unless the recording is shorter than one.

    Examples
    --------
    >>> bags = TimeWindows(length=1, step=0.5).transform([(np.zeros(48000), 16000)])
    >>> bags, bags.coords[1, :2].round(1).tolist()
    (Bags(1 bag, 5 instances x 97 features, 5-5 per bag), [0.5, 1.5])
    """

    length: float = number(
        "Seconds of a window.", default=1.0, at_least=0.02, at_most=60
    )
    step: float | None = number(
        "Seconds between the beginnings of windows; by default their length.",
        default=None,
        at_least=0.01,
        at_most=60,
    )

    def check(self) -> None:
        """Refuse wrong arguments."""
        super().check()
        if self.length < self.window:
            raise MiplError(
                f"length must be at least window; got {self.length:g} and "
                f"{self.window:g}."
            )

    def patch_frames(self) -> int:
        """Return the columns of a window."""
        return self.grid().frames(self.length)

    def segments(self, parts: Iterator[Frames]) -> Iterator[Segment]:
        """Give the windows of a recording."""
        grid = self.grid()
        length = grid.frames(self.length)
        step = grid.frames(self.length if self.step is None else self.step)
        minute = grid.frames(PART_SECONDS)
        floors = Floor(minute), Floor(minute)
        held = np.zeros((0, grid.bins + 2 * grid.mels), np.float32)
        at = first = given = 0  # Where what is held begins, and the next window.
        for part in parts:
            held = np.concatenate([held, _levels(part, floors)])
            while first - at + length <= len(held):
                yield _window(held[first - at :][:length], first, grid.bins)
                given, first = given + 1, first + step
                gone = min(first - at, len(held))
                held, at = held[gone:], at + gone
        if not given:
            yield _window(held, first, grid.bins)

    def mel_of(self, segment: Segment) -> Floats:
        """Return decibels as they are."""
        return segment.level


def _levels(part: Frames, floors: tuple[Floor, Floor]) -> Floats:
    """Return decibels above the noise of bins and mels, then those of mels alone."""
    linear, level = decibels(part.linear), decibels(part.mel)
    above = linear - floors[0].of(linear), level - floors[1].of(level)
    return np.concatenate([*above, level], axis=1)


def _window(rows: Floats, first: int, bins: int) -> Segment:
    mels = (rows.shape[1] - bins) // 2
    mask = np.ones((len(rows), bins), bool)
    linear, mel, level = np.split(rows, [bins, bins + mels], axis=1)
    return Segment(first, 0, mask, linear, mel, level)
