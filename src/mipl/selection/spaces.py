"""Search spaces by name, in the form that scikit-learn's searches take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mipl.errors import MiplError, unknown
from mipl.methods.registry import find

_PAPER = "-paper-grid"
SPACES: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    # Tang et al., NeurIPS 2024, section 4.1.
    "miplma-paper-grid": {
        "lam": (0.01, 0.05, 0.1, 0.5, 1.0, 3.0, 5.0),
        "training__lr": (0.01, 0.05),
    },
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
    row = find(method)
    for name in SPACES:
        own = name.removesuffix(_PAPER)
        if name.endswith(_PAPER) and f"{method}-".startswith(f"{own}-"):
            grid = space(name)
            return {n: values for n, values in grid.items() if n not in row.arguments}
    raise MiplError(
        f"no grid of the paper of {method} is known; give what is to be searched, on "
        "the command line by --set NAME=LOW..HIGH."
    )
