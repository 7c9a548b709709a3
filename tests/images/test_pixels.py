"""Grey, alpha, 16 bits, palettes and rotation: every picture becomes RGB bytes."""

import numpy as np
import pytest
from PIL import Image

from mipl.errors import BadFile
from mipl.images.pixels import as_pixels, read_pixels


@pytest.fixture
def saved(tmp_path):
    def save(image, name, **options):
        image.save(tmp_path / name, **options)
        return read_pixels(tmp_path / name)

    return save


def test_grey_is_repeated(saved):
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    expected = np.stack([grey] * 3, axis=2)
    np.testing.assert_array_equal(saved(Image.fromarray(grey), "a.png"), expected)
    np.testing.assert_array_equal(as_pixels(grey, "a"), expected)
    np.testing.assert_array_equal(as_pixels(grey[..., None], "a"), expected)


def test_words_are_rounded_to_bytes(saved):
    words = np.array([[0, 128, 129, 257, 65535]], np.uint16)
    expected = [round(v / 257) for v in words[0].tolist()]
    assert as_pixels(words, "a")[0, :, 0].tolist() == expected
    assert saved(Image.fromarray(words), "a.png")[0, :, 1].tolist() == expected
    assert saved(Image.fromarray(words), "a.tif")[0, :, 2].tolist() == expected


def test_transparent_pixels_show_white_paper(saved):
    rgba = np.array([[[9, 20, 30, 255], [9, 20, 30, 0], [0, 100, 200, 128]]], np.uint8)
    half = [round((v * 128 + 255 * 127) / 255) for v in (0, 100, 200)]
    expected = [[9, 20, 30], [255, 255, 255], half]
    assert as_pixels(rgba, "a")[0].tolist() == expected
    assert saved(Image.fromarray(rgba), "a.png")[0].tolist() == expected


def test_other_modes_are_read_as_their_colours(saved):
    rgb = np.zeros((4, 4, 3), np.uint8)
    rgb[:2, :, 0] = 255
    image = Image.fromarray(rgb)
    np.testing.assert_array_equal(saved(image.quantize(2), "palette.png"), rgb)
    np.testing.assert_array_equal(saved(image.convert("CMYK"), "cmyk.tif"), rgb)
    black = saved(Image.fromarray(rgb[..., 0] > 0), "bits.png")
    np.testing.assert_array_equal(black, rgb[..., :1].repeat(3, axis=2))


def test_a_picture_is_read_upright(saved):
    rgb = np.zeros((2, 3, 3), np.uint8)
    turned = Image.Exif()
    turned[0x0112] = 6  # Held sideways.
    assert saved(Image.fromarray(rgb), "a.png", exif=turned).shape == (3, 2, 3)


def test_numbers_from_0_to_1_and_truth_values():
    numbers = np.array([[0.0, 0.5, 1.0]])
    assert as_pixels(numbers, "a")[0, :, 0].tolist() == [0, 128, 255]
    assert as_pixels(np.array([[True, False]]), "a")[0, :, 0].tolist() == [255, 0]
    assert as_pixels(np.array([[3, 255]]), "a")[0, :, 0].tolist() == [3, 255]


def test_the_checksums_of_a_picture_count(tmp_path):
    path = tmp_path / "a.png"
    Image.effect_noise((40, 30), 9).save(path)
    good = path.read_bytes()
    at = good.index(b"IEND") - 5  # The last byte of the checksum of the pixels.
    path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
    with pytest.raises(BadFile, match=r"a\.png cannot be read as a picture"):
        read_pixels(path)
