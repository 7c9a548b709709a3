"""A module of one's own as an encoder of arrays, used as in evaluation."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from mipl.nn.own_encoder import OwnEncoder
from mipl.nn.published_values import digest


class TorchEncoder:
    """Arrays (n, *shape) -> features (n, d) by a copy of a module.

    It works on the device where the module lies.
    """

    def __init__(
        self, module: nn.Module, shape: tuple[int, ...], called: str = "encoder"
    ) -> None:
        self._module = OwnEncoder(module, shape, called).eval()

    @torch.no_grad()
    def __call__(self, arrays: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the features of arrays."""
        like = next(self._module.parameters(), torch.zeros(()))
        features = self._module(torch.from_numpy(arrays).to(like))
        return features.float().cpu().numpy()  # type: ignore[no-any-return]

    def fingerprint(self) -> str:
        """Return a hash of the module as it is printed, and of its values."""
        module = self._module.module
        text = f"{module!r} {digest(module)}"
        return f"{type(module).__name__} {sha256(text.encode()).hexdigest()}"
