"""Attention: embedded instances -> a weight per instance and a vector per bag."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from mipl.nn.segments import Segments

_EPSILON = 1e-8
_ROUNDING = 64  # Units of rounding by which equal attention weights may differ.


class Attention(nn.Module):
    """Attention in two parts, so that a bag may come some instances at a time.

    ``score`` looks at each instance alone, ``weigh`` at all scores of a bag.
    """

    def __init__(self, score: nn.Module) -> None:
        super().__init__()
        self.score = score

    def forward(self, h: Tensor, bags: Segments, tau: float) -> tuple[Tensor, Tensor]:
        """Return raw scores and attention."""
        scores = self.score(h)  # (N,)
        return scores, self.weigh(scores, bags, tau)

    def weigh(self, scores: Tensor, bags: Segments, tau: float) -> Tensor:
        """Turn raw scores into attention."""
        raise NotImplementedError


class MarginAttention(Attention):
    """Margin-aware attention: a softmax sharpened by a falling temperature.

    Parameters
    ----------
    score : module
        h -> raw scores.
    standardise : {"scores", "attention", "none"}
        Where the z-score inside the bag stands: before the softmax (the program),
        after it (the paper), or nowhere.
    scale : float
        What the scores are multiplied by before the softmax.
    detach_spread : bool
        Whether the standard deviation is treated as a constant.
    """

    def __init__(
        self, score: nn.Module, *, standardise: str, scale: float, detach_spread: bool
    ) -> None:
        super().__init__(score)
        self.standardise = standardise
        self.scale = scale
        self.detach_spread = detach_spread

    def weigh(self, scores: Tensor, bags: Segments, tau: float) -> Tensor:
        """Turn raw scores into attention."""
        if self.standardise == "scores":
            centred = bags.centre(scores)
            scores = centred / (self._spread(centred, bags) + _EPSILON)
        a = bags.softmax(scores * (self.scale / tau))
        if self.standardise == "attention":
            even = bags.spread(1 / bags.sizes.to(a.dtype))  # The mean of a bag's a.
            centred = a - even
            spread = self._spread(centred, bags)
            # Where all weights are equal up to rounding the z-score is 0/0: the
            # average stands in.
            uneven = spread > _ROUNDING * torch.finfo(a.dtype).eps * even
            a = torch.where(uneven, centred / spread.where(uneven, 1.0), a)
        return a

    def _spread(self, centred: Tensor, bags: Segments) -> Tensor:
        """Return for each row the standard deviation in its bag."""
        return bags.spread(
            bags.std(centred.detach() if self.detach_spread else centred)
        )


class SigmoidAttention(Attention):
    """Attention of each instance by itself: a = sigmoid(score), whatever the others.

    A bag vector is the mean weighted by a, so the weights are a / sum(a); the
    temperature is not used.
    """

    def weigh(self, scores: Tensor, bags: Segments, tau: float) -> Tensor:
        """Return each instance's share of its bag."""
        # The softmax of log a is a / sum(a), and defined where every a underflows.
        return bags.softmax(nn.functional.logsigmoid(scores))

    def opened(self, scores: Tensor) -> Tensor:
        """Return a, between 0 and 1."""
        return torch.sigmoid(scores)


class EvenAttention(Attention):
    """The same attention for all instances of a bag: bag vectors are means."""

    def __init__(self) -> None:
        super().__init__(_Level())

    def weigh(self, scores: Tensor, bags: Segments, tau: float) -> Tensor:
        """Return 1/n in a bag of n instances."""
        return bags.spread(1 / bags.sizes.to(scores.dtype))


class _Level(nn.Module):
    """The same score for all."""

    def forward(self, h: Tensor) -> Tensor:
        return h.new_zeros(len(h))


def inverse_root(width: int) -> float:
    """Return 1/sqrt(L), the scale of the published program's scores."""
    return 1 / math.sqrt(width)
