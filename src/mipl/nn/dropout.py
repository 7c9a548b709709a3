"""Dropout whose masks are a function of a key, not of a global generator."""

import torch
from torch import Tensor, nn

_BYTES = 256


class Keyed(nn.Module):
    """A part that draws random numbers, from the key of the step."""

    key: int = 0


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
        words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64)
        fill_random(words, self.key)
        return drop(x, words.view(torch.uint8)[: x.numel()].view(x.shape), self.p)


def fill_random(words: Tensor, key: int) -> None:
    """Fill words with the random bits of a key."""
    words.random_(-(2**63), None, generator=torch.Generator().manual_seed(key))


def drop(x: Tensor, random: Tensor, p: float) -> Tensor:
    """Drop the numbers whose random byte lies below p, and enlarge the others."""
    dropped = round(p * _BYTES)
    return x * (random >= dropped).to(x).mul_(_BYTES / (_BYTES - dropped))


def rekey(module: nn.Module, key: int) -> None:
    """Set the key of every part of a module that draws random numbers."""
    for number, layer in enumerate(module.modules()):
        if isinstance(layer, Keyed):
            layer.key = key + number
