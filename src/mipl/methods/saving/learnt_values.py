"""What a method has learnt, kept without a word of its own about files.

A method that overrides neither ``_state`` nor ``_restore`` has its learnt attributes
kept by their names: arrays of numbers, and plain values.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError

if TYPE_CHECKING:
    from mipl.methods.saving.stored import Stored

FACT = "learnt"


def learnt_values(
    estimator: Any, known: Collection[str]
) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return the learnt attributes that are not known: arrays, and what else there is.

    Examples
    --------
    >>> class Method:
    ...     pass
    >>> method = Method()
    >>> method.coef_, method.seen_, method.depth = np.zeros(2), 7, 1
    >>> learnt_values(method, ())
    ({'learnt.coef_': array([0., 0.])}, {'coef_': ['<f8', [2]], 'seen_': 7})
    """
    arrays: dict[str, Array] = {}
    facts: dict[str, Any] = {}
    for name, value in vars(estimator).items():
        if not name.endswith("_") or name.startswith("_") or name in known:
            continue
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            arrays[f"{FACT}.{name}"] = value
            facts[name] = [value.dtype.str, list(value.shape)]
        elif _is_plain(value):
            facts[name] = value
        else:
            raise MiplError(
                f"{name} of {type(estimator).__name__} is a {type(value).__name__}, "
                "which a model file cannot hold; keep arrays of numbers and plain "
                "values, or override _state and _restore."
            )
    return arrays, facts


def put_back(estimator: Any, stored: Stored) -> None:
    """Set the attributes that ``learnt_values`` has returned."""
    for name, told in stored.later_fact(FACT, dict[str, Any], {}).items():
        if not name.isidentifier() or not name.endswith("_") or name.startswith("_"):
            raise BadFile(f"it has learnt the unknown thing {name[:60]!r}.")
        if stored.holds(f"{FACT}.{name}"):
            dtype, shape = np.dtype(told[0]), tuple(told[1])
            setattr(estimator, name, stored.array(f"{FACT}.{name}", shape, dtype))
        else:
            setattr(estimator, name, told)


def _is_plain(value: Any) -> bool:
    """Tell whether JSON gives a value back as it was."""
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError):
        return False
