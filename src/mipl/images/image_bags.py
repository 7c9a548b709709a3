"""What the generators of pictures share: pictures in, bags with boxes out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from mipl.generators.bag_generator import BagGenerator
from mipl.generators.instance_bag import InstanceBag
from mipl.generators.item import Item
from mipl.images.pictures import Picture, as_pictures
from mipl.images.pixels import Pixels

PictureBag = InstanceBag

# Of (h, w) arrays: an index that gives the pixels of one instance.
Area = tuple[slice, slice] | npt.NDArray[np.bool_]


class ImageBags(BagGenerator, kw_only=True):
    """A transformer without state: pictures -> ``Bags``.

    A generator overrides ``instances``, the bag of one picture; one that is faster on
    many pictures at once (a network) overrides ``chunk`` instead. One whose instances
    are no boxes overrides ``areas``, too, so that what a model says of them can be
    drawn over the picture. Pictures are arrays (m, h, w, c) or (m, h, w), a list of
    arrays and paths, or a folder; ``coords`` are x0, y0, x1, y1 in pixels.

    Examples
    --------
    A generator of one's own, an instance for each half of a picture:

    >>> class Halves(ImageBags):
    ...     def instances(self, pixels):
    ...         h, w = pixels.shape[:2]
    ...         halves = np.array([[0, 0, w // 2, h], [w // 2, 0, w, h]], np.float32)
    ...         means = [pixels[area].mean(axis=(0, 1)) for area in boxed(halves)]
    ...         return PictureBag(np.array(means, np.float32), halves)
    >>> Halves().transform(np.zeros((3, 8, 8, 3), np.uint8))
    Bags(3 bags, 6 instances x 3 features, 2-2 per bag)
    """

    item: ClassVar[type[Item]] = Picture

    def items(self, X: Any) -> list[Picture]:
        """Return the pictures of a stack of arrays, of files, or of a folder."""
        return as_pictures(X)

    def instances(self, pixels: Pixels) -> PictureBag:
        """Return the instances (n, d) and boxes (n, 4) of one picture.

        What is wrong with a picture is a MiplError that goes on after its name: "has 2
        x 2 pixels, too few for ...".
        """
        raise NotImplementedError

    def areas(self, pixels: Pixels, bag: PictureBag) -> Iterable[Area]:
        """Return for each instance of a picture the pixels that it is made of.

        An area is an index of (h, w) arrays. Areas may overlap and leave pixels out.
        """
        return boxed(bag.boxes)


def boxed(boxes: npt.NDArray[np.floating[Any]]) -> list[Area]:
    """Return the pixels inside boxes x0, y0, x1, y1, which may leave the picture.

    Examples
    --------
    >>> boxed(np.array([[1.0, -2.0, 3.0, 2.0]]))
    [(slice(0, 2, None), slice(1, 3, None))]
    """
    whole = np.rint(boxes).astype(int).clip(0).tolist()
    return [(slice(y0, y1), slice(x0, x1)) for x0, y0, x1, y1 in whole]
