"""Arguments of estimators as JSON, and estimators from that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator

from mipl.errors import BadFile, MiplError

Kinds = Callable[[str], Any]


# How files name a class that its author has registered, wherever that stands.
REGISTERED = "registered."


def class_path(kind: type[Any]) -> str:
    """Return ``module:Class``, by which a file names a class.

    One that was registered is named by its id: the same class is in ``__main__`` for
    one program and in a module for the next.
    """
    id = vars(kind).get("_own_id")
    if id is not None:
        return f"{REGISTERED}{id}:{kind.__name__}"
    return f"{kind.__module__}:{kind.__qualname__}"


def mark_as_own(kind: type[Any], id: str, code: str) -> None:
    """Note on a class the id that files name it by, and the hash of its text."""
    kind._own_id, kind._own_code = id, code


def own_code(kind: type[Any]) -> str:
    """Return the hash of the text of a class that was registered; else ""."""
    return str(vars(kind).get("_own_code", ""))


def as_json(estimator: BaseEstimator) -> dict[str, Any]:
    """Return class and arguments of an estimator as JSON values.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> as_json(SVC(C=2.0))["arguments"]["C"]
    2.0
    """
    arguments = {
        name: _value(estimator, name, value)
        for name, value in estimator.get_params(deep=False).items()
    }
    return {"estimator": class_path(type(estimator)), "arguments": arguments}


def _value(estimator: BaseEstimator, name: str, value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [_value(estimator, name, item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_value(estimator, name, item) for item in value]}
    if isinstance(value, BaseEstimator):
        return as_json(value)
    if isinstance(value, np.random.RandomState):
        return None  # It is the caller's own and has moved on since.
    if hasattr(value, "state_dict"):
        return {"module": class_path(type(value))}
    if callable(value):
        return {"function": _function_name(estimator, name, value)}
    raise MiplError(
        f"{name} of {type(estimator).__name__} is a {type(value).__name__}, which a "
        "model file cannot hold; give plain values."
    )


def _function_name(estimator: BaseEstimator, name: str, value: Any) -> str:
    told = getattr(value, "__name__", "")
    if not told.isidentifier():
        raise MiplError(
            f"{name} of {type(estimator).__name__} is a function without a name, which "
            "a model file cannot tell; define it by def."
        )
    return str(told)


# What ``kinds`` is asked for where a file names a function of the user's own.
FUNCTION = "function:"


def from_json(value: Any, kinds: Kinds, encoder: Any) -> Any:
    """Build what ``as_json`` has written; ``kinds`` gives the classes it may use."""
    if isinstance(value, list):
        return [from_json(item, kinds, encoder) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"tuple"} and isinstance(value["tuple"], list):
        return tuple(from_json(item, kinds, encoder) for item in value["tuple"])
    if set(value) == {"module"}:
        return encoder
    if set(value) == {"function"}:
        return kinds(f"{FUNCTION}{value['function']}")
    if set(value) == {"estimator", "arguments"}:
        return _build(value["estimator"], value["arguments"], kinds, encoder)
    raise BadFile(f"there is an argument of unknown kind, {str(value)[:60]!r}.")


def modules(value: Any) -> list[str]:
    """Return the classes of the users' own modules among the arguments."""
    if isinstance(value, list):
        return [name for item in value for name in modules(item)]
    if not isinstance(value, dict):
        return []
    if set(value) == {"module"}:
        return [str(value["module"])]
    return modules(list(value.values()))


def _build(path: Any, arguments: Any, kinds: Kinds, encoder: Any) -> BaseEstimator:
    kind = kinds(str(path))
    if not isinstance(arguments, Mapping):
        raise BadFile(f"the arguments of {kind.__name__} must be named.")
    known = cast("Any", kind)._get_param_names()
    for name in arguments:
        if name not in known:
            raise BadFile(f"{kind.__name__} of this version has no argument {name!r}.")
    given = {
        name: from_json(value, kinds, encoder) for name, value in arguments.items()
    }
    return kind(**{**getattr(kind, "_before", {}), **given})
