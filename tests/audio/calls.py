"""Recordings with chirps at known times, in noise."""

import numpy as np

RATE = 22050
NOISE = 0.03
# Of a chirp's peak: far above the noise, above it, and hardly to be heard.
LEVELS = {"loud": 0.4, "middle": 0.12, "quiet": 0.06}


def chirp(rng, rate, level, low=2000.0, high=4500.0, seconds=0.3):
    """Return a call that rises from one frequency to another."""
    time = np.arange(int(seconds * rate)) / rate
    phase = 2 * np.pi * (low * time + (high - low) * time**2 / (2 * seconds))
    return level * np.hanning(len(time)) * np.sin(phase + rng.uniform(0, 6))


def recording(rng, calls, seconds=10.0, rate=RATE, noise=NOISE):
    """Return noise with calls (time, level, low, high) in it."""
    samples = rng.normal(scale=noise, size=int(seconds * rate))
    for at, level, low, high in calls:
        call = chirp(rng, rate, level, low, high)
        begin = int(at * rate)
        samples[begin : begin + len(call)] += call
    return samples.astype(np.float32), rate
