"""Candidates: for each bag the set of labels of which one is true."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import EllipsisType
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import DataConversionWarning

from mipl.data.bags import Array, Index
from mipl.errors import MiplError


class Candidates:
    """Candidate sets as a boolean (m, k) matrix with class names.

    Parameters
    ----------
    y : Candidates, (m, k) matrix, list of sets or lists of class names, or 1-D labels
        A boolean or 0/1 matrix gives the sets themselves; other non-negative numbers
        (votes, probabilities) give sets by their support and starting label weights by
        their normalised rows; 1-D labels are sets of one.
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
    >>> Candidates(np.array([[3.0, 1.0, 0.0]])).weights.tolist()
    [[0.75, 0.25, 0.0]]
    """

    __slots__ = ("classes", "matrix", "weights")

    matrix: npt.NDArray[np.bool_]
    classes: Array
    weights: npt.NDArray[np.float64] | None

    def __init__(self, y: Any, classes: Any = None) -> None:
        if isinstance(y, Candidates):
            if classes is not None:
                y = _recoded(y, _as_classes(classes))
            self._freeze(y.matrix, y.classes, y.weights)
            return
        if hasattr(y, "columns") and hasattr(y, "to_numpy"):
            classes = list(y.columns) if classes is None and y.shape[1] > 1 else classes
        if hasattr(y, "to_numpy"):
            y = y.to_numpy()
        y = _array_if_matrix(y)
        if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected: "
                "it is read as one label per bag.",
                DataConversionWarning,
                stacklevel=2,
            )
            y = y.ravel()
        names = None if classes is None else _as_classes(classes)
        if isinstance(y, np.ndarray) and y.ndim == 2:
            matrix, weights = _from_matrix(y)
            names = np.arange(matrix.shape[1]) if names is None else names
            if len(names) != matrix.shape[1]:
                raise MiplError(
                    f"the candidate matrix has {matrix.shape[1]} columns "
                    f"for {len(names)} classes; it needs one column per class."
                )
        else:
            matrix, names = _from_names(_as_sets(y), names)
            weights = None
        _check_sets(matrix)
        self._freeze(matrix, names, weights)

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
        matrix, names = np.asarray(matrix), _as_classes(classes)
        if matrix.dtype != bool or matrix.ndim != 2 or matrix.shape[1] != len(names):
            raise MiplError(
                f"a stored candidate matrix must be boolean with {len(names)} columns, "
                f"one per class; got {matrix.dtype} of shape {matrix.shape}."
            )
        _check_sets(matrix)
        if weights is not None:
            weights = _stored_weights(np.asarray(weights), matrix)
        return _rebuild(matrix, names, weights)

    def _freeze(self, matrix: Array, classes: Array, weights: Array | None) -> None:
        for name, value in zip(
            ("matrix", "classes", "weights"), (matrix, classes, weights), strict=True
        ):
            if value is not None:
                value = value.view()
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Candidates are frozen; {name} cannot be set.")

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
        return np.count_nonzero(self.matrix, axis=1)

    def initial_weights(self) -> npt.NDArray[np.float64]:
        """Return the starting label weights: rows on the candidates' simplex."""
        if self.weights is not None:
            return self.weights.copy()  # (m, k)
        return self.matrix / self.sizes[:, None]  # (m, k)

    def contains(self, labels: Any) -> npt.NDArray[np.bool_]:
        """Tell for each bag whether its label is among its candidates."""
        return self.matrix[np.arange(len(self)), self.encode(labels)]

    def encode(self, labels: Any) -> npt.NDArray[np.int64]:
        """Return the column numbers of these class names."""
        return encode(labels, self.classes)

    def __iter__(self) -> Iterator[frozenset[Any]]:
        return (frozenset(self.classes[row].tolist()) for row in self.matrix)

    def __getitem__(self, key: Index | tuple[Index, EllipsisType]) -> Candidates:
        if isinstance(key, tuple):
            if len(key) != 2 or key[1] is not Ellipsis:
                raise IndexError("candidates are indexed by bag, with one key.")
            key = key[0]
        rows = slice(key, key + 1 or None) if isinstance(key, int) else key
        if isinstance(key, int) and not -len(self) <= key < len(self):
            raise IndexError(f"bag {key} is out of range for {len(self)} bags.")
        part = Candidates.__new__(Candidates)
        weights = None if self.weights is None else self.weights[rows]
        part._freeze(self.matrix[rows], self.classes, weights)
        return part

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.matrix.astype(dtype or bool, copy=bool(copy))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.matrix, self.classes, self.weights)

    def __repr__(self) -> str:
        kind = ", weighted" if self.weights is not None else ""
        mean = f"{self.sizes.mean():.2f}" if len(self) else "0"
        return (
            f"Candidates({len(self)} bags, {len(self.classes)} classes, "
            f"{mean} candidates on average{kind})"
        )


