"""Dropout whose masks are a function of a key, not of a global generator."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from mipl.nn.parts import Part

_BYTES = 256


class Keyed(nn.Module):
    """A layer that draws random numbers, from the key of the step.

    One of several processes draws for all rows of a batch and takes its own.
    """

    key: int = 0
    part: Part | None = None
    per_bag: bool = False  # Whether a row is a bag, not an instance.

    def rows(self, x: Tensor) -> tuple[int, slice]:
        """Return for how many rows to draw, and which of them x has."""
        if self.part is None:
            return len(x), slice(len(x))
        return self.part.rows(self.per_bag)


class KeyedDropout(Keyed):
    """Drop each number with probability ``p``, rounded to 1/256.

    The training loop sets the key of each step with ``rekey``. Random bytes cost a
    tenth of random floats.

    Examples
    --------
    >>> drop = KeyedDropout(0.5)
    >>> rekey(drop, 7); a = drop(torch.ones(4, 4))
    >>> rekey(drop, 7); bool((a == drop(torch.ones(4, 4))).all())
    True
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Apply the next mask, in training only."""
        if not self.training or self.p == 0:
            return x
        rows, own = self.rows(x)
        shape = (rows, *x.shape[1:])
        numel = math.prod(shape)
        words = torch.empty((numel + 7) // 8, dtype=torch.int64)
        fill_random(words, self.key)
        return drop(x, words.view(torch.uint8)[:numel].view(shape)[own], self.p)


def fill_random(words: Tensor, key: int) -> None:
    """Fill words with the random bits of a key."""
    words.random_(-(2**63), None, generator=torch.Generator().manual_seed(key))


def drop(x: Tensor, random: Tensor, p: float) -> Tensor:
    """Drop the numbers whose random byte lies below p, and enlarge the others."""
    dropped = round(p * _BYTES)
    if dropped == 0:
        return x
    # Bytes of 0 and 1: comparing, and turning bools into floats, takes far longer.
    keep = random.clamp(dropped - 1, dropped).sub_(dropped - 1)
    return x * keep.to(x).mul_(_BYTES / (_BYTES - dropped))


def rekey(module: nn.Module, key: int, part: Part | None = None) -> None:
    """Set the key, and the part of the batch, of every layer that draws."""
    set_keys(keyed_layers(module), key, part)


def keyed_layers(module: nn.Module) -> list[tuple[int, Keyed]]:
    """Return every layer that draws, and its number in the module."""
    layers = enumerate(module.modules())
    return [(number, layer) for number, layer in layers if isinstance(layer, Keyed)]


def set_keys(layers: Iterable[tuple[int, Keyed]], key: int, part: Part | None) -> None:
    """Do what ``rekey`` does, for layers that were looked up before."""
    for number, layer in layers:
        layer.key, layer.part = key + number, part
