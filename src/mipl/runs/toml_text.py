"""Values as TOML text, which the standard library only reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mipl.errors import MiplError

NULL = "null"  # TOML has no None.


def to_toml(values: Mapping[str, Any]) -> str:
    """Return a TOML text: plain values first, then one table per mapping.

    Examples
    --------
    >>> print(to_toml({"seed": 0, "training": {"lr": 0.1, "batch_size": None}}), end="")
    seed = 0
    <BLANKLINE>
    [training]
    lr = 0.1
    batch_size = "null"
    """
    plain = {name: v for name, v in values.items() if not isinstance(v, Mapping)}
    tables = {name: v for name, v in values.items() if isinstance(v, Mapping) and v}
    text = _lines(plain)
    for name, table in tables.items():
        text += f"\n[{name}]\n{_lines(table)}"
    return text


def from_toml_value(value: Any) -> Any:
    """Return a value read from TOML with ``"null"`` as None, at any depth."""
    if isinstance(value, dict):
        return {name: from_toml_value(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [from_toml_value(inner) for inner in value]
    return None if value == NULL else value


def _lines(values: Mapping[str, Any]) -> str:
    return "".join(f"{_key(name)} = {_value(name, v)}\n" for name, v in values.items())


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else _text(name)


def _value(name: str, value: Any) -> str:
    if value is None:
        return _text(NULL)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(name, item) for item in value) + "]"
    raise MiplError(f"{name} is a {type(value).__name__}, which TOML cannot hold.")


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but for DEL, which JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
