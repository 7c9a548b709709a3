"""Row and SBN, each value recomputed by loops over the blurred picture."""

import time

import cv2
import numpy as np
import pytest

from mipl import MiplError
from mipl.images import SBN, Row
from mipl.images.large_pixels import reduced
from mipl.seeds import stream

_PICTURE = stream(0, "row").integers(0, 256, (224, 224, 3)).astype(np.uint8)


@pytest.fixture(scope="module")
def small():
    """The picture blurred and averaged by OpenCV: (8, 8, 3)."""
    floats = _PICTURE.astype(np.float64)
    blurred = cv2.GaussianBlur(floats, (113, 113), 14, borderType=cv2.BORDER_REFLECT)
    return cv2.resize(blurred, (8, 8), interpolation=cv2.INTER_AREA)


def test_reduction_is_a_blur_and_the_mean_of_areas(small):
    np.testing.assert_allclose(reduced(_PICTURE, 8), small, atol=1e-3)


def test_areas_that_are_no_whole_pixels_share_them():
    column = np.zeros((3, 1, 3), np.uint8)
    column[1] = 240  # Two areas of 1.5 pixels each own half of the middle pixel.
    top, bottom = reduced(column.repeat(9, axis=1), 2)[:, 0, 0]
    assert top == pytest.approx(bottom) == pytest.approx(80, abs=1e-3)


def test_reduction_is_linear_in_the_side_of_the_picture():
    strip = np.zeros((3, 9001, 3), np.uint8)
    began = time.process_time()
    assert not reduced(strip, 8).any()
    assert time.process_time() - began < 5  # The square of the side takes minutes.


def _row(small, i, neighbour, border):
    own = small[i].mean(axis=0)

    def other(j):
        if 0 <= j < 8:
            return small[j].mean(axis=0)
        return {
            "replicate": own,
            "zero": np.zeros(3),
            "wrap": small[j % 8].mean(axis=0),
        }[border]

    sides = [other(i - 1), other(i + 1)]
    if neighbour == "difference":
        sides = [side - own for side in sides]
    return np.concatenate([own, *sides])


@pytest.mark.parametrize("neighbour", ["difference", "absolute"])
@pytest.mark.parametrize("border", ["replicate", "zero", "wrap"])
def test_row(small, neighbour, border):
    bags = Row(neighbour=neighbour, border=border).transform([_PICTURE])
    assert bags.instances.shape == (8, 9)
    for i in range(8):
        expected = _row(small, i, neighbour, border)
        np.testing.assert_allclose(bags.instances[i], expected, atol=1e-3)
        assert bags.coords[i].tolist() == [0, 28 * i, 224, 28 * (i + 1)]


def test_row_without_border_rows():
    whole, inner = (Row(border=b).transform([_PICTURE]) for b in ("wrap", "drop"))
    np.testing.assert_array_equal(inner.instances, whole.instances[1:-1])
    np.testing.assert_array_equal(inner.coords, whole.coords[1:-1])


def test_sbn(small):
    bags = SBN().transform([_PICTURE])
    assert bags.instances.shape == (9, 15)

    def blob(i, j):
        return small[i : i + 2, j : j + 2].mean(axis=(0, 1))

    places = [(i, j) for i in (2, 3, 4) for j in (2, 3, 4)]
    for row, box, (i, j) in zip(bags.instances, bags.coords, places, strict=True):
        own = blob(i, j)
        sides = blob(i - 2, j), blob(i + 2, j), blob(i, j - 2), blob(i, j + 2)
        expected = np.concatenate([own, *(side - own for side in sides)])
        np.testing.assert_allclose(row, expected, atol=1e-3)
        assert box.tolist() == [28 * j, 28 * i, 28 * (j + 2), 28 * (i + 2)]


@pytest.mark.parametrize(("size", "n"), [(6, 1), (8, 9), (16, 121), (32, 729)])
def test_sbn_of_other_sizes(size, n):
    assert SBN(size=size).transform([_PICTURE]).sizes.tolist() == [n]


@pytest.mark.parametrize("generator", [Row(), SBN()])
def test_constant_non_square_grey_and_tiny_pictures(generator):
    shapes = [(224, 224), (64, 64), (100, 37), (5, 3), (1, 1)]
    bags = generator.transform([np.full(shape, 90, np.uint8) for shape in shapes])
    np.testing.assert_allclose(bags.instances[:, :3], 90, atol=1e-3)
    np.testing.assert_allclose(bags.instances[:, 3:], 0, atol=1e-3)
    wide = bags[2].coords
    assert wide[:, 2].max() <= 37 and wide[:, 3].max() <= 100


def test_wrong_arguments():
    for generator, sentence in (
        (
            Row(border="mirror"),
            "border of Row must be one of 'replicate', .* got 'mirror'",
        ),
        (Row(neighbour="none"), "neighbour of Row must be one of"),
        (Row(size=2, border="drop"), "size of Row must be an integer >= 3"),
        (SBN(size=5), "size of SBN must be an integer >= 6"),
        (SBN(size=8.0), "size of SBN must be an integer"),
    ):
        with pytest.raises(MiplError, match=sentence):
            generator.transform([_PICTURE])
