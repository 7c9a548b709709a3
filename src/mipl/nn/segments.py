"""Operations inside bags, on the flat rows of many bags at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

_SUM = 0  # The mode of ``embedding_bag`` that adds up.


@dataclass(frozen=True, eq=False)
class Segments:
    """Which bag each row of a flat tensor belongs to, bag after bag.

    All sums go through ``index_add`` and ``embedding_bag``, whose results do not depend
    on the other bags of the batch and repeat bit for bit.

    Examples
    --------
    >>> segments = Segments.of(torch.tensor([2, 1]))
    >>> segments.sum(torch.tensor([1.0, 2.0, 5.0])).tolist()
    [3.0, 5.0]
    >>> segments.softmax(torch.tensor([0.0, 0.0, 7.0])).tolist()
    [0.5, 0.5, 1.0]
    """

    sizes: Tensor  # (B,) int64
    bag: Tensor  # (N,) int64
    starts: Tensor  # (B,) int64, the first row of each bag

    @classmethod
    def of(cls, sizes: Tensor) -> Segments:
        """Build from the number of rows of each bag."""
        return cls(sizes, torch.repeat_interleave(sizes), sizes.cumsum(0) - sizes)

    def spread(self, values: Tensor) -> Tensor:
        """Give each row the value of its bag: (B, ...) -> (N, ...)."""
        return values.index_select(0, self.bag)

    def sum(self, x: Tensor) -> Tensor:
        """Add up the rows of each bag: (N, ...) -> (B, ...)."""
        zeros = x.new_zeros((len(self.sizes), *x.shape[1:]))
        return zeros.index_add(0, self.bag, x)

    def mean(self, x: Tensor) -> Tensor:
        """Average the rows of each bag: (N, ...) -> (B, ...)."""
        return self.sum(x) / _column(self.sizes, x)

    def max(self, x: Tensor) -> Tensor:
        """Take the largest row of each bag, without gradient: (N, ...) -> (B, ...)."""
        lowest = x.new_full((len(self.sizes), *x.shape[1:]), -torch.inf)
        bag = self.bag.view(-1, *[1] * (x.ndim - 1)).expand_as(x)
        return lowest.scatter_reduce(0, bag, x.detach(), "amax")

    def peak(self, x: Tensor) -> Tensor:
        """Take the largest row of each bag: (N, k) -> (B, k).

        The gradient goes to the first row that has it.
        """
        top = x >= self.spread(self.max(x))
        row = torch.arange(len(x), device=x.device).unsqueeze(1).expand_as(x)
        last = row.new_full((len(self.sizes), x.shape[1]), len(x))
        bag = self.bag.unsqueeze(1).expand_as(x)
        first = last.scatter_reduce(0, bag, row.where(top, len(x)), "amin")  # (B, k)
        # No row of a bag is the largest where it has a NaN: the last stands in.
        return x.gather(0, first.clamp_max(len(x) - 1))

    def centre(self, x: Tensor) -> Tensor:
        """Subtract from each row the mean of its bag: (N,) -> (N,)."""
        return x - self.spread(self.mean(x))

    def std(self, centred: Tensor) -> Tensor:
        """Return the sample standard deviation of centred rows; 0 for a single one."""
        total = self.sum(centred.square())
        return safe_sqrt(total / _column((self.sizes - 1).clamp_min(1), centred))

    def softmax(self, scores: Tensor) -> Tensor:
        """Return the softmax inside each bag: (N, ...) -> (N, ...)."""
        found: Tensor = _Softmax.apply(scores, self)  # type: ignore[no-untyped-call]
        return found

    def weighted_sum(self, a: Tensor, x: Tensor) -> Tensor:
        """Add up the rows of each bag by their weights: (N,), (N, L) -> (B, L)."""
        found: Tensor = _WeightedSum.apply(a, x, self)  # type: ignore[no-untyped-call]
        return found


class _Softmax(torch.autograd.Function):
    """The softmax inside bags, with its gradient in few operations."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, bags: Segments) -> Tensor:
        a = torch.exp(scores - bags.spread(bags.max(scores)))
        a.div_(bags.spread(bags.sum(a)))
        ctx.bags = bags
        ctx.save_for_backward(a)
        return a

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
        (a,) = ctx.saved_tensors
        slopes = a * g
        return slopes - a * ctx.bags.spread(ctx.bags.sum(slopes)), None


class _WeightedSum(torch.autograd.Function):
    """The weighted sum inside bags, with its gradient in few operations."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, x: Tensor, bags: Segments) -> Tensor:
        ctx.bags = bags
        ctx.save_for_backward(a, x)
        found: Tensor = nn.functional.embedding_bag(
            _every(x), x, bags.starts, mode="sum", per_sample_weights=a
        )
        return found  # (B, L)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor, None]:
        a, x = ctx.saved_tensors
        bags: Segments = ctx.bags
        # The product of each row with that of its bag, without a copy of either.
        of_a = torch.ops.aten._embedding_bag_per_sample_weights_backward(
            g.contiguous(), x, _every(x), bags.starts, bags.bag, _SUM
        )  # (N,)
        return of_a, bags.spread(g).mul_(a.unsqueeze(1)), None


def _every(x: Tensor) -> Tensor:
    return torch.arange(len(x), device=x.device)


def safe_sqrt(x: Tensor) -> Tensor:
    """Take the square root, with gradient 0 instead of infinity at 0."""
    positive = x > 0
    return torch.where(positive, torch.where(positive, x, 1.0).sqrt(), 0.0)


def _column(sizes: Tensor, x: Tensor) -> Tensor:
    return sizes if x.ndim == 1 else sizes.view(-1, *[1] * (x.ndim - 1))
