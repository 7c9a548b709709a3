"""Several networks of equal shape as one, their parameters stacked.

The rows of all runs lie one after another, run by run, padded to the same number: what
has no parameters works on these flat rows as ever, and only the layers below know of
runs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from mipl.nn.dropout import DroppedReLU, Keyed, dropped_relu_, fill_random
from mipl.nn.encoders import Standardise
from mipl.nn.fused import by_columns, mapped
from mipl.nn.initialisation import EmptyLinear


class StackedLinear(nn.Module):
    """One affine map per run: (S n, d) -> (S n, q)."""

    def __init__(self, layers: Sequence[nn.Linear]) -> None:
        super().__init__()
        self.weight = stacked([layer.weight for layer in layers])  # (S, q, d)
        biases = [layer.bias for layer in layers if layer.bias is not None]
        self.bias = stacked(biases) if biases else None  # (S, q)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to each row the map of its run."""
        return mapped(x, self.weight, self.bias)


class StackedDroppedReLU(nn.Module):
    """Dropout with the masks that each run would draw alone, and ReLU."""

    def __init__(self, layers: Sequence[DroppedReLU]) -> None:
        super().__init__()
        self.p = layers[0].p
        self.keys = [0] * len(layers)
        self.rows = [0] * len(layers)  # Without the padding.

    def forward(self, x: Tensor) -> Tensor:
        """Apply the next masks, in training only, and the ReLU."""
        if not self.training or self.p == 0:
            return torch.relu_(x)
        width = x.shape[1]
        padded = len(x) // len(self.keys) * width
        words = torch.zeros(len(self.keys), (padded + 7) // 8, dtype=torch.int64)
        for line, key, rows in zip(words, self.keys, self.rows, strict=True):
            fill_random(line[: (rows * width + 7) // 8], key)
        random = words.view(torch.uint8)[:, :padded].reshape(x.shape)
        return dropped_relu_(x, random, self.p)


def stacked(parameters: Sequence[Tensor]) -> nn.Parameter:
    """Join parameters of equal shape, in their memory order: (S, ...)."""
    if by_columns(parameters[0]):
        return nn.Parameter(torch.stack([p.detach().T for p in parameters]).mT)
    return nn.Parameter(torch.stack([p.detach() for p in parameters]))


_FORMS: dict[type[nn.Module], Callable[[Sequence[Any]], nn.Module]] = {
    EmptyLinear: StackedLinear,
    Standardise: lambda _: nn.Identity(),
    DroppedReLU: StackedDroppedReLU,
}


def can_stack(module: nn.Module) -> bool:
    """Whether each layer with values or random numbers has a stacked form."""
    return all(
        type(layer) in _FORMS
        or not (layer._parameters or layer._buffers or isinstance(layer, Keyed))
        for layer in module.modules()
    )


def stack_networks(modules: Sequence[nn.Module]) -> nn.Module:
    """Return one network that trains all of these, which must be of equal shape.

    It takes features that are scaled already, each run's by its own network. A layer
    that a network has in two places stays one layer.
    """
    return _stack(modules, {})


def _stack(modules: Sequence[nn.Module], made: dict[nn.Module, nn.Module]) -> nn.Module:
    first = modules[0]
    if first in made:
        return made[first]
    if type(first) in _FORMS:
        whole = _FORMS[type(first)](modules)
    else:
        whole = copy.copy(first)
        whole._modules = {
            name: part and _stack([getattr(module, name) for module in modules], made)
            for name, part in first._modules.items()
        }
    made[first] = whole
    return whole


def share_memory(module: nn.Module, whole: nn.Module, i: int) -> None:
    """Let the parameters of a network be those of its place in the stacked one."""
    for part, joint in zip(module.parameters(), whole.parameters(), strict=True):
        part.data = joint.data[i]


def separate(module: nn.Module) -> None:
    """Give a network its own memory again."""
    for parameter in module.parameters():
        parameter.data = parameter.data.clone()


def dropout_layers(module: nn.Module) -> list[tuple[int, StackedDroppedReLU]]:
    """Return every layer that draws, and its number in the module."""
    layers = enumerate(module.modules())
    return [(n, layer) for n, layer in layers if isinstance(layer, StackedDroppedReLU)]


def set_stacked_keys(
    layers: Iterable[tuple[int, StackedDroppedReLU]],
    keys: Sequence[int],
    rows: Sequence[int],
) -> None:
    """Set the key and the number of rows of each run, as ``set_keys`` does for one."""
    for number, layer in layers:
        layer.keys = [key + number for key in keys]
        layer.rows = list(rows)
