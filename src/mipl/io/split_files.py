"""The user's own split files, and the authors' index files."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.frozen import Array
from mipl.data.splits import Split, as_splits
from mipl.errors import BadFile, MiplError
from mipl.files import existing, read_bounded
from mipl.io.matlab.mat_index import read_index
from mipl.io.tables.columns import Columns, as_text, is_missing
from mipl.io.tables.label_options import USUAL
from mipl.io.tables.split_columns import read_splits
from mipl.io.tables.table_file import read_columns

_LARGEST = 1 << 28
_FOLD_FILE = re.compile(r"(?:splits?|folds?)_?(\d{1,4})\.(?:csv|parquet|json)")
_PART = ("split", "set", "part")


def read_split_files(path: str | Path, bags: Bags) -> tuple[Split, ...]:
    r"""Read the splits of these bags from a file or a folder.

    Parameters
    ----------
    path : file or folder
        *JSON*: a list of ``{"train": [...], "test": [...]}``, or one of them; bags by
        id (text) or by number from 0. *CSV or Parquet*: a row per bag with ``split``
        (train, test, or a fold number) or ``split_0``, ``split_1``, ...; a row per bag
        and fold with ``fold`` and ``split``; or lists of bags in columns ``train`` and
        ``test``. *Folder*: ``splits_0.csv`` (or .json), ``splits_1.csv``, ..., or the
        published ``index1.mat``, ``index2.mat``, ...
    bags : Bags

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> bags = Bags(np.zeros((3, 1)), bag_ids=["p", "q", "r"])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("bag_id,split\nr,test\nq,train\np,train\n")
    ...     splits = read_split_files(path, bags)
    >>> splits[0].train.tolist(), splits[0].test.tolist()
    ([0, 1], [2])
    """
    path = existing(path)
    if not path.is_dir():
        return _checked(_read_file(path, bags), bags, path)
    numbered = {
        int(match[1]): file
        for file in sorted(path.iterdir())
        if (match := _FOLD_FILE.fullmatch(file.name))
    }
    if not numbered:
        return tuple(read_index(path, len(bags)))
    folds = [_read_file(numbered[number], bags) for number in sorted(numbered)]
    for number, fold in zip(sorted(numbered), folds, strict=True):
        if len(fold) != 1:
            raise BadFile(f"{numbered[number]} must hold one fold; it has {len(fold)}.")
    return _checked([fold for part in folds for fold in part], bags, path)


def _checked(splits: Sequence[Any], bags: Bags, path: Path) -> tuple[Split, ...]:
    try:
        return as_splits(splits, len(bags))
    except MiplError as error:
        raise BadFile(f"{path}: {error}") from None


def _read_file(path: Path, bags: Bags) -> Sequence[Any]:
    if path.suffix.lower() == ".json":
        return _from_json(path, bags)
    table = read_columns(path)
    train, test = table.find("train"), table.find("test")
    if train is not None and test is not None:
        return [_listed(table, train, test, bags)]
    bag = table.find(*USUAL["bag_id"])
    if bag is None:
        raise MiplError(
            f"{path} must have the columns bag_id and split, or train and test; "
            f"it has {', '.join(table.cells)[:200]}."
        )
    fold, part = table.find("fold"), table.find(*_PART)
    if fold is not None and part is not None:
        return _long(table, bag, fold, part, bags)
    numbers = _numbers(table.text(bag), bags, str(path))
    if len(set(numbers.tolist())) < len(bags) or len(numbers) != len(bags):
        raise BadFile(f"{path} must name each of {len(bags)} bags in one row.")
    splits = read_splits(table.take(np.argsort(numbers).tolist()), part or fold)
    if len(splits) != 1:
        raise BadFile(f"{path} must hold one set of splits; it has {len(splits)}.")
    return next(iter(splits.values()))


def _listed(table: Columns, train: str, test: str, bags: Bags) -> Split:
    parts = []
    for column in (train, test):
        ids = [as_text(c) for c in table.cells[column] if not is_missing(c)]
        parts.append(_numbers(ids, bags, f"{table.path}, column {column!r}"))
    return Split(*parts)


def _long(table: Columns, bag: str, fold: str, part: str, bags: Bags) -> list[Split]:
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(table.text(fold)):
        rows.setdefault(name, []).append(row)
    splits = []
    for name in sorted(rows, key=lambda n: (not n.isdecimal(), len(n), n)):
        own = table.take(rows[name])
        numbers = _numbers(own.text(bag), bags, str(table.path))
        split = read_splits(own, part)["default"][0]
        splits.append(
            Split(np.sort(numbers[split.train]), np.sort(numbers[split.test]))
        )
    return splits


def _from_json(path: Path, bags: Bags) -> list[Split]:
    try:
        folds = json.loads(read_bounded(path, _LARGEST).decode())
    except (ValueError, RecursionError) as error:
        if isinstance(error, MiplError):
            raise
        raise BadFile(f"{path} is not JSON: {str(error)[:100]}.") from None
    folds = [folds] if isinstance(folds, dict) else folds
    splits = []
    for number, fold in enumerate(folds if isinstance(folds, list) else [None]):
        parts = [
            fold.get(p) if isinstance(fold, dict) else None for p in ("train", "test")
        ]
        if not all(isinstance(part, list) for part in parts):
            raise BadFile(
                f"fold {number} of {path} must be an object with lists train and test."
            )
        where = f"fold {number} of {path}"
        splits.append(Split(*(_json_numbers(part, bags, where) for part in parts)))
    return splits


def _json_numbers(part: Any, bags: Bags, where: str) -> Array:
    if all(type(entry) is int for entry in part):
        return np.array([min(max(entry, -1), len(bags)) for entry in part], np.int64)
    if all(isinstance(entry, str) for entry in part):
        return _numbers(part, bags, where)
    raise BadFile(f"{where} must name bags by id (text) or by number, not by both.")


def _numbers(ids: Sequence[str], bags: Bags, where: str) -> Array:
    """Return the numbers of bags that are named by id, or by number without ids."""
    names = range(len(bags)) if bags.bag_ids is None else bags.bag_ids.tolist()
    position = {as_text(name): i for i, name in enumerate(names)}
    for key in ids:
        if key not in position:
            raise BadFile(f"{where} names bag {key[:40]!r}, which is not in the data.")
    return np.array([position[key] for key in ids], dtype=np.int64)
