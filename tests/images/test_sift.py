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


def _naive(grey, x, y, patch):
    """Lowe's descriptor of an upright patch of 4 x 4 cells around (x, y)."""
    image = cv2.GaussianBlur(grey, (0, 0), np.sqrt(1.6**2 - 0.5**2))
    cell = patch / _CELLS
    histogram = np.zeros((_CELLS + 2, _CELLS + 2, _BINS))
    reach = round(cell * np.sqrt(2) * (_CELLS + 1) / 2)
    for i in range(-reach, reach + 1):
        for j in range(-reach, reach + 1):
            row, column = y + i, x + j
            r, c = (v / cell + _CELLS / 2 - 0.5 for v in (i, j))
            inside = 0 < row < len(grey) - 1 and 0 < column < grey.shape[1] - 1
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


def test_descriptors_are_the_naive_ones(picture):
    bags = SIFT().transform([picture])
    assert bags.instances.shape == (25, 128)
    grey = _grey(picture)
    for index in range(25):
        x0, y0, x1, y1 = bags.coords[index]
        assert (x1 - x0, y1 - y0) == (32, 32)
        x, y = (int(np.rint((a + b - 1) / 2)) for a, b in ((x0, x1), (y0, y1)))
        expected = _naive(grey, x, y, 32)
        np.testing.assert_allclose(bags.instances[index], expected, atol=3)


@pytest.mark.parametrize("side", [224, 64])
def test_descriptors_are_opencvs_at_the_same_keypoints(picture, side):
    picture = picture[:side, :side]
    bags = SIFT().transform([picture])
    patch = {224: 32, 64: 9}[side]
    keypoints = [
        cv2.KeyPoint(
            float(x0 + (patch - 1) / 2), float(y0 + (patch - 1) / 2), patch / 6, 0
        )
        for x0, y0, _, _ in bags.coords
    ]
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    _, expected = cv2.SIFT_create().compute(grey, keypoints)
    np.testing.assert_array_equal(bags.instances, expected)


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
    with pytest.raises(MiplError, match="stride must be a whole number >= 1"):
        SIFT(stride=0).transform([np.zeros((10, 20), np.uint8)])