def encode(labels: Any, classes: Array) -> npt.NDArray[np.int64]:
    """Return the positions of class names in ``classes``; refuse unknown ones."""
    labels = np.asarray(labels)
    position = {name: i for i, name in enumerate(classes.tolist())}
    try:
        return np.array([position[name] for name in labels.tolist()], dtype=np.int64)
    except KeyError as error:
        raise MiplError(
            f"label {error.args[0]!r} is not among the classes {_some(classes)}."
        ) from None


def _rebuild(matrix: Array, classes: Array, weights: Array | None) -> Candidates:
    candidates = Candidates.__new__(Candidates)
    candidates._freeze(matrix, classes, weights)
    return candidates


def _check_sets(matrix: Array) -> None:
    if len(matrix) == 0:
        raise MiplError("there are no candidate sets; give at least one.")
    empty = ~matrix.any(axis=1)
    if empty.any():
        raise MiplError(
            f"candidate set of bag {int(np.argmax(empty))} is empty; every bag "
            "needs at least one candidate: drop the bag or give it all classes."
        )


def _stored_weights(weights: Array, matrix: Array) -> Array:
    if weights.dtype != np.float64 or weights.shape != matrix.shape:
        raise MiplError(
            f"stored label weights must be float64 of shape {matrix.shape}; "
            f"got {weights.dtype} of shape {weights.shape}."
        )
    inside = (weights >= 0) & (weights <= matrix)  # False for NaN, too.
    total = np.where(inside, weights, 0).sum(axis=1)
    on_simplex = inside.all(axis=1) & (np.abs(total - 1) < 1e-6)
    if not on_simplex.all():
        raise MiplError(
            f"label weights of bag {int(np.argmin(on_simplex))} must be >= 0 on its "
            "candidates, 0 elsewhere, and sum to 1."
        )
    return weights


def _some(classes: Array) -> str:
    names = [str(name) for name in classes[:8].tolist()]
    return ", ".join(names) + (", ..." if len(classes) > 8 else "")


def _as_classes(classes: Any) -> Array:
    names = np.asarray(classes)
    if names.dtype == object:
        names = np.asarray([str(name) for name in names.tolist()])
    if names.ndim != 1 or len(names) == 0:
        raise MiplError(f"classes must be a list of names; got shape {names.shape}.")
    values, counts = np.unique(names, return_counts=True)
    if (counts > 1).any():
        raise MiplError(
            f"class {values[counts > 1][0]!r} is named twice; names must differ."
        )
    return names


