"""What a user may give as candidate sets, read as a matrix, names and weights."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import DataConversionWarning

from mipl.data.arrays import texts
from mipl.data.frozen import Array
from mipl.errors import BadBags, BadType, MiplError

_NAME = (str, bool, int, float, np.generic)
# Training holds a float64 for each, so 2 GiB.
_MOST_CELLS = 1 << 28
_SET = (set, frozenset, list, tuple, np.ndarray)


def read_sets(y: Any, classes: Any) -> tuple[Array, Array, Array | None]:
    """Return the (m, k) boolean matrix, the k class names and the weights, if any."""
    names = None if classes is None else as_classes(classes)
    if hasattr(y, "to_numpy"):
        if names is None and np.ndim(y) == 2 and y.shape[1] > 1:
            names = as_classes(list(y.columns))
        y = y.to_numpy()
    y = _one_label_each(_array_if_matrix(y))
    if not isinstance(y, np.ndarray) or y.ndim == 1:
        return *_from_names(_as_sets(y, names), names), None
    matrix, weights = _from_matrix(y)
    names = np.arange(matrix.shape[1]) if names is None else names
    if len(names) != matrix.shape[1]:
        raise MiplError(
            f"the candidate matrix has {matrix.shape[1]} columns "
            f"for {len(names)} classes; it needs one column per class."
        )
    return matrix, names, weights


def empty_matrix(n_bags: int, n_classes: int) -> npt.NDArray[np.bool_]:
    """Return a candidate matrix to be filled; refuse one that is too large to hold.

    Examples
    --------
    >>> empty_matrix(100_000, 20_000)
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: 100,000 bags and 20,000 classes make 2,000,000,000 cells; \
at most 268,435,456 are held: merge rare classes, or split the data.
    """
    if n_bags * n_classes > _MOST_CELLS:
        raise MiplError(
            f"{n_bags:,} bags and {n_classes:,} classes make {n_bags * n_classes:,} "
            f"cells; at most {_MOST_CELLS:,} are held: merge rare classes, or split "
            "the data."
        )
    return np.zeros((n_bags, n_classes), dtype=bool)


def check_sets(matrix: Array) -> None:
    """Refuse no sets, and empty ones."""
    if len(matrix) == 0:
        raise MiplError("there are no candidate sets; give at least one.")
    empty = np.flatnonzero(~matrix.any(axis=1)).tolist()
    if empty:
        raise BadBags(
            f"candidate set of bag {empty[0]} is empty; every bag "
            "needs at least one candidate: drop the bag or give it all classes.",
            "empty-sets",
            empty,
            "bag {}".format,
        )


def check_weights(weights: Array, matrix: Array) -> None:
    """Refuse label weights that do not lie on the candidates' simplex."""
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


def as_classes(classes: Any) -> Array:
    """Read class names in their order."""
    if isinstance(classes, (set, frozenset, Mapping, str)):
        raise BadType(
            f"classes must be a list of names in the order of the columns; "
            f"got a {type(classes).__name__}."
        )
    names = texts("classes", classes)
    if len(names) == 0:
        raise MiplError("classes must hold at least one name; got none.")
    if names.dtype.kind == "f" and not np.isfinite(names).all():
        raise MiplError("classes must be names; got NaN or inf among them.")
    values, counts = np.unique(names, return_counts=True)
    if (counts > 1).any():
        twice = values[counts > 1].tolist()[0]
        raise MiplError(f"class {twice!r} is named twice; names must differ.")
    return names


def encode(labels: Any, classes: Array) -> npt.NDArray[np.int64]:
    """Return the positions of class names in ``classes``; refuse unknown ones.

    Examples
    --------
    >>> encode(["elm", "oak", "elm"], np.array(["oak", "elm"])).tolist()
    [1, 0, 1]
    """
    array = np.asarray(labels, dtype=object)
    if array.ndim != 1:
        raise MiplError(
            f"labels must be a flat list, one class name per bag; "
            f"got shape {array.shape}."
        )
    return _positions([[label] for label in array.tolist()], classes, "label")[:, 1]


def _positions(sets: list[list[Any]], classes: Array, what: str) -> Array:
    """Return (bag, column) pairs of all names in the sets."""
    as_text = classes.dtype.kind == "U"
    position = {name: c for c, name in enumerate(classes.tolist())}
    pairs = []
    for i, names in enumerate(sets):
        for name in names:
            key = str(name) if as_text else name
            if not isinstance(name, _NAME) or key not in position:
                raise MiplError(
                    f"{what} {name!r} of bag {i} is not among the classes "
                    f"{some(classes)}."
                )
            pairs.append((i, position[key]))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def some(classes: Array) -> str:
    """Return the first class names, for messages."""
    names = [str(name) for name in classes[:8].tolist()]
    return ", ".join(names) + (", ..." if len(classes) > 8 else "")


