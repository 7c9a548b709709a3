"""Tiles of a picture, recomputed by plain indexing."""

import numpy as np
import pytest

from mipl import MiplError
from mipl.images import Patches


def test_every_pixel_of_every_tile(photos):
    bags = Patches(grid=4).transform(photos)  # 40 x 56 -> tiles of 10 x 14
    assert bags.sizes.tolist() == [16] * 6 and bags.instance_shape == (3, 10, 14)
    for row in range(4):
        for column in range(4):
            index = 16 * 2 + 4 * row + column
            tile = bags.instances[index].reshape(3, 10, 14)
            for c in range(3):
                expected = photos[2, 10 * row : 10 * row + 10, :, c] / 255
                expected = expected[:, 14 * column : 14 * column + 14]
                np.testing.assert_allclose(tile[c], expected, rtol=1e-6)
            x, y = 14 * column, 10 * row
            assert bags.coords[index].tolist() == [x, y, x + 14, y + 10]


def test_a_side_that_is_no_multiple_is_cut_in_its_centre():
    picture = np.arange(224, dtype=np.uint8)[:, None].repeat(224, axis=1)
    bags = Patches(grid=5).transform([picture])
    assert bags.sizes.tolist() == [25] and bags.instance_shape == (3, 44, 44)
    assert bags.coords.min() == 2 and bags.coords.max() == 222
    assert bags.instances[0, 0] == np.float32(2 / 255)


def test_resized_tiles_of_pictures_of_several_sizes(photos):
    pictures = [photos[0], photos[1][:20, :30], np.full((9, 9), 255, np.uint8)]
    bags = Patches(grid=3, size=4).transform(pictures)
    assert bags.n_features == 3 * 16
    assert (bags[2].instances == 1).all()
    halved = Patches(grid=1, size=2).transform([photos[0][:4, :4]])
    mean = photos[0][:4, :4].reshape(2, 2, 2, 2, 3).mean(axis=(1, 3)) / 255
    np.testing.assert_allclose(
        halved.instances.reshape(3, 2, 2), mean.transpose(2, 0, 1), atol=0.6 / 255
    )


def test_pictures_of_several_sizes_need_a_size(photos):
    with pytest.raises(MiplError, match=r"picture 1 gives instances of shape \(3, 5"):
        Patches().transform([photos[0], photos[1][:20]])


def test_a_picture_smaller_than_the_grid(photos):
    with pytest.raises(MiplError, match="picture 0 has 56 x 3 pixels, too few"):
        Patches().transform([photos[0][:3]])
