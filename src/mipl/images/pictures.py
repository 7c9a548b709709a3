"""Pictures to be turned into bags: arrays, files, folders of files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError
from mipl.files import existing
from mipl.files import sha256 as file_sha256
from mipl.images.pixels import Pixels, as_pixels, read_pixels
from mipl.io.folders.layouts import SUFFIXES as FEATURE_FILES

SUFFIXES = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")


@dataclass(frozen=True, eq=False)
class Picture:
    """One picture: its name among the others, and its file or its array."""

    name: str
    source: Path | Array

    def __str__(self) -> str:
        return str(self.source) if isinstance(self.source, Path) else self.name

    def pixels(self) -> Pixels:
        """Return (h, w, 3) bytes."""
        if isinstance(self.source, Path):
            return read_pixels(self.source)
        return as_pixels(self.source, self.name)

    @property
    def uri(self) -> str | None:
        """The address of its file."""
        return str(self.source.absolute()) if isinstance(self.source, Path) else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a label table may call it by."""
        suffix = self.source.suffix if isinstance(self.source, Path) else ""
        return self.name, f"{self.name}{suffix}"

    def digest(self) -> str:
        """Return a hash of the content."""
        if isinstance(self.source, Path):
            return file_sha256(self.source)
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
    elif not isinstance(X, Sequence):
        raise MiplError(
            "pictures must be an array (m, h, w, 3), a list of arrays or paths, or a "
            f"folder; got {type(X).__name__}."
        )
    found = [one for place, item in enumerate(X) for one in _pictures(item, place)]
    if not found:
        raise MiplError("there are no pictures; give at least one.")
    _check_names(found)
    return found


def are_pictures(path: Path) -> bool:
    """Tell whether a path is a picture, or a folder that holds nothing but pictures.

    Toolkits put thumbnails beside files of features; such a folder is none of pictures.
    """
    if not path.is_dir():
        return path.suffix.lower() in SUFFIXES
    kinds = {
        Path(name).suffix.lower()
        for _, _, names in os.walk(path)
        for name in names
        if not name.startswith(".")
    }
    return bool(kinds & set(SUFFIXES)) and not kinds & set(FEATURE_FILES)


def _check_stack(stack: Array) -> None:
    one = stack.ndim == 3 and stack.shape[2] in (3, 4)
    if one or stack.ndim not in (3, 4):
        remedy = "put a single picture in a list" if one or stack.ndim == 2 else ""
        raise MiplError(
            "a stack of pictures must have the shape (m, h, w, c) or (m, h, w); got "
            f"{stack.shape}{': ' if remedy else ''}{remedy}."
        )


def _pictures(item: Any, place: int) -> Iterator[Picture]:
    if isinstance(item, Picture):
        yield item
        return
    if not isinstance(item, (str, Path)):
        yield Picture(f"picture {place}", _array(item, place))
        return
    path = existing(item)
    if not path.is_dir():
        yield Picture(path.stem, path)
        return
    inside = sorted(
        file
        for folder, _, names in os.walk(path)
        for name in names
        if (file := Path(folder, name)).suffix.lower() in SUFFIXES
        and not name.startswith(".")
    )
    if not inside:
        raise BadFile(f"{path} holds no pictures ({', '.join(SUFFIXES)}).")
    for file in inside:
        yield Picture(file.relative_to(path).with_suffix("").as_posix(), file)


def _array(item: Any, place: int) -> Array:
    try:
        return np.asarray(item)
    except ValueError:
        raise MiplError(
            f"picture {place} must be an array or a path; got a {type(item).__name__} "
            "whose rows differ in length."
        ) from None


def _check_names(pictures: Sequence[Picture]) -> None:
    """Names become bag ids, so each must be given once."""
    seen: dict[str, Picture] = {}
    for picture in pictures:
        other = seen.setdefault(picture.name, picture)
        if other is not picture:
            raise MiplError(
                f"{other} and {picture} would both be called {picture.name!r}; rename "
                "one of them."
            )
