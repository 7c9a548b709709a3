"""Search spaces by name, in the form that scikit-learn's searches take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mipl.errors import MiplError, unknown
from mipl.methods.catalogue.registry import find

_PAPER, _OURS = "-paper-grid", "-grid"
_DESCENT: Mapping[str, tuple[Any, ...]] = {
    "training__lr": (0.001, 0.01, 0.05, 0.1),
    "training__weight_decay": (1e-5, 1e-4, 1e-3, 1e-2),
}
SPACES: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    # Tang et al., NeurIPS 2024, section 4.1.
    "miplma-paper-grid": {
        "lam": (0.01, 0.05, 0.1, 0.5, 1.0, 3.0, 5.0),
        "training__lr": (0.01, 0.05),
    },
    # Ours: around the settings with which these methods are known to work.
    "proden-grid": _DESCENT,
    "proden-ma-grid": _DESCENT,
    "rc-grid": _DESCENT,
    "cc-grid": _DESCENT,
    "cavl-grid": _DESCENT,
    "pop-grid": _DESCENT,
    "lws-grid": {**_DESCENT, "beta": (1.0, 2.0)},
    "pl-aggd-grid": {"lam": (0.1, 1.0), "mu": (0.1, 1.0), "gamma": (0.01, 0.05, 0.5)},
    "pl-svm-grid": {"lam": (0.001, 0.01, 0.1, 1.0)},
    "m3pl-grid": {"c_max": (0.01, 0.1, 1.0)},
}


def space(name: str) -> dict[str, list[Any]]:
    """Return a search space for ``GridSearchCV`` and its like.

    Examples
    --------
    >>> space("miplma-paper-grid")["training__lr"]
    [0.01, 0.05]
    """
    if name not in SPACES:
        raise unknown("search space", name, SPACES)
    return {argument: list(values) for argument, values in SPACES[name].items()}


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
    grid = _of_paper(method)
    if grid is None:
        raise _no_grid(f"of the paper of {method}")
    return grid


def usual_space(method: str) -> dict[str, list[Any]]:
    """Return the grid of the method's paper, or ours where that has none.

    Examples
    --------
    >>> usual_space("miplma") == paper_space("miplma")
    True
    >>> usual_space("pl-svm")
    {'lam': [0.001, 0.01, 0.1, 1.0]}
    """
    grid = _of_paper(method)
    if grid is not None:
        return grid
    if method + _OURS not in SPACES:
        raise _no_grid(f"for {method}")
    return space(method + _OURS)


def _of_paper(method: str) -> dict[str, list[Any]] | None:
    row = find(method)
    for name in SPACES:
        own = name.removesuffix(_PAPER)
        if name.endswith(_PAPER) and f"{method}-".startswith(f"{own}-"):
            grid = space(name)
            return {n: values for n, values in grid.items() if n not in row.arguments}
    return None


def _no_grid(whose: str) -> MiplError:
    return MiplError(
        f"no grid {whose} is known; give what is to be searched, on the command line "
        "by --set NAME=LOW..HIGH."
    )
