"""Candidate-set generators: true labels in, boolean candidate matrices out.

Each takes true labels as column numbers (m,) and an explicit generator, and returns a
boolean (m, k) matrix that always holds the true label. ``generate_candidates`` is the
front that keeps the name, the arguments and the seed with the result.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.annotators import crowd_sets
from mipl.data.candidates import Candidates
from mipl.data.frozen import Array
from mipl.errors import MiplError, unknown
from mipl.seeds import stream

Matrix = npt.NDArray[np.bool_]


def fixed_r(labels: Array, n_classes: int, r: int, rng: np.random.Generator) -> Matrix:
    """Add exactly ``r`` false labels, drawn uniformly without replacement.

    From the same generator state the sets of a smaller ``r`` lie inside those of a
    larger one, so one set of bags carries several r.

    Examples
    --------
    >>> fixed_r(np.array([0, 1, 2]), 3, 1, np.random.default_rng(0)).sum(axis=1)
    array([2, 2, 2])
    """
    labels = _checked(labels, n_classes)
    if isinstance(r, bool) or not isinstance(r, (int, np.integer)):
        raise MiplError(f"r must be a whole number of false labels; got {r!r}.")
    if not 0 <= r < n_classes:
        raise MiplError(
            f"r must be 0 to {n_classes - 1} false labels for {n_classes} classes; "
            f"got {r}."
        )
    keys = rng.random((len(labels), n_classes))  # (m, k)
    keys[np.arange(len(labels)), labels] = -1.0
    order = np.argsort(keys, axis=1)[:, : r + 1]  # (m, r + 1)
    matrix = np.zeros(keys.shape, dtype=bool)
    np.put_along_axis(matrix, order, True, axis=1)
    return matrix


def flip(
    labels: Array,
    n_classes: int,
    q: float,
    rng: np.random.Generator,
    *,
    forced: bool = True,
) -> Matrix:
    """Let every false label join with probability ``q``, independently.

    In the forced form a set without any false label gets one, uniformly drawn, so that
    its mean size is 1 + (k-1) q + (1-q)^(k-1); in the free form it is 1 + (k-1) q.

    Examples
    --------
    >>> flip(np.array([0, 1]), 3, 0.0, np.random.default_rng(0)).sum(axis=1)
    array([2, 2])
    >>> flip(np.array([0, 1]), 3, 0.0, np.random.default_rng(0), forced=False).tolist()
    [[True, False, False], [False, True, False]]
    """
    labels = _checked(labels, n_classes)
    rows = np.arange(len(labels))
    matrix = rng.random((len(labels), n_classes)) < _share("q", q)  # (m, k)
    matrix[rows, labels] = True
    if forced and n_classes > 1:
        alone = rows[matrix.sum(axis=1) == 1]
        step = rng.integers(1, n_classes, size=len(alone))
        matrix[alone, (labels[alone] + step) % n_classes] = True
    return matrix


def pair(labels: Array, n_classes: int, q: float, rng: np.random.Generator) -> Matrix:
    """Let only the next class (cyclic) join, with probability ``q``.

    Examples
    --------
    >>> pair(np.array([0, 2]), 3, 1.0, np.random.default_rng(0)).astype(int).tolist()
    [[1, 1, 0], [1, 0, 1]]
    """
    labels = _checked(labels, n_classes)
    matrix = _singles(labels, n_classes)
    joins = rng.random(len(labels)) < _share("q", q)
    matrix[joins, (labels[joins] + 1) % n_classes] = True
    return matrix


def uniform_set(labels: Array, n_classes: int, rng: np.random.Generator) -> Matrix:
    """Draw uniformly among the sets that hold the true label and are not full.

    Size s has probability C(k-1, s-1) / (2^(k-1) - 1).

    Examples
    --------
    >>> uniform_set(np.array([0, 1]), 2, np.random.default_rng(0)).astype(int).tolist()
    [[1, 0], [0, 1]]
    """
    labels = _checked(labels, n_classes)
    if n_classes < 2:
        raise MiplError("uniform sets need at least 2 classes; there is 1.")
    matrix = np.ones((len(labels), n_classes), dtype=bool)
    # Fair coins are uniform over all sets; the full one is drawn again.
    while (full := np.flatnonzero(matrix.all(axis=1))).size:
        matrix[full] = rng.random((full.size, n_classes)) < 0.5
        matrix[full, labels[full]] = True
    return matrix


def class_matrix(
    labels: Array, n_classes: int, Q: Any, rng: np.random.Generator
) -> Matrix:
    """Let label c join a bag of true label y with probability ``Q[y, c]``.

    Examples
    --------
    >>> Q = [[0, 1, 0], [0, 0, 0], [1, 1, 0]]
    >>> rng = np.random.default_rng(0)
    >>> class_matrix(np.array([0, 1, 2]), 3, Q, rng).astype(int).tolist()
    [[1, 1, 0], [0, 1, 0], [1, 1, 1]]
    """
    labels = _checked(labels, n_classes)
    chances = _chances(Q, n_classes)
    matrix = rng.random((len(labels), n_classes)) < chances[labels]  # (m, k)
    matrix[np.arange(len(labels)), labels] = True
    return matrix


def crowd(labels: Array, n_classes: int, q: Any, rng: np.random.Generator) -> Matrix:
    """Join the labels of three simulated annotators by the rule of CRC-MIPL.

    Each names the true label and, with probability ``q``, each other one: a number, or
    a matrix ``q[y, c]``; see ``mipl.data.annotators``.

    Examples
    --------
    >>> crowd(np.array([0, 1]), 3, 0.0, np.random.default_rng(0)).astype(int).tolist()
    [[1, 0, 0], [0, 1, 0]]
    """
    labels = _checked(labels, n_classes)
    if np.ndim(q) == 0:
        q = np.full((n_classes, n_classes), _share("q", q))
    return crowd_sets(labels, _chances(q, n_classes), rng)


def _flip_free(
    labels: Array, n_classes: int, q: float, rng: np.random.Generator
) -> Matrix:
    return flip(labels, n_classes, q, rng, forced=False)


KINDS: dict[str, Callable[..., Matrix]] = {
    "crowd": crowd,
    "fixed": fixed_r,
    "flip": flip,
    "flip-free": _flip_free,
    "matrix": class_matrix,
    "pair": pair,
    "uniform": uniform_set,
}


def generate_candidates(
    labels: Any, classes: Any, kind: str = "fixed", seed: int = 0, **arguments: Any
) -> tuple[Candidates, dict[str, Any]]:
    """Generate candidate sets by a named rule; return them and how they were made.

    Parameters
    ----------
    labels : (m,) class names
    classes : (k,) class names
    kind : {"fixed", "flip", "flip-free", "pair", "uniform", "matrix", "crowd"}
        What each needs: ``r``; ``q``; ``q``; ``q``; nothing; ``Q``; ``q``.
    seed : int
        The same seed gives the same sets.
    **arguments
        Arguments of that rule.

    Returns
    -------
    candidates : Candidates
    facts : dict of JSON values
        Rule, arguments and seed, to be kept in ``Dataset.facts``.

    Examples
    --------
    >>> y, facts = generate_candidates(["a", "b"], ["a", "b", "c"], "fixed", r=1)
    >>> y.sizes.tolist(), facts
    ([2, 2], {'kind': 'fixed', 'seed': 0, 'r': 1})
    """
    if kind not in KINDS:
        raise unknown("candidate generator", kind, KINDS)
    rule = KINDS[kind]
    needed = [
        name
        for name, one in inspect.signature(rule).parameters.items()
        if name not in ("labels", "n_classes", "rng") and one.default is one.empty
    ]
    if sorted(needed) != sorted(arguments):
        raise MiplError(
            f"the candidate generator {kind!r} takes {_listed(needed)}; "
            f"got {_listed(arguments)}."
        )
    # From parts: a single column would be read as labels.
    empty = Candidates.from_parts(np.ones((1, len(classes)), dtype=bool), classes)
    rng = stream(seed, "candidates")
    columns = empty.encode(labels)
    matrix = rule(columns, len(empty.classes), *arguments.values(), rng)
    plain = {name: np.asarray(value).tolist() for name, value in arguments.items()}
    facts = {"kind": kind, "seed": seed, **plain}
    return Candidates.from_parts(matrix, empty.classes), facts


def _listed(names: Any) -> str:
    return ", ".join(names) or "no arguments"


def _singles(labels: Array, n_classes: int) -> Matrix:
    matrix = np.zeros((len(labels), n_classes), dtype=bool)
    matrix[np.arange(len(labels)), labels] = True
    return matrix


def _checked(labels: Array, n_classes: int) -> npt.NDArray[np.int64]:
    labels = np.asarray(labels)
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise MiplError(
            "labels must be a 1-D array of class columns; "
            f"got {labels.dtype} of shape {labels.shape}."
        )
    outside = labels[(labels < 0) | (labels >= n_classes)]
    if len(outside):
        raise MiplError(
            f"label {outside[0]} is no class column; they are 0 to {n_classes - 1}."
        )
    return labels.astype(np.int64)


def _share(name: str, value: Any) -> float:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise MiplError(f"{name} must be a probability from 0 to 1; got {value!r}.")
    return float(value)


def _chances(Q: Any, n_classes: int) -> npt.NDArray[np.float64]:
    try:
        chances = np.asarray(Q, dtype=np.float64)
    except (TypeError, ValueError):
        raise MiplError("Q must be a matrix of probabilities.") from None
    if chances.shape != (n_classes, n_classes):
        raise MiplError(
            f"Q must have one row and one column per class, ({n_classes}, "
            f"{n_classes}); got shape {chances.shape}."
        )
    if not ((chances >= 0) & (chances <= 1)).all():
        raise MiplError("Q must hold probabilities from 0 to 1 only.")
    return chances
