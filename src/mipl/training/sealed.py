"""Arrays and JSON facts in one safetensors file, with a hash of both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from mipl.errors import BadFile

if TYPE_CHECKING:
    from mipl.data.frozen import Array

_HEADER = 8  # Bytes that hold the length of a safetensors header.


def seal(arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file that holds arrays and facts.

    Examples
    --------
    >>> content = seal({"w": np.zeros(3)}, {"epoch": 2})
    >>> arrays, facts = unseal("a.checkpoint", content)
    >>> arrays["w"].shape, facts
    ((3,), {'epoch': 2})
    """
    dense = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    text = json.dumps(facts, allow_nan=False)
    return save(dense, {"facts": text, "sha256": _digest(dense, text)})


def unseal(path: str | Path, content: bytes) -> tuple[dict[str, Array], Any]:
    """Return the arrays and facts of a file; refuse one that is not as it was saved."""
    try:
        arrays = load(content)
        length = int.from_bytes(content[:_HEADER], "little")
        header = json.loads(content[_HEADER : _HEADER + length])["__metadata__"]
        text = header["facts"]
        whole = header["sha256"] == _digest(arrays, text)
        facts = json.loads(text, parse_constant=_refuse)
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError):
        raise BadFile(f"{path} is not a checkpoint of mipl.") from None
    if not whole:
        raise BadFile(f"{path} is damaged: its content differs from what was saved.")
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise BadFile(
                f"{path} holds NaN or infinity in {name[:80]!r}; delete it to begin "
                "anew."
            )
    return arrays, facts


def _refuse(name: str) -> None:
    raise ValueError(f"it holds {name}")


def _digest(arrays: Mapping[str, Array], text: str) -> str:
    total = sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        total.update(repr((name, array.dtype.str, array.shape)).encode())
        total.update(array.tobytes())
    return total.hexdigest()
