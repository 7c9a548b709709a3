"""Long data frames, a row per instance, as bags."""

from __future__ import annotations

from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.features import Features
from mipl.errors import MiplError, counted


def bags_of_frame(frame: Any, bag: str | None = None) -> Bags:
    """Read a data frame with a row per instance.

    Rows of a bag need not follow each other; bags are in the order in which they first
    appear, and keep their names. pandas, polars and pyarrow tables will do.

    Parameters
    ----------
    frame : data frame
        All other columns are features.
    bag : str, optional
        The column that names the bag of each row; without it, the first level of a
        pandas MultiIndex.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"tree": ["a", "b", "a"], "height": [1.0, 2.0, 3.0]}
    >>> bags = bags_of_frame(pd.DataFrame(rows), bag="tree")
    >>> bags.bag_ids.tolist(), [one.ravel().tolist() for one in bags]
    (['a', 'b'], [[1.0, 3.0], [2.0]])
    """
    columns = _columns(frame)
    if bag is None:
        if not is_indexed_by_bag(frame):
            raise MiplError(
                "a frame without a MultiIndex does not say where its bags are; give "
                "the column that names them: bags_of_frame(frame, bag='...')."
            )
        names = np.asarray(frame.index.get_level_values(0))
    else:
        if bag not in columns:
            raise MiplError(f"the frame has no column {bag!r}; it has {columns}.")
        names = np.asarray(frame[bag])
        _check_named(names, bag)
        columns = [name for name in columns if name != bag]
    if len(names) == 0 or not columns:
        raise MiplError("a frame of bags needs a row and a feature; it has none.")
    texts = names.astype(str)
    _, first, number = np.unique(texts, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))[number]  # In order of appearance.
    order = np.argsort(place, kind="stable")
    values = [_numbers(frame, name)[order] for name in columns]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(place))])
    ids = texts[np.sort(first)]
    return Bags(
        np.stack(values, axis=1),
        offsets,
        bag_ids=ids,
        features=Features([str(name) for name in columns]),
    )


def is_indexed_by_bag(data: Any) -> bool:
    """Tell whether this is a pandas frame whose index has two levels or more."""
    return (
        hasattr(data, "columns")
        and getattr(getattr(data, "index", None), "nlevels", 1) > 1
    )


def _check_named(names: Any, bag: Any) -> None:
    """Refuse rows that belong to no bag: they would make one of that name."""
    # None of each kind of frame; NaN alone is no equal of itself.
    absent = [i for i, n in enumerate(names.tolist()) if n is None or n != n]
    if absent:
        raise MiplError(
            f"row {absent[0]} of the frame has no bag in column {bag!r}, and "
            f"{counted(len(absent), 'row')} in all; name their bags, or drop them."
        )


def _columns(frame: Any) -> list[Any]:
    if hasattr(frame, "collect") and not hasattr(frame, "__len__"):
        raise MiplError(
            f"a {type(frame).__name__} has no rows before it is collected; give "
            "frame.collect()."
        )
    names = getattr(frame, "column_names", None)  # Of pyarrow.
    names = getattr(frame, "columns", None) if names is None else names
    if names is None or not hasattr(frame, "__getitem__"):
        raise MiplError(
            f"frame must be a data frame with columns; got a {type(frame).__name__}."
        )
    return list(names)


def _numbers(frame: Any, name: Any) -> Any:
    try:
        return np.asarray(frame[name]).astype(np.float64)
    except (TypeError, ValueError):
        raise MiplError(
            f"column {name!r} must hold numbers; drop it, or encode it first."
        ) from None
