"""Several networks of equal shape as one, their parameters stacked.

The rows of all runs lie one after another, run by run, padded to the same number: what
has no parameters works on these flat rows as ever, and only the layers below know of
runs. The parameters of the single networks become views of the stacked ones.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from mipl.nn.dropout import Keyed, KeyedDropout, drop, fill_random
from mipl.nn.encoders import Standardise


class StackedLinear(nn.Module):
    """One affine map per run: (S n, d) -> (S n, q)."""

    def __init__(self, layers: Sequence[nn.Linear]) -> None:
        super().__init__()
        self.n_runs = len(layers)
        self.weight = stacked([layer.weight for layer in layers])  # (S, q, d)
        biases = [layer.bias for layer in layers if layer.bias is not None]
        self.bias = stacked(biases) if biases else None  # (S, q)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to each row the map of its run."""
        rows = x.view(self.n_runs, -1, x.shape[1])  # (S, n, d)
        found: Tensor = _Maps.apply(rows, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return found.flatten(0, 1)


class _Maps(torch.autograd.Function):
    """x W' + b of each run, with the gradient of W in the memory order of W.

    The gradient that torch takes is always by columns: it would be copied, and for one
    output it is ten times slower.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.biased = bias is not None
        maps = weight.transpose(1, 2)
        if bias is None:
            return torch.bmm(x, maps)
        return torch.baddbmm(bias.unsqueeze(1), x, maps)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, Tensor, Tensor | None]:
        x, weight = ctx.saved_tensors
        of_x = torch.bmm(g, weight) if ctx.needs_input_grad[0] else None
        if _by_columns(weight[0]):
            of_weight = torch.bmm(x.transpose(1, 2), g).transpose(1, 2)
        else:
            of_weight = torch.bmm(g.transpose(1, 2), x)
        return of_x, of_weight, g.sum(dim=1) if ctx.biased else None


def _by_columns(weight: Tensor) -> bool:
    return weight.ndim == 2 and not weight.is_contiguous()


class StackedDropout(nn.Module):
    """Dropout of instances with the masks that each run would draw alone."""

    def __init__(self, layers: Sequence[KeyedDropout]) -> None:
        super().__init__()
        self.p = layers[0].p
        self.keys = [0] * len(layers)
        self.rows = [0] * len(layers)  # Without the padding.

    def forward(self, x: Tensor) -> Tensor:
        """Apply the next masks, in training only."""
        if not self.training or self.p == 0:
            return x
        width = x.shape[1]
        padded = len(x) // len(self.keys) * width
        words = torch.zeros(len(self.keys), (padded + 7) // 8, dtype=torch.int64)
        for line, key, rows in zip(words, self.keys, self.rows, strict=True):
            fill_random(line[: (rows * width + 7) // 8], key)
        return drop(x, words.view(torch.uint8)[:, :padded].reshape(x.shape), self.p)


def stacked(parameters: Sequence[Tensor]) -> nn.Parameter:
    """Join parameters, which become views of the result, in their memory order."""
    if _by_columns(parameters[0]):
        values = torch.stack([p.detach().T for p in parameters]).transpose(1, 2)
    else:
        values = torch.stack([p.detach() for p in parameters])
    whole = nn.Parameter(values)
    for part, value in zip(parameters, whole.detach(), strict=True):
        part.data = value
    return whole


_FORMS: dict[type[nn.Module], Callable[[Sequence[Any]], nn.Module]] = {
    nn.Linear: StackedLinear,
    Standardise: lambda _: nn.Identity(),
    KeyedDropout: StackedDropout,
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

    It takes features that are scaled already, each run's by its own network.
    """
    first = modules[0]
    if type(first) in _FORMS:
        return _FORMS[type(first)](modules)
    whole = copy.copy(first)
    whole._modules = {
        name: part and stack_networks([getattr(module, name) for module in modules])
        for name, part in first._modules.items()
    }
    return whole


def separate(module: nn.Module) -> None:
    """Give a network its own memory again."""
    for parameter in module.parameters():
        parameter.data = parameter.data.clone()


def dropout_layers(module: nn.Module) -> list[tuple[int, StackedDropout]]:
    """Return every layer that draws, and its number in the module."""
    layers = enumerate(module.modules())
    return [(n, layer) for n, layer in layers if isinstance(layer, StackedDropout)]


def set_joint_keys(
    layers: Iterable[tuple[int, StackedDropout]],
    keys: Sequence[int],
    rows: Sequence[int],
) -> None:
    """Set the key and the number of rows of each run, as ``set_keys`` does for one."""
    for number, layer in layers:
        layer.keys = [key + number for key in keys]
        layer.rows = list(rows)
