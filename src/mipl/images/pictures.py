"""Pictures to be turned into bags: arrays, files, folders of files."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import MiplError
from mipl.generators.item import Item, are_items, items_of
from mipl.images.pixels import Pixels, as_pixels, read_pixels

SUFFIXES = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")


@dataclass(frozen=True, eq=False)
class Picture(Item):
    """One picture: its name among the others, and its file or its array."""

    noun: ClassVar[str] = "picture"
    suffixes: ClassVar[tuple[str, ...]] = SUFFIXES
    accepted: ClassVar[str] = (
        "an array (m, h, w, 3), a list of arrays or paths, or a folder"
    )

    @classmethod
    def of_memory(cls, given: Any, place: int) -> Self:
        """Take an array."""
        try:
            return cls(f"picture {place}", np.asarray(given))
        except ValueError:
            raise MiplError(
                f"picture {place} must be an array or a path; got a "
                f"{type(given).__name__} whose rows differ in length."
            ) from None

    def content(self) -> Pixels:
        """Return (h, w, 3) bytes."""
        if isinstance(self.source, Path):
            return read_pixels(self.source)
        return as_pixels(self.source, self.name)

    def memory_digest(self) -> str:
        """Return a hash of the array."""
        kind = repr((self.source.shape, self.source.dtype.str)).encode()
        return sha256(kind + np.ascontiguousarray(self.source).tobytes()).hexdigest()


def as_pictures(X: Any) -> list[Picture]:
    """Return the pictures of a stack of arrays, of files, or of a folder.

    Parameters
    ----------
    X : (m, h, w, c) or (m, h, w) array; list of arrays, paths and pictures; path
        A folder stands for all pictures in it and below, in the order of their names;
        they are called by their path in it, without suffix.

    Examples
    --------
    >>> [picture.name for picture in as_pictures(np.zeros((2, 8, 8, 3), np.uint8))]
    ['picture 0', 'picture 1']
    """
    if isinstance(X, (str, Path)):
        X = [X]
    if isinstance(X, np.ndarray) and X.ndim == 1:  # Of paths, or of arrays.
        X = X.tolist()
    if isinstance(X, np.ndarray):
        _check_stack(X)
        X = list(X)
    return items_of(Picture, X)


def are_pictures(path: Path) -> bool:
    """Tell whether a path is a picture, or a folder that holds nothing but pictures."""
    return are_items(Picture, path)


def _check_stack(stack: Array) -> None:
    one = stack.ndim == 3 and stack.shape[2] in (3, 4)
    if one or stack.ndim not in (3, 4):
        remedy = "put a single picture in a list" if one or stack.ndim == 2 else ""
        raise MiplError(
            "a stack of pictures must have the shape (m, h, w, c) or (m, h, w); got "
            f"{stack.shape}{': ' if remedy else ''}{remedy}."
        )
