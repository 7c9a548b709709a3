"""SIFT: gradient histograms of patches on a regular grid."""

import math

import numpy as np
import numpy.typing as npt

from mipl.data.frozen import Array
from mipl.errors import MiplError
from mipl.images.grid import boxes
from mipl.images.image_bags import ImageBags, PictureBag
from mipl.images.pixels import Pixels
from mipl.images.vision_extra import vision
from mipl.parameters import integer

_GRID = 5  # Patches per side, unless a stride is given.
_SHARE = 7  # Side of the picture over side of a patch: 224 / 32.
_REACH, _BLUR = 0.625, 8  # From the centre: 2.5 cells, and the pixels of the blur.
_DIAMETERS = 6.0  # OpenCV's four cells span six times the size of a keypoint.
_FINEST = 1.6 * 2 * _DIAMETERS  # Patch of a keypoint as fine as the blur of octave 0.


class SIFT(ImageBags):
    """Dense SIFT, upright and of one scale: 4 x 4 cells of 8 directions per patch.

    The descriptor is OpenCV's at the centre of each patch, 128 numbers from 0 to 255:
    normalised, clipped at 0.2, normalised again, times 512. A flat patch gives zeros.
    The octave is the one to which a keypoint of that size belongs, so that the blur
    before the gradients grows and shrinks with the patch.

    Examples
    --------
    >>> bags = SIFT().transform([np.zeros((64, 64), np.uint8)])
    >>> bags
    Bags(1 bag, 25 instances x 128 features, 25-25 per bag)
    >>> SIFT(patch=16, stride=48).transform([np.zeros((224, 224), np.uint8)]).coords[1]
    array([48.,  0., 64., 16.], dtype=float32)
    """

    patch: int | None = integer(
        "Side of a patch in pixels; by default a seventh of the picture's shorter "
        "side, 32 for 224.",
        default=None,
        at_least=1,
    )
    stride: int | None = integer(
        "Pixels from patch to patch; by default five patches spread evenly along each "
        "side, every 48 pixels for 224.",
        default=None,
        at_least=1,
    )

    def instances(self, pixels: Pixels) -> PictureBag:
        """Return the descriptors of one picture."""
        cv2 = vision("cv2", "SIFT")
        height, width = pixels.shape[:2]
        patch = self.patch or max(1, round(min(height, width) / _SHARE))
        if patch > min(height, width):
            raise MiplError(
                f"has {width} x {height} pixels, too few for patches of {patch}; give "
                "a larger picture or a smaller patch."
            )
        where = boxes(
            self._starts(height, patch), self._starts(width, patch), *[patch] * 2
        )
        centres = (where[:, :2] + where[:, 2:] - 1) / 2
        octave = max(-1, math.floor(math.log2(patch / _FINEST)))
        keypoints = [
            cv2.KeyPoint(float(x), float(y), patch / _DIAMETERS, 0, 0, octave & 255)
            for x, y in centres
        ]
        grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
        _, descriptors = cv2.SIFT_create().compute(grey, keypoints)
        # Where nothing varies, OpenCV may normalise the rounding errors of its blur.
        reach = round(_REACH * patch) + _BLUR * 2 ** max(0, octave)
        flat = [np.ptp(_around(grey, x, y, reach)) == 0 for x, y in centres]
        return PictureBag(np.where(np.array(flat)[:, None], 0, descriptors), where)

    def _starts(self, side: int, patch: int) -> npt.NDArray[np.int64]:
        """Return where patches begin along one side."""
        if self.stride is not None:
            return np.arange(0, side - patch + 1, self.stride)
        return np.linspace(0, side - patch, _GRID).round().astype(np.int64)


def _around(grey: npt.NDArray[np.uint8], x: float, y: float, reach: int) -> Array:
    """Return the pixels that count for a descriptor at (x, y)."""
    left, top = max(0, int(x) - reach), max(0, int(y) - reach)
    return grey[top : int(y) + reach + 2, left : int(x) + reach + 2]
