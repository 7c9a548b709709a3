"""What is measured of a segment: log-mel statistics, and the 38 numbers of Birdsong."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mipl.audio.loud_segments import Segment
from mipl.audio.spectrogram import Floats, SoundGrid

Numbers = npt.NDArray[np.float64]

_ORIENTATIONS = 16
_RANGE = 60.0  # Decibels above the noise that the values 0 to 1 of a spectrogram span.


def mel_statistics(level: Floats, seconds: float) -> Numbers:
    """Return mean, deviation and rise of each mel band, and the duration.

    The rise is the mean of the second half less that of the first: without it, a call
    backwards would be the same call.

    Examples
    --------
    >>> mel_statistics(np.array([[1, 2], [3, 2]], np.float32), 0.5).tolist()
    [2.0, 2.0, 1.0, 0.0, 2.0, 0.0, 0.5]
    """
    wide = level.astype(np.float64)
    half = (len(wide) + 1) // 2
    rise = wide[-half:].mean(axis=0) - wide[:half].mean(axis=0)
    return np.concatenate([wide.mean(axis=0), wide.std(axis=0), rise, [seconds]])


def own_bands(segment: Segment, grid: SoundGrid) -> Floats:
    """Return decibels above the noise in the mel bands of a segment, 0 in all others.

    So sounds at other frequencies at the same time do not mix.
    """
    low, high = grid.hertz(segment.low, segment.above)
    edges = grid.mel_edges()
    inside = (edges[1:] > low) & (edges[:-1] < high)
    found: Floats = np.where(inside, segment.mel.clip(0), np.float32(0))
    return found


def birdsong38(segment: Segment, grid: SoundGrid) -> Numbers:
    """Return the 38 numbers in the order of the Birdsong data.

    Fourteen of the profiles (Gini of frequency and time, mean of both, then variance,
    third and fourth central moment in turn, where both are highest, mean and spread of
    the values), eight of the shape (lowest and highest bin, their distance, duration,
    area, perimeter, perimeter squared by area, area by box), and a histogram of 16
    orientations of the gradient.
    """
    values = (segment.excess.astype(np.float64) / _RANGE).clip(0, 1)
    mask = segment.mask
    inside = np.where(mask, values, 0.0)
    bins = np.arange(segment.low, segment.above) / (grid.bins - 1 or 1)
    times = np.arange(mask.shape[0]) / max(mask.shape[0] - 1, 1)
    frequency, time = (
        _share(inside.sum(axis=0), mask.sum(axis=0)),
        _share(inside.sum(axis=1), mask.sum(axis=1)),
    )
    f, t = _moments(frequency, bins), _moments(time, times)
    within = values[mask]
    profile = [
        1 - (frequency**2).sum(), 1 - (time**2).sum(),
        f[0], t[0], f[1], t[1], f[2], t[2], f[3], t[3],
        bins[frequency.argmax()], times[time.argmax()], within.mean(), within.std(),
    ]  # fmt: skip
    return np.concatenate([profile, _shape(segment), _orientations(values, mask)])


def _share(sums: Numbers, counts: npt.NDArray[np.int64]) -> Numbers:
    """Return a profile that adds up to 1; of silence, that of the mask."""
    profile = sums if sums.sum() > 0 else counts.astype(np.float64)
    share: Numbers = profile / profile.sum()
    return share


def _moments(share: Numbers, at: Numbers) -> tuple[float, float, float, float]:
    """Return the mean, and the second, third and fourth central moment."""
    mean = float((share * at).sum())
    second, third, fourth = (float((share * (at - mean) ** k).sum()) for k in (2, 3, 4))
    return mean, second, third, fourth


def _shape(segment: Segment) -> list[float]:
    mask = segment.mask
    area = float(mask.sum())
    edges = np.pad(mask, 1).astype(np.int8)
    perimeter = float(
        np.abs(np.diff(edges, axis=0)).sum() + np.abs(np.diff(edges, axis=1)).sum()
    )
    # As in the data, from the first to the last, so that a full box exceeds 1.
    duration, width = (float(side - 1) for side in mask.shape)
    low, high = float(segment.low), float(segment.above - 1)
    box = max(duration, 1.0) * max(width, 1.0)
    return [
        low, high, width, duration, area, perimeter, perimeter**2 / area, area / box,
    ]  # fmt: skip


def _orientations(values: Numbers, mask: npt.NDArray[np.bool_]) -> Numbers:
    """Return how many spots rise in each of 16 directions, as shares."""
    padded = np.pad(values, 1, mode="edge")
    across = padded[1:-1, 2:] - padded[1:-1, :-2]
    along = padded[2:, 1:-1] - padded[:-2, 1:-1]
    rises = mask & ((across != 0) | (along != 0))
    if not rises.any():
        return np.full(_ORIENTATIONS, 1 / _ORIENTATIONS)
    angle = np.arctan2(across[rises], along[rises]) % (2 * np.pi)
    number = (angle / (2 * np.pi) * _ORIENTATIONS).astype(int) % _ORIENTATIONS
    count = np.bincount(number, minlength=_ORIENTATIONS)
    share: Numbers = count / count.sum()
    return share
