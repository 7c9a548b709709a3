"""What is searched of the arguments of a run: lists and ranges among its settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from mipl.errors import MiplError, unknown
from mipl.runs.run_settings import RunSettings, read_tables
from mipl.selection.axes import Range
from mipl.selection.spaces import paper_space, usual_space

_PAPER = "paper"
_TABLES = ("arguments", "training")


def divide(told: RunSettings) -> tuple[RunSettings, dict[str, Any]]:
    """Part settings into those of one run, and the arguments that are searched.

    Examples
    --------
    >>> told = RunSettings.of(["lam=0.1..5:log", "training.lr=[0.1]", "width=8"])
    >>> fixed, searched = divide(told)
    >>> fixed.arguments, {name: str(space) for name, space in searched.items()}
    ({'width': 8}, {'lam': '0.1..5:log', 'training__lr': '[0.1]'})
    """
    axes = {name: _searched(name, value) for name, value in told.arguments.items()}
    searched = {name: axis for name, axis in axes.items() if axis is not None}
    fixed = {name: v for name, v in told.arguments.items() if name not in searched}
    return replace(told, arguments=fixed), searched


def space_settings(space: str | None, method: str) -> RunSettings:
    """Return what a space searches: a grid by name, or a file's own."""
    if space is None or space == _PAPER:
        return RunSettings(
            arguments=paper_space(method) if space else usual_space(method)
        )
    if not Path(space).exists() and not Path(space).suffix:
        raise MiplError(
            f"--space must be {_PAPER!r} or a TOML file; there is no file {space!r}."
        )
    tables = read_tables(space)
    for table, values in tables.items():
        if table not in _TABLES or not isinstance(values, dict):
            raise unknown(f"table in {space}", table, _TABLES)
    return RunSettings.of_tables(tables)


def _searched(argument: str, value: Any) -> list[Any] | Range | None:
    """Read a list or a range; other values are fixed."""
    name = argument.replace("__", ".")
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
