"""Bags that come one after another, as torch's Dataset and DataLoader give them.

They are read once, and their instances wait on disk: what comes may be larger than
memory. torch itself is not loaded here.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.arrays import numbers
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import MiplError

Numbers = npt.NDArray[np.int64]


class SpooledFile:
    """A file that is removed with the last object that reads it in this process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        weakref.finalize(self, path.unlink, missing_ok=True)

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.path = state["path"]  # Another process's: that one removes it.


class WaitingRows:
    """Rows of a file of plain float32 numbers."""

    def __init__(
        self, file: SpooledFile, whole: tuple[int, int], chosen: Numbers | None
    ) -> None:
        self.file, self.whole, self.chosen = file, whole, chosen

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""
        n = self.whole[0] if self.chosen is None else len(self.chosen)
        return n, self.whole[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers on disk."""
        return np.dtype(np.float32)

    def __getitem__(self, rows: slice) -> npt.NDArray[np.float32]:
        there = np.memmap(self.file.path, np.float32, "r", shape=self.whole)
        which = rows if self.chosen is None else self.chosen[rows]
        return np.array(there[which])

    def select(self, starts: Any, stops: Any) -> WaitingRows:
        """Return the rows of these runs, one after another, still on disk."""
        runs = zip(np.asarray(starts).tolist(), np.asarray(stops).tolist(), strict=True)
        parts = [np.arange(start, stop) for start, stop in runs]
        rows = np.concatenate(parts) if parts else np.empty(0, np.int64)
        chosen = rows if self.chosen is None else self.chosen[rows]
        return WaitingRows(self.file, self.whole, chosen)


def is_stream(data: Any) -> bool:
    """Tell whether this is a Dataset or DataLoader of torch."""
    return any(
        kind.__module__.startswith("torch.utils.data") for kind in type(data).__mro__
    )


def streamed(stream: Iterable[Any], classes: Any = None) -> tuple[Bags, Candidates]:
    """Read pairs (bag, candidates) once, and keep the instances on disk.

    A pair is one bag (n, d) and its candidates: a row of k numbers or truth values, or
    the names of its classes. Or it is a batch, as a DataLoader collates it: bags
    (b, n, d), or a list of bags, and as many candidates. The file is removed with the
    bags.

    Parameters
    ----------
    stream : torch Dataset, DataLoader, or any iterable of such pairs
    classes : names, optional
        Of the columns of candidates that are rows.

    Examples
    --------
    >>> pairs = [(np.ones((2, 3)), [1, 0]), (np.zeros((1, 3)), [1, 1])]
    >>> bags, sets = streamed(iter(pairs))
    >>> bags, sets.matrix.astype(int).tolist()
    (Bags(2 bags, 3 instances x 3 features, 1-2 per bag, on disk), [[1, 0], [1, 1]])
    """
    handle = tempfile.NamedTemporaryFile(prefix="mipl-bags-", delete=False)
    file = SpooledFile(Path(handle.name))
    sizes: list[int] = []
    labels: list[Any] = []
    d = 0
    with handle:
        for bag, label in _pairs(stream):
            rows = _rows(bag, len(sizes), d)
            handle.write(rows.tobytes())
            sizes.append(len(rows))
            labels.append(label)
            d = rows.shape[1]
    if not sizes:
        raise MiplError("the stream of bags is empty; give one bag at least.")
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows_of_all = WaitingRows(file, (int(offsets[-1]), d), None)
    return Bags(rows_of_all, offsets), Candidates(_sets(labels), classes=classes)


def _pairs(stream: Any) -> Iterator[tuple[Any, Any]]:
    """Give one bag and its candidates at a time."""
    items = (
        stream
        if hasattr(stream, "__iter__")
        else map(stream.__getitem__, range(len(stream)))
    )
    for item in items:
        if not isinstance(item, (tuple, list)) or len(item) != 2:
            raise MiplError(
                "a stream of bags must give pairs (bag, candidates); it gave a "
                f"{type(item).__name__}."
            )
        bag, labels = item
        several = isinstance(bag, (list, tuple)) or getattr(bag, "ndim", 2) == 3
        if not several:
            yield bag, labels
        elif len(bag) != len(labels):
            raise MiplError(
                f"a batch of the stream has {len(bag)} bags and {len(labels)} "
                "candidates; give as many of both."
            )
        else:
            yield from zip(bag, labels, strict=True)


def _rows(bag: Any, number: int, d: int) -> npt.NDArray[np.float32]:
    rows = numbers(bag, f"bag {number} of the stream")
    if rows.ndim != 2 or not len(rows) or (d and rows.shape[1] != d):
        raise MiplError(
            f"bag {number} of the stream must be (n, {d or 'd'}) numbers; its shape is "
            f"{rows.shape}."
        )
    return np.ascontiguousarray(rows, dtype=np.float32)


def _sets(labels: list[Any]) -> Any:
    """Return candidates as a matrix where they are rows of numbers, else as sets."""
    arrays = [np.asarray(label) for label in labels]
    if all(a.ndim == 1 and a.dtype.kind in "biuf" for a in arrays):
        if len({len(a) for a in arrays}) == 1 and len(arrays[0]) > 1:
            matrix = np.stack(arrays)
            return matrix.astype(bool) if np.isin(matrix, (0, 1)).all() else matrix
    return [label.tolist() if hasattr(label, "tolist") else label for label in labels]
