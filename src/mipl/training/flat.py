"""Descent on all parameters of a network as one vector, or one per run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from mipl.training.averaging import RunningMean
from mipl.training.state import refill

if TYPE_CHECKING:
    from mipl.training.options import Training


class FlatDescent:
    """Steps on parameters that become parts of one tensor; a leaf says how.

    A small network has many small parameters, and a step on each costs more than the
    numbers it moves. Each of several runs has its own rate, decay and bound. Not a
    ``torch.optim.Optimizer``, the first of which loads torch's compiler: a second in
    every process.

    Parameters
    ----------
    parameters : those of one network, or stacked ones, (S, ...) each
    options : the settings of each run
    """

    def __init__(
        self, parameters: Iterable[nn.Parameter], options: Sequence[Training]
    ) -> None:
        self.parameters = [p for p in parameters if p.requires_grad]
        self.options = options
        self.orders = [_memory_order(p) for p in self.parameters]
        self.values = self._join([p.detach() for p in self.parameters])  # (S, P)
        self._share_memory()
        bounds = [torch.inf if o.clip is None else o.clip for o in options]
        self.bounds = self._column(bounds) if min(bounds) < torch.inf else None
        decay = options[0].average
        self.mean = None if decay is None else RunningMean(self.values, decay)

    def start_epoch(self, epoch: int) -> None:
        """Take the learning rates of an epoch."""
        if self.mean is not None:
            self.mean.begin_epoch()
        self._take_rates(epoch)

    def end_epoch(self, epoch: int) -> None:
        """Put the mean of the parameters in their place, where one is asked for.

        What the steps so far have left is forgotten where another round follows.
        """
        if self.options[0].round_of(epoch).hands_over:
            for kept in self._of_steps().values():
                kept.zero_()
        if self.mean is not None:
            self.mean.end_epoch(epoch)

    def _take_rates(self, epoch: int) -> None:
        raise NotImplementedError

    def descend(self, gradients: Sequence[Tensor | None]) -> None:
        """Shorten the gradients that are too long, and take the step.

        A parameter that the loss does not know has no gradient, and stays as it is.
        """
        stays = self._held(gradients)
        g = self._join(
            [
                torch.zeros_like(p) if g is None else g
                for p, g in zip(self.parameters, gradients, strict=True)
            ]
        )  # (S, P)
        if self.bounds is not None:
            lengths = g.norm(dim=1, keepdim=True)
            g.mul_((self.bounds / (lengths + 1e-6)).clamp_max_(1.0))
        self._step(g)
        for part, before in stays:
            part.copy_(before)

    def _held(self, gradients: Sequence[Tensor | None]) -> list[tuple[Tensor, Tensor]]:
        """Return what belongs to parameters without gradient, and a copy of it."""
        if all(gradient is not None for gradient in gradients):
            return []
        lengths = [p.numel() // len(self.options) for p in self.parameters]
        kept = [one for one in self._of_steps().values() if one.ndim == 2]  # (S, P)
        return [
            (part, part.clone())
            for whole in (self.values, *kept)
            for part, gradient in zip(whole.split(lengths, 1), gradients, strict=True)  # type: ignore[no-untyped-call]
            if gradient is None
        ]

    def _step(self, g: Tensor) -> None:
        """Move the values by their gradient (S, P), which may be written to."""
        raise NotImplementedError

    def buffers(self) -> dict[str, Tensor]:
        """Return what the steps so far have left, by name."""
        of_mean = {} if self.mean is None else self.mean.buffers()
        return self._of_steps() | of_mean

    def _of_steps(self) -> dict[str, Tensor]:
        raise NotImplementedError

    def put_back(self, buffers: Mapping[str, Tensor]) -> None:
        """Go on from what ``buffers`` has returned."""
        own = self.buffers()
        if buffers.keys() != own.keys():
            raise ValueError(f"{sorted(own)} are needed; got {sorted(buffers)}.")
        for name, values in buffers.items():
            refill(own[name], values)

    def _column(self, numbers: Sequence[float]) -> Tensor:
        return self.values.new_tensor(numbers).unsqueeze(1)

    def _join(self, tensors: Sequence[Tensor]) -> Tensor:
        """Lay values of all parameters side by side: (S, P)."""
        parts = zip(tensors, self.orders, strict=True)
        rows = [t if order is None else t.permute(order) for t, order in parts]
        return torch.cat([t.reshape(len(self.options), -1) for t in rows], dim=1)

    def _share_memory(self) -> None:
        """Let each parameter be a part of the values, with the strides it had."""
        n_runs, length = self.values.shape
        first = 0
        for parameter in self.parameters:
            strides = list(parameter.stride())
            if n_runs > 1:
                strides[0] = length
            shape = parameter.shape
            parameter.data = self.values.as_strided(shape, strides, first)
            first += parameter.numel() // n_runs


def _memory_order(parameter: Tensor) -> list[int] | None:
    """Return the axes from the longest stride to the shortest; None for as they are."""
    axes = range(parameter.ndim)
    order = sorted(axes, key=parameter.stride, reverse=True)
    return None if order == list(axes) else order
