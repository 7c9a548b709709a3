"""Encoders of instances: an ONNX file, a torch module, or a function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mipl.errors import BadType, MiplError


class Encoder(Protocol):
    """What turns n instances into features (n, d)."""

    def __call__(self, given: Any, /) -> npt.NDArray[np.float32]:
        """Return the features."""

    def fingerprint(self) -> str:
        """Return what distinguishes it from all others."""


class FunctionEncoder:
    """A function of one's own, whose answers are checked.

    It may have an attribute ``fingerprint``, a text that changes whenever its answers
    do: without it, nothing that it made can be kept for another time.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, given: Any, /) -> npt.NDArray[np.float32]:
        """Return the features."""
        try:
            found = np.asarray(self._function(given), np.float32)
        except (TypeError, ValueError) as error:
            raise BadType(
                f"the encoder failed on {len(given)} instances: {error}"
            ) from error
        if found.ndim != 2 or len(found) != len(given) or not found.size:
            raise BadType(
                f"the encoder must turn {len(given)} instances into an array "
                f"({len(given)}, d); it gave {found.shape}."
            )
        return found

    def fingerprint(self) -> str:
        """Return its name, and what it says of itself."""
        function = self._function
        kind = function if hasattr(function, "__qualname__") else type(function)
        said = getattr(function, "fingerprint", "")
        return f"{kind.__module__}.{kind.__qualname__} {said}".strip()


def encoder_of(source: Any, shape: tuple[int, ...], called: str) -> Encoder:
    """Return an encoder of arrays (n, *shape) by what a user gives."""
    if isinstance(source, (str, Path)):
        onnx: Encoder = _onnx().OnnxArrays(source, shape, called)
        return onnx
    if _is_module(source):
        # By its path: what takes no module does not load torch.
        torch: Encoder = import_module("mipl.nn.torch_encoder").TorchEncoder(
            source, shape
        )
        return torch
    return FunctionEncoder(source)


def text_encoder_of(source: Any) -> Encoder:
    """Return an encoder of lists of texts by what a user gives."""
    if isinstance(source, (str, Path)):
        onnx: Encoder = _onnx().OnnxTexts(source)
        return onnx
    return FunctionEncoder(source)


def check_kept(source: Any, finished: Any) -> None:
    """Refuse to keep what a function has made that does not say when it changes."""
    said = isinstance(source, (str, Path)) or _is_module(source)
    if finished is not None and not said and not hasattr(source, "fingerprint"):
        raise MiplError(
            "finished= keeps what the encoder has made, and a function does not tell "
            "when it changes; give it an attribute fingerprint, a text, or leave "
            "finished out."
        )


def _is_module(source: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(source, torch.nn.Module)


def _onnx() -> Any:
    return import_module("mipl.generators.onnx_encoder")
