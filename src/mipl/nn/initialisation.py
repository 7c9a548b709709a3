"""Layers that take their starting values from a given generator.

torch draws starting values from its global generator as a layer is built; here layers
are built empty and filled afterwards, in one place, from one seed. (torch's own way to
build them empty, ``skip_init``, loads a library for symbolic mathematics.)
"""

import math

import torch
from torch import nn


class EmptyLinear(nn.Linear):
    """An affine map that is filled later."""

    def reset_parameters(self) -> None:
        """Draw nothing."""


class EmptyConv2d(nn.Conv2d):
    """A convolution that is filled later."""

    def reset_parameters(self) -> None:
        """Draw nothing."""


def linear(inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
    """Build an affine map without drawing a random number."""
    layer = EmptyLinear(inputs, outputs, bias)
    if inputs < outputs:
        # Stored by columns: the product that is its gradient takes half the time.
        layer.weight = nn.Parameter(torch.empty(inputs, outputs).T)
    return layer


def conv(inputs: int, outputs: int, side: int, padding: int = 0) -> nn.Conv2d:
    """Build a convolution without drawing a random number."""
    return EmptyConv2d(inputs, outputs, side, padding=padding)


class Drawn(nn.Module):
    """A layer with values of its own, which it draws from a given generator.

    What lies inside it is its own, too.
    """

    def draw(self, generator: torch.Generator) -> None:
        """Take starting values."""
        raise NotImplementedError


def initialise(module: nn.Module, seed: int, kept: nn.Module | None = None) -> None:
    """Fill every linear and convolution layer with torch's usual starting values.

    The layers inside ``kept`` stay as they are.
    """
    generator = torch.Generator().manual_seed(seed)
    untouched = set() if kept is None else set(kept.modules())
    for layer in module.modules():
        if isinstance(layer, Drawn):
            layer.draw(generator)
            untouched.update(layer.modules())
        if isinstance(layer, (nn.Linear, nn.Conv2d)) and layer not in untouched:
            # By rows, whatever the order in memory.
            values = torch.empty(layer.weight.shape, dtype=layer.weight.dtype)
            nn.init.kaiming_uniform_(values, a=math.sqrt(5), generator=generator)
            layer.weight.detach().copy_(values)
            if layer.bias is not None:
                bound = 1 / math.sqrt(layer.weight[0].numel())
                nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