def _array_if_matrix(y: Any) -> Any:
    """Turn array-likes and lists of boolean lists into arrays; leave lists of sets."""
    if isinstance(y, np.ndarray):
        return y
    if isinstance(y, (set, frozenset, str, bytes, dict)) or not hasattr(y, "__len__"):
        raise MiplError(
            f"candidates must be a (m, k) matrix, a list of sets, or labels; "
            f"got a {type(y).__name__}."
        )
    if hasattr(y, "__array__"):
        return np.asarray(y)
    rows = list(y)
    if rows and all(isinstance(row, np.ndarray) and row.ndim == 1 for row in rows):
        rows = [row.tolist() for row in rows]
    nested = [isinstance(row, (list, tuple, set, frozenset)) for row in rows]
    if any(nested):
        flags = [v for row in rows if isinstance(row, (list, tuple)) for v in row]
        if (
            all(nested)
            and flags
            and all(isinstance(v, (bool, np.bool_)) for v in flags)
        ):
            if len({len(row) for row in rows}) == 1:
                return np.asarray(rows)
        return rows
    return np.asarray(rows)


def _as_sets(y: Any) -> list[list[Any]]:
    sets = []
    for i, row in enumerate(y):
        if isinstance(row, np.generic):
            row = row.item()
        if isinstance(row, (set, frozenset, list, tuple, np.ndarray)):
            names = row.tolist() if isinstance(row, np.ndarray) else list(row)
            sets.append([v.item() if isinstance(v, np.generic) else v for v in names])
        elif row is None or (isinstance(row, float) and not np.isfinite(row)):
            raise MiplError(
                f"the label of bag {i} is {row} (NaN or infinity); it must be a class."
            )
        else:
            sets.append([row])
    return sets


def _from_names(sets: list[list[Any]], names: Array | None) -> tuple[Array, Array]:
    if names is None:
        seen = {name for row in sets for name in row}
        kinds = {isinstance(name, str) for name in seen}
        if len(kinds) > 1:
            seen = {str(name) for name in seen}
            sets = [[str(name) for name in row] for row in sets]
        try:
            names = np.asarray(sorted(seen))
        except TypeError as error:
            raise MiplError(
                f"class names must be all text or all numbers; {error}."
            ) from None
    elif names.dtype.kind == "U":
        sets = [[str(name) for name in row] for row in sets]
    position = {name: c for c, name in enumerate(names.tolist())}
    matrix = np.zeros((len(sets), len(names)), dtype=bool)  # (m, k)
    for i, row in enumerate(sets):
        for name in row:
            if name not in position:
                raise MiplError(
                    f"candidate {name!r} of bag {i} is not among the classes "
                    f"{_some(names)}."
                )
            matrix[i, position[name]] = True
    return matrix, names


def _from_matrix(y: Array) -> tuple[Array, Array | None]:
    if y.dtype == bool:
        return y.copy(), None
    try:
        values = y.astype(np.float64)
    except (TypeError, ValueError):
        raise MiplError(
            "a candidate matrix must hold booleans or non-negative numbers; "
            f"got dtype {y.dtype}. For class names give a list of lists."
        ) from None
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        i, c = (int(index[0]) for index in np.nonzero(bad))
        raise MiplError(
            f"candidate weight of bag {i}, class column {c} is {values[i, c]}; "
            "weights must be finite and >= 0."
        )
    matrix = values > 0
    if np.isin(values, (0.0, 1.0)).all():
        return matrix, None
    # Scaling by the largest first keeps huge votes from overflowing the sum.
    largest = values.max(axis=1, keepdims=True)
    scaled = values / np.where(largest > 0, largest, 1)
    total = scaled.sum(axis=1, keepdims=True)
    weights = scaled / np.where(total > 0, total, 1)
    return matrix, weights


def _recoded(y: Candidates, classes: Array) -> Candidates:
    """Put the columns of ``y`` in the order of ``classes``, which holds them all."""
    columns = encode(y.classes, classes)
    matrix = np.zeros((len(y), len(classes)), dtype=bool)
    matrix[:, columns] = y.matrix
    weights = None
    if y.weights is not None:
        weights = np.zeros(matrix.shape)
        weights[:, columns] = y.weights
    return _rebuild(matrix, classes, weights)
