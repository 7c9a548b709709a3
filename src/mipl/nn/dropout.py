"""Dropout and ReLU, with masks that are a function of a key."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
        random = self.draw(x, x.shape[1:])
        return torch.relu_(x) if random is None else dropped_relu_(x, random, self.p)

    def draw(self, x: Tensor, shape: Sequence[int]) -> Tensor | None:
        """Return random bytes of this shape for each row of x; None to drop nothing."""
        if not self.training or self.p == 0:
            return None
        rows, own = self.rows(x)
        numel = math.prod((rows, *shape))
        words = torch.empty((numel + 7) // 8, dtype=torch.int64)
        fill_random(words, self.key)
        return words.view(torch.uint8)[:numel].view(rows, *shape)[own]


class ConstantDroppedReLU(DroppedReLU):
    """Dropout and ReLU of rows that are no instances: every batch has all of them."""

    def rows(self, x: Tensor) -> tuple[int, slice]:
        """Return all rows, which no process shares out."""
        return len(x), slice(len(x))


def fill_random(words: Tensor, key: int) -> None:
    """Fill words with the random bits of a key."""
    words.random_(-(2**63), None, generator=torch.Generator().manual_seed(key))


def dropped_relu_(x: Tensor, random: Tensor, p: float) -> Tensor:
    """Drop the numbers whose random byte lies below p, enlarge the others, ReLU."""
    found: Tensor = _DroppedReLU.apply(x, random, p)  # type: ignore[no-untyped-call]
    return found


class _DroppedReLU(torch.autograd.Function):
    """The same, with its gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, random: Tensor, p: float) -> Tensor:
        drop_(x, random, p)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        ctx.p = p
        return x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None, None]:
        (y,) = ctx.saved_tensors
        return of_dropped(g, y, ctx.p), None, None


def drop_(x: Tensor, random: Tensor | None, p: float) -> None:
    """Do what ``dropped_relu_`` does, without gradients; with no bytes, the ReLU."""
    dropped = round(p * _BYTES)
    if random is not None and dropped:
        # Bytes of 0 and 1: comparing, and turning bools into floats, takes far longer.
        keep = random.clamp(dropped - 1, dropped).sub_(dropped - 1)
        x.mul_(keep.to(x).mul_(_enlarged(p)))
    x.relu_()


def of_dropped(g: Tensor, y: Tensor, p: float) -> Tensor:
    """Return the gradient before y = relu(scale keep x): where y > 0, x was kept."""
    slopes: Tensor = torch.ops.aten.threshold_backward(g, y, 0)
    return slopes.mul_(_enlarged(p)) if round(p * _BYTES) else slopes


def _enlarged(p: float) -> float:
    """Return what the numbers that are left are multiplied by."""
    return _BYTES / (_BYTES - round(p * _BYTES))


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
