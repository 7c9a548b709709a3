"""Search spaces by name, in the form that scikit-learn's searches take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from mipl.errors import MiplError, unknown
from mipl.methods.catalogue.method_row import MethodRow
from mipl.methods.catalogue.registry import find, methods
from mipl.parameters import Part, parameters

Space = Mapping[str, Sequence[Any]]
_PAPER, _OURS = "-paper-grid", "-grid"


class _Spaces(Mapping[str, Space]):
    """All grids by name: of the papers, and of the methods' declarations."""

    def __getitem__(self, name: str) -> Space:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @cached_property
    def _found(self) -> dict[str, Space]:
        found: dict[str, Space] = {}
        first: dict[str, MethodRow] = {}  # Of each class.
        for row in methods():
            first.setdefault(row.path, row)
        for row in first.values():
            if row.paper_grid:
                found[row.id + _PAPER] = row.paper_grid
            elif declared := {} if row.fault else _declared(row):
                found[row.id + _OURS] = declared
        return found


SPACES: Mapping[str, Space] = _Spaces()


def space(name: str) -> dict[str, list[Any]]:
    """Return a search space for ``GridSearchCV`` and its like.

    Examples
    --------
    >>> space("miplma-paper-grid")["training__lr"]
    [0.01, 0.05]
    """
    if name not in SPACES:
        raise unknown("search space", name, SPACES)
    return _own_copy(SPACES[name])


def paper_space(method: str) -> dict[str, list[Any]]:
    """Return the grid that the paper of a registered method has searched.

    What sets a row apart, as an ablation without a term of the loss, is not searched.

    Examples
    --------
    >>> paper_space("miplma-released") == space("miplma-paper-grid")
    True
    >>> sorted(paper_space("miplma-mains"))
    ['training__lr']
    """
    row = find(method)
    if not row.paper_grid:
        raise _no_grid(f"of the paper of {method}")
    return _searched(row, row.paper_grid)


def usual_space(method: str) -> dict[str, list[Any]]:
    """Return the grid of the method's paper, or ours where that has none.

    Examples
    --------
    >>> usual_space("miplma") == paper_space("miplma")
    True
    >>> usual_space("pl-svm")
    {'lam': [0.001, 0.01, 0.1, 1.0]}
    """
    row = find(method)
    grid = row.paper_grid or _declared(row)
    if not grid:
        raise _no_grid(f"for {method}")
    return _searched(row, grid)


def _declared(row: MethodRow) -> dict[str, Sequence[Any]]:
    """Return what the arguments of a class say of their search."""
    grid: dict[str, Sequence[Any]] = {}
    for name, one in parameters(row.load()).items():
        if isinstance(one, Part):
            inner = parameters(one.of)
            grid |= {f"{name}__{part}": inner[part].search for part in one.search}
        elif one.search:
            grid[name] = one.search
    return grid


def _searched(row: MethodRow, grid: Space) -> dict[str, list[Any]]:
    own = {name: values for name, values in grid.items() if name not in row.arguments}
    return _own_copy(own)


def _own_copy(grid: Space) -> dict[str, list[Any]]:
    return {argument: list(values) for argument, values in grid.items()}


def _no_grid(whose: str) -> MiplError:
    return MiplError(
        f"no grid {whose} is known; give what is to be searched, on the command line "
        "by --set NAME=LOW..HIGH."
    )
