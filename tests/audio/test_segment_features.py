"""The 38 numbers, recomputed by plain loops; and what the Birdsong data say of them."""

import numpy as np
import pytest

from mipl.audio.loud_segments import Segment
from mipl.audio.segment_features import birdsong38, own_bands
from mipl.audio.spectrogram import SoundGrid

GRID = SoundGrid(window=0.032, hop=0.016, low=0.0, high=8000.0, bins=256, mels=16)


@pytest.fixture
def segment():
    rng = np.random.default_rng(0)
    mask = rng.random((9, 14)) > 0.3
    mask[0, 3] = mask[-1, 5] = mask[4, 0] = mask[4, -1] = True
    excess = rng.uniform(3, 40, mask.shape).astype(np.float32)
    mel = rng.uniform(-5, 20, (9, 16)).astype(np.float32)
    return Segment(100, 60, mask, excess, mel, mel - 60)


def test_the_38_numbers_are_those_of_plain_loops(segment):
    mask, value = segment.mask, segment.excess.astype(float) / 60
    n_t, n_f = mask.shape
    total = sum(value[t, f] for t in range(n_t) for f in range(n_f) if mask[t, f])
    p_f = [
        sum(value[t, f] * mask[t, f] for t in range(n_t)) / total for f in range(n_f)
    ]
    p_t = [
        sum(value[t, f] * mask[t, f] for f in range(n_f)) / total for t in range(n_t)
    ]
    at_f, at_t = [(60 + f) / 255 for f in range(n_f)], [t / 8 for t in range(n_t)]

    def moment(p, at, k):
        mean = sum(a * b for a, b in zip(p, at, strict=True))
        return sum(a * (b - mean) ** k for a, b in zip(p, at, strict=True))

    inside = [value[t, f] for t in range(n_t) for f in range(n_f) if mask[t, f]]
    expected = [1 - sum(p * p for p in p_f), 1 - sum(p * p for p in p_t)]
    expected += [sum(p * a for p, a in zip(p_f, at_f, strict=True))]
    expected += [sum(p * a for p, a in zip(p_t, at_t, strict=True))]
    for k in (2, 3, 4):
        expected += [moment(p_f, at_f, k), moment(p_t, at_t, k)]
    expected += [at_f[int(np.argmax(p_f))], at_t[int(np.argmax(p_t))]]
    expected += [np.mean(inside), np.std(inside)]
    perimeter = 0
    for t in range(n_t):
        for f in range(n_f):
            for dt, df in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                beyond = not (0 <= t + dt < n_t and 0 <= f + df < n_f)
                open_side = beyond or not mask[t + dt, f + df]
                perimeter += bool(mask[t, f]) and open_side
    area = len(inside)
    expected += [60, 73, 13, 8, area, perimeter, perimeter**2 / area, area / (13 * 8)]
    counts = np.zeros(16)
    for t in range(n_t):
        for f in range(n_f):
            if mask[t, f]:
                across = value[t, min(f + 1, 13)] - value[t, max(f - 1, 0)]
                along = value[min(t + 1, 8), f] - value[max(t - 1, 0), f]
                counts[int(np.arctan2(across, along) % (2 * np.pi) / (np.pi / 8))] += 1
    expected += list(counts / counts.sum())
    found = birdsong38(segment, GRID)
    assert found.shape == (38,)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-9)


def test_other_bands_of_the_same_time_are_not_seen(segment):
    edges, found = GRID.mel_edges(), own_bands(segment, GRID)
    low, high = 60 * 31.25, 74 * 31.25
    inside = [edges[i + 1] > low and edges[i] < high for i in range(16)]
    assert 0 < sum(inside) < 6
    np.testing.assert_array_equal(found[:, inside], segment.mel[:, inside].clip(0))
    assert not found[:, ~np.array(inside)].any()


def test_the_birdsong_data_have_this_form(loaded):
    """What the documentation says is told by the data themselves."""
    x = loaded("birdsong-mipl").bags.instances.astype(float)
    low, high, width, duration, area, perimeter, compact, full = x[:, 14:22].T
    np.testing.assert_array_equal(width, high - low)
    np.testing.assert_allclose(compact, perimeter**2 / area, rtol=1e-6)
    np.testing.assert_allclose(full, area / (width * duration), rtol=1e-5)
    np.testing.assert_allclose(x[:, 22:].sum(axis=1), 1, atol=1e-5)
    assert (x[:, 0] < 1 - 1 / (width + 1)).all()  # Gini of a profile of so many bins.
    assert (x[:, 1] < 1 - 1 / (duration + 1)).all()
    peak = x[:, 10] * 255
    np.testing.assert_allclose(peak, peak.round(), atol=2e-4)
    assert ((low <= peak.round()) & (peak.round() <= high)).all()
    assert ((low <= x[:, 2] * 255) & (x[:, 2] * 255 <= high)).all()
    steps = x[:, 11] * duration
    np.testing.assert_allclose(steps, steps.round(), atol=3e-4)
    assert (x[:, 8] >= x[:, 4] ** 2 - 1e-6).all()  # Moments: the fourth is no less.
    assert (x[:, 9] >= x[:, 5] ** 2 - 1e-6).all()
