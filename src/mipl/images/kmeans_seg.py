"""KMeansSeg: regions of like colour and texture, found by k-means."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from mipl.errors import MiplError, unknown
from mipl.images.grid import Boxes
from mipl.images.image_bags import Area, ImageBags, PictureBag
from mipl.images.pixels import Pixels
from mipl.images.vision_extra import vision
from mipl.parameters import anything, integer, number

Blocks = npt.NDArray[np.float64]  # (rows, columns, 6)
Labels = npt.NDArray[np.int64]  # One per block, or per pixel.

_SHARE = 56  # Blocks per side: 224 / 4.
_FEWEST, _MOST = 2, 16  # Clusters.
_FLAT = 1e-12


class KMeansSeg(ImageBags):
    """One instance per region of a picture, 6 numbers (after Chen, Wang).

    The picture is cut into blocks. A block is its mean Y, Cb and Cr, and the root mean
    square of the horizontal, vertical and diagonal details of a one-level wavelet of Y
    inside it. The standardised blocks are clustered with k = 2, 3, ... until the
    distortion (mean squared distance to the centre) is small or no longer falls much;
    an instance is the mean block of a cluster, the largest first. Boxes enclose all
    blocks of a region, which need not lie side by side; ``regions`` tells them apart.

    Examples
    --------
    >>> picture = np.zeros((64, 64, 3), np.uint8)
    >>> picture[:20] = (200, 30, 30)
    >>> KMeansSeg().transform([picture]).bag(0)[:, 0].astype(float).round(1).tolist()
    [16.0, 85.4]
    """

    block: int | None = integer(
        "Side of a block in pixels, even; by default 1/56 of the picture's shorter "
        "side rounded to an even number, 4 for 224.",
        default=None,
        at_least=2,
    )
    distortion: float = number(
        "Stop where the distortion is below; without any clustering it is at most 6.",
        default=0.1,
        at_least=0,
    )
    decrease: float = number(
        "Stop where the distortion has fallen by a smaller share than this from k - 1 "
        "to k; so k is at least 3. The default gives a hundred tiles of colorectal "
        "tissue of 224 x 224 pixels 3 to 6 regions, 4.37 on average; the published "
        "bags of CRC-MIPL have 3 to 6, 4.31 on average.",
        default=0.15,
        at_least=0,
    )
    wavelet: str = anything(
        'A wavelet of PyWavelets: "haar", or "db2", Daubechies\' of four coefficients.',
        "str",
        default="haar",
    )

    def check(self) -> None:
        """Refuse wrong arguments."""
        super().check()
        if self.block is not None and self.block % 2:
            raise MiplError(f"block of KMeansSeg must be even; got {self.block}.")
        wavelets = vision("pywt", "KMeansSeg").wavelist(kind="discrete")
        if self.wavelet not in wavelets:
            raise unknown("wavelet", self.wavelet, wavelets)

    def chunk(self, pictures: Sequence[Pixels]) -> list[PictureBag | MiplError]:
        """Return the bags of some pictures."""
        with threadpool_limits(1):  # Threads would add up in any order.
            return super().chunk(pictures)

    def instances(self, pixels: Pixels) -> PictureBag:
        """Return the regions of one picture."""
        side = self._side(pixels)
        blocks = block_vectors(pixels, side, self.wavelet)
        rows = blocks.reshape(-1, blocks.shape[2])
        labels = self._clusters((rows - rows.mean(axis=0)) / _spread(rows))
        order = np.argsort(-np.bincount(labels), kind="stable")
        means = np.stack([rows[labels == region].mean(axis=0) for region in order])
        shaped = labels.reshape(blocks.shape[:2])
        where = np.stack([_enclosing(shaped == region) for region in order]) * side
        return PictureBag(means.astype(np.float32), where.astype(np.float32))

    def areas(self, pixels: Pixels, bag: PictureBag) -> Iterator[Area]:
        """Give the regions, which need not fill their boxes."""
        found = self.regions(pixels, bag.features)
        return (found == number for number in range(len(bag.features)))

    def regions(self, pixels: Pixels, means: npt.NDArray[Any]) -> Labels:
        """Return for each pixel the number of its instance, -1 outside whole blocks.

        ``means`` are the picture's instances; a block is of the one nearest to it.

        Examples
        --------
        >>> picture = np.zeros((5, 4, 3), np.uint8)
        >>> picture[:, 2:] = (200, 30, 30)
        >>> generator = KMeansSeg(block=2)
        >>> generator.regions(picture, generator.instances(picture).features).tolist()
        [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1], [-1, -1, -1, -1]]
        """
        self.check()
        side = self._side(pixels)
        blocks = block_vectors(pixels, side, self.wavelet)
        spread = _spread(blocks.reshape(-1, blocks.shape[2]))
        away = (blocks[:, :, None] - means) / spread  # (rows, columns, n, 6)
        nearest = (away**2).sum(axis=3).argmin(axis=2)
        height, width = (side * n for n in nearest.shape)
        found = np.full(pixels.shape[:2], -1)
        found[:height, :width] = nearest.repeat(side, axis=0).repeat(side, axis=1)
        return found

    def _side(self, pixels: Pixels) -> int:
        """Return the side of a block of this picture."""
        height, width = pixels.shape[:2]
        side = self.block or 2 * max(1, round(min(height, width) / (2 * _SHARE)))
        if min(height, width) < side:
            raise MiplError(
                f"has {width} x {height} pixels, too few for blocks of {side}; give a "
                "larger picture or a smaller block."
            )
        return side

    def _clusters(self, rows: npt.NDArray[np.float64]) -> Labels:
        """Cluster with rising k, and return the cluster of each row."""
        before = np.inf
        labels = np.zeros(len(rows), dtype=np.int64)
        distinct = len(np.unique(rows.round(9), axis=0))
        for k in range(_FEWEST, min(_MOST, distinct) + 1):
            found = KMeans(k, n_init=1, random_state=0).fit(rows)
            labels = np.unique(found.labels_, return_inverse=True)[1].ravel()
            now = found.inertia_ / len(rows)
            if now < self.distortion or before - now < self.decrease * before:
                break
            before = now
        return labels


def block_vectors(pixels: Pixels, side: int, wavelet: str = "haar") -> Blocks:
    """Return colour and texture of the whole blocks of a picture.

    Examples
    --------
    >>> block_vectors(np.full((9, 8, 3), 255, np.uint8), 4)[0, 0].round(6).tolist()
    [235.0, 128.0, 128.0, 0.0, 0.0, 0.0]
    """
    height, width = (n // side * side for n in pixels.shape[:2])
    rgb2ycbcr = vision("skimage.color", "KMeansSeg").rgb2ycbcr
    colours = rgb2ycbcr(pixels[:height, :width])  # Y 16-235, Cb and Cr 16-240
    pywt = vision("pywt", "KMeansSeg")
    _, details = pywt.dwt2(colours[..., 0], wavelet, mode="periodization")
    texture = np.sqrt(_block_means(np.stack(details, axis=2) ** 2, side // 2))
    return np.concatenate([_block_means(colours, side), texture], axis=2)


def _block_means(values: npt.NDArray[np.float64], side: int) -> Blocks:
    height, width, depth = values.shape
    shape = height // side, side, width // side, side, depth
    means: Blocks = values.reshape(shape).mean(axis=(1, 3))
    return means


def _spread(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return each number's standard deviation, infinite where it does not vary."""
    spread = rows.std(axis=0)
    return np.where(spread > _FLAT * 255, spread, np.inf)


def _enclosing(mask: npt.NDArray[np.bool_]) -> Boxes:
    """Return x0, y0, x1, y1 around all blocks of a region."""
    y, x = np.nonzero(mask)
    return np.array([x.min(), y.min(), x.max() + 1, y.max() + 1], dtype=np.float32)
