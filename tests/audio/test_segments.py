"""Chirps in noise at three levels: what is found, against what is there."""

import numpy as np
import pytest
from tests.audio.calls import LEVELS, RATE, recording

from mipl.audio import EnergySegments


def overlap(place, call):
    """Return the share of a call's time that a segment at its frequencies covers."""
    start, end, low, high = place
    at, _, f0, f1 = call
    if high < min(f0, f1) or low > max(f0, f1):
        return 0.0
    return max(0.0, min(end, at + 0.3) - max(start, at)) / 0.3


def many(level, n=30, seed=0):
    rng = np.random.default_rng(seed)
    at = np.arange(n) * 1.9 + rng.uniform(0, 1.4, n)
    ends = [(2000, 4500), (6000, 3500), (1500, 1500)]
    calls = [(float(t), level, *ends[i % 3]) for i, t in enumerate(at)]
    return calls, recording(rng, calls, seconds=60.0)


# The hardly audible ones are at the level of the noise in their band.
@pytest.mark.parametrize(
    ("level", "found", "covered"),
    [("loud", 1.0, 0.7), ("middle", 1.0, 0.5), ("quiet", 0.7, 0.3)],
)
def test_calls_are_found_where_they_are(level, found, covered):
    calls, sound = many(LEVELS[level])
    places = EnergySegments().transform([sound]).coords
    shares = [sum(overlap(place, call) for place in places) for call in calls]
    assert np.mean(np.array(shares) > 0.15) >= found
    assert np.mean([share for share in shares if share > 0.15]) >= covered
    of_none = [p for p in places if not any(overlap(p, call) for call in calls)]
    assert len(of_none) <= 0.1 * len(places)


def test_times_and_frequencies_of_a_loud_call_are_those_of_its_making():
    calls = [(3.0, 0.4, 2000.0, 4500.0)]
    sound = recording(np.random.default_rng(0), calls)
    ((start, end, low, high),) = EnergySegments().transform([sound]).coords.tolist()
    assert 3.0 <= start < 3.08 and 3.22 < end <= 3.31
    assert 1900 < low < 2600 and 3900 < high < 4650


def test_calls_at_one_time_and_other_frequencies_are_two():
    calls = [(3.0, 0.4, 1500.0, 2000.0), (3.05, 0.4, 5000.0, 5500.0)]
    sound = recording(np.random.default_rng(0), calls)
    places = EnergySegments().transform([sound]).coords
    assert len(places) == 2 and (np.diff(places[:, 2]) > 2000).all()


@pytest.mark.parametrize("at", [59.7, 59.85, 59.95, 119.9])
def test_a_call_across_the_border_of_two_minutes_is_one(at):
    calls = [(at, 0.4, 3000.0, 3000.0)]
    sound = recording(np.random.default_rng(1), calls, seconds=150.0)
    ((start, end, *_),) = EnergySegments().transform([sound]).coords.tolist()
    assert start == pytest.approx(at, abs=0.06)
    assert end == pytest.approx(at + 0.3, abs=0.06)


def test_what_lasts_longer_than_the_longest_is_cut():
    time = np.arange(20 * RATE) / RATE
    begun, gone = ((1 + np.tanh((time - at) / 0.01)) / 2 for at in (3, 12))
    tone = np.sin(2 * np.pi * 2000 * time) * (begun - gone)
    noise = np.random.default_rng(0).normal(scale=0.01, size=len(time))
    places = EnergySegments(longest=2.0).transform([(tone + noise, RATE)]).coords
    assert len(places) == 5 and (places[:, 1] - places[:, 0]).max() <= 2.01
    assert places[0, 0] == pytest.approx(3, abs=0.05)
    assert places[-1, 1] == pytest.approx(12, abs=0.05)


def test_noise_alone_and_silence_are_one_instance():
    noise = recording(np.random.default_rng(0), [], seconds=70.0)
    bags = EnergySegments().transform([noise, (np.zeros(RATE), RATE)])
    assert bags.sizes.tolist() == [1, 1]
    assert np.isfinite(bags.instances).all()


def test_loudness_changes_nothing():
    """Decibels above the noise are the same whatever the gain of the recorder."""
    _, (samples, rate) = many(0.2)
    one = EnergySegments(measures="birdsong38").transform([(samples, rate)])
    other = EnergySegments(measures="birdsong38").transform([(samples / 16, rate)])
    np.testing.assert_array_equal(one.coords, other.coords)
    np.testing.assert_allclose(one.instances, other.instances, atol=1e-3)


def test_the_same_call_at_another_rate_is_the_same_segment():
    calls = [(3.0, 0.4, 2000.0, 4500.0)]
    (one,), (other,) = (
        EnergySegments()
        .transform([recording(np.random.default_rng(0), calls, rate=rate)])
        .coords
        for rate in (16000, 48000)
    )
    np.testing.assert_allclose(one[:2], other[:2], atol=0.04)
    np.testing.assert_allclose(one[2:], other[2:], atol=200)
