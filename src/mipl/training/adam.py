"""Adam, whose averages a checkpoint can keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from mipl.training.state import refill

if TYPE_CHECKING:
    from mipl.training.options import Training


class Adam(torch.optim.Adam):
    """``torch.optim.Adam`` as the loop takes its steps, with its averages by name."""

    def __init__(self, parameters: Iterable[nn.Parameter], options: Training) -> None:
        self.parameters = [p for p in parameters if p.requires_grad]
        self.options = options
        super().__init__(self.parameters)

    def start_epoch(self, epoch: int) -> None:
        """Take the learning rate of an epoch."""
        for group in self.param_groups:
            group["lr"] = self.options.learning_rate(epoch)

    def descend(self, gradients: Sequence[Tensor | None]) -> None:
        """Take one step; what has no gradient stays as it is."""
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = gradient
        self.step()

    def end_epoch(self, epoch: int) -> None:
        """Forget the steps so far where another round follows; parameters stay."""
        if self.options.round_of(epoch).hands_over:
            for kept in self.buffers().values():
                kept.zero_()

    def buffers(self) -> dict[str, Tensor]:
        """Return what the steps so far have left; nothing before the first."""
        kept = self.state_dict()["state"]
        return {f"{i}.{n}": one for i, each in kept.items() for n, one in each.items()}

    def put_back(self, buffers: Mapping[str, Tensor]) -> None:
        """Go on from what ``buffers`` has returned."""
        kept = {i: _empty(parameter) for i, parameter in enumerate(self.parameters)}
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
