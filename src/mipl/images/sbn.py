"""SBN: single blobs of a small picture with their four neighbours."""

import numpy as np

from mipl.data.frozen import Array
from mipl.images.grid import boxes
from mipl.images.image_bags import ImageBags, PictureBag
from mipl.images.large_pixels import reduced
from mipl.images.pixels import Pixels
from mipl.parameters import integer

_BLOB = 2  # Pixels per side; neighbours lie a blob away.


class SBN(ImageBags):
    """Blobs of 2 x 2 pixels of the picture reduced to ``size`` x ``size``, one by one.

    An instance is the blob's mean colour, then the differences to it of the blobs
    above, below, left and right: 15 numbers, colours from 0 to 255. Blobs whose
    neighbours would leave the picture are none, so there are (size - 5)^2 instances
    and the corners are never seen. Boxes are those of the blobs in the middle.

    Examples
    --------
    >>> bags = SBN().transform(np.zeros((2, 224, 224, 3), np.uint8))
    >>> bags
    Bags(2 bags, 18 instances x 15 features, 9-9 per bag)
    >>> bags.coords[0].tolist()
    [56.0, 56.0, 112.0, 112.0]
    """

    size: int = integer("Side of the reduced picture.", default=8, at_least=3 * _BLOB)

    def instances(self, pixels: Pixels) -> PictureBag:
        """Return the blobs of one picture."""
        small = reduced(pixels, self.size)
        pairs = small[:-1] + small[1:]
        blobs = (pairs[:, :-1] + pairs[:, 1:]) / np.float32(
            4
        )  # (s - 1, s - 1, 3), by top left
        centre = _shifted(blobs, 0, 0)
        around = [
            _shifted(blobs, down, right) - centre
            for down, right in ((-_BLOB, 0), (_BLOB, 0), (0, -_BLOB), (0, _BLOB))
        ]
        rows = np.concatenate([centre, *around], axis=2)  # (s - 5, s - 5, 15)
        down, right = (side / self.size for side in pixels.shape[:2])
        starts = np.arange(_BLOB, self.size - 2 * _BLOB + 1)
        where = boxes(starts * down, starts * right, _BLOB * down, _BLOB * right)
        return PictureBag(rows.reshape(-1, rows.shape[2]), where)


def _shifted(blobs: Array, down: int, right: int) -> Array:
    """Return the blobs so far from those that have all four neighbours."""
    n = len(blobs) - 2 * _BLOB
    return blobs[_BLOB + down :, _BLOB + right :][:n, :n]
