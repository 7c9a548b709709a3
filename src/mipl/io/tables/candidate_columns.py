"""Candidate sets in a label table: ``a|b``, JSON, lists, 0/1 columns or votes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from mipl.data.candidates import Candidates
from mipl.data.frozen import Array
from mipl.data.label_sets import divided, empty_matrix, encode
from mipl.errors import BadFile, MiplError
from mipl.io.tables.columns import Columns, as_number, as_text, is_missing, typed

PREFIXES = CANDIDATE, WEIGHT, VOTES = "candidate:", "weight:", "votes:"


def read_sets(table: Columns, column: str, classes: Any = None) -> Candidates:
    """Read one column of sets: ``a|b``, a JSON list, or a list cell of Parquet.

    Examples
    --------
    >>> from pathlib import Path
    >>> cells = {"candidates": ["oak|elm", '["ash"]']}
    >>> table = Columns(Path("labels.csv"), cells, range(2, 4))
    >>> [sorted(s) for s in read_sets(table, "candidates")]
    [['elm', 'oak'], ['ash']]
    """
    sets = [
        names_in(cell, table.place(row, column))
        for row, cell in enumerate(table.cells[column])
    ]
    names = class_names([name for parts in sets for name in parts], classes)
    matrix = empty_matrix(len(sets), len(names))  # (m, k)
    position = {as_text(name): i for i, name in enumerate(names.tolist())}
    for row, parts in enumerate(sets):
        for name in parts:
            if name not in position:
                raise _foreign(table, row, column, name, names)
            matrix[row, position[name]] = True
    return Candidates.from_parts(matrix, names)


def read_labels(table: Columns, column: str, classes: Array) -> Array:
    """Read a column of true labels as names in ``classes``."""
    position = {as_text(name): i for i, name in enumerate(classes.tolist())}
    found = []
    for row, text in enumerate(table.text(column)):
        if text not in position:
            raise _foreign(table, row, column, text, classes)
        found.append(position[text])
    return np.asarray(classes[np.array(found, dtype=np.int64)])


def read_sets_of_one(table: Columns, column: str, classes: Any = None) -> Candidates:
    """Read a column of true labels as candidate sets of one."""
    names = class_names(table.text(column), classes)
    labels = read_labels(table, column, names)
    matrix = empty_matrix(len(labels), len(names))
    matrix[np.arange(len(labels)), encode(labels, names)] = True
    return Candidates.from_parts(matrix, names)


def read_prefixed(table: Columns, classes: Any = None) -> Candidates | None:
    """Read columns named ``candidate:oak``, ``weight:oak`` or ``votes:oak``, if any.

    Candidates are 0 or 1; weights, beside them, are kept as they are; votes are
    normalised to weights.
    """
    names = {
        prefix: [name for name in table.cells if name.startswith(prefix)]
        for prefix in PREFIXES
    }
    if names[CANDIDATE]:
        values, known = _matrix(table, names[CANDIDATE], CANDIDATE, classes)
        if not np.isin(values, (0, 1)).all():
            row = int(np.argmin(np.isin(values, (0, 1)).all(axis=1)))
            raise BadFile(f"{table.place(row)} has a {CANDIDATE} cell other than 0, 1.")
        weights = None
        if names[WEIGHT]:
            weights, same = _matrix(table, names[WEIGHT], WEIGHT, classes)
            if same.tolist() != known.tolist():
                raise BadFile(
                    f"{table.path} must have a {WEIGHT} column per {CANDIDATE} column."
                )
        return Candidates.from_parts(values > 0, known, weights)
    prefix = VOTES if names[VOTES] else WEIGHT
    return read_votes(table, names[prefix], classes, prefix) if names[prefix] else None


def read_votes(
    table: Columns, columns: Sequence[str], classes: Any = None, prefix: str = ""
) -> Candidates:
    """Read one column per class: 0/1, votes or probabilities."""
    values, names = _matrix(table, columns, prefix, classes)
    empty = ~(values > 0).any(axis=1)
    if empty.any():
        raise BadFile(f"{table.place(int(np.argmax(empty)))} has no candidate above 0.")
    if len(names) == 1:
        return Candidates.from_parts(values > 0, names)
    return Candidates(values, names)


def free_vote_columns(table: Columns, used: set[str], label: str | None) -> list[str]:
    """Return the columns that are votes without saying so: all other numeric ones.

    Beside true labels they must carry the name of at least one of these, since a
    table may well hold other numbers.
    """
    names = [
        name
        for name, cells in table.cells.items()
        if name not in used
        and all((as_number(cell) or 0) >= 0 for cell in cells)
        and all(as_number(cell) is not None for cell in cells)
    ]
    labels = {as_text(cell) for cell in table.cells[label]} if label else set(names)
    return names if len(names) > 1 and labels & set(names) else []


def _matrix(
    table: Columns, columns: Sequence[str], prefix: str, classes: Any
) -> tuple[Array, Array]:
    """Return the (m, k) numbers of these columns, in the order of the classes."""
    texts = [name.removeprefix(prefix).strip() for name in columns]
    names = typed(texts) if classes is None else class_names(texts, classes)
    wanted = [as_text(name).strip() for name in names.tolist()]
    if sorted(wanted) != sorted(texts):
        raise MiplError(
            f"{table.path} has candidate columns {', '.join(texts[:8])}, but the "
            f"classes are {', '.join(wanted[:8])}; they must be the same."
        )
    column = dict(zip(texts, columns, strict=True))
    values = np.array([table.floats(column[name]) for name in wanted]).T
    if (values < 0).any():
        row = int(np.argmax((values < 0).any(axis=1)))
        raise BadFile(f"{table.place(row)} has a candidate number below 0.")
    return values.reshape(len(table), len(wanted)), names


def class_names(seen: Sequence[str], classes: Any) -> Array:
    """Return the given classes, or the sorted names that were seen."""
    if classes is None:
        return np.sort(typed(sorted(set(seen))))
    names = np.asarray(classes)
    if names.ndim != 1 or not len(names) or names.dtype.kind not in "biufU":
        raise MiplError(f"classes must be a list of names; got {str(classes)[:80]}.")
    return names


def is_empty_set(cell: Any) -> bool:
    """Tell whether a cell of sets names no candidate."""
    return is_missing(cell) or cell in ("[]", [], ())


def names_in(cell: Any, place: str) -> list[str]:
    """Return the names in one cell: ``a|b``, a JSON list, or a list."""
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            raise BadFile(f"{place} begins with '[' but is no JSON list.") from None
    if isinstance(cell, (list, tuple)):
        parts = [as_text(part) for part in cell if not isinstance(part, (list, dict))]
        whole = len(parts) == len(cell) and not any(is_missing(part) for part in cell)
    else:
        parts = [part.strip() for part in divided(as_text(cell))]
        whole = not is_missing(cell) and all(parts)
    if not whole or not parts:
        raise BadFile(
            f"{place} must name candidates, as a|b or a JSON list; "
            f"it is {str(cell)[:40]!r}."
        )
    return parts


def _foreign(
    table: Columns, row: int, column: str, name: str, classes: Array
) -> BadFile:
    known = ", ".join(as_text(c) for c in classes[:8].tolist())
    more = ", ..." if len(classes) > 8 else ""
    return BadFile(
        f"{table.place(row, column)}: {name[:40]!r} is not among the classes "
        f"{known}{more}."
    )
