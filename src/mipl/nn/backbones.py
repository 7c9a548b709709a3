"""Backbones: vectors -> logits of the classes, for methods without bags."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from mipl.nn.attention import EvenAttention
from mipl.nn.encoders import Standardise, build_encoder
from mipl.nn.initialisation import Drawn, linear
from mipl.nn.network import BagNetwork


class Xavier(Drawn):
    """Layers whose affine maps start with Xavier-uniform weights, and biases of 0."""

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the layers."""
        return self.layers(x)  # type: ignore[no-any-return]

    def draw(self, generator: torch.Generator) -> None:
        """Take starting values."""
        for layer in self.layers.modules():
            if isinstance(layer, nn.Linear):
                # By rows, whatever the order in memory.
                values = torch.empty(layer.weight.shape, dtype=layer.weight.dtype)
                nn.init.xavier_uniform_(values, generator=generator)
                layer.weight.detach().copy_(values)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)


class RowNorm(nn.BatchNorm1d):
    """Batch norm that takes a batch of one row too.

    One row has no spread: it is normalised by the running mean and variance, which it
    leaves as they are.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Normalise each feature over the batch."""
        if self.training and len(x) < 2:
            return nn.functional.batch_norm(
                x,
                self.running_mean,
                self.running_var,
                self.weight,
                self.bias,
                eps=self.eps,
            )
        return super().forward(x)


def hidden_layers(d: int, widths: Sequence[int], norm: bool) -> list[nn.Module]:
    """Return affine maps with ReLU; under batch norm they have no bias."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise([d, *widths]):
        layers.append(linear(inputs, outputs, bias=not norm))
        layers.extend([RowNorm(outputs)] if norm else [])
        layers.append(nn.ReLU(inplace=True))
    return layers


def vector_network(
    d: int,
    n_classes: int,
    kind: str | nn.Module,
    widths: Sequence[int],
    *,
    norm: bool,
    xavier: bool,
) -> BagNetwork:
    """Return a network of bags of one instance, whose bag vectors are the logits.

    Parameters
    ----------
    kind : {"linear", "mlp"} or torch.nn.Module
        One affine map; hidden layers of these widths before it; or a module of the
        user's before it, which keeps its values.
    norm : bool
        Whether hidden layers have batch norm.
    xavier : bool
        Whether starting values are Xavier's, or torch's usual ones.
    """
    before: list[nn.Module] = []
    last = d
    if isinstance(kind, nn.Module):
        own, last = build_encoder(kind, d, None, 1, 0.0)
        before, xavier = [own], False
    elif kind == "mlp":
        before, last = hidden_layers(d, widths, norm), widths[-1]
    layers = [*before, linear(last, n_classes)]
    backbone = Xavier(layers) if xavier else nn.Sequential(*layers)
    return BagNetwork(Standardise(d), backbone, EvenAttention(), nn.LogSoftmax(dim=1))


def as_widths(width: int | Sequence[int]) -> tuple[int, ...]:
    """Return the widths of layers, of which one or several are given.

    Examples
    --------
    >>> as_widths(500), as_widths((512, 256))
    ((500,), (512, 256))
    """
    return tuple(map(int, width if isinstance(width, Sequence) else [width]))
