"""Fused forms: affine maps of several runs, layers one after another, and gates.

Their gradients are written out; tests hold them against the plain formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from mipl.nn.dropout import drop_, of_dropped
from mipl.nn.products import ROWS, product


def mapped(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Apply a map (q, d) to all rows, or each of (S, q, d) to its share of the rows.

    Of several maps the rows lie run after run, or have an axis of runs.
    """
    if weight.ndim == 2:
        return nn.functional.linear(x, weight, bias)  # (n, q)
    found: Tensor = _Maps.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return found  # (S n, q) or (S, n, q)


def by_columns(weight: Tensor) -> bool:
    """Whether a matrix lies in memory column after column."""
    return weight.ndim == 2 and not weight.is_contiguous()


class _Maps(torch.autograd.Function):
    """x W' + b of each run, with the gradient of W in the memory order of W.

    The gradient that torch takes is always by columns: it would be copied, and for one
    output it is ten times slower.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        n_runs, outputs, inputs = weight.shape
        rows = x.view(n_runs, -1, inputs)  # (S, n, d)
        ctx.save_for_backward(rows, weight)
        ctx.biased, ctx.shape = bias is not None, x.shape
        found = x.new_empty(*x.shape[:-1], outputs)
        # Not a view, so that the next layer may write into it.
        out, maps = found.view(n_runs, -1, outputs), weight.transpose(1, 2)
        if bias is None:
            torch.bmm(rows, maps, out=out)
        else:
            torch.baddbmm(bias.unsqueeze(1), rows, maps, out=out)
        return found  # (S n, q) or (S, n, q)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, Tensor, Tensor | None]:
        rows, weight = ctx.saved_tensors
        g = g.view(len(weight), -1, weight.shape[1])  # (S, n, q)
        of_x = torch.bmm(g, weight).view(ctx.shape) if ctx.needs_input_grad[0] else None
        if by_columns(weight[0]):
            of_weight = torch.bmm(rows.transpose(1, 2), g).transpose(1, 2)
        else:
            of_weight = torch.bmm(g.transpose(1, 2), rows)
        return of_x, of_weight, g.sum(dim=1) if ctx.biased else None


def dropped_maps(
    x: Tensor, maps: Sequence[nn.Linear], random: Sequence[Tensor | None], p: float
) -> Tensor:
    """Apply affine maps, each with dropout by its random bytes, and ReLU.

    They are taken one after another for some rows at a time, forward and backward, so
    that what comes between two products stays in the cache.
    """
    values = [v for layer in maps for v in (layer.weight, layer.bias)]
    found: Tensor = _DroppedMaps.apply(x, random, p, *values)  # type: ignore[no-untyped-call]
    return found  # (N, q of the last)


class _DroppedMaps(torch.autograd.Function):
    """relu(scale keep (x W' + b)), layer after layer."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, random: Sequence[Tensor | None], p: float, *values: Tensor
    ) -> Tensor:
        weights, biases = values[::2], values[1::2]
        found = x.new_empty(len(x), len(weights[-1]))
        ctx.between = []  # Of each block, after each layer but the last.
        for rows in _blocks(len(x)):
            parts = [x[rows]]
            for weight, bias, bytes_ in zip(weights, biases, random, strict=True):
                y = product(parts[-1], weight, bias)
                drop_(y, None if bytes_ is None else bytes_[rows], p)
                parts.append(y)
            found[rows] = parts.pop()
            ctx.between.append(parts)
        ctx.p = [0.0 if bytes_ is None else p for bytes_ in random]
        ctx.save_for_backward(found, *weights)
        return found

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        found, *weights = ctx.saved_tensors
        of_weights = [torch.zeros_like(weight) for weight in weights]
        of_biases = [weight.new_zeros(len(weight)) for weight in weights]
        of_x = (
            g.new_empty(len(g), weights[0].shape[1])
            if ctx.needs_input_grad[0]
            else None
        )
        for rows, parts in zip(_blocks(len(g)), ctx.between, strict=True):
            slopes, ys = g[rows], [*parts[1:], found[rows]]
            for i in reversed(range(len(weights))):
                slopes = of_dropped(slopes, ys[i], ctx.p[i])
                of_weights[i] += product(slopes.T, parts[i].T)
                of_biases[i] += slopes.sum(dim=0)
                if i:
                    slopes = product(slopes, weights[i].T)
            if of_x is not None:
                of_x[rows] = product(slopes, weights[0].T)
        pairs = zip(of_weights, of_biases, strict=True)
        return of_x, None, None, *(each for pair in pairs for each in pair)


def _blocks(n: int) -> list[slice]:
    return [slice(first, min(first + ROWS, n)) for first in range(0, n, ROWS)]


def fused_gates(h: Tensor, v: nn.Linear, u: nn.Linear) -> Tensor:
    """Return tanh(V h) * sigmoid(U h) of rows h and two affine maps, (N, g).

    Both maps are one product, which is faster than two of half its size, and tanh(x)
    is taken as 2 sigmoid(2 x) - 1: a sigmoid takes a third of the time of a tanh.
    """
    weight = torch.cat([2 * v.weight, u.weight], dim=-2)  # (2 g, L)
    bias = None if v.bias is None else torch.cat([2 * v.bias, u.bias], dim=-1)
    found: Tensor = _Gates.apply(mapped(h, weight, bias))  # type: ignore[no-untyped-call]
    return found


class _Gates(torch.autograd.Function):
    """The gates of rows [2 V h, U h] and their gradient."""

    @staticmethod
    def forward(ctx: Any, maps: Tensor) -> Tensor:
        both = torch.sigmoid(maps)  # (N, 2 g)
        first, u = both.chunk(2, dim=1)
        v = first.mul(2).sub_(1)  # (N, g)
        ctx.save_for_backward(both, v)
        return v * u

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        both, v = ctx.saved_tensors
        gates = v.shape[1]
        slopes = torch.empty_like(both)
        torch.mul(g, both[:, gates:], out=slopes[:, :gates]).mul_(2)
        torch.mul(g, v, out=slopes[:, gates:])
        found: Tensor = torch.ops.aten.sigmoid_backward(slopes, both)
        return found
