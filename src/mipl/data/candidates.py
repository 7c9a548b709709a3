"""Candidates: for each bag the set of labels of which one is true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.frozen import Array, Frozen, frozen
from mipl.data.indexing import Index, chosen
from mipl.data.label_sets import (
    as_classes,
    check_sets,
    check_weights,
    encode,
    read_sets,
    some,
)
from mipl.errors import MiplError, counted

__all__ = ["Candidates", "encode"]


class Candidates(Frozen):
    """Candidate sets as a boolean (m, k) matrix with class names.

    Parameters
    ----------
    y : Candidates, (m, k) matrix, list of sets or lists of class names, or 1-D labels
        A boolean or 0/1 matrix gives the sets themselves; other non-negative numbers
        (votes, probabilities) give sets by their support and starting label weights by
        their normalised rows; 1-D labels are sets of one, and a text in their place,
        as ``"oak|elm"``, is a set of the names between ``|``.
    classes : list of k class names, optional
        Order of the columns. By default 0..k-1 for a matrix (the column names of a
        data frame), otherwise the sorted names that occur.

    Attributes
    ----------
    matrix : (m, k) bool
    classes : (k,) names
    weights : (m, k) float64 or None
        Rows on the candidates' simplex; None means uniform.

    Examples
    --------
    >>> y = Candidates([{"oak", "elm"}, {"oak"}])
    >>> y.classes.tolist(), y.matrix.astype(int).tolist()
    (['elm', 'oak'], [[1, 1], [0, 1]])
    >>> Candidates(["oak|elm", "oak"]).matrix.astype(int).tolist()
    [[1, 1], [0, 1]]
    >>> Candidates(np.array([[3.0, 1.0, 0.0]])).weights.tolist()
    [[0.75, 0.25, 0.0]]
    """

    __slots__ = ("classes", "matrix", "weights")

    matrix: npt.NDArray[np.bool_]
    classes: Array
    weights: npt.NDArray[np.float64] | None

    def __init__(self, y: Any, classes: Any = None) -> None:
        if not isinstance(y, Candidates):
            matrix, names, weights = read_sets(y, classes)
        elif classes is None:
            matrix, names, weights = y.matrix, y.classes, y.weights
        else:
            matrix, names, weights = _recoded(y, as_classes(classes))
        check_sets(matrix)
        self._put(names, matrix, weights)

    @classmethod
    def from_parts(cls, matrix: Any, classes: Any, weights: Any = None) -> Candidates:
        """Put stored parts together again, checked and bit for bit.

        The constructor normalises what it is given; a file that was written from
        ``matrix``, ``classes`` and ``weights`` must come back as it was.

        Examples
        --------
        >>> y = Candidates(np.array([[3.0, 1.0, 0.0]]))
        >>> Candidates.from_parts(y.matrix, y.classes, y.weights).weights.tolist()
        [[0.75, 0.25, 0.0]]
        """
        matrix, names = np.asarray(matrix), as_classes(classes)
        if matrix.dtype != bool or matrix.ndim != 2 or matrix.shape[1] != len(names):
            raise MiplError(
                f"a stored candidate matrix must be boolean with {len(names)} columns, "
                f"one per class; got {matrix.dtype} of shape {matrix.shape}."
            )
        check_sets(matrix)
        if weights is not None:
            weights = frozen(np.asarray(weights))
            check_weights(weights, matrix)
        return cls._made(names, frozen(matrix), weights)

    def __len__(self) -> int:
        return len(self.matrix)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of bags and of classes."""
        return (self.matrix.shape[0], self.matrix.shape[1])

    @property
    def ndim(self) -> int:
        """Two, as ``shape`` says."""
        return 2

    @property
    def dtype(self) -> np.dtype[Any]:
        """Boolean, the type of ``matrix``."""
        return self.matrix.dtype

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of candidates of each bag."""
        sizes: npt.NDArray[np.int64] = self.matrix.sum(axis=1, dtype=np.int64)
        return sizes

    def initial_weights(self) -> npt.NDArray[np.float64]:
        """Return the starting label weights: rows on the candidates' simplex."""
        if self.weights is not None:
            return self.weights.copy()  # (m, k)
        return self.matrix / self.sizes[:, None]  # (m, k)

    def contains(self, labels: Any) -> npt.NDArray[np.bool_]:
        """Tell for each bag whether its label is among its candidates."""
        columns = self.encode(labels)
        if len(columns) != len(self):
            raise MiplError(
                f"labels must have {len(self)} entries; got {len(columns)}."
            )
        return self.matrix[np.arange(len(self)), columns]

    def encode(self, labels: Any) -> npt.NDArray[np.int64]:
        """Return the column numbers of these class names."""
        return encode(labels, self.classes)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        return (frozenset(self.classes[row].tolist()) for row in self.matrix)

    def __getitem__(self, key: Index) -> Candidates:
        rows = chosen(key, len(self))
        weights = None if self.weights is None else self.weights[rows]
        return Candidates._made(self.classes, self.matrix[rows], weights)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.matrix.astype(dtype or bool, copy=bool(copy))

    def __repr__(self) -> str:
        kind = ", weighted" if self.weights is not None else ""
        mean = f"{self.sizes.mean():.2f}" if len(self) else "0"
        return (
            f"Candidates({counted(len(self), 'bag')}, "
            f"{counted(len(self.classes), 'class', 'classes')}, "
            f"{mean} candidates on average{kind})"
        )


def _recoded(y: Candidates, classes: Array) -> tuple[Array, Array, Array | None]:
    """Put the columns of ``y`` in the order of ``classes``, which holds them all."""
    foreign = set(y.classes.tolist()) - set(classes.tolist())
    if foreign:
        raise MiplError(
            f"class {min(foreign, key=str)!r} is not among the classes {some(classes)}."
        )
    columns = encode(y.classes, classes)

    def spread(old: Array) -> Array:
        new = np.zeros((len(y), len(classes)), dtype=old.dtype)
        new[:, columns] = old
        return new

    weights = None if y.weights is None else spread(y.weights)
    return spread(y.matrix), classes, weights
