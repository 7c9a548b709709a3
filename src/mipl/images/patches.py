"""Patches: the tiles of a picture, with their pixels as features."""

from collections.abc import Sequence

import numpy as np

from mipl.errors import MiplError
from mipl.images.grid import Boxes, boxes, tiles
from mipl.images.image_bags import ImageBags, PictureBag
from mipl.images.pixels import Pixels
from mipl.images.vision_extra import vision
from mipl.parameters import integer


def cut(pixels: Pixels, grid: int) -> tuple[list[Pixels], Boxes]:
    """Cut the centre of a picture into grid x grid equal tiles, row by row.

    Examples
    --------
    >>> patches, where = cut(np.zeros((224, 224, 3), np.uint8), 4)
    >>> len(patches), patches[0].shape, where[-1].tolist()
    (16, (56, 56, 3), [168.0, 168.0, 224.0, 224.0])
    """
    height, width = pixels.shape[:2]
    if min(height, width) < grid:
        raise MiplError(
            f"has {width} x {height} pixels, too few for {grid} x {grid} tiles; give a "
            "larger picture or a smaller grid."
        )
    tops, lefts, h, w = tiles(height, width, grid)
    patches = [pixels[y : y + h, x : x + w] for y in tops for x in lefts]
    return patches, boxes(tops, lefts, h, w)


def resized(patches: Sequence[Pixels], size: int) -> list[Pixels]:
    """Bring patches to size x size pixels, by area where they shrink."""
    cv2 = vision("cv2", "resizing patches")
    ways = [
        cv2.INTER_AREA if min(p.shape[:2]) > size else cv2.INTER_LINEAR for p in patches
    ]
    return [
        cv2.resize(patch, (size, size), interpolation=way)
        for patch, way in zip(patches, ways, strict=True)
    ]


class Patches(ImageBags):
    """Cut a picture into ``grid`` x ``grid`` tiles and take their pixels, 0 to 1.

    The tiles are equal and of whole pixels; where the side is no multiple of the grid,
    the centre of the picture is cut (220 of 224 pixels for 5 x 5). An instance is red,
    green and blue after one another, ``instance_shape`` (3, h, w).

    Examples
    --------
    >>> bags = Patches(grid=5).transform(np.zeros((2, 224, 224, 3), np.uint8))
    >>> bags, bags.instance_shape
    (Bags(2 bags, 50 instances x 5,808 features, 25-25 per bag), (3, 44, 44))
    >>> bags.coords[0].tolist()
    [2.0, 2.0, 46.0, 46.0]
    """

    grid: int = integer(
        "Tiles per side: 4 gives 16 instances, 5 gives 25.", default=4, at_least=1
    )
    size: int | None = integer(
        "Side in pixels to which each tile is resized; by default tiles stay as they "
        "are cut, and the pictures must be of one size.",
        default=None,
        at_least=1,
    )

    def instances(self, pixels: Pixels) -> PictureBag:
        """Return the tiles of one picture."""
        patches, where = cut(pixels, self.grid)
        if self.size is not None:
            patches = resized(patches, self.size)
        stack = np.stack(patches).transpose(0, 3, 1, 2)  # (n, 3, h, w)
        rows = stack.reshape(len(stack), -1).astype(np.float32) / np.float32(255)
        return PictureBag(rows, where)

    def shape(self, bag: PictureBag) -> tuple[int, ...]:
        """Return (3, h, w)."""
        x0, y0, x1, y1 = bag.boxes[0]
        return (3, *((self.size,) * 2 if self.size else (int(y1 - y0), int(x1 - x0))))
