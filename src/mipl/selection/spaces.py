"""Search spaces by name, in the form that scikit-learn's searches take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mipl.errors import unknown

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
