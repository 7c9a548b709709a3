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

from mipl.nn.dropout import (
    ConstantDroppedReLU,
    DroppedReLU,
    Keyed,
    dropped_relu_,
    fill_random,
)
from mipl.nn.encoders import Standardise
from mipl.nn.fused import by_columns, mapped
from mipl.nn.initialisation import EmptyLinear
from mipl.nn.keyed_draws import KeyedUniform
from mipl.nn.prototypes import Metric, Prototypes


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


class StackedKeyed(nn.Module):
    """A layer that draws for each run what the run would draw alone."""

    def __init__(self, layers: Sequence[Keyed]) -> None:
        super().__init__()
        self.keys = [0] * len(layers)
        self.rows = [0] * len(layers)  # Instances, without the padding.


class StackedDroppedReLU(StackedKeyed):
    """Dropout with the masks of each run, and ReLU."""

    def __init__(self, layers: Sequence[DroppedReLU]) -> None:
        super().__init__(layers)
        self.p = layers[0].p

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


class StackedUniform(StackedKeyed):
    """Uniform numbers for the bags of each run; the last bag is padding and has 0."""

    def __init__(self, layers: Sequence[KeyedUniform]) -> None:
        super().__init__(layers)
        self.numbers = layers[0].numbers

    def forward(self, like: Tensor) -> Tensor:
        """Return numbers of the shape and type of another tensor."""
        u = torch.zeros_like(like)
        for own, key in zip(u.chunk(len(self.keys)), self.keys, strict=True):
            own[:-1] = self.numbers(own[:-1].shape, key)
        return u


class StackedConstantDroppedReLU(StackedDroppedReLU):
    """Dropout and ReLU of rows that are no instances: no run is padded."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply the next masks to all rows of each run."""
        self.rows = [len(x) // len(self.keys)] * len(self.keys)
        return super().forward(x)


def with_runs(layers: Sequence[nn.Module]) -> nn.Module:
    """Return a layer whose buffers have a first axis of runs, as it understands it."""
    whole = copy.copy(layers[0])
    whole._buffers = {
        name: torch.stack([layer.get_buffer(name) for layer in layers])
        for name in layers[0]._buffers
    }
    return whole


def stacked(parameters: Sequence[Tensor]) -> nn.Parameter:
    """Join parameters of equal shape, in their memory order: (S, ...)."""
    if by_columns(parameters[0]):
        joint = torch.stack([p.detach().T for p in parameters]).mT
    else:
        joint = torch.stack([p.detach() for p in parameters])
    return nn.Parameter(joint, requires_grad=parameters[0].requires_grad)


_FORMS: dict[type[nn.Module], Callable[[Sequence[Any]], nn.Module]] = {
    EmptyLinear: StackedLinear,
    Standardise: lambda _: nn.Identity(),
    DroppedReLU: StackedDroppedReLU,
    KeyedUniform: StackedUniform,
    ConstantDroppedReLU: StackedConstantDroppedReLU,
    Metric: with_runs,
    Prototypes: with_runs,
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
    """Let the values of a network be those of its place in the stacked one."""
    for part, joint in zip(module.parameters(), whole.parameters(), strict=True):
        part.data = joint.data[i]
    for name, buffer in whole.named_buffers():
        module.get_buffer(name).data = buffer[i]


def separate(module: nn.Module) -> None:
    """Give a network its own memory again."""
    for values in (*module.parameters(), *module.buffers()):
        values.data = values.data.clone()


def drawing_layers(module: nn.Module) -> list[tuple[int, StackedKeyed]]:
    """Return every layer that draws, and its number in the module."""
    layers = enumerate(module.modules())
    return [(n, layer) for n, layer in layers if isinstance(layer, StackedKeyed)]


def set_stacked_keys(
    layers: Iterable[tuple[int, StackedKeyed]],
    keys: Sequence[int],
    rows: Sequence[int],
) -> None:
    """Set the key and the number of rows of each run, as ``set_keys`` does for one."""
    for number, layer in layers:
        layer.keys = [key + number for key in keys]
        layer.rows = list(rows)
