"""What becomes a bag: a file, or the same in memory; and folders of files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from mipl.errors import BadFile, MiplError
from mipl.files import existing
from mipl.files import sha256 as file_sha256
from mipl.io.folders.layouts import SUFFIXES as FEATURE_FILES


@dataclass(frozen=True, eq=False)
class Item:
    """One picture, recording or document: its name among others, and what it is.

    Attributes
    ----------
    name : str
    source : Path, or what a kind of items is in memory
    noun, suffixes, holders, accepted
        Of the kind: what one is called, the endings of its files and of files that hold
        several, and what can be given in their place.
    """

    name: str
    source: Any

    noun: ClassVar[str] = "item"
    suffixes: ClassVar[tuple[str, ...]] = ()
    holders: ClassVar[tuple[str, ...]] = ()
    accepted: ClassVar[str] = "a list of paths, or a folder"

    def __str__(self) -> str:
        return str(self.source) if isinstance(self.source, Path) else self.name

    @classmethod
    def of_memory(cls, given: Any, place: int) -> Self:
        """Return the item that is given in memory, the one of this number."""
        raise NotImplementedError

    @classmethod
    def of_file(cls, path: Path, name: str) -> Iterator[Self]:
        """Give the items of a file: one, unless files of the kind hold several."""
        yield cls(name, path)

    @classmethod
    def recognised(cls, endings: Mapping[str, int]) -> bool:
        """Tell whether a folder that holds some of a kind is a folder of them."""
        return True

    @classmethod
    def in_holder(cls, path: Path) -> bool:
        """Tell whether a file that may hold several items does."""
        return False

    def content(self) -> Any:
        """Return what a generator takes."""
        raise NotImplementedError

    def check(self) -> None:
        """Refuse what cannot be read."""
        self.content()

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
        return self.memory_digest()

    def memory_digest(self) -> str:
        """Return a hash of what lies in memory."""
        raise NotImplementedError


T = TypeVar("T", bound=Item)


def items_of(kind: type[T], X: Any) -> list[T]:
    """Return the items of a list, of files, or of a folder.

    A folder stands for all files of the kind in it and below, in the order of their
    names; they are called by their path in it, without suffix.
    """
    if not isinstance(X, Sequence):
        raise MiplError(
            f"{kind.noun}s must be {kind.accepted}; got {type(X).__name__}."
        )
    found = [one for place, item in enumerate(X) for one in _items(kind, item, place)]
    if not found:
        raise MiplError(f"there are no {kind.noun}s; give at least one.")
    _check_names(found)
    return found


def are_items(kind: type[Item], path: Path, expected: bool = False) -> bool:
    """Tell whether a path is a file of a kind, or a folder of nothing but such files.

    Toolkits put thumbnails beside files of features; such a folder is none of pictures.
    Where such items are expected, one file of the kind is enough.
    """
    if not path.is_dir():
        return path.suffix.lower() in kind.suffixes
    endings = Counter(
        Path(name).suffix.lower()
        for _, _, names in os.walk(path)
        for name in names
        if not name.startswith(".")
    )
    if endings.keys() & set(FEATURE_FILES) or not endings.keys() & set(kind.suffixes):
        return False
    return expected or kind.recognised(endings)


def _items(kind: type[T], item: Any, place: int) -> Iterator[T]:
    if isinstance(item, kind):
        yield item
        return
    if not isinstance(item, (str, Path)):
        yield kind.of_memory(item, place)
        return
    path = existing(item)
    if not path.is_dir():
        yield from kind.of_file(path, path.stem)
        return
    inside = sorted(
        file
        for folder, _, names in os.walk(path)
        for name in names
        if (file := Path(folder, name)).suffix.lower() in kind.suffixes
        and not name.startswith(".")
    )
    if not inside:
        raise BadFile(f"{path} holds no {kind.noun}s ({', '.join(kind.suffixes)}).")
    for file in inside:
        yield from kind.of_file(file, file.relative_to(path).with_suffix("").as_posix())


def _check_names(items: Sequence[Item]) -> None:
    """Names become bag ids, so each must be given once."""
    seen: dict[str, Item] = {}
    for item in items:
        other = seen.setdefault(item.name, item)
        if other is not item:
            raise MiplError(
                f"{other} and {item} would both be called {item.name!r}; rename one of "
                "them."
            )