def _array_if_matrix(y: Any) -> Any:
    """Turn array-likes and lists of boolean lists into arrays; leave lists of sets."""
    listlike = hasattr(y, "__len__") and hasattr(y, "__getitem__")
    listlike = listlike or hasattr(y, "__array__")
    if hasattr(y, "toarray") or not listlike or isinstance(y, (str, bytes, Mapping)):
        kind = "sparse matrix" if hasattr(y, "toarray") else type(y).__name__
        raise BadType(
            f"candidates must be a dense (m, k) matrix, a list of sets, or labels; "
            f"got a {kind}."
        )
    if hasattr(y, "__array__"):
        y = np.asarray(y)
        if y.ndim not in (1, 2):
            raise MiplError(
                f"candidates must be a (m, k) matrix or labels; got shape {y.shape}."
            )
        return y
    rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in y]
    if not any(isinstance(row, _SET) for row in rows):
        return np.asarray(rows)
    lists = all(isinstance(row, (list, tuple)) for row in rows)
    if lists and len({len(row) for row in rows}) == 1:
        if all(isinstance(v, (bool, np.bool_)) for row in rows for v in row):
            return np.asarray(rows, dtype=bool)
    return rows


def _one_label_each(y: Any) -> Any:
    """Read a column as labels, with scikit-learn's warning."""
    if not isinstance(y, np.ndarray) or y.ndim != 2 or y.shape[1] != 1:
        return y
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected: "
        "it is read as one label per bag.",
        DataConversionWarning,
        stacklevel=4,
    )
    return y.ravel()


def divided(text: str) -> list[str]:
    """Return the class names in a text that stands for a set, as ``oak|elm``.

    This is the one rule for such texts, in Python and in files: a text in place of a
    set is divided at ``|``; a name inside a list or a set, and a true label, is not.

    Examples
    --------
    >>> divided("oak | elm"), divided("oak")
    (['oak', 'elm'], ['oak'])
    """
    return [part.strip() for part in text.split("|")] if "|" in text else [text]


def _as_sets(y: Any, known: Array | None) -> list[list[Any]]:
    whole = set() if known is None else set(known.tolist())
    sets = []
    for i, row in enumerate(_items(y)):
        if isinstance(row, _SET):
            sets.append(list(row))
        elif isinstance(row, str) and "|" in row and row not in whole:
            sets.append(divided(row))
            if "" in sets[i]:
                raise MiplError(
                    f"the candidates of bag {i} must be class names divided by '|', as "
                    f"'oak|elm'; one of them is empty: {row[:40]!r}."
                )
        else:
            sets.append([row])
    for i, names in enumerate(sets):
        for name in names:
            if not isinstance(name, _NAME):
                raise MiplError(
                    f"candidate {name!r} of bag {i} must be a class name: "
                    "a text or a number."
                )
            if isinstance(name, float) and not np.isfinite(name):
                raise MiplError(
                    f"the label of bag {i} is {name} (NaN or infinity); "
                    "it must be a class."
                )
        if len(set(names)) < len(names):
            raise MiplError(
                f"candidate set of bag {i} names a class twice; give each once, and a "
                "0/1 matrix as a NumPy array."
            )
    return sets


def _items(y: Any) -> list[Any]:
    """Return plain Python objects; refuse a vector of measurements."""
    if not isinstance(y, np.ndarray):
        return list(y)
    if y.dtype.kind == "f" and (y[np.isfinite(y)] % 1 != 0).any():
        raise MiplError(
            "Unknown label type: labels must be class names; got continuous numbers."
        )
    items: list[Any] = y.tolist()
    return items


def _from_names(sets: list[list[Any]], names: Array | None) -> tuple[Array, Array]:
    if names is None:
        seen = {name for row in sets for name in row}
        if len({isinstance(name, str) for name in seen}) > 1:
            seen = {str(name) for name in seen}
        names = np.asarray(sorted(seen))
    matrix = empty_matrix(len(sets), len(names))  # (m, k)
    matrix[tuple(_positions(sets, names, "candidate").T)] = True
    return matrix, names


def _from_matrix(y: Array) -> tuple[Array, Array | None]:
    if y.dtype == bool:
        return y.copy(), None
    try:
        if y.dtype.kind not in "iufO":
            raise TypeError
        values = y.astype(np.float64)
    except (TypeError, ValueError):
        raise BadType(
            "a candidate matrix must hold booleans or non-negative numbers; "
            f"got dtype {y.dtype}: for class names give a list of lists."
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
    return matrix, scaled / np.where(total > 0, total, 1)
