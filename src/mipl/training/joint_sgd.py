"""Stochastic gradient descent on stacked parameters, with the settings of each run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import torch
from torch import Tensor, nn

from mipl.training.options import Training


class JointSGD:
    """torch's own steps, on slices that hold the runs of equal settings.

    Parameters
    ----------
    parameters : stacked parameters, (S, ...) each
    options : the settings of each run; neighbours with equal ones share their steps
    """

    def __init__(
        self, parameters: Sequence[nn.Parameter], options: Sequence[Training]
    ) -> None:
        self.parameters = parameters
        self.options: list[Training] = []  # One of each slice.
        self.slices: list[slice] = []
        first = 0
        for _, equal in groupby(options, settings):
            chosen = list(equal)
            self.options.append(chosen[0])
            self.slices.append(slice(first, first + len(chosen)))
            first += len(chosen)
        self.sgd = torch.optim.SGD(
            [
                self._group(*pair)
                for pair in zip(self.slices, self.options, strict=True)
            ],
            fused=True,
        )
        bounds = [torch.inf if o.clip is None else o.clip for o in options]
        self.bounds = (
            parameters[0].new_tensor(bounds) if min(bounds) < torch.inf else None
        )

    def _group(self, runs: slice, options: Training) -> dict[str, Any]:
        return {
            "params": [parameter.detach()[runs] for parameter in self.parameters],
            "lr": options.lr,
            "momentum": options.momentum,
            "nesterov": options.nesterov,
            "weight_decay": options.weight_decay,
        }

    def start_epoch(self, epoch: int) -> None:
        """Take the learning rates of an epoch."""
        for group, options in zip(self.sgd.param_groups, self.options, strict=True):
            group["lr"] = options.learning_rate(epoch)

    def step(self) -> None:
        """Shorten the gradients that are too long, and take the step."""
        if self.bounds is not None:
            self._clip(self.bounds)
        for group, runs in zip(self.sgd.param_groups, self.slices, strict=True):
            for part, whole in zip(group["params"], self.parameters, strict=True):
                part.grad = None if whole.grad is None else whole.grad[runs]
        self.sgd.step()

    def _clip(self, bounds: Tensor) -> None:
        """Do for each run what ``torch.nn.utils.clip_grad_norm_`` does for one."""
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        lengths = [g.norm(dim=tuple(range(1, g.ndim))) for g in gradients]
        norms = torch.stack(lengths).norm(dim=0)  # (S,)
        factors = (bounds / (norms + 1e-6)).clamp_max(1.0)
        for gradient in gradients:
            gradient.mul_(factors.view(-1, *[1] * (gradient.ndim - 1)))


def settings(options: Training) -> tuple[Any, ...]:
    """Return what decides the step of a run, apart from its gradient."""
    return (
        options.lr,
        options.momentum,
        options.nesterov,
        options.weight_decay,
        options.schedule,
    )
