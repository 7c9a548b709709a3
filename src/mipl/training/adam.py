"""Adam, whose averages a checkpoint can keep."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor


class Adam(torch.optim.Adam):
    """``torch.optim.Adam``, with its averages by name."""

    def set_rate(self, lr: float) -> None:
        """Take the learning rate of the next steps."""
        for group in self.param_groups:
            group["lr"] = lr

    def buffers(self) -> dict[str, Tensor]:
        """Return what the steps so far have left; nothing before the first."""
        kept = self.state_dict()["state"]
        return {f"{i}.{n}": one for i, each in kept.items() for n, one in each.items()}

    def put_back(self, buffers: Mapping[str, Tensor]) -> None:
        """Go on from what ``buffers`` has returned."""
        parameters = [p for group in self.param_groups for p in group["params"]]
        kept: dict[int, dict[str, Tensor]] = {}
        for name, value in buffers.items():
            number, _, kind = name.partition(".")
            # A view, since a step would read beyond the end of one that is shorter.
            shaped = value.view(parameters[int(number)].shape) if value.ndim else value
            kept.setdefault(int(number), {})[kind] = shaped
        groups = self.state_dict()["param_groups"]
        self.load_state_dict({"state": kept, "param_groups": groups})
