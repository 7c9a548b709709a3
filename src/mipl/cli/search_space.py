"""What ``mipl tune`` is to search, from ``--space`` and ``--set``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mipl.errors import MiplError, unknown
from mipl.runs.config import read_config
from mipl.runs.named_values import given_options
from mipl.selection.axes import Range
from mipl.selection.spaces import paper_space, usual_space

_PAPER = "paper"
_TABLES = ("arguments", "training")


def divide(settings: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Part settings into those of ``mipl fit`` and those searched; the last one wins.

    Examples
    --------
    >>> fixed, searched = divide(["lam=0.1..5:log", "training.lr=[0.1]", "width=8"])
    >>> fixed, {name: str(space) for name, space in searched.items()}
    (['width=8'], {'lam': '0.1..5:log', 'training__lr': '[0.1]'})
    """
    fixed: dict[str, str] = {}
    searched: dict[str, Any] = {}
    for setting in settings:
        [(name, value)] = given_options([setting]).items()
        table, _, key = name.rpartition(".")
        wanted = None if table == "options" else _searched(name, value)
        if wanted is not None and table not in ("", *_TABLES):
            raise unknown("table in --set", table, (*_TABLES, "options"))
        full = name if table not in _TABLES else key
        full = f"training__{key}" if table == "training" else full
        fixed.pop(full, None)
        searched.pop(full, None)
        if wanted is None:
            fixed[full] = setting
        else:
            searched[full] = wanted
    return list(fixed.values()), searched


def space_settings(space: str | None, method: str) -> list[str]:
    """Return the settings of ``--space``: a grid by name, or those of a file."""
    if space is None or space == _PAPER:
        grid = paper_space(method) if space else usual_space(method)
        return [f"{n.replace('__', '.')}={json.dumps(v)}" for n, v in grid.items()]
    if not Path(space).exists() and not Path(space).suffix:
        raise MiplError(
            f"--space must be {_PAPER!r} or a TOML file; there is no file {space!r}."
        )
    settings = []
    for table, values in read_config(space).items():
        if table not in _TABLES or not isinstance(values, Mapping):
            raise unknown(f"table in {space}", table, _TABLES)
        settings += [f"{table}.{n}={json.dumps(v)}" for n, v in values.items()]
    return settings


def _searched(name: str, value: Any) -> list[Any] | Range | None:
    """Read a list or a range; other values are fixed."""
    if isinstance(value, list):
        return value
    if not isinstance(value, str):
        return None
    if value.startswith("["):
        raise MiplError(
            f"{name}={value} is no list; texts in a list need quotes, such as "
            f'\'{name}=["a", "b"]\'.'
        )
    if ".." not in value:
        return None
    ends, colon, how = value.partition(":")
    low, _, high = ends.partition("..")
    try:
        if colon and how != "log":
            raise ValueError
        numbers = _number(low), _number(high)
    except ValueError:
        raise MiplError(
            f"{name}={value} is no range; give LOW..HIGH or LOW..HIGH:log, such as "
            f"{name}=0.1..5:log."
        ) from None
    return Range(*numbers, bool(colon))


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)
