"""KMeansSeg: block vectors recomputed block by block, regions known beforehand."""

import numpy as np
import pytest

from mipl import MiplError
from mipl.images import KMeansSeg
from mipl.images.kmeans_seg import block_vectors
from mipl.seeds import stream

_NOISE = stream(0, "blocks").integers(0, 256, (40, 56, 3)).astype(np.uint8)


def _luma(rgb):
    """BT.601's Y, Cb and Cr of bytes."""
    r, g, b = (rgb[..., c] / 255.0 for c in range(3))
    return np.stack(
        [
            16 + 65.481 * r + 128.553 * g + 24.966 * b,
            128 - 37.797 * r - 74.203 * g + 112.0 * b,
            128 + 112.0 * r - 93.786 * g - 18.214 * b,
        ],
        axis=-1,
    )


def _vector(block):
    """Mean colours, and root mean squares of the Haar details of 2 x 2 pixels."""
    colours = _luma(block)
    y = colours[..., 0]
    a, b, c, d = y[::2, ::2], y[::2, 1::2], y[1::2, ::2], y[1::2, 1::2]
    details = [(a + b - c - d) / 2, (a - b + c - d) / 2, (a - b - c + d) / 2]
    texture = [np.sqrt((detail**2).mean()) for detail in details]
    return [*colours.reshape(-1, 3).mean(axis=0), *texture]


@pytest.mark.parametrize("side", [2, 4, 8])
def test_every_block(side):
    blocks = block_vectors(_NOISE[:39], side)  # The last rows make no block.
    assert blocks.shape == (39 // side, 56 // side, 6)
    for i in range(blocks.shape[0]):
        for j in range(blocks.shape[1]):
            block = _NOISE[side * i : side * i + side, side * j : side * j + side]
            np.testing.assert_allclose(blocks[i, j], _vector(block), atol=2e-3)


@pytest.fixture
def flag():
    """Three flat fields, of a half, a third and a sixth of a 96 x 96 picture."""
    picture = np.zeros((96, 96, 3), np.uint8)
    picture[:48] = (250, 250, 250)
    picture[48:80] = (200, 20, 20)
    picture[80:] = (10, 20, 150)
    return picture


def test_flat_fields_are_the_regions_largest_first(flag):
    bags = KMeansSeg(block=4).transform([flag])
    fields = flag[[0, 50, 90], 0]
    np.testing.assert_allclose(bags.instances[:, :3], _luma(fields), atol=2e-3)
    np.testing.assert_allclose(bags.instances[:, 3:], 0, atol=1e-6)
    assert bags.coords.tolist() == [
        [0, 0, 96, 48],
        [0, 48, 96, 80],
        [0, 80, 96, 96],
    ]


@pytest.fixture(scope="module")
def tissue():
    """A picture of 224 x 224 pixels: nuclei on a ground whose colour drifts."""
    rng = stream(0, "nuclei")
    y, x = np.mgrid[:224, :224]
    picture = np.stack([220 - 0.2 * y, 150 + 0.1 * x, 190 + 0 * x], axis=-1)
    for cy, cx in rng.integers(0, 224, (60, 2)):
        near = (y - cy) ** 2 + (x - cx) ** 2 < 64
        picture[near] = rng.normal((90, 40, 130), 12, (near.sum(), 3))
    picture += rng.normal(0, 4, picture.shape)
    return picture.clip(0, 255).astype(np.uint8)


def _naive_regions(blocks, means):
    """Give each block to the nearest mean, in units of each number's spread."""
    spread = [np.std([b[c] for row in blocks for b in row]) for c in range(6)]
    return np.array(
        [
            [
                np.argmin(
                    [(((b - m) / spread) ** 2).sum() for m in means.astype(float)]
                )
                for b in row
            ]
            for row in blocks
        ]
    )


def test_every_instance_is_the_mean_of_the_blocks_nearest_to_it(tissue):
    bags = KMeansSeg().transform([tissue])
    assert len(bags.instances) >= 3 and bags.n_features == 6
    blocks = np.array(
        [
            [_vector(tissue[4 * i : 4 * i + 4, 4 * j : 4 * j + 4]) for j in range(56)]
            for i in range(56)
        ]
    )
    regions = _naive_regions(blocks, bags.instances)
    drawn = KMeansSeg().regions(tissue, bags.instances)
    np.testing.assert_array_equal(drawn, np.kron(regions, np.ones((4, 4))))
    sizes = []
    for k, (row, box) in enumerate(zip(bags.instances, bags.coords, strict=True)):
        own = blocks[regions == k]
        np.testing.assert_allclose(row, own.mean(axis=0), rtol=1e-3, atol=0.05)
        y, x = np.nonzero(regions == k)
        expected = [x.min(), y.min(), x.max() + 1, y.max() + 1]
        assert (box / 4).tolist() == expected
        sizes.append(len(own))
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == 56 * 56


def test_thresholds_stop_the_search():
    few = KMeansSeg(decrease=0.9).transform([_NOISE])
    many = KMeansSeg(decrease=0.0, distortion=0.0).transform([_NOISE])
    at_once = KMeansSeg(distortion=7.0).transform([_NOISE])
    assert few.sizes[0] == 3  # The first comparison is that of 3 with 2.
    assert many.sizes[0] == 16
    assert at_once.sizes[0] == 2


def test_same_picture_same_bits():
    one, two = (KMeansSeg(n_jobs=n).transform([_NOISE] * 3) for n in (1, 2))
    assert one.digest() == two.digest()
    assert one[0].digest() == one[2].digest()


@pytest.mark.parametrize("shape", [(224, 224), (64, 64), (100, 37), (2, 2)])
def test_a_constant_picture_is_one_region(shape):
    bags = KMeansSeg().transform([np.full(shape, 255, np.uint8)])
    assert bags.instances.shape == (1, 6)
    np.testing.assert_allclose(bags.instances[0], [235, 128, 128, 0, 0, 0], atol=1e-3)


def test_another_wavelet_has_other_textures_and_the_same_colours():
    haar, db2 = (block_vectors(_NOISE, 4, name) for name in ("haar", "db2"))
    np.testing.assert_array_equal(haar[..., :3], db2[..., :3])
    assert not np.allclose(haar[..., 3:], db2[..., 3:])


def test_wrong_arguments_and_tiny_pictures():
    for generator, sentence in (
        (KMeansSeg(block=3), "block of KMeansSeg must be even"),
        (KMeansSeg(block=0), "block of KMeansSeg must be None or an integer"),
        (KMeansSeg(decrease=-1), "decrease of KMeansSeg must be a number >= 0"),
        (KMeansSeg(distortion="a"), "distortion of KMeansSeg must be a number"),
        (KMeansSeg(wavelet="har"), "unknown wavelet 'har'; did you mean 'haar'"),
    ):
        with pytest.raises(MiplError, match=sentence):
            generator.transform([_NOISE])
    with pytest.raises(MiplError, match="picture 0 has 5 x 1 pixels, too few"):
        KMeansSeg().transform([np.zeros((1, 5), np.uint8)])
