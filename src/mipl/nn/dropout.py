"""Dropout and ReLU, with masks that are a function of a key."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from mipl.nn.process_share import ProcessShare

_BYTES = 256


class Keyed(nn.Module):
    """A layer that draws random numbers, from the key of the step.

    One of several processes draws for all rows of a batch and takes its own.
    """

    key: int = 0
    part: ProcessShare | None = None
    per_bag: bool = False  # Whether a row is a bag, not an instance.

    def rows(self, x: Tensor) -> tuple[int, slice]:
        """Return for how many rows to draw, and which of them x has."""
        if self.part is None:
            return len(x), slice(len(x))
        return self.part.rows(self.per_bag)


class DroppedReLU(Keyed):
    """Drop each number with probability ``p``, rounded to 1/256, then ReLU; in place.

    The training loop sets the key of each step with ``rekey``. Random bytes cost a
    tenth of random floats.

    Examples
    --------
    >>> layer = DroppedReLU(0.5)
    >>> rekey(layer, 7); a = layer(torch.ones(4, 4))
    >>> rekey(layer, 7); bool((a == layer(torch.ones(4, 4))).all())
    True
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Apply the next mask, in training only, and the ReLU."""
        if not self.training or self.p == 0:
            return torch.relu_(x)
        rows, own = self.rows(x)
        shape = (rows, *x.shape[1:])
        numel = math.prod(shape)
        words = torch.empty((numel + 7) // 8, dtype=torch.int64)
        fill_random(words, self.key)
        random = words.view(torch.uint8)[:numel].view(shape)[own]
        return dropped_relu_(x, random, self.p)


def fill_random(words: Tensor, key: int) -> None:
    """Fill words with the random bits of a key."""
    words.random_(-(2**63), None, generator=torch.Generator().manual_seed(key))


def dropped_relu_(x: Tensor, random: Tensor, p: float) -> Tensor:
    """Drop the numbers whose random byte lies below p, enlarge the others, ReLU."""
    dropped = round(p * _BYTES)
    if dropped == 0:
        return torch.relu_(x)
    # Bytes of 0 and 1: comparing, and turning bools into floats, takes far longer.
    keep = random.clamp(dropped - 1, dropped).sub_(dropped - 1)
    scale = _BYTES / (_BYTES - dropped)
    found: Tensor = _DroppedReLU.apply(x, keep, scale)  # type: ignore[no-untyped-call]
    return found


class _DroppedReLU(torch.autograd.Function):
    """relu(scale keep x): what is positive afterwards was kept."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, keep: Tensor, scale: float) -> Tensor:
        x.mul_(keep.to(x).mul_(scale)).relu_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None, None]:
        (y,) = ctx.saved_tensors
        return torch.ops.aten.threshold_backward(g, y, 0).mul_(ctx.scale), None, None


def rekey(module: nn.Module, key: int, part: ProcessShare | None = None) -> None:
    """Set the key, and the part of the batch, of every layer that draws."""
    set_keys(keyed_layers(module), key, part)


def keyed_layers(module: nn.Module) -> list[tuple[int, Keyed]]:
    """Return every layer that draws, and its number in the module."""
    layers = enumerate(module.modules())
    return [(number, layer) for number, layer in layers if isinstance(layer, Keyed)]


def set_keys(
    layers: Iterable[tuple[int, Keyed]], key: int, part: ProcessShare | None
) -> None:
    """Do what ``rekey`` does, for layers that were looked up before."""
    for number, layer in layers:
        layer.key, layer.part = key + number, part
