"""Splits as columns of a table: words for one fold, numbers for cross-validation."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mipl.data.splits import DEFAULT_SPLITS, Split
from mipl.errors import BadFile
from mipl.io.tables.columns import Columns, as_text

_WORDS = {"train": 0, "training": 0, "test": 1}
_NEITHER = {"", "val", "valid", "validation", "unused"}
_NUMBERED = re.compile(r"split:(.+):(\d{1,6})|(?:split|fold)_?(\d{1,6})", re.ASCII)

Splits = dict[str, list[Split]]


def split_columns(table: Columns) -> dict[str, dict[int, str]]:
    """Return the columns ``split:name:fold`` (or ``split_0``, ``fold_0``) by name."""
    found: dict[str, dict[int, str]] = {}
    for column in table.cells:
        match = _NUMBERED.fullmatch(column)
        if match:
            fold = int(match[2] or match[3] or 0)
            found.setdefault(match[1] or DEFAULT_SPLITS, {})[fold] = column
    return found


def read_splits(table: Columns, single: str | None = None) -> Splits:
    """Read the splits of a table with one row per bag.

    Parameters
    ----------
    table : Columns
    single : str, optional
        A column of ``train`` and ``test``, or of fold numbers: fold f then tests on
        the bags that carry f.

    Examples
    --------
    >>> from pathlib import Path
    >>> cells = {"split": ["train", "test", "train"]}
    >>> table = Columns(Path("labels.csv"), cells, range(2, 5))
    >>> read_splits(table, "split")["default"][0].train.tolist()
    [0, 2]
    """
    splits: Splits = {}
    if single is not None:
        splits[DEFAULT_SPLITS] = _single(table, single)
    for name, columns in split_columns(table).items():
        if sorted(columns) != list(range(len(columns))):
            raise BadFile(
                f"{table.path}: the folds of split {name!r} must be numbered 0 to "
                f"{len(columns) - 1}; they are {sorted(columns)[:12]}."
            )
        if name in splits:
            raise BadFile(f"{table.path} gives the split {name!r} twice.")
        splits[name] = [_by_words(table, columns[fold]) for fold in sorted(columns)]
    return splits


def columns_of(splits: Sequence[Split], name: str, n_bags: int) -> dict[str, list[str]]:
    """Return one column of words per fold, as ``read_splits`` takes them."""
    columns = {}
    for fold, split in enumerate(splits):
        words = np.full(n_bags, "unused", dtype="<U6")
        words[split.train], words[split.test] = "train", "test"
        columns[f"split:{name}:{fold}"] = words.tolist()
    return columns


def _single(table: Columns, column: str) -> list[Split]:
    texts = [as_text(cell) for cell in table.cells[column]]
    if not all(t.isascii() and t.isdecimal() and len(t) < 7 for t in texts):
        return [_by_words(table, column)]
    folds = np.array([int(text) for text in texts])
    return [
        Split(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold))
        for fold in np.unique(folds)
    ]


def _by_words(table: Columns, column: str) -> Split:
    sides: tuple[list[int], list[int]] = ([], [])
    for row, cell in enumerate(table.cells[column]):
        word = "" if cell is None else as_text(cell).strip().lower()
        if word in _WORDS:
            sides[_WORDS[word]].append(row)
        elif word not in _NEITHER:
            raise BadFile(
                f"{table.place(row, column)} must be train, test or val; "
                f"it is {word[:40]!r}."
            )
    train, test = (np.array(side, dtype=np.int64) for side in sides)
    return Split(train, test)
