"""Power at any rate: tones and noise of known power, hops that do not drift."""

import numpy as np
import pytest

from mipl import MiplError
from mipl.audio.recordings import Recording
from mipl.audio.spectrogram import SoundGrid, frames_of

GRID = SoundGrid(window=0.032, hop=0.016, low=0.0, high=4000.0, bins=128, mels=24)


def frames(samples, rate, grid=GRID, seconds=60.0):
    item = Recording.of_memory((np.asarray(samples), rate), 0)
    with item.played() as sound:
        return list(frames_of(sound, grid, seconds))


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 96000])
@pytest.mark.parametrize("hertz", [440.0, 1234.5, 3500.0])
def test_a_tone_has_its_power_and_its_place_at_any_rate(rate, hertz):
    time = np.arange(2 * rate) / rate
    (found,) = frames(0.5 * np.sin(2 * np.pi * hertz * time), rate)
    for power in (found.linear, found.mel):
        np.testing.assert_allclose(power.sum(axis=1), 0.5**2 / 2, rtol=0.02)
    assert abs(found.linear.mean(axis=0).argmax() + 0.5 - hertz / (4000 / 128)) <= 1
    edges = GRID.mel_edges()
    band = found.mel.mean(axis=0).argmax()
    assert edges[band] - 40 <= hertz <= edges[band + 1] + 40


@pytest.mark.parametrize("rate", [8000, 48000])
def test_white_noise_is_divided_evenly(rate):
    samples = np.random.default_rng(0).normal(scale=0.1, size=20 * rate)
    (found,) = frames(samples, rate)
    share = 0.1**2 * 4000 / (rate / 2) / 128  # Of the band up to 4000 Hz.
    inner = found.linear.mean(axis=0)[1:-1]
    np.testing.assert_allclose(inner.mean(), share, rtol=0.03)
    assert inner.std() < 0.1 * share


@pytest.mark.parametrize("rate", [11025, 22050, 44100])
def test_hops_do_not_drift_in_ten_minutes(rate):
    """A click in the last second is seen when it is heard."""
    at = 598.5
    samples = np.zeros(600 * rate, np.float32)
    samples[int(at * rate)] = 1.0
    parts = frames(samples, rate)
    assert len(parts) == 10 and parts[3].first == sum(len(p.linear) for p in parts[:3])
    loudest = np.concatenate([part.linear.sum(axis=1) for part in parts]).argmax()
    start, end = GRID.seconds(loudest, loudest + 1)
    assert start - 0.016 <= at <= end + 0.016


def test_parts_are_the_whole_cut_into_pieces():
    samples = np.random.default_rng(0).normal(size=9 * 22050)
    (whole,) = frames(samples, 22050)
    parts = frames(samples, 22050, seconds=2.0)
    assert len(parts) == 5
    joined = np.concatenate([part.linear for part in parts])
    np.testing.assert_array_equal(joined, whole.linear)


def test_frames_are_those_of_a_plain_loop():
    """Window, transform and shares of bands, recomputed one frame at a time."""
    rate, grid = 8000, GRID
    samples = np.random.default_rng(0).normal(size=rate).astype(np.float32)
    (found,) = frames(samples, rate)
    weight = np.hanning(257)[:-1]
    width = 4000 / 128
    for i in (0, 7, len(found.linear) - 1):
        piece = samples[128 * i : 128 * i + 256] * weight
        power = np.abs(np.fft.rfft(piece)) ** 2 * 2 / (256 * (weight**2).sum())
        expected = np.zeros(128)
        for k, p in enumerate(power):
            low, high = k * 31.25 - 15.625, k * 31.25 + 15.625
            for b in range(128):
                inside = min(high, (b + 1) * width) - max(low, b * width)
                expected[b] += p * max(inside, 0) / 31.25
        np.testing.assert_allclose(found.linear[i], expected, rtol=2e-3, atol=1e-9)
    assert len(found.linear) == 1 + (rate - 256) // 128
    assert grid.seconds(0, 1) == pytest.approx((0.008, 0.024))


def test_a_rate_too_low_and_no_samples_are_told():
    with pytest.raises(MiplError, match=r"has 6,000 samples .* give high=3000"):
        frames(np.zeros(6000), 6000)
    assert len(frames(np.zeros(10), 8000)[0].linear) == 1  # Filled up.
