"""EnergySegments: the sounds of a recording that stand out from its noise."""

from __future__ import annotations

from collections.abc import Iterator

from mipl.audio.loud_segments import Loudness, Segment, loud_segments
from mipl.audio.segment_features import own_bands
from mipl.audio.sound_bags import PART_SECONDS, SoundBags
from mipl.audio.spectrogram import Floats, Frames
from mipl.errors import MiplError
from mipl.parameters import number


class EnergySegments(SoundBags):
    """One instance per connected part of the spectrogram that is louder than its noise.

    The noise of a frequency is the lower fifth of its values over the last minute. What
    exceeds it by ``threshold``, in a spectrogram smoothed over 3 columns and 5 rows, is
    loud; loud spots that touch are a segment. So sounds at one time and different
    frequencies are instances of their own. Log-mel features are decibels above the
    noise, 0 outside the frequencies of the segment. Where nothing is loud, the
    surroundings of the loudest spot are the only instance.

    Examples
    --------
    A tone of 2000 Hz in the middle of a second of noise:

    >>> import numpy as np
    >>> time = np.arange(16000) / 16000
    >>> tone = np.sin(2 * np.pi * 2000 * time) * np.exp(-(((time - 0.5) / 0.1) ** 2))
    >>> noise = np.random.default_rng(0).normal(scale=0.1, size=16000)
    >>> bags = EnergySegments().transform([(tone + noise, 16000)])
    >>> bags, [round(float(second), 1) for second in bags.coords[0, :2]]
    (Bags(1 bag, 1 instance x 97 features, 1-1 per bag), [0.3, 0.7])
    """

    threshold: float = number(
        "Decibels above the noise from which on a spot is loud.", default=7.0, above=0
    )
    shortest: float = number(
        "Seconds that a segment must last.", default=0.05, above=0, at_most=60
    )
    longest: float = number(
        "Seconds after which a segment is cut.", default=5.0, above=0, at_most=60
    )
    narrowest: float = number(
        "Hertz that a segment must span.", default=100.0, at_least=0
    )
    patch: float = number(
        "Seconds of the picture that an encoder gets, around the segment's middle.",
        default=0.5,
        above=0,
        at_most=60,
    )

    def check(self) -> None:
        """Refuse wrong arguments."""
        super().check()
        if self.shortest > self.longest:
            raise MiplError(
                f"shortest must be at most longest; got {self.shortest:g} and "
                f"{self.longest:g}."
            )

    def patch_frames(self) -> int:
        """Return the columns of the picture that an encoder gets of a segment."""
        return self.grid().frames(self.patch)

    def segments(self, parts: Iterator[Frames]) -> Iterator[Segment]:
        """Give the segments of a recording."""
        grid = self.grid()
        width = (grid.high - grid.low) / grid.bins
        loudness = Loudness(
            float(self.threshold),
            grid.frames(self.shortest),
            grid.frames(self.longest),
            max(1, round(self.narrowest / width)),
        )
        return loud_segments(parts, grid, loudness, grid.frames(PART_SECONDS))

    def mel_of(self, segment: Segment) -> Floats:
        """Return decibels above the noise in the bands of the segment."""
        return own_bands(segment, self.grid())
