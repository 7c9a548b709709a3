"""Class-wise attention and scores of many draws: embedded instances -> bag scores.

For each class c and draw s, a column of coefficients u of the attention and b of the
scores::

    z_ics = sum_j softmax_j(h_j u_cs) (h_j b_cs)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from mipl.nn.products import ROWS, product
from mipl.nn.segments import Segments


def bag_scores(h: Tensor, u: Tensor, b: Tensor, bags: Segments) -> Tensor:
    """Return z as it is written above: (N, L), (L, C), (L, C) -> (B, C)."""
    return bags.sum(bags.softmax(h @ u) * (h @ b))


def fused_bag_scores(h: Tensor, u: Tensor, b: Tensor, bags: Segments) -> Tensor:
    """Return what ``bag_scores`` does, some bags at a time.

    Neither attention nor scores of all instances move through memory but once each way.
    """
    found: Tensor = _BagScores.apply(h, u.contiguous(), b.contiguous(), bags)  # type: ignore[no-untyped-call]
    return found


class _BagScores(torch.autograd.Function):
    """The formula for bags of equal size at a time, with its gradient."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, u: Tensor, b: Tensor, bags: Segments) -> Tensor:
        z = h.new_empty(len(bags.sizes), u.shape[1])
        ctx.parts = []
        for chosen, rows in _equal(bags):
            x = h.index_select(0, rows.flatten())
            shape = (*rows.shape, -1)
            a = product(x, u.T).view(shape).softmax(dim=1)  # (B', n, C)
            v = product(x, b.T).view(shape)
            z.index_copy_(0, chosen, (a * v).sum(dim=1))
            ctx.parts.append((chosen, rows.flatten(), a, v))
        ctx.save_for_backward(h, u, b, z)
        return z

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        h, u, b, z = ctx.saved_tensors
        of_h, of_u, of_b = torch.empty_like(h), torch.zeros_like(u), torch.zeros_like(b)
        for chosen, rows, a, v in ctx.parts:
            of_v = a * g.index_select(0, chosen).unsqueeze(1)
            centred = v - z.index_select(0, chosen).unsqueeze(1)
            of_s = centred.mul_(of_v).flatten(0, 1)  # (n, C)
            of_v = of_v.flatten(0, 1)
            x = h.index_select(0, rows)
            of_u += product(x.T, of_s.T)
            of_b += product(x.T, of_v.T)
            of_h.index_copy_(0, rows, product(of_s, u).add_(product(of_v, b)))
        return of_h, of_u, of_b, None


def _equal(bags: Segments) -> Iterator[tuple[Tensor, Tensor]]:
    """Give bags of one size n at a time: their numbers (B',) and their rows (B', n)."""
    for size in sorted(set(bags.sizes.tolist())):
        alike = (bags.sizes == size).nonzero().squeeze(1)
        inside = torch.arange(size, device=alike.device)
        for chosen in alike.split(max(ROWS // size, 1)):
            yield chosen, bags.starts[chosen].unsqueeze(1) + inside
