"""Adam, whose averages a checkpoint can keep."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from mipl.training.state import refill


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
        kept = {i: _empty(parameter) for i, parameter in enumerate(parameters)}
        empty = {f"{i}.{n}": one for i, each in kept.items() for n, one in each.items()}
        if buffers and buffers.keys() != empty.keys():
            raise ValueError("other averages are needed than were given.")
        for name, values in buffers.items():
            refill(empty[name], values)
        groups = self.state_dict()["param_groups"]
        state = kept if buffers else {}
        self.load_state_dict({"state": state, "param_groups": groups})


def _empty(parameter: Tensor) -> dict[str, Tensor]:
    """Return room for what Adam keeps of a parameter; it counts steps on the CPU."""
    averages = {name: torch.empty_like(parameter) for name in ("exp_avg", "exp_avg_sq")}
    return {"step": torch.zeros(()), **averages}
