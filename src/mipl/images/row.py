"""Row: the mean colours of the rows of a small picture, with their neighbours."""

import numpy as np

from mipl.images.grid import boxes
from mipl.images.image_bags import ImageBags, PictureBag
from mipl.images.large_pixels import Reduced, reduced
from mipl.images.pixels import Pixels
from mipl.parameters import Integer, choice, integer

_BORDERS = ("replicate", "zero", "wrap", "drop")


class Row(ImageBags):
    """One instance per row of the picture reduced to ``size`` rows (Maron, Ratan).

    An instance is the row's mean colour, then that of the row above and of the row
    below, both as differences to it: 9 numbers, colours from 0 to 255.

    Examples
    --------
    >>> bags = Row().transform(np.zeros((2, 224, 224, 3), np.uint8))
    >>> bags
    Bags(2 bags, 16 instances x 9 features, 8-8 per bag)
    >>> bags.coords[1].tolist()
    [0.0, 28.0, 224.0, 56.0]
    """

    size: int = integer("Rows of the reduced picture.", default=8, at_least=1)
    neighbour: str = choice(
        "Whether the neighbours' colours are relative to the row's own.",
        ("difference", "absolute"),
        default="difference",
    )
    border: str = choice(
        "The neighbour that the first and the last row lack: that row itself, black, "
        "the row at the other end; or such rows are left out.",
        ("replicate", "zero", "wrap", "drop"),
        default="replicate",
    )

    def check(self) -> None:
        """Refuse wrong arguments."""
        super().check()
        if self.border == "drop":
            Integer(at_least=3).check("size of Row", self.size)

    def instances(self, pixels: Pixels) -> PictureBag:
        """Return the rows of one picture."""
        rho = reduced(pixels, self.size).mean(axis=1)  # (s, 3)
        if self.border == "drop":
            above, rho, below = rho[:-2], rho[1:-1], rho[2:]
        else:
            before, after = _beyond(rho, self.border)
            above = np.vstack([before, rho[:-1]])
            below = np.vstack([rho[1:], after])
        if self.neighbour == "difference":
            above, below = above - rho, below - rho
        height, width = pixels.shape[:2]
        first = 1 if self.border == "drop" else 0
        tops = (np.arange(len(rho)) + first) * (height / self.size)
        where = boxes(tops, np.zeros(1), height / self.size, width)
        return PictureBag(np.hstack([rho, above, below]), where)  # (s, 9)


def _beyond(rho: Reduced, border: str) -> tuple[Reduced, Reduced]:
    """Return what stands for the row above the first and below the last."""
    if border == "zero":
        return np.zeros_like(rho[0]), np.zeros_like(rho[0])
    first, last = rho[0], rho[-1]
    return (last, first) if border == "wrap" else (first, last)
