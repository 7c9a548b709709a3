"""SIFT: OpenCV's descriptor at the same keypoints, and a naive one in loops."""

import cv2
import numpy as np
import pytest

from mipl import MiplError
from mipl.images import SIFT
from mipl.seeds import stream

_CELLS, _BINS = 4, 8


@pytest.fixture(scope="module")
def picture():
    """A smooth random picture of 224 x 224 pixels."""
    rough = stream(0, "sift").integers(0, 256, (28, 28, 3)).astype(np.uint8)
    return cv2.resize(rough, (224, 224), interpolation=cv2.INTER_CUBIC)


def _grey(picture):
    weights = np.array([0.299, 0.587, 0.114])
    return np.rint(picture @ weights)


def _octave(grey, octave):
    """Return the picture of an octave: doubled, as it is, or each second pixel."""
    if octave < 0:
        doubled = cv2.resize(grey, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR)
        return cv2.GaussianBlur(doubled, (0, 0), np.sqrt(1.6**2 - 1.0**2))
    step = 2**octave
    blurred = cv2.GaussianBlur(grey, (0, 0), np.sqrt((1.6 * step) ** 2 - 0.5**2))
    return blurred[::step, ::step]


def _naive(image, x, y, patch):
    """Lowe's descriptor of an upright patch of 4 x 4 cells around (x, y)."""
    cell = patch / _CELLS
    histogram = np.zeros((_CELLS + 2, _CELLS + 2, _BINS))
    reach = round(cell * np.sqrt(2) * (_CELLS + 1) / 2)
    for i in range(-reach, reach + 1):
        for j in range(-reach, reach + 1):
            row, column = y + i, x + j
            r, c = (v / cell + _CELLS / 2 - 0.5 for v in (i, j))
            inside = 0 < row < len(image) - 1 and 0 < column < image.shape[1] - 1
            if not inside or min(r, c) <= -1 or max(r, c) >= _CELLS:
                continue
            dx = image[row, column + 1] - image[row, column - 1]
            dy = image[row - 1, column] - image[row + 1, column]
            weight = np.exp(-((i / cell) ** 2 + (j / cell) ** 2) / (_CELLS**2 / 2))
            votes = np.hypot(dx, dy) * weight
            o = (np.degrees(np.arctan2(dy, dx)) % 360) / 360 * _BINS
            for a in (0, 1):
                for b in (0, 1):
                    for e in (0, 1):
                        r0, c0, o0 = (int(np.floor(v)) for v in (r, c, o))
                        share = 1.0
                        for value, low, up in ((r, r0, a), (c, c0, b), (o, o0, e)):
                            share *= value - low if up else 1 - (value - low)
                        place = r0 + a + 1, c0 + b + 1, (o0 + e) % _BINS
                        histogram[place] += votes * share
    vector = histogram[1:-1, 1:-1].ravel()
    vector = np.minimum(vector, 0.2 * np.linalg.norm(vector))
    return np.minimum(512 * vector / np.linalg.norm(vector), 255)


@pytest.mark.parametrize(("patch", "octave"), [(32, 0), (9, -1), (40, 1)])
def test_descriptors_are_the_naive_ones(picture, patch, octave):
    bags = SIFT(patch=patch).transform([picture])
    assert bags.instances.shape == (25, 128)
    image = _octave(_grey(picture), octave)
    for box, found in zip(bags.coords, bags.instances, strict=True):
        assert (box[2:] - box[:2]).tolist() == [patch, patch]
        centre = (box[:2] + box[2:] - 1) / 2 * 2.0**-octave
        x, y = np.rint(centre).astype(int)
        expected = _naive(image, x, y, patch * 2.0**-octave)
        np.testing.assert_allclose(found, expected, atol=4)


@pytest.mark.parametrize(("side", "patch", "octave"), [(224, 32, 0), (64, 9, -1)])
def test_descriptors_are_opencvs_at_the_same_keypoints(picture, side, patch, octave):
    picture = picture[:side, :side]
    bags = SIFT().transform([picture])
    middle = (patch - 1) / 2
    keypoints = [
        cv2.KeyPoint(
            float(x0 + middle), float(y0 + middle), patch / 6, 0, octave=octave & 255
        )
        for x0, y0, _, _ in bags.coords
    ]
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    _, expected = cv2.SIFT_create().compute(grey, keypoints)
    np.testing.assert_array_equal(bags.instances, expected)


@pytest.mark.parametrize(("side", "least"), [(64, 0.9), (112, 0.95), (448, 0.99)])
def test_the_same_picture_in_another_size_has_like_descriptors(picture, side, least):
    way = cv2.INTER_AREA if side < 224 else cv2.INTER_CUBIC
    other = cv2.resize(picture, (side, side), interpolation=way)
    a, b = (SIFT().transform([one]).instances for one in (picture, other))
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    assert ((a * b).sum(axis=1) / lengths).mean() > least


def test_the_grid_of_224_and_of_64_pixels(picture):
    big, small = (
        SIFT().transform([picture, picture[:64, :64]])[[0, 1]].coords.reshape(2, 25, 4)
    )
    assert sorted(set(big[:, 0].tolist())) == [0, 48, 96, 144, 192]
    assert big[1].tolist() == [48, 0, 80, 32]  # Row by row.
    assert small.min() == 0 and small.max() == 64
    assert len({tuple(box) for box in small.tolist()}) == 25


@pytest.mark.parametrize(
    ("patch", "stride", "n"), [(32, 48, 25), (64, 40, 25), (16, 48, 25), (100, 30, 25)]
)
def test_given_geometry(picture, patch, stride, n):
    bags = SIFT(patch, stride).transform([picture])
    per_side = (224 - patch) // stride + 1
    assert bags.sizes.tolist() == [per_side**2] == [n]


def test_a_turned_picture_has_turned_cells(picture):
    upright = SIFT(patch=224).transform([picture]).instances[0]
    over = SIFT(patch=224).transform([picture[::-1, ::-1]]).instances[0]
    cells = upright.reshape(4, 4, 8)[::-1, ::-1]
    half_round = np.roll(cells, 4, axis=2)
    assert np.corrcoef(half_round.ravel(), over.ravel())[0, 1] > 0.95


@pytest.mark.parametrize("shape", [(224, 224), (64, 64), (100, 37), (9, 9), (1, 1)])
def test_constant_pictures_of_any_shape_give_zeros(shape):
    bags = SIFT().transform([np.full(shape, 200, np.uint8)])
    assert bags.instances.shape == (25, 128) and not bags.instances.any()
    assert bags.coords[:, 2].max() <= shape[1] and bags.coords[:, 3].max() <= shape[0]


def test_a_picture_smaller_than_the_patch():
    with pytest.raises(
        MiplError, match="has 20 x 10 pixels, too few for patches of 16"
    ):
        SIFT(patch=16).transform([np.zeros((10, 20), np.uint8)])
    with pytest.raises(
        MiplError, match="stride of SIFT must be None or an integer >= 1"
    ):
        SIFT(stride=0).transform([np.zeros((10, 20), np.uint8)])
